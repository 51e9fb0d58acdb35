"""Centralities against networkx, on graphs with ties, pieces and couplings of both signs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.graph.centrality import centralities


@st.composite
def weighted(draw):
    n = draw(st.integers(2, 9))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    edges = sorted(draw(st.sets(st.sampled_from(pairs), max_size=len(pairs))))
    # Few distinct weights, so that there are equally short paths.
    weights = [draw(st.sampled_from([-2.0, -1.0, 0.5, 1.0, 2.0])) for _ in edges]
    return n, np.array(edges, dtype=np.int64).reshape(-1, 2), np.array(weights)


@given(weighted())
@settings(max_examples=60, deadline=None)
def test_oracle_closeness_and_betweenness_are_those_of_networkx(graph):
    n, edges, weights = graph
    other = nx.Graph()
    other.add_nodes_from(range(n))
    for (i, j), weight in zip(edges.tolist(), weights.tolist(), strict=True):
        other.add_edge(i, j, length=1 / abs(weight))
    found = centralities(n, edges, weights, np.zeros(n, np.int64))
    between = nx.betweenness_centrality(other, weight="length", normalized=False)
    close = nx.closeness_centrality(other, distance="length")
    np.testing.assert_allclose(found["betweenness"], [between[v] for v in range(n)], atol=1e-9)
    np.testing.assert_allclose(found["closeness"], [close[v] for v in range(n)], atol=1e-9)
    np.testing.assert_array_equal(found["degree"], [other.degree(v) for v in range(n)])


def test_oracle_blocks_of_sources_do_not_change_the_result():
    rng = np.random.default_rng(0)
    edges = np.array([(i, j) for i in range(20) for j in range(i + 1, 20) if rng.random() < 0.2])
    weights = rng.normal(size=len(edges))
    whole = centralities(20, edges, weights, np.zeros(20, np.int64))
    parts = centralities(20, edges, weights, np.zeros(20, np.int64), table_cells=3 * len(edges))
    for measure, values in whole.items():
        np.testing.assert_allclose(parts[measure], values)


def test_example_bridges_are_edges_into_other_communities():
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    found = centralities(4, edges, [1.0, -2.0, 3.0], np.array([0, 0, 1, 1]))
    assert found["bridge_strength"].tolist() == [0, 2, 2, 0]
    assert found["bridge_expected_influence"].tolist() == [0, -2, -2, 0]
    assert found["expected_influence"].tolist() == [1, -1, 1, 3]


@pytest.mark.parametrize("n", [1, 3])
def test_example_without_edges_nothing_is_central(n):
    found = centralities(n, np.empty((0, 2), np.int64), [], np.zeros(n, np.int64))
    assert all((values == 0).all() for values in found.values())
