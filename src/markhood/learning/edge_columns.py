"""Compute the columns that every graph's edges have; `COLUMNS` lists them.

`markhood.graph.columns` documents the meaning of each column.

**standardized**: couplings on a common scale, multiplied by the standard deviations of both ends.
A coupling of ordered levels is per step, and a step of a variable with ten levels is smaller than
one of a variable with three. The product with both standard deviations measures the effect in
typical samples. It equals the root mean square of the pair's table, with rows and columns centred
by level frequencies under independence. An edge with a coupling table is therefore measured in the
same way, without a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.tables import codes

Tables = Sequence[NDArray[np.float64] | None]
Column = Callable[
    [Samples, NDArray[np.int64], NDArray[np.float64], Tables], NDArray[np.float64] | None
]


def edge_columns(
    samples: Samples, edges: NDArray[np.int64], coupling_ends: NDArray[np.float64], tables: Tables
) -> dict[str, NDArray[np.float64]]:
    """Return all columns that apply to these data, by name."""
    with np.errstate(invalid="ignore"):  # of infinities of both signs
        couplings = coupling_ends.mean(axis=1)
    found = {name: column(samples, edges, couplings, tables) for name, column in COLUMNS.items()}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def standardized(
    samples: Samples, edges: NDArray[np.int64], couplings: NDArray[np.float64], tables: Tables
) -> NDArray[np.float64] | None:
    """Return standardised couplings, of shape (n_edges,); None if no levels are ordered.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
    couplings : ndarray of shape (n_edges,)
        Per step of each end; may be infinite.
    tables : sequence of ndarray or None
        Coupling tables of edges that have one; empty if none has.
    """
    if samples.variables.ordered is None:
        return None
    shares = {v: _shares(samples, v) for v in np.unique(edges).tolist()}
    deviations = {v: _deviation(p) for v, p in shares.items()}
    found = np.array(
        [
            c * deviations[i] * deviations[j]
            for c, (i, j) in zip(couplings, edges.tolist(), strict=True)
        ]
    )
    for k, table in enumerate(tables):
        if table is not None and np.isfinite(couplings[k]):
            i, j = edges[k].tolist()
            found[k] = _size(table, shares[i], shares[j])
    return found


def _shares(samples: Samples, variable: int) -> NDArray[np.float64]:
    n_levels = int(samples.starts[variable + 1] - samples.starts[variable]) + 1
    weights = None if samples.weights is None else samples.weights.counts
    counts = np.bincount(codes(samples.bits, variable), weights, n_levels)
    return np.asarray(counts / counts.sum())


def _deviation(shares: NDArray[np.float64]) -> float:
    steps = np.arange(len(shares))
    mean = float(shares @ steps)
    return float(np.sqrt(shares @ (steps - mean) ** 2))


def _size(
    table: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> float:
    centred = table - (table @ columns)[:, None] - rows @ table + rows @ table @ columns
    return float(np.sqrt(rows @ centred**2 @ columns))


COLUMNS: Mapping[str, Column] = {
    "standardized": standardized,
}
