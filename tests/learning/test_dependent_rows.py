"""Rows that depend on each other: what is noticed, and that the effective size is used."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.learning.checks.dependent_rows import LARGE, repeated_rows, serial_dependence
from markhood.learning.methods import METHODS
from messages import refuses, warns
from oracles.networks import network

N = 600


def coins(seed, n=N):
    return np.random.default_rng(seed).integers(0, 2, (n, 12))


def series(seed, stay=0.5):
    rng, values = np.random.default_rng(seed), coins(seed)
    for k in range(1, N):
        values[k] = np.where(rng.random(12) < stay, values[k - 1], values[k])
    return values


def by_factor(seed):
    rng = np.random.default_rng(seed)
    return (1.5 * rng.normal(size=(N, 1)) + rng.normal(size=(N, 12)) > 0).astype(int)


def as_sorted(values):
    return values[np.lexsort(values[:, :2].T)]


INDEPENDENT = {
    "coins": coins(0),
    "rare": (np.random.default_rng(1).random((N, 12)) < 0.04).astype(int),
    "few columns": coins(2)[:, :4],
    "factor": by_factor(3),
    "sorted": as_sorted(by_factor(4)),
    "strong": np.repeat(coins(5)[:, :3], 4, axis=1) ^ (np.random.default_rng(5).random((N, 12)) < 0.02),
    "nominal": np.random.default_rng(6).integers(0, 5, (N, 3)).astype(str),
    "two rows": np.array([[0, 1, 0], [1, 0, 1]]),
}  # fmt: skip


@pytest.mark.parametrize("name", INDEPENDENT)
def test_property_independent_rows_are_not_suspected(name):
    samples = encode(INDEPENDENT[name], kinds="auto")
    assert repeated_rows(samples) == 0
    assert serial_dependence(samples) < 3.5


@pytest.mark.parametrize(
    ("values", "n_copies"),
    [
        (np.repeat(coins(0, 300), 2, axis=0), 300),
        (np.tile(coins(1, 200), (3, 1)), 400),
        (np.concatenate([coins(2), coins(2)[:150]]), 150),
        (np.repeat(coins(3, 300)[:, :5], 2, axis=0), 568),
    ],
)
def test_example_copies_of_rows_are_noticed(values, n_copies):
    mixed = np.random.default_rng(9).permutation(values)
    found = repeated_rows(encode(mixed))
    assert found == pytest.approx(n_copies, abs=45)
    with warns("dependent-rows", where="clusters"):
        markhood.learn(mixed)


def test_example_serial_dependence_is_noticed_unless_time_is_given():
    values = series(4)
    assert repeated_rows(encode(values)) == 0
    assert serial_dependence(encode(values)) > LARGE
    with warns("dependent-rows", where="clusters"):
        markhood.learn(values)
    graph = markhood.learn(values, time=np.arange(N))  # without a warning
    assert 0.4 * N < graph.provenance["data"]["weight"] < 0.9 * N
    assert serial_dependence(encode(np.random.default_rng(0).permutation(values))) < LARGE


@pytest.mark.parametrize("method", METHODS)
def test_property_every_method_uses_the_effective_sample_size(method):
    values = network(3, 300, 8, strength=1.0)
    twice = np.repeat(values, 2, axis=0)
    alone = markhood.learn(values, method)
    found = markhood.learn(twice, method, clusters=np.repeat(np.arange(300), 2))
    assert found.provenance["data"]["weight"] == pytest.approx(300, rel=0.02)
    assert len(set(found.edge_names()) ^ set(alone.edge_names())) <= 1


def test_property_a_graph_with_clusters_is_bootstrapped_by_clusters():
    frame = pd.DataFrame(np.repeat(coins(8, 60), 5, axis=0)).add_prefix("q")
    frame["school"] = np.repeat(np.arange(60), 5)
    graph = markhood.learn(frame, clusters="school")
    found = graph.bootstrap(frame, replicates=20)
    given = markhood.bootstrap(frame, clusters="school", replicates=20)
    np.testing.assert_equal(found.edges(), given.edges())
    with refuses("option-conflict", "resample"):
        graph.bootstrap(frame, resample="model", replicates=3)


def test_property_pairs_in_clusters_are_tested_given_the_covariates():
    """A school's type moves two answers apart, and hides that pupils give them together."""
    rng = np.random.default_rng(0)
    schools = np.repeat(np.arange(60), 20)
    kind = rng.integers(0, 2, 60)[schools]
    both, of_school = rng.normal(size=1200), rng.normal(size=(60, 2))[schools]
    odds = 1.6 * both[:, None] + 0.9 * of_school + 2.6 * (kind - 0.5)[:, None] * [1, -1]
    answers = odds + rng.logistic(size=(1200, 2)) > 0
    frame = pd.DataFrame(answers.astype(int), columns=["a", "b"])
    frame = frame.join(pd.DataFrame(coins(6, 1200)).add_prefix("q"))
    frame = frame.assign(kind=kind, school=schools)
    found = markhood.learn(frame, adjust_for=["kind"], clusters="school")
    assert ("a", "b") in found.edge_names()
    frame["kind"] = kind + rng.normal(scale=0.01, size=1200)  # a real covariate
    found = markhood.learn(frame, adjust_for=["kind"], clusters="school")
    assert ("a", "b") in found.edge_names()


def test_oracle_standard_errors_in_clusters_are_those_of_the_original_rows():
    values = network(4, 300, 4, strength=1.0)
    names = [f"x{k}" for k in range(4)]
    graph = markhood.Graph(names, [(0, 1), (1, 2), (2, 3)])
    alone = markhood.fit_model(graph, values, prior=None)
    order = np.random.default_rng(0).permutation(900)
    clusters = np.repeat(np.arange(300), 3)[order]
    frame = pd.DataFrame(np.repeat(values, 3, axis=0)[order], columns=names)
    found = markhood.fit_model(graph, frame, prior=None, clusters=clusters)
    np.testing.assert_allclose(found.couplings, alone.couplings, rtol=1e-6)
    np.testing.assert_allclose(found.errors.couplings, alone.errors.couplings, rtol=0.15)
    named = markhood.fit_model(graph, frame.assign(id=clusters), prior=None, clusters="id")
    np.testing.assert_allclose(named.errors.couplings, found.errors.couplings)


def test_property_group_labels_are_permuted_by_clusters():
    values = np.repeat(coins(9, 60), 5, axis=0)
    clusters = np.repeat(np.arange(60), 5)
    found = markhood.compare_groups(
        values, by=np.where(clusters < 30, "a", "b"), clusters=clusters, permutations=5
    )
    assert found.sizes == (150, 150)


@pytest.mark.parametrize("method", METHODS)
def test_example_a_total_weight_below_two_is_refused(method):
    table = markhood.TableFormat(weights_are="frequencies")
    with refuses("too-few-rows", "weights"):
        markhood.learn(coins(0, 50), method, weights=np.full(50, 0.02), table=table)


def test_property_folds_of_the_gamma_path_have_whole_clusters():
    """A copy of a row in the training data makes every gamma look good."""
    rows = np.repeat(coins(10, 100), 6, axis=0)
    clusters = np.repeat(np.arange(100), 6)
    alone = markhood.gamma_path(coins(10, 100), gammas=[0.0, 1.0], folds=4)
    found = markhood.gamma_path(rows, clusters=clusters, gammas=[0.0, 1.0], folds=4)
    leaking = markhood.gamma_path(rows, weights=np.full(600, 1 / 6), gammas=[0.0, 1.0], folds=4)
    assert found.held_out[0].mean() < leaking.held_out[0].mean() - 0.5
    assert abs(found.held_out[0].mean() - alone.held_out[0].mean()) < 0.5
    with refuses("option-value", "folds"):
        markhood.gamma_path(rows, clusters=clusters, folds=60)


def test_example_the_column_of_clusters_is_listed_as_left_out():
    frame = pd.DataFrame(coins(11)).add_prefix("q").assign(school=np.arange(N) // 6)
    graph = markhood.learn(frame, clusters="school")
    assert graph.provenance["data"]["understood"]["left_out"] == {"school": "the clusters"}
    assert "school" not in graph.nodes
    assert graph.provenance["reading"] == {"clusters": "school"}
