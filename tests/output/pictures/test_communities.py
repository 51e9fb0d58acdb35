import random

import networkx
import numpy as np
import pytest
from hypothesis import settings

from markhood.graph.graph import Graph
from markhood.output.pictures.communities import communities


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
    for _ in check_many(50 * settings().max_examples, 0):
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
