"""Variables with levels and weights in the form that the GPU's test of tables needs.

This is computed in NumPy, outside the kernels (`tables.cu`), so that it can be tested without a
GPU.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.kernels.bits import Bits

LEVEL = np.dtype([("total", "i4"), ("share", "f4"), ("inverse", "f4"), ("unused", "f4")])
MOST_UNITS = (1 << 31) - 1  # total weight: counts have 32 bits


class Levels(NamedTuple):
    """The starts of some variables' rows, and the frequencies of their levels.

    ``starts`` is as in `Bits`, and ``scores`` is the number of regression columns of each variable.
    ``levels``, variable by variable, has dtype `LEVEL`. ``moments``, of shape (n_variables, 2), has
    the mean and the inverse variance of the level numbers. Inverses of zero are 0.
    """

    starts: NDArray[np.int32]
    scores: NDArray[np.int32]
    levels: NDArray[np.void]
    moments: Floats


def starts_of(bits: Bits) -> Ints:
    """Return the start of each variable's rows, and the end of the last."""
    return np.arange(len(bits.words) + 1) if bits.starts is None else bits.starts


def rows_of(bits: Bits, variables: range) -> range:
    """Return the rows of some variables."""
    starts = starts_of(bits)
    return range(int(starts[variables.start]), int(starts[variables.stop]))


def variables_of(bits: Bits, rows: range) -> range:
    """Return the variables to which these rows belong."""
    first, last = np.searchsorted(starts_of(bits), (rows.start, rows.stop))
    return range(int(first), int(last))


def n_units(bits: Bits) -> float:
    """Return the total weight of the samples in units of the weights."""
    if bits.weighting is None:
        return float(bits.n_samples)
    return float(np.rint(bits.weighting.weights.sum() / bits.weighting.unit))


def levels_of(bits: Bits, variables: range, ones: NDArray[np.int32]) -> Levels:
    """Describe some variables, in units of the weights, from the number of ones in each row."""
    starts = starts_of(bits)[variables.start : variables.stop + 1]
    begins = starts - starts[0]
    n, others = n_units(bits), ones.astype(np.float64)
    owner = np.repeat(np.arange(len(variables)), np.diff(starts))
    level = np.arange(len(others)) - begins[owner] + 1.0  # its number; the first level is 0
    totals = np.zeros(len(others) + len(variables))
    totals[np.arange(len(others)) + owner + 1] = others
    totals[begins[:-1] + np.arange(len(variables))] = n - _sums(owner, others, len(variables))
    levels = np.zeros(len(totals), LEVEL)
    levels["total"], levels["share"], levels["inverse"] = totals, totals / n, _inverses(totals)
    mean = _sums(owner, level * others, len(variables)) / n
    square = _sums(owner, level * level * others, len(variables)) / n
    return Levels(
        starts.astype(np.int32),
        bits.n_scores[variables.start : variables.stop].astype(np.int32),
        levels,
        np.column_stack([mean, _inverses(square - mean * mean)]),
    )


def _inverses(numbers: Floats) -> Floats:
    return np.divide(1.0, numbers, out=np.zeros_like(numbers), where=numbers > 0)


def _sums(owner: NDArray[np.intp], values: Floats, n_variables: int) -> Floats:
    return np.asarray(np.bincount(owner, values, minlength=n_variables), np.float64)
