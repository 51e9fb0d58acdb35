"""How far a learned graph is from the true one.

    Hamming distance = false positives + false negatives,
    standardised     = 100 * Hamming distance / number of true edges,

the second as in the paper, so that networks of different size can be compared. Graphs are matched
by the names of their nodes, never by position: a file may list them in another order.

Where one node of the learned graph stands for several columns, which the true graph has as nodes of their own, the
truth is folded: the columns of a group become one node, joined to what any of them is joined to. An edge
is then right that joins two groups between which there is a true one, as no data could say more; a true edge
within a group can neither be found nor missed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.graph.graph import Graph

_NAMED = 3  # nodes that a message names before it says "and others"
_BLOCK = 512  # nodes whose distances to all others are held at once


@dataclass(frozen=True)
class Comparison:
    """A learned graph against the true one.

    Attributes
    ----------
    false_positives, false_negatives, hamming_distance : int
        Edges learned that are not true, true that were not learned, and their sum.
    standardised_hamming_distance : float
        Per hundred true edges.
    precision, recall, f1 : float
        Share of the learned edges that are true, of the true edges that were learned, and the
        harmonic mean of the two.

    A share of nothing is NaN.
    """

    false_positives: int
    false_negatives: int
    hamming_distance: int
    standardised_hamming_distance: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False)
class InclusionByDistance:
    """How many of the pairs at each true distance a learned graph joins.

    Attributes
    ----------
    pairs : ndarray of shape (longest,), dtype int64
        Unordered pairs at true distance 1, 2, ..., and last at `longest` or more, unconnected
        ones included.
    included : ndarray of shape (longest,), dtype int64
        Those of them that are learned edges.
    """

    pairs: NDArray[np.int64]
    included: NDArray[np.int64]

    @property
    def shares(self) -> NDArray[np.float64]:
        """Included pairs over pairs, shape (longest,); NaN where there are no pairs."""
        shares = np.full(len(self.pairs), np.nan)
        np.divide(self.included, self.pairs, out=shares, where=self.pairs > 0)
        return shares


def compare(truth: Graph, learned: Graph) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    truth, learned : Graph
        Of the same nodes, in any order; the truth may also have the members of the learned graph's
        groups, which are then one node.

    Examples
    --------
    >>> truth = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    >>> compare(truth, Graph("dcba", [(0, 1), (0, 3)]))
    ... # doctest: +NORMALIZE_WHITESPACE
    Comparison(false_positives=1, false_negatives=2, hamming_distance=3,
               standardised_hamming_distance=100.0, precision=0.5, recall=0.3333333333333333,
               f1=0.4)
    """
    truth = folded(truth, learned)
    edges = _matched_edges(truth, learned)
    hits = len(np.intersect1d(_codes(truth.edges, truth.n_nodes), _codes(edges, truth.n_nodes)))
    wrong, missed = len(edges) - hits, truth.n_edges - hits
    return Comparison(
        false_positives=wrong,
        false_negatives=missed,
        hamming_distance=wrong + missed,
        standardised_hamming_distance=100.0 * _share(wrong + missed, truth.n_edges),
        precision=_share(hits, len(edges)),
        recall=_share(hits, truth.n_edges),
        f1=_share(2 * hits, 2 * hits + wrong + missed),
    )


class EdgeOutcomes(NamedTuple):
    """Edges by what became of them, in the node numbers of the true graph; shape (m, 2) each.

    Attributes
    ----------
    hits, missed, false : ndarray of int64
        True edges that were learned, true edges that were not, and learned edges that are not true.
    """

    hits: NDArray[np.int64]
    missed: NDArray[np.int64]
    false: NDArray[np.int64]


def edge_outcomes(truth: Graph, learned: Graph) -> EdgeOutcomes:
    """Return which edges were hit, which missed, and which are false.

    Parameters
    ----------
    truth, learned : Graph
        Of the same nodes, in any order.

    Examples
    --------
    >>> edge_outcomes(Graph("abc", [(0, 1), (1, 2)]), Graph("cba", [(1, 2), (0, 2)])).false
    array([[0, 2]])
    """
    truth = folded(truth, learned)
    edges = _matched_edges(truth, learned)
    is_true = np.isin(_codes(edges, truth.n_nodes), _codes(truth.edges, truth.n_nodes))
    is_found = np.isin(_codes(truth.edges, truth.n_nodes), _codes(edges, truth.n_nodes))
    return EdgeOutcomes(truth.edges[is_found], truth.edges[~is_found], edges[~is_true])


def comparison_table(truth: Graph, learned: Mapping[str, Graph]) -> list[dict[str, Any]]:
    """Compare several graphs with the true one.

    Returns
    -------
    list of dict
        One row a graph: ``method``, its name, and the attributes of `Comparison`.

    Examples
    --------
    >>> truth = Graph("abc", [(0, 1)])
    >>> rows = comparison_table(truth, {"same": truth, "empty": Graph("abc", [])})
    >>> [(row["method"], row["hamming_distance"]) for row in rows]
    [('same', 0), ('empty', 1)]
    """
    return [{"method": name, **asdict(compare(truth, graph))} for name, graph in learned.items()]


def overlap_table(first: Graph, others: Mapping[str, Graph]) -> list[dict[str, Any]]:
    """Compare graphs of which none is known to be true: what they share, and what only one has.

    Returns
    -------
    list of dict
        One row a graph: ``graph``, its name, how many edges are ``shared``, ``only_first`` and
        ``only_this``, and ``jaccard``, the share of all edges of either that both have.

    Examples
    --------
    >>> overlap_table(Graph("abc", [(0, 1), (1, 2)]), {"other": Graph("abc", [(0, 1)])})
    [{'graph': 'other', 'shared': 1, 'only_first': 1, 'only_this': 0, 'jaccard': 0.5}]
    """
    rows = []
    for name, graph in others.items():
        shared, only_first, only_this = (len(own) for own in edge_outcomes(first, graph))
        total = shared + only_first + only_this
        jaccard = shared / total if total else float("nan")
        rows.append(
            {
                "graph": name,
                "shared": shared,
                "only_first": only_first,
                "only_this": only_this,
                "jaccard": jaccard,
            }
        )
    return rows


def inclusion_by_distance(truth: Graph, learned: Graph, longest: int = 5) -> InclusionByDistance:
    """Count the pairs at each distance in the true graph, and those that are learned edges.

    Parameters
    ----------
    truth, learned : Graph
        Of the same nodes, in any order.
    longest : int, default=5
        Pairs at this distance or more are counted together.

    Examples
    --------
    >>> truth = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    >>> found = inclusion_by_distance(truth, Graph("abcd", [(0, 1), (0, 2)]), longest=3)
    >>> found.pairs, found.included
    (array([3, 2, 1]), array([1, 1, 0]))
    """
    from scipy.sparse.csgraph import dijkstra

    if longest < 1:
        raise InputError(f"longest is {longest}; it must be at least 1.")
    truth = folded(truth, learned)
    edges = _matched_edges(truth, learned)
    adjacency = truth.adjacency()
    pairs = np.zeros(longest, dtype=np.int64)
    included = np.zeros(longest, dtype=np.int64)
    for first in range(0, truth.n_nodes, _BLOCK):
        rows = np.arange(first, min(first + _BLOCK, truth.n_nodes))
        distance = dijkstra(adjacency, unweighted=True, indices=rows, limit=longest - 1)
        group = np.minimum(distance, longest).astype(np.int64) - 1
        later = np.arange(truth.n_nodes) > rows[:, None]
        pairs += np.bincount(group[later], minlength=longest)
        here = edges[(edges[:, 0] >= first) & (edges[:, 0] <= rows[-1])]
        included += np.bincount(group[here[:, 0] - first, here[:, 1]], minlength=longest)
    return InclusionByDistance(pairs, included)


def folded(truth: Graph, learned: Graph) -> Graph:
    """Return the true graph with the columns of each group of the learned one as a single node.

    Examples
    --------
    >>> from markhood.data.variables import Member, Variables
    >>> groups = Graph(Variables(("a", "c"), members=((Member("b", 1),), ())), [])
    >>> folded(Graph("abc", [(0, 1), (1, 2)]), groups).edge_names()
    [('a', 'c')]
    """
    members = {m: node for node, own in learned.members.items() for m in own}
    if not members or not any(name in members for name in truth.nodes):
        return truth
    called = [members.get(name, name) for name in truth.nodes]
    nodes = list(dict.fromkeys(called))
    number = {name: i for i, name in enumerate(nodes)}
    ends = np.sort(np.array([number[name] for name in called])[truth.edges], axis=1)
    return Graph(nodes, np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0))


def _matched_edges(truth: Graph, learned: Graph) -> NDArray[np.int64]:
    """Return the learned edges in the node numbers of the true graph, i < j."""
    number = {name: i for i, name in enumerate(truth.nodes)}
    for these, others, whose in (
        (truth.nodes, set(learned.nodes), "true graph but not in the learned one"),
        (learned.nodes, set(truth.nodes), "learned graph but not in the true one"),
    ):
        missing = [name for name in these if name not in others]
        if missing:
            some = ", ".join(map(repr, missing[:_NAMED]))
            rest = f" and {len(missing) - _NAMED} others" if len(missing) > _NAMED else ""
            raise InputError(
                f"Node {some}{rest} is in the {whose}; graphs are matched by the names of their "
                "nodes, so give both the same."
            )
    numbers = np.array([number[name] for name in learned.nodes], dtype=np.int64)
    return np.sort(numbers[learned.edges], axis=1)


def _codes(edges: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    return edges[:, 0] * n_nodes + edges[:, 1]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
