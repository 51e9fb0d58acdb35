"""How central the nodes of a graph are, by the measures that network psychometrics reports.

Weights are couplings. Their sizes count for strength, and an edge is as long as one over its size for
closeness and betweenness (Opsahl, Agneessens and Skvoretz, 2010); expected influence keeps their
signs (Robinaugh, Millner and McNally, 2016). Bridge measures are strength and expected influence over
the edges that lead into other communities (Jones, Ma and McNally, 2021). Closeness is that of the nodes that can be
reached, times their share of all others, so that a graph in pieces has one too.

Betweenness is counted for all sources at once: whether an edge is on a shortest path from a source is a
cell of a table, and numbers of paths and dependencies (Brandes, 2001) are sums over such cells,
repeated as often as the longest path has edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
SHORTEST = 1e-6  # a coupling of less has the length of this one
CELLS = 1 << 22  # of a table of sources and edges that is held at once
TIE = 1e-9  # relative: paths of lengths that differ by less are equally short


def centralities(
    n_nodes: int, edges: NDArray[np.int64], weights: ArrayLike, communities: NDArray[np.int64]
) -> Mapping[str, NDArray[np.float64]]:
    """Measure every node, by the names in `MEASURES`.

    Parameters
    ----------
    n_nodes : int
    edges : ndarray of shape (n_edges, 2)
    weights : array-like of shape (n_edges,)
        Finite couplings.
    communities : ndarray of shape (n_nodes,)
        The number of each node's community.

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
    closeness, betweenness = _by_paths(n_nodes, edges, 1 / np.maximum(size, SHORTEST))

    def summed(of_edges: NDArray[np.float64]) -> NDArray[np.float64]:
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
    n_nodes: int, edges: NDArray[np.int64], lengths: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return closeness and betweenness."""
    from scipy.sparse import csc_array, csr_array
    from scipy.sparse.csgraph import dijkstra

    closeness, betweenness = np.zeros(n_nodes), np.zeros(n_nodes)
    if not len(edges):
        return closeness, betweenness
    tails, heads = np.concatenate([edges, edges[:, ::-1]]).T
    both = np.concatenate([lengths, lengths])
    matrix = csr_array((both, (tails, heads)), shape=(n_nodes, n_nodes))
    # Which edges lead into each node, and out of it.
    ones, cuts, shape = np.ones(len(heads)), np.arange(len(heads) + 1), (n_nodes, len(heads))
    into = csc_array((ones, heads, cuts), shape).tocsr()
    out_of = csc_array((ones, tails, cuts), shape).tocsr()
    step = max(1, CELLS // len(tails))
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
        with np.errstate(invalid="ignore"):  # a node that cannot be reached is on no path
            gap = np.abs(far[tails] + both[:, None] - far[heads])
            on_path = (gap <= TIE * far[heads]).astype(np.float64)
        betweenness += _dependencies(on_path, tails, heads, into, out_of, sources)
    return closeness, betweenness / 2


def _dependencies(
    on_path: NDArray[np.float64],
    tails: NDArray[np.int64],
    heads: NDArray[np.int64],
    into: csr_array,
    out_of: csr_array,
    sources: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Add up on how many shortest paths from some sources every node is between two others."""
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
