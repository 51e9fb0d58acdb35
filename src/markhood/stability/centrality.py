"""Centralities of a graph and its replicates, and their correlation stability (CS) coefficient.

The CS coefficient (Epskamp, Borsboom and Fried, 2018) is the largest share of the samples that can
be left out such that, with a probability of 95 %, the centralities of the remaining samples have a
correlation of at least 0.7 with those of all samples. According to its authors it should be at
least 0.25, and preferably above 0.5. Couplings are compared over all pairs of nodes, with 0 for a
pair without an edge, as in bootnet: the edges of the graph alone would not show edges that appear
only in replicates.

The bootstrapped difference test between couplings (Epskamp, Borsboom and Fried, 2018). Two
couplings differ if the bootstrap interval of their difference excludes 0. As is customary, there is
no adjustment for multiple testing: among many pairs of equal couplings, some will appear to differ.
Use the table for exploration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.graph.centrality import MEASURES, centralities
from markhood.graph.communities import communities as found_communities
from markhood.graph.graph import Graph
from markhood.stability.replicates import Replicate
from markhood.stability.resampling import DROPPED

MIN_CORRELATION = 0.7
MIN_SHARE = 0.95  # of the replicates that must reach it

CentralityRow = dict[str, Any]
StabilityRow = dict[str, Any]


def centralities_of_all(
    graph: Graph,
    couplings: Floats,
    replicates: Sequence[Replicate],
    communities: Ints | None = None,
) -> dict[str, Floats]:
    """Return the centralities of a graph (first row) and its replicates, of shape (1 + n, d)."""
    of_nodes = found_communities(graph) if communities is None else communities
    graphs = [Replicate(np.array(graph.edges), couplings), *replicates]
    found = [centralities(graph.n_nodes, one.edges, one.couplings, of_nodes) for one in graphs]
    return {measure: np.array([one[measure] for one in found]) for measure in MEASURES}


def centrality_rows(
    measured: Mapping[str, Floats], nodes: Sequence[str], level: float
) -> list[CentralityRow]:
    """Return a row for each measure and node, with the centrality and its interval."""
    rows: list[CentralityRow] = []
    for measure, values in measured.items():
        low, high = np.quantile(values[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
        means = values[1:].mean(axis=0)
        for k, node in enumerate(nodes):
            rows.append(
                {
                    "node": node,
                    "measure": measure,
                    "value": float(values[0, k]),
                    "mean": float(means[k]),
                    "low": float(low[k]),
                    "high": float(high[k]),
                }
            )
    return rows


def stability_rows(
    measured: Mapping[str, Floats], couplings: Floats, n_pairs: int
) -> list[StabilityRow]:
    """Return a row for each measure, with its CS coefficient and the mean correlations.

    Parameters
    ----------
    measured : mapping of str to ndarray of shape (1 + n_replicates, n_nodes)
    couplings : ndarray of shape (1 + n_replicates, n_listed)
        Of all pairs that are an edge anywhere; the first row is that of the graph.
    n_pairs : int
        Number of all pairs; those that are not listed have coupling 0 everywhere.
    """
    rows: list[StabilityRow] = []
    for measure, values in {"edge": couplings, **measured}.items():
        n = n_pairs if measure == "edge" else values.shape[1]
        correlations = np.array([correlation(values[0], own, n) for own in values[1:]])
        shares = np.arange(len(correlations)) % len(DROPPED)
        row: StabilityRow = {"measure": measure, "cs": _coefficient(correlations, shares)}
        for k, dropped in enumerate(DROPPED):
            row[f"without_{100 * dropped:.0f}"] = _mean(correlations[shares == k])
        rows.append(row)
    return rows


def _coefficient(correlations: Floats, shares: Ints) -> float:
    """Return the largest share at which enough correlations are high, or 0."""
    is_high = correlations >= MIN_CORRELATION
    high = [np.mean(is_high[shares == k]) for k in range(len(DROPPED)) if k in shares]
    kept = [share for share, often in zip(DROPPED, high, strict=False) if often >= MIN_SHARE]
    return float(max(kept, default=0.0))


def correlation(a: Floats, b: Floats, n: int) -> float:
    """Return the correlation of n pairs of values, 0 where not listed; NaN if one is constant."""
    if n < 2:
        return float("nan")
    covariance = float(a @ b - a.sum() * b.sum() / n)
    variances = [float(one @ one - one.sum() ** 2 / n) for one in (a, b)]
    least = [1e-12 * float(one @ one) for one in (a, b)]  # of rounding errors
    if variances[0] <= least[0] or variances[1] <= least[1]:
        return float("nan")
    return covariance / float(np.sqrt(variances[0] * variances[1]))


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


DifferenceRow = dict[str, Any]


def difference_rows(
    graph: Graph, couplings: Floats, values: Floats, level: float
) -> list[DifferenceRow]:
    """Compare the couplings of every two edges.

    Parameters
    ----------
    couplings : ndarray of shape (n_edges,)
        Couplings in the graph.
    values : ndarray of shape (n_replicates, n_edges)
        Couplings in the replicates.
    level : float
        Level of the intervals.

    Examples
    --------
    >>> graph = Graph("abc", [(0, 1), (1, 2)])
    >>> values = np.array([[2.0, 1.0], [3.0, 1.0], [2.5, 0.0]])
    >>> row = difference_rows(graph, np.array([2.5, 1.0]), values, 0.95)[0]
    >>> row["difference"], row["differ"], row["p_value"]
    (1.5, 1, 0.5)
    """
    names = graph.edge_names()
    tails = [(1 - level) / 2, (1 + level) / 2]
    rows: list[DifferenceRow] = []
    for k in range(len(names) - 1):
        gaps = values[:, [k]] - values[:, k + 1 :]
        low, high = np.quantile(gaps, tails, axis=0)
        p_values = two_sided(gaps)
        for at, other in enumerate(range(k + 1, len(names))):
            rows.append(
                {
                    "source": names[k][0],
                    "target": names[k][1],
                    "other_source": names[other][0],
                    "other_target": names[other][1],
                    "difference": float(couplings[k] - couplings[other]),
                    "low": float(low[at]),
                    "high": float(high[at]),
                    "p_value": float(p_values[at]),
                    "differ": int(low[at] > 0 or high[at] < 0),
                }
            )
    return rows


def two_sided(values: Floats) -> Floats:
    """Return two-sided p-values: twice the smaller share of the values on one side of 0."""
    n = len(values)
    least = np.minimum((values <= 0).sum(axis=0), (values >= 0).sum(axis=0))
    return np.asarray(np.minimum(1.0, 2 * (least + 1) / (n + 1)))
