"""Resampled data sets, the graphs learned from them, and the summaries of a bootstrap."""

import warnings
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode, encode_like
from markhood.data.samples import Weights
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.tables import codes
from markhood.learning.methods import Plrhc
from markhood.stability import replicates
from markhood.stability.centrality import centrality_rows, difference_rows
from markhood.stability.replicates import WEAK, Replicate, Replicates, replicate
from markhood.stability.resampling import DROPPED, Cases, Halves, Rows, Units
from messages import refuses, warns
from oracles.jobs import job_of
from oracles.networks import network

VALUES = network(31, 300, 6, strength=1.5)
QUICK = {"replicates": 12, "n_jobs": 1}


def drawn_rows(resampling, n, number):
    """Return the numbers of the drawn samples, using data in which each has a level of its own."""
    numbers = np.column_stack([np.arange(n), np.arange(n)])
    numbered = encode_like(numbers, (tuple(range(n)),) * 2)
    return codes(resampling.drawn(numbered, number).bits, 0)


def test_example_samples_are_taken_with_their_weights():
    samples = encode(VALUES[:70], weights=np.arange(1, 71))
    rows = np.array([69, 3, 3, 0])
    taken = samples.take(rows)
    assert taken.n_samples == 4
    assert taken.weights.counts.tolist() == [70, 4, 4, 1]
    np.testing.assert_array_equal(taken.ones, VALUES[rows].sum(axis=0))


def test_property_rows_are_drawn_with_replacement_and_depend_on_their_number_alone():
    resampling = Rows(Units.of(50, 7))
    first, again, other = (drawn_rows(resampling, 50, k) for k in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert len(first) == 50
    assert len(set(first.tolist())) < 50
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize("weights", [None, Weights(np.arange(1, 51), 0.5)])
def test_property_ordered_rows_drawn_twice_have_twice_the_weight(weights):
    resampling = Rows(Units.of(50, 7))
    numbers = np.column_stack([np.arange(50), np.arange(50)])
    samples = encode_like(numbers, (tuple(range(50)),) * 2).with_order([True, True])
    drawn = resampling.drawn(replace(samples, weights=weights), 3)
    counted = np.zeros(50, np.int64)
    counted[codes(drawn.bits, 0)] = drawn.weights.counts
    times = np.bincount(drawn_rows(resampling, 50, 3), minlength=50)
    assert counted.tolist() == (times if weights is None else times * weights.counts).tolist()
    assert drawn.weights.unit == (1 if weights is None else 0.5)


def test_property_halves_come_in_complementary_pairs():
    resampling = Halves(Units.of(51, 7))
    one, other = drawn_rows(resampling, 51, 8), drawn_rows(resampling, 51, 9)
    assert len(one) == len(other) == 25
    assert not set(one.tolist()) & set(other.tolist())


def test_property_cases_leave_out_a_share():
    resampling = Cases(Units.of(60, 7))
    for number in range(12):
        rows = drawn_rows(resampling, 60, number)
        assert len(set(rows.tolist())) == len(rows) == round(60 * (1 - DROPPED[number % 10]))


def test_property_clusters_stay_together_and_strata_keep_their_sizes():
    clusters = np.repeat(np.arange(20), 3)
    strata = (clusters >= 14).astype(int)
    rows = drawn_rows(Rows(Units.of(60, 1, clusters, strata)), 60, 0)
    assert len(rows) == 60
    assert (strata[rows] == 1).sum() == 18
    counts = np.bincount(rows, minlength=60).reshape(20, 3)
    assert (counts == counts[:, :1]).all()


def test_example_clusters_may_not_cross_strata():
    with refuses("labels", "strata"):
        Units.of(4, 0, clusters=[0, 0, 1, 1], strata=[0, 1, 1, 1])


@pytest.mark.parametrize("resample", ["rows", "halves", "cases", "model"])
def test_property_any_number_of_threads_gives_the_same(resample):
    one = markhood.bootstrap(VALUES, resample=resample, replicates=6, n_jobs=1)
    two = markhood.bootstrap(VALUES, resample=resample, replicates=6, n_jobs=2)
    np.testing.assert_equal(one.edges(), two.edges())


def test_example_a_fitted_model_of_ordered_levels_is_drawn_from():
    steps = np.add.accumulate(network(5, 400, 9, strength=2.0).reshape(400, 3, 3), axis=2)[:, :, 2]
    graph = markhood.learn(steps, n_jobs=1)
    model = markhood.fit_model(graph, steps)
    by_default = markhood.bootstrap(steps, resample="model", **QUICK)
    given = markhood.bootstrap(steps, resample="model", model=model, **QUICK)
    np.testing.assert_equal(by_default.edges(), given.edges())
    assert graph.n_edges > 0
    of_edges = [row["frequency"] for row in given.edges() if row["in_graph"]]
    assert np.mean(of_edges) > 0.5


def test_oracle_a_replicate_is_what_is_learned_from_its_rows():
    found = markhood.bootstrap(VALUES, **QUICK)
    rows = drawn_rows(Rows(Units.of(300, 0)), 300, 5)
    graph = markhood.learn(VALUES[rows], n_jobs=1)
    np.testing.assert_array_equal(found.replicates.each()[5].edges, graph.edges)


def test_property_replicates_of_two_seeds_share_no_random_numbers():
    job, seeds = job_of(encode(VALUES)), []
    method = SimpleNamespace(search=lambda own: seeds.append(own.seed) or Plrhc().search(own))
    for seed in (0, 1):
        replicate(replace(job, seed=seed), method, Rows(Units.of(300, seed)), 5)
    assert len(set(seeds)) == 10


def test_property_weak_couplings_are_fitted_by_the_kernels_that_are_given():
    fitted = []

    class Recording(NativeKernels):
        def fit_blankets(self, bits, targets, blankets, penalty):
            fitted.append(penalty)
            return super().fit_blankets(bits, targets, blankets, penalty)

    markhood.bootstrap(VALUES, run=markhood.Run(kernels=Recording()), **QUICK)
    assert fitted.count(WEAK.penalty) >= 12
    fitted.clear()
    markhood.compare_groups(
        VALUES, by=np.arange(300) % 2, permutations=3, run=markhood.Run(kernels=Recording())
    )
    assert fitted.count(WEAK.penalty) >= 8


def test_oracle_couplings_are_weakly_penalised_regressions():
    """At the maximum the gradient of the penalised likelihood vanishes."""
    found = markhood.bootstrap(VALUES, **QUICK)
    from scipy.optimize import minimize

    ends = np.zeros((found.graph.n_edges, 2))
    for k, (i, j) in enumerate(found.graph.edges.tolist()):
        for end, (target, other) in enumerate(((i, j), (j, i))):
            blanket = [found.graph.nodes.index(n) for n in found.graph.neighbours(target)]
            design = np.column_stack([np.ones(300), VALUES[:, blanket]])

            def loss(b, design=design, target=target):
                eta = design @ b
                fit = VALUES[:, target] @ eta - np.logaddexp(0, eta).sum()
                return -(fit - (b[1:] ** 2).sum() / (2 * 2.5**2))

            slopes = minimize(loss, np.zeros(design.shape[1]), tol=1e-10).x
            ends[k, end] = slopes[1 + blanket.index(other)]
    np.testing.assert_allclose(found.couplings, ends.mean(axis=1), atol=1e-4)


def test_property_couplings_are_finite_where_the_data_are_separated():
    values = VALUES.copy()
    values[:, 0] = values[:, 1] & values[:, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        found = markhood.bootstrap(values, **QUICK)
    assert np.isinf(found.graph.coupling).any()
    assert np.isfinite(found.couplings).all()
    assert np.isfinite(found.replicates.couplings.data).all()


@pytest.mark.parametrize("kinds", ["nominal", "ordinal"])
def test_example_resampled_data_may_lack_a_level(kinds):
    rng = np.random.default_rng(5)
    levels = np.minimum(rng.integers(0, 3, (120, 4)) + VALUES[:120, :4], 3)
    levels[0, 0] = 4  # in one sample only, so that many of the data sets lack it
    found = markhood.bootstrap(levels, kinds=kinds, **QUICK)
    assert np.isfinite(found.replicates.couplings.data).all()


def test_example_rows_of_the_table():
    one = Replicate(np.array([[0, 1]]), np.array([2.0]))
    other = Replicate(np.array([[0, 1], [1, 2]]), np.array([1.0, -1.0]))
    graph = Graph("abc", [(0, 1)])
    found = markhood.Bootstrap(graph, np.array([1.5]), Replicates.of([one, other], 3), "rows")
    first, second = found.edges()
    assert (first["source"], first["target"], first["in_graph"]) == ("a", "b", 1)
    assert (first["frequency"], first["mean"], first["coupling"]) == (1.0, 1.5, 1.5)
    assert (second["in_graph"], second["frequency"], second["coupling"]) == (0, 0.5, 0.0)
    assert second["low_if_edge"] == second["high_if_edge"] == -1.0
    assert second["low"] == pytest.approx(-0.975)


def test_example_the_bound_of_halves():
    halves = [Replicate(np.array([[0, 1]]), np.array([1.0]))] * 4
    found = markhood.Bootstrap(
        Graph("abcd", [(0, 1)]), np.ones(1), Replicates.of(halves, 4), "halves"
    )
    assert found.expected_false(0.75) == pytest.approx(1 / (6 * 0.5))
    assert found.expected_false(0.5) == np.inf
    with refuses("not-supported", "resample"):
        markhood.bootstrap(VALUES, **QUICK).expected_false(0.9)


def test_oracle_differences_are_those_of_all_replicates():
    values = np.random.default_rng(0).normal([3, 3, 0], size=(99, 3))
    graph = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    rows = difference_rows(graph, np.array([3.0, 3.0, 0.0]), values, 0.9)
    gap = values[:, 0] - values[:, 2]
    np.testing.assert_allclose([rows[1]["low"], rows[1]["high"]], np.quantile(gap, [0.05, 0.95]))
    assert rows[1]["p_value"] == pytest.approx(2 * ((gap <= 0).sum() + 1) / 100)


def test_example_centralities_of_all_and_their_stability():
    found = markhood.bootstrap(VALUES, resample="cases", replicates=20, n_jobs=1)
    strength = [row for row in found.centrality() if row["measure"] == "strength"]
    sums = np.bincount(found.graph.edges.ravel(), np.repeat(np.abs(found.couplings), 2), 6)
    np.testing.assert_allclose([row["value"] for row in strength], sums)
    stability = {row["measure"]: row for row in found.stability()}
    assert 0 <= stability["strength"]["cs"] <= 0.75
    assert stability["edge"]["without_5"] > 0.9


def test_oracle_the_stability_of_couplings_is_over_all_pairs():
    found = markhood.bootstrap(VALUES[:60], resample="cases", replicates=20, n_jobs=1, seed=1)
    i, j = np.triu_indices(6, 1)
    pairs = np.column_stack([i, j])
    own = {tuple(e): c for e, c in zip(found.graph.edges.tolist(), found.couplings, strict=True)}
    graph = np.array([own.get(tuple(pair), 0.0) for pair in pairs.tolist()])
    rows = found.replicates.columns_of(pairs)
    assert (rows[:, graph == 0] != 0).any()
    known = [np.corrcoef(graph, row)[0, 1] for row in rows[::10] if row.any()]
    edge = next(row for row in found.stability() if row["measure"] == "edge")
    assert edge["without_5"] == pytest.approx(np.mean(known))


def test_property_columns_of_labels_are_not_variables():
    frame = pd.DataFrame(VALUES, columns=list("abcdef")).assign(school=np.arange(300) // 2)
    found = markhood.bootstrap(frame, clusters="school", **QUICK)
    given = markhood.bootstrap(frame.drop(columns="school"), clusters=frame["school"], **QUICK)
    assert found.graph == given.graph
    np.testing.assert_equal(found.edges(), given.edges())


def test_property_a_run_goes_on_from_its_checkpoint(tmp_path):
    whole = markhood.bootstrap(VALUES, **QUICK)

    def stop(phase, done, total):
        if phase == "replicates" and done == 5:
            raise KeyboardInterrupt

    saved = {"run": markhood.Run(checkpoint=tmp_path / "tiles"), **QUICK}
    with pytest.raises(KeyboardInterrupt):
        markhood.bootstrap(VALUES, progress=stop, **saved)
    calls = []
    again = markhood.bootstrap(VALUES, progress=lambda *call: calls.append(call), **saved)
    assert ("replicates", 5, 12) in calls or ("replicates", 4, 12) in calls
    assert ("replicates", 0, 12) not in calls
    np.testing.assert_equal(again.edges(), whole.edges())
    with pytest.raises(markhood.InputError, match="another run"):
        markhood.bootstrap(VALUES, seed=1, **saved)


@pytest.mark.parametrize(
    "forged",
    [
        *(
            (np.array(e), np.ones(1))
            for e in ([[0, 99]], [[-1, 0]], [[0, 1], [1, 2]], [[0.5, 1.5]])
        ),
        ([[[0, 1]], [[0, 1], [2]]], np.ones(1)),
        (np.array([[0, 1]]), np.ones(1), np.ones(1)),
        7,
    ],
)
def test_example_a_forged_checkpoint_is_refused(tmp_path, monkeypatch, forged):
    options = {"run": markhood.Run(checkpoint=tmp_path / "tiles"), **QUICK}
    with monkeypatch.context() as patch:
        patch.setattr(replicates, "reported_couplings", lambda *_: forged)
        patch.setattr(replicates, "_checked", lambda one, _: replicates.Replicate(*one))
        with suppress(Exception):  # the forged replicates are saved, and perhaps not usable
            markhood.bootstrap(VALUES, **options)
    with refuses("checkpoint", "replicates"):
        markhood.bootstrap(VALUES, **options)


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"replicates": 1}, ("option-value", "replicates")),
        ({"replicates": 10**20}, ("option-value", "replicates")),
        ({"resample": [1]}, ("option-value", "resample")),
        ({"resample": "x"}, ("option-value", "resample")),
        ({"level": 1.0}, ("option-value", "level")),
        ({"resample": "model", "strata": [0] * 300}, ("option-conflict", "resample")),
        ({"model": object()}, ("option-conflict", "model")),
    ],
)
def test_example_bad_options_are_refused(options, finding):
    with refuses(*finding):
        markhood.bootstrap(VALUES, **QUICK | options)


def test_example_samples_of_a_model_do_not_support_hidden_factors():
    with refuses("not-supported", "resample"):
        markhood.bootstrap(VALUES, resample="model", factors=1, **QUICK)


@pytest.mark.parametrize("options", [{"clusters": [1, 2]}, {"nonsense": 1}])
def test_example_labels_and_names_of_options_are_checked(options):
    with pytest.raises(markhood.InputError, match=next(iter(options))):
        markhood.bootstrap(VALUES, **QUICK | options)


def test_property_a_graph_is_bootstrapped_as_it_was_learned(tmp_path):
    frame = pd.DataFrame(VALUES, columns=list("abcdef")).assign(
        note=3 * list("xyz") * 33 + 3 * ["x"]
    )
    levels = frame.assign(a=frame["a"] + frame["b"], other=0)
    with pytest.warns(markhood.DataWarning):
        learned = markhood.learn(levels, "hc", gamma=0.1, rule="and", kinds="nominal")
    markhood.write_graph(learned, tmp_path / "graph.json")
    graph = markhood.read_graph(tmp_path / "graph.json")
    with pytest.warns(markhood.DataWarning):
        found = graph.bootstrap(levels, **QUICK)
    assert found.graph == learned
    assert found.graph.provenance["parameters"] == learned.provenance["parameters"]
    with refuses("no-provenance"):
        Graph("ab", [(0, 1)]).bootstrap(VALUES)


def test_oracle_intervals_of_centralities_hold_the_level():
    values = np.random.default_rng(3).normal(size=(201, 4))  # the graph's own first
    rows = centrality_rows({"strength": values}, "abcd", level=0.8)
    ascending = np.sort(values[1:], axis=0)
    for k, row in enumerate(rows):
        inside = (row["low"] <= values[1:, k]) & (values[1:, k] <= row["high"])
        assert inside.sum() == 160
        assert ascending[19, k] < row["low"] < ascending[20, k]
        assert row["value"] == values[0, k]
        assert row["mean"] == pytest.approx(values[1:, k].mean())


@pytest.mark.parametrize("name", ["clusters", "strata"])
def test_example_samples_without_a_label_are_left_out(name):
    labels = [None if k % 3 == 0 else k % 20 for k in range(300)]
    with warns("rows-dropped", where=name):
        found = markhood.bootstrap(VALUES, **{name: labels}, **QUICK)
    assert found.graph.provenance["data"]["samples"] == 200
