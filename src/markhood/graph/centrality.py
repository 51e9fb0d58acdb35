"""Centralities of nodes, as reported in network psychometrics.

Weights are couplings. Strength is the sum of |coupling|; for closeness and betweenness the length
of an edge is 1 / |coupling| (Opsahl, Agneessens and Skvoretz, 2010); expected influence is the
signed sum (Robinaugh, Millner and McNally, 2016). Bridge measures are strength and expected
influence over the edges into other communities (Jones, Ma and McNally, 2021). Closeness is computed
over the reachable nodes and multiplied by their share of all other nodes, so that it is defined for
disconnected graphs.

Betweenness is computed for a block of sources at once. A table with a row per edge and a column per
source marks the edges on shortest paths; numbers of paths and dependencies (Brandes, 2001) are sums
over this table, iterated as often as the longest path has edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from markhood.arrays import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MEASURES = (
    "degree",
    "strength",
    "expected_influence",
    "closeness",
    "betweenness",
    "bridge_strength",
    "bridge_expected_influence",
)
MIN_WEIGHT = 1e-6  # smaller |coupling| are treated as this one
TABLE_CELLS = 1 << 22  # cells of the table of edges and sources that are in memory at once
TIE = 1e-9  # relative difference below which two paths are equally short


def centralities(
    n_nodes: int,
    edges: Ints,
    weights: ArrayLike,
    communities: Ints,
    table_cells: int = TABLE_CELLS,
) -> Mapping[str, Floats]:
    """Compute all centralities in `MEASURES` of all nodes.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
    weights : array-like of shape (n_edges,)
        Finite couplings.
    table_cells : int, default=2**22
        Size of the largest table; bounds the memory.

    Returns
    -------
    mapping of str to ndarray of shape (n_nodes,)

    Examples
    --------
    >>> edges, communities = np.array([[0, 1], [1, 2]]), np.array([0, 0, 1])
    >>> found = centralities(3, edges, [2.0, -1.0], communities)
    >>> found["strength"].tolist(), found["expected_influence"].tolist()
    ([2.0, 3.0, 1.0], [2.0, 1.0, -1.0])
    >>> found["betweenness"].tolist(), found["bridge_strength"].tolist()
    ([0.0, 1.0, 0.0], [0.0, 1.0, 1.0])
    """
    signed = np.asarray(weights, np.float64)
    size = np.abs(signed)
    bridges = communities[edges[:, 0]] != communities[edges[:, 1]]
    lengths = 1 / np.maximum(size, MIN_WEIGHT)
    closeness, betweenness = _by_paths(n_nodes, edges, lengths, table_cells)

    def summed(of_edges: Floats) -> Floats:
        return np.bincount(edges.ravel(), np.repeat(of_edges, 2), n_nodes).astype(np.float64)

    return {
        "degree": summed(np.ones(len(edges))),
        "strength": summed(size),
        "expected_influence": summed(signed),
        "closeness": closeness,
        "betweenness": betweenness,
        "bridge_strength": summed(size * bridges),
        "bridge_expected_influence": summed(signed * bridges),
    }


def _by_paths(
    n_nodes: int, edges: Ints, lengths: Floats, table_cells: int
) -> tuple[Floats, Floats]:
    """Return closeness and betweenness."""
    from scipy.sparse import csc_array, csr_array
    from scipy.sparse.csgraph import dijkstra

    closeness, betweenness = np.zeros(n_nodes), np.zeros(n_nodes)
    if not len(edges):
        return closeness, betweenness
    tails, heads = np.concatenate([edges, edges[:, ::-1]]).T
    both = np.concatenate([lengths, lengths])
    matrix = csr_array((both, (tails, heads)), shape=(n_nodes, n_nodes))
    # Incidence matrices: the edges into each node, and those out of it.
    ones, cuts, shape = np.ones(len(heads)), np.arange(len(heads) + 1), (n_nodes, len(heads))
    into = csc_array((ones, heads, cuts), shape).tocsr()
    out_of = csc_array((ones, tails, cuts), shape).tocsr()
    step = max(1, table_cells // len(tails))
    for start in range(0, n_nodes, step):
        sources = np.arange(start, min(start + step, n_nodes))
        far = np.ascontiguousarray(dijkstra(matrix, indices=sources).T)  # (n_nodes, n_sources)
        reached = np.isfinite(far)
        others = reached.sum(axis=0) - 1
        total = np.where(reached, far, 0).sum(axis=0)
        share = others / max(1, n_nodes - 1)
        closeness[sources] = np.divide(
            others * share, total, np.zeros(len(sources)), where=total > 0
        )
        with np.errstate(invalid="ignore"):  # an unreachable node is not on any path
            gap = np.abs(far[tails] + both[:, None] - far[heads])
            on_path = (gap <= TIE * far[heads]).astype(np.float64)
        betweenness += _dependencies(on_path, tails, heads, into, out_of, sources)
    return closeness, betweenness / 2


def _dependencies(
    on_path: Floats, tails: Ints, heads: Ints, into: csr_array, out_of: csr_array, sources: Ints
) -> Floats:
    """Sum the dependencies (Brandes, 2001) of a block of sources on each node."""
    at_source = np.zeros((into.shape[0], len(sources)))
    at_source[sources, np.arange(len(sources))] = 1.0
    paths = at_source
    while True:
        longer = at_source + into @ (paths[tails] * on_path)
        if np.array_equal(longer, paths):
            break
        paths = longer
    counts = np.maximum(paths, 1.0)
    share = on_path * counts[tails] / counts[heads]
    passed = np.zeros_like(paths)
    while True:
        more = out_of @ (share * (1 + passed[heads]))
        if np.allclose(more, passed, rtol=1e-12, atol=1e-12):
            break
        passed = more
    return np.asarray((passed * (1 - at_source)).sum(axis=1))
