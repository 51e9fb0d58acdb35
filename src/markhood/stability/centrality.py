"""Centralities of a graph and its replicates, and their correlation stability (CS) coefficient.

The CS coefficient (Epskamp, Borsboom and Fried, 2018) is the largest share of the samples that can
be left out such that, with a probability of 95 %, the centralities of the remaining samples have a
correlation of at least 0.7 with those of all samples. According to its authors it should be at
least 0.25, and preferably above 0.5.
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
    measured: Mapping[str, NDArray[np.float64]],
    couplings: NDArray[np.float64],
    edges: NDArray[np.float64],
) -> list[StabilityRow]:
    """Return a row for each measure, with its CS coefficient and the mean correlations."""
    rows: list[StabilityRow] = []
    for measure, values in {"edge": np.vstack([couplings, edges]), **measured}.items():
        correlations = np.array([_correlation(values[0], own) for own in values[1:]])
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


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the correlation, or NaN if one of the two is constant."""
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
