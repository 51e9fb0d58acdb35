"""Fitted models against finite differences, statsmodels, enumeration and moments."""

import tracemalloc
import warnings
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.sparse import eye_array

import markhood
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.exact import ExactLikelihood
from markhood.model.fitting.fit import fitted
from markhood.model.fitting.layout import Layout
from markhood.model.fitting.pseudo_likelihood import PseudoLikelihood
from markhood.model.fitting.report import reported
from markhood.model.ising.model import IsingModel
from messages import refuses, warns

RNG = np.random.default_rng(5)
LEVELS = ((0, 1), ("a", "b", "c"), (1, 2, 3, 4), (0, 1))
MIXED = Layout(
    Variables(tuple("wxyz"), LEVELS, (False, False, True, False)),
    np.array([[0, 1], [0, 2], [1, 2], [2, 3]]),
)
CODES = np.stack([RNG.integers(0, len(own), 120) for own in LEVELS]).astype(np.uint16)
WEIGHTED = Observed(CODES, RNG.integers(1, 4, 120).astype(float))
SQUARE = Graph([f"x{k}" for k in range(4)], [(0, 1), (0, 2), (1, 3), (2, 3)])
TRUTH = IsingModel(SQUARE, [1.5, -1.0, 0.5, 2.0], [0.2, -0.5, 0.0, -1.0])
DATA = TRUTH.sample(800, seed=3, method="gibbs")
METHOD = "pseudo-likelihood"


def differences(function, at, step=1e-5):
    """Return the derivatives of a function along each number, by central differences."""
    columns = []
    for k in range(len(at)):
        up, down = at.copy(), at.copy()
        up[k] += step
        down[k] -= step
        columns.append((function(up) - function(down)) / (2 * step))
    return np.array(columns)


@pytest.mark.parametrize("is_shared", [True, False])
def test_oracle_derivatives_of_the_pseudo_likelihood(is_shared):
    likelihood = PseudoLikelihood(MIXED, WEIGHTED, is_shared)
    at = RNG.normal(0, 0.5, likelihood.n_parameters)
    gradient, slopes = (differences(of, at) for of in (likelihood.value, likelihood.gradient))
    np.testing.assert_allclose(likelihood.gradient(at), gradient, rtol=1e-6, atol=1e-5)
    precision = eye_array(len(at), format="csr") / 7
    found, expected = likelihood.curvature(at) + precision, -slopes + np.eye(len(at)) / 7
    everything, some = np.arange(len(at)), np.arange(0, len(at), 3)
    for is_wide in (False, True):
        vars(likelihood)["is_wide"] = is_wide
        np.testing.assert_allclose(found.block(everything), expected, rtol=1e-6, atol=1e-5)
        np.testing.assert_allclose(found.diagonal(), np.diag(expected), rtol=1e-6, atol=1e-5)
        np.testing.assert_allclose(found.block(some), expected[np.ix_(some, some)], atol=1e-5)
        along = RNG.normal(size=len(at))
        np.testing.assert_allclose(found @ along, expected @ along, atol=1e-4)


def test_example_wide_regressions_take_little_memory():
    # The information matrix has 14 million entries for 200 values; as a matrix it took 417 MB.
    words = np.array(["oak", "elm", "fir", "ash", "yew", "box", "fig", "nut", "bay", "rue"])
    values = words[np.random.default_rng(0).integers(0, 10, (20, 10))]
    every = Graph([f"x{j}" for j in range(10)], list(combinations(range(10), 2)))
    tracemalloc.start()
    try:
        with warns("separated"):
            model = markhood.fit_model(every, values, prior=None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.infinite_couplings.all()
    assert model.converged.all()
    assert peak < 150e6


def test_oracle_exact_likelihood_by_enumeration():
    likelihood = ExactLikelihood(MIXED, WEIGHTED)
    at = RNG.normal(0, 0.5, MIXED.n_parameters)
    states = np.array(list(product(*(range(len(own)) for own in LEVELS))), np.uint16).T
    everything = Observed(states, np.ones(states.shape[1]))
    statistics = likelihood.statistics(everything, np.arange(MIXED.n_parameters))
    weights = np.exp(statistics @ at)
    log_partition, means = likelihood.expected(at)
    assert log_partition == pytest.approx(np.log(weights.sum()))
    np.testing.assert_allclose(means, weights @ statistics / weights.sum(), atol=1e-12)
    centred = statistics - means
    covariance = (centred * (weights / weights.sum())[:, None]).T @ centred
    n = WEIGHTED.weights.sum()
    np.testing.assert_allclose(likelihood.information(at).toarray(), n * covariance, atol=1e-4)


def test_oracle_regressions_of_statsmodels():
    model = markhood.fit_model(SQUARE, DATA, method="average", prior=None)
    slopes = np.zeros((4, 4))
    for k in range(4):
        others = [SQUARE.number(name) for name in SQUARE.neighbours(k)]
        design = sm.add_constant(DATA[:, others].astype(float))
        slopes[k, others] = sm.Logit(DATA[:, k], design).fit(disp=0, tol=1e-10).params[1:]
    expected = [(slopes[i, j] + slopes[j, i]) / 2 for i, j in SQUARE.edges.tolist()]
    np.testing.assert_allclose(model.couplings, expected, atol=1e-6)


def test_oracle_joint_fit_is_one_stacked_regression():
    """Compare with one regression on the stacked designs, with a column per parameter."""
    n, edges = len(DATA), SQUARE.edges.tolist()
    design = np.zeros((4 * n, 4 + len(edges)))
    for k in range(4):
        rows = slice(k * n, (k + 1) * n)
        design[rows, k] = 1
        for e, (i, j) in enumerate(edges):
            if k in (i, j):
                design[rows, 4 + e] = DATA[:, j if k == i else i]
    stacked = sm.Logit(DATA.T.ravel(), design).fit(disp=0, tol=1e-10)
    model = markhood.fit_model(SQUARE, DATA, prior=None)
    np.testing.assert_allclose(model.fields, stacked.params[:4], atol=1e-6)
    np.testing.assert_allclose(model.couplings, stacked.params[4:], atol=1e-6)


def test_oracle_the_likelihood_matches_all_pairs():
    model = markhood.fit_model(SQUARE, DATA, method="likelihood", prior=None)
    tables = model.distribution.pair_marginals()
    for (i, j), table in zip(SQUARE.edges.tolist(), tables, strict=True):
        seen = np.array(
            [[np.mean((DATA[:, i] == a) & (DATA[:, j] == b)) for b in (0, 1)] for a in (0, 1)]
        )
        np.testing.assert_allclose(table, seen, atol=1e-6)


@pytest.mark.parametrize("method", ["pseudo-likelihood", "average", "likelihood"])
def test_example_truth_is_within_its_errors(method):
    model = markhood.fit_model(SQUARE, DATA, method=method)
    assert (np.abs(model.couplings - TRUTH.couplings) < 3.5 * model.errors.couplings).all()
    assert (np.abs(model.fields - TRUTH.fields) < 3.5 * model.errors.fields).all()
    fields = TRUTH.to_spins()[1]
    assert (np.abs(model.to_spins()[1] - fields) < 3.5 * model.errors.spin_fields).all()
    rows = model.coupling_rows("spins")
    assert [row["coupling"] for row in rows] == pytest.approx(model.couplings / 4)


@pytest.mark.parametrize("prior", [2.5, 0.5])
def test_property_which_level_is_first_changes_nothing(prior):
    frame = np.array(["no", "yes"])[DATA]
    flipped = frame.copy()
    flipped[:, 0] = np.where(frame[:, 0] == "no", "z", "a")
    one = markhood.fit_model(SQUARE, frame, prior=prior)
    other = markhood.fit_model(SQUARE, flipped, prior=prior)
    signs = np.array([-1 if 0 in edge else 1 for edge in SQUARE.edges.tolist()])
    np.testing.assert_allclose(other.couplings, signs * one.couplings, atol=1e-7)
    np.testing.assert_allclose(other.errors.couplings, one.errors.couplings, atol=1e-7)


def test_property_levels_of_three_may_be_called_anything():
    letters = np.array(["a", "b", "c"])
    values = letters[RNG.integers(0, 3, (300, 2))]
    values[:, 1] = np.where(RNG.random(300) < 0.5, values[:, 0], values[:, 1])
    others = np.select([values == "a", values == "b"], ["q", "r"], "p")
    pair = Graph(["u", "v"], [(0, 1)])
    one, other = (
        markhood.fit_model(pair, own, prior=0.3).table("u", "v") for own in (values, others)
    )
    order = [1, 2, 0]  # a, b, c are q, r, p
    np.testing.assert_allclose(other.values[np.ix_(order, order)], one.values, atol=1e-7)
    np.testing.assert_allclose(other.errors[np.ix_(order, order)], one.errors, atol=1e-7)
    assert one.rows == ("a", "b", "c")


def test_property_counts_are_repeated_samples():
    counts = RNG.integers(1, 4, len(DATA))
    weighted = markhood.fit_model(SQUARE, DATA, weights=counts)
    repeated = markhood.fit_model(SQUARE, np.repeat(DATA, counts, axis=0))
    np.testing.assert_allclose(weighted.couplings, repeated.couplings, atol=1e-8)
    np.testing.assert_allclose(weighted.errors.couplings, repeated.errors.couplings, atol=1e-8)


def test_property_weights_of_a_survey_are_not_samples():
    once = markhood.fit_model(SQUARE, DATA)
    halves = markhood.fit_model(
        SQUARE, DATA, weights=np.full(len(DATA), 1.5), weights_are="frequencies"
    )
    np.testing.assert_allclose(halves.errors.couplings, once.errors.couplings, rtol=0.1)


def test_example_separated_data():
    data = np.repeat([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], [9, 6, 8, 7], axis=0)
    pair = Graph(["a", "b", "c"], [(0, 1), (1, 2)])
    with warns("identical-columns", where="b"):
        model = markhood.fit_model(pair, data)
    assert np.isfinite(model.couplings).all()
    assert model.couplings[0] > 2
    with warns("identical-columns", "separated", where="b"):
        plain = markhood.fit_model(pair, data, prior=None)
    assert plain.couplings[0] == np.inf
    assert np.isfinite(plain.couplings[1])
    assert plain.intervals()[0].tolist() == [-np.inf, np.inf]
    assert plain.fields[:2].tolist() == [-np.inf, -np.inf]
    assert np.isfinite(plain.fields[2])


def test_example_a_field_may_be_finite_where_its_coupling_is_not():
    data = np.repeat([[0, 0], [1, 0], [1, 1]], [9, 6, 8], axis=0)  # b = 1 implies a = 1
    with warns("separated", where="a - b"):
        plain = markhood.fit_model(Graph(["a", "b"], [(0, 1)]), data, prior=None)
    assert plain.fields[0] == pytest.approx(np.log(6 / 9), abs=1e-3)
    assert plain.fields[1] == -np.inf


def test_example_near_parameters_are_enough():
    """Compare standard errors from the parameters near a variable with those from all."""
    ring = Graph([f"x{k}" for k in range(12)], [(k, (k + 1) % 12) for k in range(12)])
    truth = IsingModel(ring, np.tile([1.5, -1.0, 0.5], 4), np.zeros(12))
    data = truth.sample(500, seed=4, method="gibbs")
    layout = Layout(Variables(ring.nodes, ((0, 1),) * 12), ring.edges)
    observed, method, prior = Observed(data.T.astype(np.uint16), np.ones(500)), METHOD, 2.5
    fit = fitted(layout, observed, method, prior)
    whole = reported(ring, layout, fit, observed, method, prior).errors
    nearby = fit._replace(sandwich=replace(fit.sandwich, most_together=0))
    near = reported(ring, layout, nearby, observed, method, prior).errors
    assert (near.couplings != whole.couplings).any()
    np.testing.assert_allclose(near.couplings, whole.couplings, rtol=0.01)
    np.testing.assert_allclose(near.fields, whole.fields, rtol=0.01)


def test_example_regressions_take_the_samples_that_they_can():
    values = DATA.astype(float)
    values[:300, 3] = np.nan
    model = markhood.fit_model(SQUARE, values, missing="impute")
    complete = markhood.fit_model(SQUARE, values[300:])
    # 0 is not a neighbour of 3: its regression uses all samples, the others only complete ones.
    assert (np.abs(model.couplings - complete.couplings) > 1e-6).all()
    assert (np.abs(model.couplings - TRUTH.couplings) < 4 * model.errors.couplings).all()
    with refuses("missing-values", "method"):
        markhood.fit_model(SQUARE, values, missing="impute", method="likelihood")


def test_example_a_model_of_a_learned_graph_needs_fields():
    learned = markhood.learn(DATA)
    with refuses("option-needed", "fields"):
        IsingModel(learned, learned.coupling)
    model = markhood.fit_model(learned, DATA)
    assert model.graph.edges.tolist() == learned.edges.tolist()
    assert model.graph.adjacency("coupling").shape == (4, 4)
    np.testing.assert_array_equal(model.graph.coupling, model.couplings)


@pytest.mark.parametrize(
    "options", [{"method": "mcmc"}, {"prior": 0}, {"prior": 1e308}, {"prior": "weak"}]
)
def test_example_bad_options_are_refused(options):
    with refuses("option-value", *options):
        markhood.fit_model(SQUARE, DATA, **options)


def test_example_other_columns_do_not_matter_and_missing_ones_do():
    import pandas as pd

    frame = pd.DataFrame(DATA, columns=list(SQUARE.nodes)).assign(other=np.arange(len(DATA)))
    np.testing.assert_array_equal(
        markhood.fit_model(SQUARE, frame).couplings, markhood.fit_model(SQUARE, DATA).couplings
    )
    with pytest.raises(InputError, match="x3"):
        markhood.fit_model(SQUARE, frame.drop(columns="x3"))


def test_property_recoding_is_the_same_distribution():
    spins, fields = markhood.recode(SQUARE.edges, TRUTH.couplings, TRUTH.fields, to="spins")
    states = np.array(list(product((0, 1), repeat=4)))
    s = 2.0 * states - 1
    i, j = SQUARE.edges.T
    logs = s @ fields + (s[:, i] * s[:, j]) @ spins
    differs = logs - TRUTH.log_potential(states)
    np.testing.assert_allclose(differs, differs[0], atol=1e-12)
    back = markhood.recode(SQUARE.edges, spins, fields, to="01")
    np.testing.assert_allclose(back[0], TRUTH.couplings)
    np.testing.assert_allclose(back[1], TRUTH.fields)


def test_oracle_annealing_agrees_with_sums():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        pairs = [(i, j) for i in range(8) for j in range(i)]
        graph = Graph([f"x{k}" for k in range(8)], pairs)
        model = IsingModel(graph, rng.normal(0, 1, len(pairs)), rng.normal(0, 1, 8))
        found = model.estimate_log_partition(seed, chains=64, steps=300)
        assert found.error < 0.1
        assert abs(found.value - model.log_partition()) < 4.5 * found.error


def test_example_fitting_does_not_repeat_warnings_of_learning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        markhood.fit_model(markhood.learn(DATA), DATA)


def test_example_far_more_parameters_than_values_are_refused():
    copies = np.repeat(np.arange(128)[:, None] % 64, 10, axis=1)
    star = Graph([f"x{j}" for j in range(10)], [(0, j) for j in range(1, 10)])
    with refuses("model-size", "graph", "36351 parameters", "1280 observed values"):
        markhood.fit_model(star, markhood.encode(copies, kinds="nominal"))


def test_example_more_parameters_than_memory_are_refused(monkeypatch):
    monkeypatch.setattr("markhood.model.fitting.fit.available_memory", lambda: 50)
    with refuses("model-size", "graph", "50 bytes"):
        markhood.fit_model(Graph(["x0", "x1"], [(0, 1)]), [[0, 0], [1, 1], [0, 1], [1, 1]])


def test_example_errors_of_many_parameters_within_own_regressions(monkeypatch):
    values = np.random.default_rng(0).integers(0, 5, (200, 8))
    complete = Graph([f"x{j}" for j in range(8)], [(i, j) for j in range(8) for i in range(j)])
    samples = markhood.encode(values, kinds="nominal")
    exact = markhood.fit_model(complete, samples).errors.couplings
    monkeypatch.setattr("markhood.model.fitting.fit.MOST_NEAR", 100)
    near = markhood.fit_model(complete, samples).errors.couplings
    assert (near < exact).all()
    np.testing.assert_allclose(near, exact, rtol=0.1)
