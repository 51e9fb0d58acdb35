"""Measures of the difference between a learned graph and the true one.

    Hamming distance = false positives + false negatives,
    standardised     = 100 * Hamming distance / number of true edges,

the second as in the paper, so that networks of different sizes can be compared. Graphs are matched
by the names of their nodes, because files may list the nodes in different orders.

A node of the learned graph may represent a group of identical columns. The true graph is then
folded: the columns of a group become one node with the edges of all of them. An edge between two
groups is correct if the true graph has any edge between them, because the data cannot tell the
columns apart. True edges within a group are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph

_NAMES_SHOWN = 3
_BLOCK = 512  # nodes whose distances to all other nodes are in memory at once


@dataclass(frozen=True)
class Comparison:
    """Errors of a learned graph.

    Attributes
    ----------
    false_positives, false_negatives, hamming_distance : int
        Learned edges that are not true, true edges that were not learned, and their sum.
    standardised_hamming_distance : float
        Hamming distance per hundred true edges.
    precision, recall, f1 : float
        Share of the learned edges that are true, share of the true edges that were learned, and
        their harmonic mean. NaN if the denominator is 0.
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
    """Number of learned edges by distance in the true graph.

    Attributes
    ----------
    pairs : ndarray of shape (longest,), dtype int64
        Number of unordered pairs at distance 1, 2, ...; the last entry counts pairs at distance
        `longest` or more, including unconnected pairs.
    included : ndarray of shape (longest,), dtype int64
        Number of these pairs that are learned edges.
    """

    pairs: Ints
    included: Ints

    @property
    def shares(self) -> Floats:
        """Share of the pairs that are learned edges, shape (longest,); NaN without pairs."""
        shares = np.full(len(self.pairs), np.nan)
        np.divide(self.included, self.pairs, out=shares, where=self.pairs > 0)
        return shares


def compare(truth: Graph, learned: Graph) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    truth, learned : Graph
        Graphs with the same nodes, in any order. The true graph may have the members of the
        learned graph's groups as separate nodes.

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
    """Edges by outcome, in the node numbers of the true graph.

    Attributes
    ----------
    hits, missed, false : ndarray of shape (m, 2), dtype int64
        True edges that were learned, true edges that were not, and learned edges that are not true.
    """

    hits: Ints
    missed: Ints
    false: Ints


def edge_outcomes(truth: Graph, learned: Graph) -> EdgeOutcomes:
    """Return the true positive, false negative and false positive edges.

    Parameters
    ----------
    truth, learned : Graph
        Graphs with the same nodes, in any order.

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
        One row per graph: its name as ``method``, and the attributes of `Comparison`.

    Examples
    --------
    >>> truth = Graph("abc", [(0, 1)])
    >>> rows = comparison_table(truth, {"same": truth, "empty": Graph("abc", [])})
    >>> [(row["method"], row["hamming_distance"]) for row in rows]
    [('same', 0), ('empty', 1)]
    """
    return [{"method": name, **asdict(compare(truth, graph))} for name, graph in learned.items()]


def overlap_table(first: Graph, others: Mapping[str, Graph]) -> list[dict[str, Any]]:
    """Count the edges that a graph shares with each of several other graphs.

    Returns
    -------
    list of dict
        One row per graph: its name as ``graph``; the numbers of edges in both (``shared``), only in
        the first (``only_first``) and only in this one (``only_this``); and the ``jaccard`` index.

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


def inclusion_by_distance(
    truth: Graph, learned: Graph, longest: int = 5, *, block: int = _BLOCK
) -> InclusionByDistance:
    """Count the pairs at each distance in the true graph, and those that are learned edges.

    Parameters
    ----------
    truth, learned : Graph
        Graphs with the same nodes, in any order.
    longest : int, default=5
        Pairs at this distance or more are counted together.
    block : int, default=512
        Nodes whose distances to all other nodes are in memory at once.

    Examples
    --------
    >>> truth = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    >>> found = inclusion_by_distance(truth, Graph("abcd", [(0, 1), (0, 2)]), longest=3)
    >>> found.pairs, found.included
    (array([3, 2, 1]), array([1, 1, 0]))
    """
    from scipy.sparse.csgraph import dijkstra

    if longest < 1:
        raise InputError("option-value", "longest", f"longest must be at least 1, not {longest}.")
    truth = folded(truth, learned)
    edges = _matched_edges(truth, learned)
    adjacency = truth.adjacency()
    pairs = np.zeros(longest, dtype=np.int64)
    included = np.zeros(longest, dtype=np.int64)
    for first in range(0, truth.n_nodes, block):
        rows = np.arange(first, min(first + block, truth.n_nodes))
        distance = dijkstra(adjacency, unweighted=True, indices=rows, limit=longest - 1)
        group = np.minimum(distance, longest).astype(np.int64) - 1
        later = np.arange(truth.n_nodes) > rows[:, None]
        pairs += np.bincount(group[later], minlength=longest)
        here = edges[(edges[:, 0] >= first) & (edges[:, 0] <= rows[-1])]
        included += np.bincount(group[here[:, 0] - first, here[:, 1]], minlength=longest)
    return InclusionByDistance(pairs, included)


def folded(truth: Graph, learned: Graph) -> Graph:
    """Merge the nodes of the true graph that are one node of the learned graph.

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
    groups = [members.get(name, name) for name in truth.nodes]
    nodes = list(dict.fromkeys(groups))
    number = {name: i for i, name in enumerate(nodes)}
    ends = np.sort(np.array([number[name] for name in groups])[truth.edges], axis=1)
    return Graph(nodes, np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0))


def _matched_edges(truth: Graph, learned: Graph) -> Ints:
    """Return the learned edges in the node numbers of the true graph, i < j."""
    number = {name: i for i, name in enumerate(truth.nodes)}
    for these, others, graph in (
        (truth.nodes, set(learned.nodes), "learned"),
        (learned.nodes, set(truth.nodes), "true"),
    ):
        missing = [name for name in these if name not in others]
        if missing:
            shown = ", ".join(map(repr, missing[:_NAMES_SHOWN]))
            n_more = len(missing) - _NAMES_SHOWN
            raise InputError(
                "graphs-differ",
                missing[0],
                f"The {graph} graph lacks the node{'s'[: len(missing) > 1]} {shown}"
                f"{f' and {n_more} more' if n_more > 0 else ''}. Graphs are matched by node names: "
                "give both graphs the same nodes.",
            )
    numbers = np.array([number[name] for name in learned.nodes], dtype=np.int64)
    return np.sort(numbers[learned.edges], axis=1)


def _codes(edges: Ints, n_nodes: int) -> Ints:
    return edges[:, 0] * n_nodes + edges[:, 1]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def base_pairs_among(pairs: Iterable[tuple[int, int]], nodes: Sequence[str]) -> Graph:
    """Return the graph of base pairs whose nodes are columns of the alignment.

    Parameters
    ----------
    pairs : iterable of (int, int)
        Column numbers in the alignment, counted from 1.
    nodes : sequence of str
        Column numbers to use as nodes; pairs with other columns are left out.

    Examples
    --------
    >>> base_pairs_among([(1, 9), (2, 8)], ["2", "5", "8"]).edge_names()
    [('2', '8')]
    """
    number = {name: k for k, name in enumerate(nodes)}
    if not any(name.isdecimal() for name in number):
        raise InputError(
            "graphs-differ",
            "",
            "The names of the nodes are not column numbers. Compare the structure with a graph "
            "that was learned from its alignment.",
        )
    ends = [(number.get(str(i)), number.get(str(j))) for i, j in pairs]
    edges = sorted(sorted(e) for e in ends if None not in e)  # type: ignore[type-var]
    return Graph(Variables(tuple(nodes)), np.array(edges, dtype=np.int64).reshape(-1, 2))
