"""Ordered levels in a whole search: local optima by brute force, the same graph by every road."""

from itertools import combinations

import numpy as np
import pytest

from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.describe import describe
from markhood.search.hill_climbing import hill_climb
from oracles.jobs import job_of
from oracles.ordered import bic, fitted, ordinal_chain
from oracles.packing import samples_with_levels
from oracles.scoring import OwnCriterion, neighbours

LEVELS = (5, 3, 2, 4, 5)
KINDS = {"ordered": (True,) * 5, "mixed": (True, False, True, True, False)}


def learn(values, ordered, kernels=None, depth=None, criterion=None, rule="global"):
    samples = samples_with_levels(values).with_order(ordered)
    job = job_of(samples, criterion, kernels)
    return describe(job, hill_climb(job, gamma=0.5, depth=depth, rule=rule, start="or"))


@pytest.fixture(params=KINDS, scope="module")
def scored(request):
    """Data, and the score of every blanket of every variable by another road."""
    ordered = KINDS[request.param]
    values = ordinal_chain(3, 500, LEVELS, coupling=0.5)
    others = [[v for v in range(5) if v != t] for t in range(5)]
    scores = {
        (t, blanket): bic(values, t, blanket, ordered)
        for t in range(5)
        for size in range(5)
        for blanket in combinations(others[t], size)
    }
    return values, ordered, scores


def total(edges, scores):
    return sum(scores[v, tuple(neighbours(edges, v))] for v in range(5))


def test_oracle_no_flip_of_an_edge_gains(scored):
    values, ordered, scores = scored
    found = learn(values, ordered)
    edges = {tuple(e) for e in found.graph.edges.tolist()}
    assert len(edges) >= 3
    reached = total(edges, scores)
    assert found.blanket_scores.sum() == pytest.approx(reached, abs=1e-7)
    for edge in map(tuple, found.or_graph.edges.tolist()):
        assert total(edges ^ {edge}, scores) <= reached + 2e-9


def test_oracle_evidence_and_couplings_of_the_edges(scored):
    values, ordered, scores = scored
    graph = learn(values, ordered).graph
    edges = {tuple(e) for e in graph.edges.tolist()}
    for k, (i, j) in enumerate(graph.edges.tolist()):
        for end, (v, other) in enumerate(((i, j), (j, i))):
            blanket = neighbours(edges, v)
            less = tuple(b for b in blanket if b != other)
            gained = scores[v, tuple(blanket)] - scores[v, less]
            assert graph.evidence_ends[k, end] == pytest.approx(gained, abs=1e-6)
            single = [ordered[x] or LEVELS[x] == 2 for x in (v, other)]
            if all(single):
                slopes = fitted(values, v, blanket, ordered)[2]
                widths = [1 if ordered[b] else LEVELS[b] - 1 for b in blanket]
                at = sum(widths[: blanket.index(other)])
                assert graph.coupling_ends[k, end] == pytest.approx(slopes[at, 0], abs=1e-5)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("depth", [None, 2], ids=["hc", "plrhc"])
def test_property_every_road_learns_the_same(depth, kinds):
    values = ordinal_chain(4, 300, LEVELS, coupling=0.4)
    expected = learn(values, KINDS[kinds], ReferenceKernels(), depth)
    for kernels in [NativeKernels(name) for name in NativeKernels.available()]:
        found = learn(values, KINDS[kinds], kernels, depth)
        assert found.graph.edges.tolist() == expected.graph.edges.tolist()
        np.testing.assert_allclose(found.blanket_scores, expected.blanket_scores, atol=1e-7)
        np.testing.assert_allclose(
            found.graph.coupling_ends, expected.graph.coupling_ends, atol=1e-5
        )
        for phase, counts in expected.evaluations.items():
            assert found.evaluations[phase].tolist() == counts.tolist()
    own = learn(values, KINDS[kinds], depth=depth, criterion=OwnCriterion())
    assert own.graph.edges.tolist() == expected.graph.edges.tolist()


def test_property_binary_data_learn_the_same_to_the_last_bit():
    values = (ordinal_chain(5, 400, (5,) * 6) > 1).astype(np.uint8)
    ordered, plain = (learn(values, kinds, depth=2) for kinds in ((True,) * 6, (False,) * 6))
    assert ordered.graph == plain.graph
    assert np.array_equal(ordered.blanket_scores, plain.blanket_scores)


def test_example_a_step_up_is_a_sign():
    """A variable turned round is joined by the same edges, with the other sign."""
    values = ordinal_chain(6, 800, (5, 5, 5, 5), coupling=0.5)
    turned = values.copy()
    turned[:, 1] = 4 - turned[:, 1]
    graph, other = (learn(v, (True,) * 4).graph for v in (values, turned))
    assert other.edges.tolist() == graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    np.testing.assert_allclose(other.evidence_ends, graph.evidence_ends, atol=1e-7)
    signs = np.where((graph.edges == 1).any(axis=1), -1, 1)[:, None]
    np.testing.assert_allclose(other.coupling_ends, signs * graph.coupling_ends, atol=1e-5)
    assert (graph.coupling_ends > 0.3).all()


def test_property_probabilities_of_a_regression_are_those_of_its_model():
    values = ordinal_chain(7, 400, LEVELS)
    ordered = KINDS["mixed"]
    regressions = learn(values, ordered).regressions
    for v, blanket in enumerate(regressions.blankets):
        odds = regressions.log_odds(v, values[:, blanket].T)
        probabilities = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        reached = np.log(probabilities[np.arange(400), values[:, v]]).sum()
        assert reached == pytest.approx(fitted(values, v, blanket.tolist(), ordered)[0], abs=1e-7)
