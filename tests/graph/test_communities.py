import random

import networkx
import numpy as np
import pytest
from hypothesis import settings

from markhood.graph.communities import communities
from markhood.graph.graph import Graph


def random_graph(rng):
    n = rng.randint(2, 12)
    share = rng.random()
    edges = [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < share]
    return Graph([str(k) for k in range(n)], edges)


def members(graph):
    label = communities(graph)
    return [set(np.flatnonzero(label == k).tolist()) for k in range(label.max() + 1)]


def test_example_floating_ties_that_went_round_for_ever():
    pairs = ["ac", "ad", "ae", "ag", "ah", "bg", "ce", "de", "eh", "fh"]
    graph = Graph("abcdefgh", [("abcdefgh".index(a), "abcdefgh".index(b)) for a, b in pairs])
    assert communities(graph).min() == 0


def two_rings(inside, between):
    """Two rings of five nodes, joined everywhere with the weight `between`."""
    edges = [(i, j) for i in range(10) for j in range(i + 1, 10)]
    couplings = [(inside if (i < 5) == (j < 5) else between,) * 2 for i, j in edges]
    return Graph([str(k) for k in range(10)], edges, coupling_ends=couplings)


def test_example_strong_edges_form_communities_of_a_complete_graph():
    assert communities(two_rings(2.0, 0.2)).tolist() == [0] * 5 + [1] * 5


def test_example_negative_edges_separate_only_if_asked_for():
    graph = two_rings(1.0, -1.0)
    assert len(graph.communities().members) == 1
    assert graph.communities(signed=True).members == [tuple("01234"), tuple("56789")]


def test_property_recoding_a_variable_changes_nothing():
    rng = np.random.default_rng(0)
    couplings = rng.normal(size=(60, 1)).repeat(2, axis=1)
    edges = rng.permutation([(i, j) for i in range(15) for j in range(i + 1, 15)])[:60]
    signs = rng.choice([-1, 1], 15)[edges].prod(axis=1)[:, None]
    one, other = (
        Graph(map(str, range(15)), edges, coupling_ends=couplings * s) for s in (1, signs)
    )
    assert communities(one).tolist() == communities(other).tolist()


def test_oracle_modularity_of_weighted_and_signed_edges():
    graph = two_rings(1.5, -0.5)
    found = graph.communities(signed=True)
    matrix = graph.adjacency("coupling").toarray()
    gains = np.zeros_like(matrix)
    for part in (matrix.clip(0), -(-matrix).clip(0)):
        gains += part - np.outer(part.sum(0), part.sum(1)) / part.sum()
    same = found.labels[:, None] == found.labels
    assert found.modularity == pytest.approx((gains * same).sum() / np.abs(matrix).sum(), rel=1e-5)


def test_example_random_graphs_have_no_clear_communities():
    known = networkx.gnm_random_graph(30, 70, seed=1)
    graph = Graph([str(k) for k in range(30)], list(known.edges))
    assert not graph.communities().is_clear
    assert two_rings(2.0, 0.2).communities().is_clear
    assert not Graph("ab", []).communities().is_clear


def test_example_infinite_and_unknown_couplings_have_weights():
    ends = [(np.inf, np.inf), (1, 1), (-np.inf, np.inf), (np.nan, np.nan)]
    graph = Graph("abcd", [(0, 1), (1, 2), (2, 3), (0, 3)], coupling_ends=ends)
    assert communities(graph).min() == 0


def check_many(n_graphs, seed):
    """Yield graphs and their communities, numbered as they should be."""
    rng = random.Random(seed)
    for _ in range(n_graphs):
        graph = random_graph(rng)
        label = communities(graph)
        assert ((label == -1) == (graph.degree == 0)).all()
        sizes = np.bincount(label[label >= 0], minlength=1)
        assert (np.diff(sizes) <= 0).all()
        yield graph, label


@pytest.mark.fuzz
def test_property_every_small_graph_ends():
    for _ in check_many(10 * settings().max_examples, 0):
        pass


def test_oracle_modularity_is_near_that_of_networkx():
    ours, theirs = [], []
    for seed in range(30):
        known = networkx.gnm_random_graph(40, 90, seed=seed)
        graph = Graph([str(k) for k in range(40)], list(known.edges))
        alone = [{k} for k in range(40) if graph.degree[k] == 0]
        ours.append(networkx.community.modularity(known, members(graph) + alone))
        found = networkx.community.greedy_modularity_communities(known)
        theirs.append(networkx.community.modularity(known, found))
    assert np.mean(ours) > np.mean(theirs) - 0.01


def test_oracle_no_two_communities_are_better_together():
    for graph, label in check_many(200, 2):
        known = networkx.Graph(graph.edges.tolist())

        def modularity(labels, known=known):
            groups = [{k for k in known if labels[k] == c} for c in set(labels[list(known)])]
            return networkx.community.modularity(known, groups)

        for a, b in known.edges:
            together = np.where(label == label[a], label[b], label)
            assert modularity(together) <= modularity(label) + 1e-9
