"""Centralities of a graph and its replicates, and their correlation stability (CS) coefficient.

The CS coefficient (Epskamp, Borsboom and Fried, 2018) is the largest share of the samples that can
be left out such that, with a probability of 95 %, the centralities of the remaining samples have a
correlation of at least 0.7 with those of all samples. According to its authors it should be at
least 0.25, and preferably above 0.5. Couplings are compared over all pairs of nodes, with 0 for a
pair without an edge, as in bootnet: the edges of the graph alone would not show edges that appear
only in replicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    couplings: NDArray[np.float64],
    replicates: Sequence[Replicate],
    communities: NDArray[np.int64] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Return the centralities of a graph (first row) and its replicates, of shape (1 + n, d)."""
    of_nodes = found_communities(graph) if communities is None else communities
    graphs = [Replicate(np.array(graph.edges), couplings), *replicates]
    found = [centralities(graph.n_nodes, one.edges, one.couplings, of_nodes) for one in graphs]
    return {measure: np.array([one[measure] for one in found]) for measure in MEASURES}


def centrality_rows(
    measured: Mapping[str, NDArray[np.float64]], nodes: Sequence[str], level: float
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
    measured: Mapping[str, NDArray[np.float64]], couplings: NDArray[np.float64], n_pairs: int
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


def _coefficient(correlations: NDArray[np.float64], shares: NDArray[np.int64]) -> float:
    """Return the largest share at which enough correlations are high, or 0."""
    is_high = correlations >= MIN_CORRELATION
    high = [np.mean(is_high[shares == k]) for k in range(len(DROPPED)) if k in shares]
    kept = [share for share, often in zip(DROPPED, high, strict=False) if often >= MIN_SHARE]
    return float(max(kept, default=0.0))


def correlation(a: NDArray[np.float64], b: NDArray[np.float64], n: int) -> float:
    """Return the correlation of n pairs of values, 0 where not listed; NaN if one is constant."""
    if n < 2:
        return float("nan")
    covariance = float(a @ b - a.sum() * b.sum() / n)
    variances = [float(one @ one - one.sum() ** 2 / n) for one in (a, b)]
    least = [1e-12 * float(one @ one) for one in (a, b)]  # of rounding errors
    if variances[0] <= least[0] or variances[1] <= least[1]:
        return float("nan")
    return covariance / float(np.sqrt(variances[0] * variances[1]))


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
