"""Communities: groups of nodes with more edges inside than expected by chance (Louvain method).

Every node starts as a community and moves to the neighbouring community that increases the
modularity most, until no move does. Then communities become the nodes of a smaller graph, and the
moves are repeated. The change of a move,

    2m (links to the new - links to the old) - degree (total of the new - total of the old),

is an integer: with floating point, a tie can look like a gain in both directions, and nodes would
move back and forth forever. Every move increases a bounded integer, so the method terminates. Nodes
are visited in order and ties go to the lower number, so the result is deterministic.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph

ALONE = -1

# Links of every node to other nodes and to itself: number of edge ends between the two.
Links = list[dict[int, int]]


def communities(graph: Graph) -> NDArray[np.int64]:
    """Return the number of every node's community, 0 for the largest; -1 for isolated nodes.

    Examples
    --------
    >>> communities(Graph("abcde", [(0, 1), (1, 2), (0, 2)])).tolist()
    [0, 0, 0, -1, -1]
    """
    links: Links = [{} for _ in range(graph.n_nodes)]
    for a, b in graph.edges.tolist():
        links[a][b] = links[b][a] = 1
    of = list(range(graph.n_nodes))
    while True:
        moved, n = _numbered(_moved(links))
        if n == len(links):
            break
        links = _merged(links, moved, n)
        of = [moved[community] for community in of]
    return _by_size(np.array(of, dtype=np.int64), graph.degree > 0)


def _moved(links: Links) -> list[int]:
    """Move nodes between communities until no move raises the modularity."""
    degree = [sum(to.values()) for to in links]
    of, total, ends = list(range(len(links))), list(degree), sum(degree)
    is_settled = False
    while not is_settled:
        is_settled = True
        for node, to in enumerate(links):
            near: dict[int, int] = defaultdict(int)
            for other, n in to.items():
                if other != node:
                    near[of[other]] += n
            old = of[node]
            total[old] -= degree[node]
            worth = {c: ends * n - degree[node] * total[c] for c, n in near.items()}
            staying = worth.get(old, -degree[node] * total[old])
            best = max(worth, key=lambda c: (worth[c], -c), default=old)
            new = best if worth.get(best, staying) > staying else old
            total[new] += degree[node]
            of[node] = new
            is_settled &= new == old
    return of


def _numbered(of: list[int]) -> tuple[list[int], int]:
    """Renumber communities from 0, in the order of their first nodes."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(community, len(numbers)) for community in of], len(numbers)


def _merged(links: Links, of: list[int], n: int) -> Links:
    """Return the links between communities."""
    merged: list[dict[int, int]] = [defaultdict(int) for _ in range(n)]
    for node, to in enumerate(links):
        for other, ends in to.items():
            merged[of[node]][of[other]] += ends
    return merged


def _by_size(of: NDArray[np.int64], has_edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Renumber communities by decreasing size; ties by their first node."""
    _, first, which, sizes = np.unique(
        of, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return np.where(has_edges, rank[which], ALONE)
