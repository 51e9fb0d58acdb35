"""The bootstrapped difference test between couplings (Epskamp, Borsboom and Fried, 2018).

Two couplings differ if the bootstrap interval of their difference excludes 0. As is customary,
there is no adjustment for multiple testing: among many pairs of equal couplings, some will appear
to differ. Use the table for exploration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph

DifferenceRow = dict[str, Any]


def difference_rows(
    graph: Graph, couplings: NDArray[np.float64], values: NDArray[np.float64], level: float
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


def two_sided(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two-sided p-values: twice the smaller share of the values on one side of 0."""
    n = len(values)
    least = np.minimum((values <= 0).sum(axis=0), (values >= 0).sum(axis=0))
    return np.asarray(np.minimum(1.0, 2 * (least + 1) / (n + 1)))
