"""Couplings on one scale: times the standard deviations of both ends.

A coupling of ordered levels is that of a step, and steps of a variable with ten levels are smaller than
those of one with three. Times both standard deviations it is what an edge does to typical samples.
That is also the root mean square of the pair's table, its rows and columns centred by how often levels
occur, were the two independent; so an edge that has a table is measured alike, without a sign.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.tables import codes

NAME = "standardized"


def standardized(
    samples: Samples,
    edges: NDArray[np.int64],
    couplings: NDArray[np.float64],
    tables: Sequence[NDArray[np.float64] | None],
) -> NDArray[np.float64]:
    """Return the standardised coupling of every edge, of shape (n_edges,).

    Parameters
    ----------
    samples : Samples
    edges : ndarray of shape (n_edges, 2)
    couplings : ndarray of shape (n_edges,)
        Of a step of each end, or infinite.
    tables : sequence of ndarray or None
        Of the edges that have one; empty where none has.
    """
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
