"""Centralities of a graph and of all its replicates, and how many samples their order takes.

The CS coefficient (Epskamp, Borsboom and Fried, 2018) is the largest share of the samples that can be left out
so that, with a probability of 95 %, the centralities of what is left have a correlation of 0.7 or more
with those of all samples. It should not be below 0.25, its authors say, and better be above 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.graph.centrality import MEASURES, centralities
from markhood.graph.graph import Graph
from markhood.output.pictures.communities import communities as found_communities
from markhood.stability.replicates import Replicate
from markhood.stability.resampling import DROPPED

ALIKE = 0.7  # the correlation that is asked for
SURE = 0.95  # in this share of the replicates

CentralityRow = dict[str, Any]
StabilityRow = dict[str, Any]


def centralities_of_all(
    graph: Graph,
    couplings: NDArray[np.float64],
    replicates: Sequence[Replicate],
    communities: NDArray[np.int64] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Measure every node of a graph, in the first row, and of its replicates, of shape (1 + n, d)."""
    of_nodes = found_communities(graph) if communities is None else communities
    graphs = [Replicate(np.array(graph.edges), couplings), *replicates]
    found = [centralities(graph.n_nodes, one.edges, one.couplings, of_nodes) for one in graphs]
    return {measure: np.array([one[measure] for one in found]) for measure in MEASURES}


def centrality_rows(
    measured: Mapping[str, NDArray[np.float64]], nodes: Sequence[str], level: float
) -> list[CentralityRow]:
    """Put centralities and their intervals into rows, a node and a measure each."""
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
    """Put CS coefficients and mean correlations at each share into rows, a measure each."""
    rows: list[StabilityRow] = []
    for measure, values in {"edge": np.vstack([couplings, edges]), **measured}.items():
        alike = np.array([_correlation(values[0], own) for own in values[1:]])
        shares = np.arange(len(alike)) % len(DROPPED)
        row: StabilityRow = {"measure": measure, "cs": _coefficient(alike, shares)}
        for k, dropped in enumerate(DROPPED):
            row[f"without_{100 * dropped:.0f}"] = _mean(alike[shares == k])
        rows.append(row)
    return rows


def _coefficient(alike: NDArray[np.float64], shares: NDArray[np.int64]) -> float:
    """Return the largest share at which enough correlations are high; 0 where there is none."""
    high = [np.mean(alike[shares == k] >= ALIKE) for k in range(len(DROPPED)) if k in shares]
    kept = [share for share, often in zip(DROPPED, high, strict=False) if often >= SURE]
    return float(max(kept, default=0.0))


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the correlation, NaN where one of the two does not vary: there is no order to keep."""
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
