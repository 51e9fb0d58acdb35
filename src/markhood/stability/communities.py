"""Stability of communities over the replicates of a bootstrap, or over draws of graphs.

The communities of each replicate are matched with those of the graph so that as many nodes as
possible agree (Hungarian method). The stability of a node is then the share of replicates in which
it is in its own community: *item stability* of bootEGA (Christensen and Golino, 2021). Couplings of
variables with many and few levels are made comparable by the standard deviations that the
standardised couplings of the graph imply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from markhood.arrays import Floats
from markhood.data.to_frame import frame_of_rows
from markhood.graph.communities import ALONE, Partition, best_partition, communities
from markhood.graph.graph import Graph
from markhood.stability.replicates import Replicate

COLUMNS = ("node", "community", "stability")


@dataclass(frozen=True, eq=False)
class CommunityStability:
    """How often the nodes of a graph fall into the same communities.

    Attributes
    ----------
    graph : Graph
    labels : ndarray of shape (n_nodes,)
        Community of each node in the graph; -1 for isolated nodes.
    stability : ndarray of shape (n_nodes,)
        Share of the replicates in which each node is in its own community; NaN for isolated nodes.
    together : ndarray of shape (n_nodes, n_nodes)
        Share of the replicates in which two nodes are in one community.
    n_communities : mapping of int to float
        Share of the replicates with each number of communities.
    """

    graph: Graph
    labels: Partition
    stability: Floats
    together: Floats
    n_communities: Mapping[int, float]

    def to_frame(self) -> Any:
        """Return a pandas or polars data frame with the community and stability of each node."""
        values = zip(self.graph.nodes, self.labels.tolist(), self.stability.tolist(), strict=True)
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in values]
        return frame_of_rows(rows, COLUMNS, self.graph.provenance)


def community_stability(graph: Graph, replicates: Sequence[Replicate]) -> CommunityStability:
    """Compare the communities of a graph with those of replicates."""
    labels, rng = communities(graph), np.random.default_rng(0)
    d, scales = graph.n_nodes, _scales(graph)
    together, own = np.zeros((d, d)), np.zeros(d)
    numbers: dict[int, int] = {}
    for replicate in replicates:
        weights = np.abs(replicate.couplings) * scales[replicate.edges].prod(axis=1)
        found, _ = best_partition(d, replicate.edges, weights, rng)
        together += (found[:, None] == found) & (found >= 0)
        own += _matched(found, labels) == labels
        n = int(found.max(initial=ALONE)) + 1
        numbers[n] = numbers.get(n, 0) + 1
    total = max(1, len(replicates))
    shares = {n: count / total for n, count in sorted(numbers.items())}
    stability = np.where(labels >= 0, own / total, np.nan)
    return CommunityStability(graph, labels, stability, together / total, shares)


def _scales(graph: Graph) -> Floats:
    """Return the standard deviation of every node, a factor of its standardised couplings."""
    known = graph.annotations.get("standardized")
    if known is None:
        return np.ones(graph.n_nodes)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.abs(known / graph.coupling))
    at = np.flatnonzero(np.isfinite(logs))
    ends = np.zeros((len(at), graph.n_nodes))
    np.put_along_axis(ends, graph.edges[at], 1.0, axis=1)
    mean = logs[at].mean() / 2 if len(at) else 0.0
    return np.asarray(np.exp(mean + np.linalg.lstsq(ends, logs[at] - 2 * mean)[0]))


def _matched(found: Partition, labels: Partition) -> Partition:
    """Renumber communities so that as many nodes as possible have the given labels."""
    from scipy.optimize import linear_sum_assignment

    shared = np.zeros((found.max(initial=ALONE) + 1, labels.max(initial=ALONE) + 1), np.int64)
    both = (found >= 0) & (labels >= 0)
    np.add.at(shared, (found[both], labels[both]), 1)
    rows, columns = linear_sum_assignment(-shared)
    numbers = np.full(len(shared) + 1, ALONE - 1)  # the last one is that of isolated nodes
    numbers[rows] = columns
    return numbers[found]
