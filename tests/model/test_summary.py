"""Parameters by name, the printed table, and information criteria against what they estimate."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from messages import refuses

RING = Graph([f"x{i}" for i in range(6)], [*((i, (i + 1) % 6) for i in range(6)), (0, 3)])
RNG = np.random.default_rng(1)
TRUTH = IsingModel(RING, RNG.choice([-0.6, 0.6], 7), RNG.normal(0, 0.3, 6))
DATA = TRUTH.sample(400, seed=1, method="gibbs")


@pytest.fixture(scope="module")
def mixed():
    """Return a model with a numeric coupling, a table, and a coupling per step."""
    rng = np.random.default_rng(2)
    size = rng.integers(0, 3, 300)
    frame = pd.DataFrame(
        {
            "size": pd.Categorical.from_codes(size, ["small", "middle", "large"], ordered=True),
            "kind": np.array(["cat", "dog", "owl"])[(size + rng.integers(0, 2, 300)) % 3],
            "old": (size + rng.integers(0, 2, 300) > 1).astype(int),
        }
    )
    return markhood.fit_model(Graph(["size", "kind", "old"], [(0, 1), (0, 2)]), frame)


def test_oracle_names_go_with_the_numbers():
    model = markhood.fit_model(RING, DATA)
    names = [*RING.nodes, *(f"{a}:{b}" for a, b in RING.edge_names())]
    assert list(model.params.index) == list(model.bse.index) == names
    np.testing.assert_array_equal(model.params, [*model.fields, *model.couplings])
    np.testing.assert_array_equal(model.bse, [*model.errors.fields, *model.errors.couplings])
    interval = model.conf_int(0.9)
    np.testing.assert_allclose(interval[6:], model.intervals(0.9))
    np.testing.assert_allclose(interval["high"] - model.params, 1.6448536 * model.bse)
    assert list(model.to_frame()["parameter"]) == names


def test_example_levels_are_in_the_names(mixed):
    params = mixed.params
    assert params["old[1]"] == pytest.approx(mixed.fields[2][1])
    table = mixed.table("size", "kind")
    assert params["size[large]:kind[dog]"] == table.values[2, 1]
    assert mixed.bse["size[large]:kind[dog]"] == table.errors[2, 1]
    assert params["size:old"] == mixed.couplings[1]
    assert len(params) == 3 + 3 + 2 + 9 + 1


def test_example_the_summary_has_all_of_it(mixed):
    text = str(mixed.summary())
    assert repr(mixed.summary()) == text
    for row in mixed.to_frame().itertuples():
        (line,) = [line for line in text.splitlines() if line.split(" ")[0] == row.parameter]
        numbers = [f"{x:.4f}" for x in (row.value, row.error, row.low, row.high)]
        assert line.split()[1:] == numbers
    for number in (f"{mixed.llf:.2f}", f"{mixed.aic:.2f}", f"{mixed.bic:.2f}", "300", "0.025"):
        assert number in text
    assert "[0.05" in str(mixed.summary(0.9))
    assert "Couplings: none" in str(markhood.fit_model(Graph("ab", []), DATA[:, :2]).summary())


@pytest.mark.parametrize("method", ["pseudo-likelihood", "average", "likelihood"])
def test_oracle_log_likelihood_is_that_of_the_samples(method, mixed):
    model = markhood.fit_model(RING, DATA, method=method)
    own = model.log_pseudo_likelihood(DATA)
    if method == "likelihood":
        own = model.log_likelihood(DATA).value
    assert model.llf == pytest.approx(400 * own, rel=1e-9)
    k = 6 + 7 * (1 if method == "likelihood" else 2)
    assert model.aic == pytest.approx(2 * k - 2 * model.llf)
    assert model.bic == pytest.approx(k * np.log(400) - 2 * model.llf)
    # Fields: levels minus one. Couplings: an ordered end has one score, a nominal one two.
    assert mixed.aic == pytest.approx(2 * (2 + 2 + 1 + 2 * (1 * 2 + 1)) - 2 * mixed.llf)


def test_oracle_weights_count_as_repeated_samples():
    times = np.random.default_rng(0).integers(1, 4, 400)
    weighted = markhood.fit_model(RING, DATA, weights=times)
    repeated = markhood.fit_model(RING, np.repeat(DATA, times, axis=0))
    assert weighted.aic == pytest.approx(repeated.aic)
    assert weighted.bic == pytest.approx(repeated.bic)


@pytest.mark.parametrize(("method", "k"), [("pseudo-likelihood", 20), ("likelihood", 13)])
def test_oracle_aic_corrects_the_optimism_of_a_fit(method, k):
    """The mean optimism of the log-likelihood is k; new samples are all states."""
    states = np.array(list(product((0, 1), repeat=6)))
    chances = np.exp(TRUTH.log_potential(states) - TRUTH.log_partition())

    def logs(model):
        if method == "likelihood":
            return model.log_potential(states) - model.log_partition()
        ones = model.conditionals(states)
        return np.log(np.where(states == 1, ones, 1 - ones)).sum(axis=1)

    n, gaps = 400, []
    for seed in range(80):
        data = TRUTH.sample(n, seed=seed, method="gibbs", chains=n, burn_in=50, thinning=1)
        seen = np.bincount(data @ (1 << np.arange(5, -1, -1)), minlength=64)
        fitted = markhood.fit_model(RING, data, method=method, prior=None).distribution
        gaps.append((logs(fitted) - logs(TRUTH)) @ (seen - n * chances))
    mean, error = np.mean(gaps), np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert abs(mean - k) < 4 * error
    assert error < 1


def test_example_a_file_without_it_has_no_criteria(tmp_path):
    model = markhood.fit_model(RING, DATA)
    markhood.write_model(model, tmp_path / "model.json")
    again = markhood.read_model(tmp_path / "model.json")
    assert (again.llf, again.aic, again.bic) == (model.llf, model.aic, model.bic)
    again.llf = None
    with refuses("no-provenance", "model"):
        again.aic  # noqa: B018
    assert "AIC" not in str(again.summary())
    assert "FittedModel" in again._repr_html_()


def test_example_bad_levels_are_refused():
    with refuses("option-value", "level"):
        markhood.fit_model(RING, DATA).conf_int(95)


def test_example_intervals_on_a_learned_graph_say_that_it_was_selected():
    frame = pd.DataFrame(DATA, columns=RING.nodes)
    learned = markhood.learn(frame)
    model, given = markhood.fit_model(learned, frame), markhood.fit_model(RING, frame)
    every = markhood.fit_model(learned, frame, all_pairs=True)
    assert [one.is_selected for one in (model, given, every)] == [True, False, False]
    for one in (model, given, every):
        assert ("Intervals hold for a given graph" in str(one.summary())) == one.is_selected
        assert ("Intervals hold for a given graph" in one._repr_html_()) == one.is_selected
        assert ("do not include the selection" in one.describe_methods()) == one.is_selected
    assert every.graph.n_edges == 15
    assert "couplings of all pairs were estimated" in every.describe_methods()
    np.testing.assert_allclose(
        every.couplings,
        markhood.fit_model(Graph(RING.nodes, list(combinations(range(6), 2))), frame).couplings,
    )


def test_property_intervals_of_fields_hold_with_all_pairs_and_not_on_a_learned_graph():
    covered = np.zeros((2, 2))
    for seed in range(40):
        frame = pd.DataFrame(TRUTH.sample(800, seed=[seed, 9]), columns=RING.nodes)
        learned = markhood.learn(frame, gamma=1.0)
        for k, all_pairs in enumerate((False, True)):
            model = markhood.fit_model(learned, frame, all_pairs=all_pairs)
            hits = np.abs(model.fields - TRUTH.fields) <= 1.96 * model.errors.fields
            covered[k] += hits.sum(), len(hits)
    shares = covered[:, 0] / covered[:, 1]
    assert shares[0] < 0.9
    assert shares[1] == pytest.approx(0.95, abs=0.035)
