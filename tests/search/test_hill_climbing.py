"""The whole search: what must not change its answer, and what it says of separated data."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markhood.learning.describe import describe
from markhood.scores.bic import Bic
from markhood.search.hill_climbing import hill_climb
from oracles.jobs import job_of
from oracles.networks import hub, network
from oracles.packing import samples_of

DEPTHS = [None, 3]  # HC and PLRHC


def learn(values, depth=3, rule="global", gamma=0.5, kernels=None):
    job = job_of(samples_of(values), Bic(gamma), kernels)
    return describe(job, hill_climb(job, gamma=gamma, depth=depth, rule=rule, start="or"))


def edge_set(graph):
    return {tuple(edge) for edge in graph.edges.tolist()}


seeds = st.integers(0, 100_000)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, order=st.permutations(range(9)), depth=st.sampled_from(DEPTHS))
def test_property_relabelling_variables_permutes_the_graph(seed, order, depth):
    values = network(seed, 3000, 9, strength=2.0)  # with few samples different blankets tie
    assume(len(np.unique(values, axis=1).T) == 9)  # as equal columns always do
    here, there = learn(values, depth), learn(values[:, order], depth)
    moved = {tuple(sorted((order[i], order[j]))) for i, j in edge_set(there.graph)}
    assert moved == edge_set(here.graph)
    back = np.argsort(order)
    np.testing.assert_allclose(there.blanket_scores[back], here.blanket_scores, rtol=0, atol=1e-8)
    strength = dict(zip(sorted(edge_set(here.graph)), here.graph.coupling, strict=True))
    for (i, j), coupling in zip(there.graph.edges.tolist(), there.graph.coupling, strict=True):
        assert coupling == pytest.approx(strength[tuple(sorted((order[i], order[j])))], abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    seed=seeds,
    flips=st.lists(st.booleans(), min_size=9, max_size=9),
    depth=st.sampled_from(DEPTHS),
)
def test_property_exchanging_levels_exchanges_signs_only(seed, flips, depth):
    values = network(seed, 300, 9, strength=2.0)
    flipped = values ^ np.array(flips, dtype=np.uint8)
    here, there = learn(values, depth), learn(flipped, depth)
    assert there.graph.edges.tolist() == here.graph.edges.tolist()
    assert there.or_graph.edges.tolist() == here.or_graph.edges.tolist()
    assert {k: n.tolist() for k, n in there.evaluations.items()} == {
        k: n.tolist() for k, n in here.evaluations.items()
    }
    np.testing.assert_allclose(there.blanket_scores, here.blanket_scores, rtol=0, atol=1e-8)
    i, j = here.graph.edges.T
    signs = np.where(np.array(flips)[i] ^ np.array(flips)[j], -1.0, 1.0)
    np.testing.assert_allclose(
        there.graph.coupling_ends, here.graph.coupling_ends * signs[:, None], rtol=0, atol=1e-4
    )


@settings(max_examples=30, deadline=None)
@given(seed=seeds, gamma=st.sampled_from([0.0, 0.5, 1.0]), depth=st.sampled_from(DEPTHS))
def test_property_rules_are_nested(seed, gamma, depth):
    values = network(seed, 150, 10, strength=1.5)
    by_rule = {rule: learn(values, depth, rule, gamma) for rule in ("or", "and", "global")}
    either = edge_set(by_rule["or"].graph)
    assert edge_set(by_rule["and"].graph) <= either
    assert edge_set(by_rule["global"].graph) <= either
    for learned in by_rule.values():
        assert edge_set(learned.or_graph) == either
    # The climb never goes down.
    assert by_rule["global"].blanket_scores.sum() >= by_rule["or"].blanket_scores.sum() - 1e-8


@pytest.mark.parametrize("depth", DEPTHS)
def test_example_phases_are_counted_and_timed(depth):
    learned = learn(network(1, 300, 12), depth)
    phases = ["blankets", "climb"] if depth is None else ["screen", "blankets", "climb"]
    assert list(learned.evaluations) == phases
    assert list(learned.seconds) == [*phases, "evidence"]
    assert all(seconds >= 0 for seconds in learned.seconds.values())
    assert (learned.screened_graph is None) == (depth is None)
    if depth is None:
        assert learned.evaluations["blankets"][1] == 12 * 11
    else:
        assert learned.evaluations["screen"].tolist() == [0, 12 * 11]
        assert "climb" not in learn(network(1, 300, 12), depth, rule="or").evaluations


def test_example_a_hub_with_more_than_twenty_neighbours():
    """With a cell for every configuration there would be 16 million."""
    learned = learn(hub(1, 5000, 24, slope=2.0), depth=1)
    assert learned.graph.degree[24] == 24
    assert (learned.graph.coupling > 0).all()
    assert learned.evaluations["blankets"][24] > 0
    assert np.isfinite(learned.graph.coupling).all()


def test_example_separated_data_have_infinite_couplings_of_the_right_sign():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(400, 4), dtype=np.uint8)
    only_with_x1 = x[:, 1] & (rng.random(400) < 0.5)
    never_with_x2 = (1 - x[:, 2]) & (rng.random(400) < 0.5)
    constant = np.zeros(400, dtype=np.uint8)
    values = np.column_stack(
        [x, x[:, 0], 1 - x[:, 3], only_with_x1, never_with_x2, constant]
    ).astype(np.uint8)
    graph = learn(values).graph
    couplings = dict(zip(map(tuple, graph.edges.tolist()), graph.coupling.tolist(), strict=True))
    inf = np.inf
    assert couplings == {(0, 4): inf, (3, 5): -inf, (1, 6): inf, (2, 7): -inf}


def test_example_constant_variables_are_isolated_and_score_nothing(kernels):
    values = network(4, 200, 5)
    values[:, 2] = 0
    for depth in DEPTHS:
        learned = learn(values, depth, kernels=kernels)
        assert learned.graph.degree[2] == 0
        assert learned.blanket_scores[2] == 0
        assert (learned.blanket_scores[[0, 1, 3, 4]] < 0).all()
    values[:] = 0
    learned = learn(values, None, kernels=kernels)
    assert learned.graph.n_edges == 0
    assert learned.blanket_scores.tolist() == [0] * 5
