"""Stability of communities over the replicates of a bootstrap.

The communities of each replicate are matched with those of the graph so that as many nodes as
possible agree (Hungarian method). The stability of a node is then the share of replicates in which
it is in its own community: *item stability* of bootEGA (Christensen and Golino, 2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    stability: NDArray[np.float64]
    together: NDArray[np.float64]
    n_communities: Mapping[int, float]

    def to_frame(self) -> Any:
        """Return a pandas or polars data frame with the community and stability of each node."""
        values = zip(self.graph.nodes, self.labels.tolist(), self.stability.tolist(), strict=True)
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in values]
        return frame_of_rows(rows, COLUMNS, self.graph.provenance)


def community_stability(graph: Graph, replicates: Sequence[Replicate]) -> CommunityStability:
    """Compare the communities of a graph with those of replicates."""
    labels, rng = communities(graph), np.random.default_rng(0)
    d = graph.n_nodes
    together, own = np.zeros((d, d)), np.zeros(d)
    numbers: dict[int, int] = {}
    for replicate in replicates:
        found, _ = best_partition(d, replicate.edges, np.abs(replicate.couplings), rng)
        together += (found[:, None] == found) & (found >= 0)
        own += _matched(found, labels) == labels
        n = int(found.max(initial=ALONE)) + 1
        numbers[n] = numbers.get(n, 0) + 1
    total = max(1, len(replicates))
    shares = {n: count / total for n, count in sorted(numbers.items())}
    stability = np.where(labels >= 0, own / total, np.nan)
    return CommunityStability(graph, labels, stability, together / total, shares)


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
