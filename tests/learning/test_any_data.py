"""Learning from data as people have them: levels, weights, missing values, penalised fits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import markhood
from markhood.data.coding.encode import encode
from markhood.kernels.tables import codes
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.learning.methods import METHODS, Plrhc
from markhood.learning.request import Request
from messages import refuses
from oracles.levels import chain
from oracles.networks import network

LEVELS = (3, 2, 4, 2, 3, 2)
seeds = st.integers(0, 100_000)


def edges_of(graph):
    return graph.edges.tolist()


def kinds_for(method):
    """Ordered levels as they come, and as categories for methods that know no order."""
    return "auto" if METHODS[method]().uses_order else "nominal"


def with_holes(values, share, seed=0):
    values = np.asarray(values, dtype=float)
    values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
    return values


@settings(max_examples=15, deadline=None)
@given(seed=seeds, method=st.sampled_from(["plrhc", "mpl", "bjp"]))
def test_property_relabelling_levels_changes_no_edge(seed, method):
    rng = np.random.default_rng(seed)
    values = chain(seed, 2000, LEVELS, strength=1.0)
    relabelled = np.column_stack(
        [rng.permutation(r)[v] for v, r in zip(values.T, LEVELS, strict=True)]
    )
    here, there = (markhood.learn(v, method, kinds="nominal") for v in (values, relabelled))
    assert edges_of(here) == edges_of(there)
    np.testing.assert_allclose(here.evidence, there.evidence, rtol=0, atol=1e-6)
    # Binary pairs may change their sign, tables their order: never their size.
    np.testing.assert_allclose(np.abs(here.coupling), np.abs(there.coupling), rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_property_binary_variables_given_as_text_are_the_same(method):
    values = network(1, 300, 8)
    as_text = np.where(values == 1, "yes", "no")
    here, there = markhood.learn(values, method), markhood.learn(as_text, method)
    assert here.variables.levels != there.variables.levels
    for part in ("edges", "evidence_ends", "coupling_ends"):
        np.testing.assert_array_equal(getattr(here, part), getattr(there, part))


@pytest.mark.parametrize("method", METHODS)
def test_property_weights_of_one_change_nothing(method):
    values = chain(4, 200, LEVELS)
    kinds = kinds_for(method)
    plain = markhood.learn(values, method, kinds=kinds)
    assert markhood.learn(values, method, weights=np.ones(200), kinds=kinds) == plain
    assert markhood.learn(values, method, weights=np.full(200, 1.0), kinds=kinds) == plain


def test_property_real_weights_do_not_depend_on_their_scale():
    values = chain(5, 400, LEVELS)
    weights = np.random.default_rng(5).gamma(4.0, size=400)
    plain = markhood.learn(values, weights=weights)
    assert markhood.learn(values, weights=1000.5 * weights) == plain
    many = markhood.learn(
        values, weights=1000.5 * weights, table=markhood.TableFormat(weights_are="frequencies")
    )
    assert many.n_edges >= plain.n_edges
    assert many.evidence.sum() > 100 * plain.evidence.sum()


def test_example_a_weight_counts_a_sample():
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    assert markhood.learn(values).n_edges == 0
    assert markhood.learn(values, weights=[9, 1, 1, 9] * 10).n_edges == 1


@pytest.mark.parametrize("refit", [True, False])
def test_property_l1_paths_take_fractional_weights(refit):
    values, half = chain(1, 300, (2, 2, 2, 2)), markhood.TableFormat(weights_are="frequencies")
    alone = markhood.learn(values, "l1lr", refit=refit)
    twice = np.repeat(values, 2, axis=0)
    again = markhood.learn(twice, "l1lr", refit=refit, weights=np.full(600, 0.5), table=half)
    assert again.edges.tolist() == alone.edges.tolist()
    np.testing.assert_allclose(again.evidence, alone.evidence, rtol=1e-6)
    mixed = np.concatenate([values, np.zeros((300, 4), int)])
    weights = np.repeat([1.0, 1e-3], 300)
    found = markhood.learn(mixed, "l1lr", refit=refit, weights=weights)
    assert found.edges.tolist() == alone.edges.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_property_imputation_without_missing_values_is_the_plain_run(method):
    values = chain(6, 200, LEVELS)
    kinds = kinds_for(method)
    imputed = markhood.learn(values, method, missing="impute", kinds=kinds)
    assert imputed == markhood.learn(values, method, kinds=kinds)


@pytest.mark.parametrize("method", [name for name in METHODS if not METHODS[name].takes_missing])
def test_example_every_method_imputes(method):
    values = with_holes(chain(7, 400, (2,) * 6), 0.15)
    graph = markhood.learn(values, method, missing="impute", run=markhood.Run(imputations=4))
    assert graph.n_edges >= 2
    shares = graph.annotations["probability" if method == "bayes" else "share"]
    assert ((shares > 0.5) & (shares <= 1)).all()
    assert (graph.annotations["evidence_variance"] >= 0).all()
    assert graph.provenance["imputation"] == {
        "missing": int(np.isnan(values).sum()),
        "sets": 4,
        "seed": 0,
    }


def test_property_the_seed_decides():
    values = with_holes(chain(8, 300, LEVELS), 0.2)
    one, again, other = (markhood.learn(values, missing="impute", seed=s) for s in (1, 1, 2))
    assert one == again
    assert one != other


def test_property_observed_values_and_weights_stay_as_they_are():
    values = chain(9, 300, LEVELS)
    holes = np.isnan(with_holes(values, 0.2))
    samples = encode(with_holes(values, 0.2), missing="impute", weights=1 + np.arange(300) % 50)
    learned = Request.of(Plrhc(), {"imputations": 3, "seed": 5}).learn(samples)
    assert learned.graph.provenance["data"]["weight"] == 6 * 50 * 51 / 2
    completed = ImputedSamples(samples, np.random.default_rng(1))
    draws = []
    for _ in range(4):
        completed.draw_missing(learned.regressions)
        found = completed.samples()
        draws.append(np.column_stack([codes(found.bits, v) for v in range(len(LEVELS))]))
        assert (draws[-1][~holes] == values[~holes]).all()
        assert (draws[-1] < LEVELS).all()
        assert not found.missing
        assert found.weights is samples.weights
    assert (draws[0][holes] != draws[1][holes]).any()


def test_property_missing_values_are_drawn_by_their_neighbours():
    """Where two variables are nearly always the same, so are what is drawn and what was removed."""
    rng = np.random.default_rng(13)
    values = np.repeat(rng.integers(0, 3, (2000, 1)), 2, axis=1)
    values[rng.random(2000) < 0.05, 1] = 0
    holed = values.astype(float)
    holed[rng.random(2000) < 0.3, 1] = np.nan
    samples = encode(holed, missing="impute")
    learned = Request.of(Plrhc(), {"imputations": 2}).learn(samples)
    completed = ImputedSamples(samples, rng)
    completed.draw_missing(learned.regressions)
    drawn = codes(completed.samples().bits, 1)[np.isnan(holed[:, 1])]
    assert np.mean(drawn == values[np.isnan(holed[:, 1]), 1]) > 0.85


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_property_imputing_is_nearest_to_the_complete_data(share):
    """Summed over a few data sets; docs/reference/benchmarks-data.md has standard errors."""
    distances = {"impute": 0, "level": 0, "drop": 0}
    for seed in range(3):
        values = network(seed, 1500, 9, strength=1.5)
        complete = set(map(tuple, edges_of(markhood.learn(values))))
        for choice in distances:
            graph = markhood.learn(with_holes(values, share, seed), missing=choice)
            distances[choice] += len(complete ^ set(map(tuple, edges_of(graph))))
    assert distances["impute"] < min(distances["level"], distances["drop"])


def test_example_missing_values_are_an_error_if_asked_for():
    with refuses("missing-values"):
        markhood.learn(with_holes(network(1, 100, 4), 0.1), missing="error")


@pytest.mark.parametrize("imputations", [1, 2.5])
def test_example_imputation_that_cannot_be(imputations):
    with pytest.raises(markhood.InputError, match="imputations"):
        markhood.Run(imputations=imputations)


def test_example_a_seed_that_cannot_be():
    with refuses("option-value", "seed"):
        markhood.learn(with_holes(network(1, 100, 4), 0.1), missing="impute", seed=-1)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("levels", [(2,) * 5, (3,) * 5])
def test_example_a_penalty_keeps_couplings_finite(penalty, levels):
    values = chain(10, 300, levels)
    values[:, 1] = values[:, 0]
    keep = {"genome": markhood.Genome(identical="keep")}
    plain = markhood.learn(values, **keep)
    assert np.isinf(plain.coupling).any()
    penalised = markhood.learn(values, fit_penalty=(penalty, 0.5), **keep)
    assert np.isfinite(penalised.coupling).all()
    assert [0, 1] in edges_of(penalised)


def test_property_a_vanishing_penalty_changes_nothing():
    values = chain(11, 800, LEVELS)
    plain = markhood.learn(values)
    for penalty in ("l1", "l2"):
        nearly = markhood.learn(values, fit_penalty=(penalty, 1e-9))
        assert edges_of(nearly) == edges_of(plain)
        np.testing.assert_allclose(nearly.evidence, plain.evidence, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"fit_penalty": "l3"}, "option-value"),
        ({"fit_penalty": ("l2", 0)}, "option-value"),
        ({"fit_penalty": 2.0}, "option-value"),
        ({"fit_penalty": "l2", "criterion": "mpl"}, "option-conflict"),
    ],
)
def test_example_a_penalty_that_cannot_be(options, code):
    with refuses(code, "fit_penalty"):
        markhood.learn(chain(1, 50, (2, 2, 2)), **options)


def test_example_levels_seen_once_and_never_together():
    values = chain(12, 400, (3, 4, 3))
    values[0] = [3, 4, 3]  # each seen once, together
    values[1:9, 0], values[1:9, 1] = 4, np.arange(8) % 4
    graph = markhood.learn(values)
    assert edges_of(graph) == [[0, 1], [1, 2]]
    assert not np.isnan(graph.coupling).any()


def test_example_hundreds_of_levels_are_cut_unless_asked_for():
    values = np.column_stack([np.arange(600) % 200, np.arange(600) % 2, np.arange(600) // 300])
    assert len(markhood.learn(values).variables.levels[0]) == 12
    # N MI = 416 does not pay for 199 parameters, though one variable says all about the other.
    with (
        pytest.warns(markhood.DataWarning, match="200 of 600 rows are copies"),
        pytest.warns(markhood.DataWarning, match=r"5 of the 600 samples.*'x0' .200 levels"),
    ):
        graph = markhood.learn(
            values, gamma=0, kinds="nominal", table=markhood.TableFormat(max_levels=300)
        )
    assert edges_of(graph) == []
