"""Communities: groups of nodes with stronger edges inside than expected by chance (Louvain method).

The modularity of a partition, with w the weights of edges, k their sums over the edges of a node,
and a sum over all ordered pairs of nodes of the same community (Newman, 2004; with negative weights
Gomez, Jensen and Arenas, 2009):

    Q = sum (w+ - k+ k+ / W+) / W  -  sum (w- - k- k- / W-) / W,    W = W+ + W- = sum of all |w|

Every node starts as a community and moves to the community that increases Q most, until no move
does. Then communities become the nodes of a smaller graph, and the moves are repeated. The result
depends on the order in which nodes are visited, so several orders are tried and the partition with
the largest Q is returned.

Weights are rounded to integers and all comparisons are exact: with floating point, a tie can look
like a gain in both directions, and nodes would move back and forth forever. Every move increases a
bounded integer, so the method terminates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from markhood.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from markhood.graph.graph import Graph

ALONE = -1
UNIT = 1 << 20  # integer weight of the strongest edge
STARTS = 10  # orders in which the nodes are visited
MOST_VISITS = 200_000  # edges times orders; larger graphs get fewer orders
REWIRED = 99  # random graphs that the modularity is compared with
LARGEST_TESTED = 5_000  # edges; beyond it, rewired graphs take minutes
CLEAR = 0.05  # largest p-value of clear communities

Partition = Ints
# Weights between every node and other nodes, and twice those inside it: (positive, negative).
Links = list[dict[int, tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class Communities:
    """The communities of a graph.

    Attributes
    ----------
    nodes : tuple of str
    labels : ndarray of shape (n_nodes,)
        Community number of each node, 0 for the largest; -1 for isolated nodes.
    modularity : float
        Of this partition.
    p_value : float
        Share of rewired graphs, with the same degrees and weights, whose modularity is at least as
        large. NaN for graphs with more than 5000 edges, for which it is not computed.
    """

    nodes: tuple[str, ...]
    labels: Partition
    modularity: float
    p_value: float

    @property
    def is_clear(self) -> bool:
        """Whether there are at least two, with a modularity that rewired graphs rarely reach."""
        return bool(self.labels.max(initial=ALONE) > 0 and not self.p_value > CLEAR)

    @property
    def members(self) -> list[tuple[str, ...]]:
        """Names of the nodes of each community, the largest community first."""
        numbers = range(int(self.labels.max(initial=ALONE)) + 1)
        return [tuple(self.nodes[i] for i in np.flatnonzero(self.labels == k)) for k in numbers]

    def __repr__(self) -> str:
        """Describe the communities in a line."""
        text = "" if self.is_clear else "no clear communities; "
        return (
            f"<Communities: {text}{len(self.members)} of {[len(own) for own in self.members]} "
            f"nodes, modularity {self.modularity:.3f}>"
        )


def find_communities(graph: Graph, signed: bool = False, seed: int = 0) -> Communities:
    """Implement `Graph.communities`."""
    weights = edge_weights(graph, signed)
    rng = np.random.default_rng(seed)
    labels, modularity = best_partition(graph.n_nodes, graph.edges, weights, rng)
    p_value = float("nan")
    if graph.n_edges <= LARGEST_TESTED:
        random = [
            best_partition(graph.n_nodes, *_rewired(graph.edges, weights, rng), rng)[1]
            for _ in range(REWIRED)
        ]
        p_value = (1 + sum(q >= modularity for q in random)) / (1 + REWIRED)
    return Communities(graph.nodes, labels, modularity, p_value)


def communities(graph: Graph) -> Partition:
    """Return the number of every node's community, 0 for the largest; -1 for isolated nodes.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> communities(Graph("abcde", [(0, 1), (1, 2), (0, 2)])).tolist()
    [0, 0, 0, -1, -1]
    """
    rng = np.random.default_rng(0)
    return best_partition(graph.n_nodes, graph.edges, edge_weights(graph), rng)[0]


def edge_weights(graph: Graph, signed: bool = False) -> Floats:
    """Return standardised couplings, or couplings where the graph has no standardised ones.

    Without ``signed``, their absolute values: the sign of a coupling changes when a variable is
    recoded, and reversed items belong to the same scale. An infinite coupling has the weight of the
    largest finite one. If no coupling is known, all weights are 1.
    """
    weights = np.array(graph.annotations.get("standardized", graph.coupling))
    sizes = np.abs(weights)
    largest = sizes[np.isfinite(sizes)].max(initial=0.0) or 1.0
    sizes[~np.isfinite(sizes)] = largest
    return sizes * np.where(weights < 0, -1, 1) if signed else sizes


def best_partition(
    n_nodes: int, edges: Ints, weights: Floats, rng: np.random.Generator
) -> tuple[Partition, float]:
    """Return the partition with the largest modularity of several starts, and its modularity."""
    if not len(edges):
        return np.full(n_nodes, ALONE), 0.0
    links = _links(n_nodes, edges, weights)
    orders = [list(range(n_nodes))]
    while len(orders) < min(STARTS, MOST_VISITS // len(edges)):
        orders.append(rng.permutation(n_nodes).tolist())
    found = [_partition(links, order) for order in orders]
    values = [_modularity(links, of) for of in found]
    best = max(range(len(found)), key=lambda k: (values[k], -k))
    has_edges = np.bincount(edges.ravel(), minlength=n_nodes) > 0
    plus, minus = _totals(links)
    scale = max(plus, 1) * max(minus, 1) * (plus + minus)
    return _by_size(np.array(found[best]), has_edges), values[best] / scale


def _links(n_nodes: int, edges: Ints, weights: Floats) -> Links:
    links: Links = [{} for _ in range(n_nodes)]
    whole = np.rint(weights / np.abs(weights).max(initial=0.0) * UNIT) if weights.any() else weights
    for (a, b), w in zip(edges.tolist(), whole.tolist(), strict=True):
        # An edge that is much weaker than the strongest one still is an edge.
        own = (0, max(1, int(-w))) if w < 0 else (max(1, int(w)), 0)
        links[a][b] = links[b][a] = own
    return links


def _partition(links: Links, order: Sequence[int]) -> list[int]:
    """Move nodes, then communities, in the given order of nodes, until nothing moves."""
    of = list(range(len(links)))
    while True:
        moved, n = _numbered(_moved(links, order))
        if n == len(links):
            return of
        links = _merged(links, moved, n)
        of = [moved[community] for community in of]
        order = range(n)


def _moved(links: Links, order: Sequence[int]) -> list[int]:
    """Move nodes between communities until no move raises the modularity."""
    degree = [tuple(map(sum, zip(*to.values(), strict=True))) or (0, 0) for to in links]
    plus, minus = (max(1, total) for total in _totals(links))
    of, totals = list(range(len(links))), defaultdict(lambda: (0, 0), enumerate(degree))
    is_settled = False
    while not is_settled:
        is_settled = True
        for node in order:
            old, own, to = of[node], degree[node], links[node]
            near = {old: 0, len(links) + node: 0}  # it may also stay, or become a community
            for other, (p, n) in to.items():
                if other != node:
                    near[of[other]] = near.get(of[other], 0) + p - n
            totals[old] = (totals[old][0] - own[0], totals[old][1] - own[1])
            worth = {
                c: plus * minus * w - minus * own[0] * totals[c][0] + plus * own[1] * totals[c][1]
                for c, w in near.items()
            }
            best = max(worth, key=lambda c: (worth[c], -c))
            new = best if worth[best] > worth[old] else old
            totals[new] = (totals[new][0] + own[0], totals[new][1] + own[1])
            of[node] = new
            is_settled &= new == old
    return of


def _totals(links: Links) -> tuple[int, int]:
    """Return the sums of the positive and the negative weights over all ordered pairs."""
    both = [pair for to in links for pair in to.values()]
    return sum(p for p, _ in both), sum(n for _, n in both)


def _modularity(links: Links, of: Sequence[int]) -> int:
    """Return the modularity times W+ W- W, an integer; sums that are 0 count as 1."""
    plus, minus = (max(1, total) for total in _totals(links))
    inside = 0
    own: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for node, to in enumerate(links):
        for other, (p, n) in to.items():
            own[of[node]] = (own[of[node]][0] + p, own[of[node]][1] + n)
            inside += (p - n) * (of[other] == of[node])
    return plus * minus * inside - sum(minus * p * p - plus * n * n for p, n in own.values())


def _numbered(of: list[int]) -> tuple[list[int], int]:
    """Renumber communities from 0, in the order of their first nodes."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(community, len(numbers)) for community in of], len(numbers)


def _merged(links: Links, of: list[int], n: int) -> Links:
    """Return the links between communities."""
    merged: Links = [{} for _ in range(n)]
    for node, to in enumerate(links):
        own = merged[of[node]]
        for other, (p, m) in to.items():
            known = own.get(of[other], (0, 0))
            own[of[other]] = (known[0] + p, known[1] + m)
    return merged


def _by_size(of: Partition, has_edges: Bools) -> Partition:
    """Renumber communities by decreasing size; ties by their first node."""
    _, first, which, sizes = np.unique(
        of, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, ~has_edges[first], -sizes))] = np.arange(len(sizes))
    return np.where(has_edges, rank[which], ALONE)


def _rewired(edges: Ints, weights: Floats, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Exchange ends of random pairs of edges, which keeps all degrees, and permute the weights."""
    pairs = [tuple(pair) for pair in edges.tolist()]
    known = {frozenset(pair) for pair in pairs}
    for a, b in rng.integers(0, len(pairs), (10 * len(pairs), 2)).tolist():
        (i, j), (k, m) = pairs[a], pairs[b]
        first, second = frozenset((i, m)), frozenset((k, j))
        if len({i, j, k, m}) == 4 and first not in known and second not in known:
            known -= {frozenset(pairs[a]), frozenset(pairs[b])}
            known |= {first, second}
            # Half of the exchanges turn an edge round, so that all graphs can be reached.
            pairs[a], pairs[b] = (i, m), (j, k)
    return np.array(pairs).reshape(-1, 2), rng.permutation(weights)
