"""What the test of tables on a card needs to know of variables with levels, and of weights.

Written in NumPy and apart from the kernels (`tables.cu`), so that it is tested where there is no
GPU.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.protocol import Bits

LEVEL = np.dtype([("total", "i4"), ("share", "f4"), ("inverse", "f4"), ("unused", "f4")])
MOST_UNITS = (1 << 31) - 1  # of all weights together: counts are 32 bits


class Levels(NamedTuple):
    """Some variables: where their rows begin, and what of all samples has each of their levels.

    ``starts`` are as in `Bits`, ``scores`` how many numbers each variable enters a regression by.
    ``levels``, variable after variable, are `LEVEL`, and ``moments`` of shape (n_variables, 2) the
    mean and the inverse variance of the levels' numbers. Inverses of nothing are 0.
    """

    starts: NDArray[np.int32]
    scores: NDArray[np.int32]
    levels: NDArray[np.void]
    moments: NDArray[np.float64]


def starts_of(bits: Bits) -> NDArray[np.int64]:
    """Return where the rows of each variable begin, and the end."""
    return np.arange(len(bits.words) + 1) if bits.starts is None else bits.starts


def rows_of(bits: Bits, variables: range) -> range:
    """Return the rows of some variables."""
    starts = starts_of(bits)
    return range(int(starts[variables.start]), int(starts[variables.stop]))


def variables_of(bits: Bits, rows: range) -> range:
    """Return the variables whose rows these are."""
    first, last = np.searchsorted(starts_of(bits), (rows.start, rows.stop))
    return range(int(first), int(last))


def n_units(bits: Bits) -> float:
    """Return how many samples there are, each as often as it counts in units of the weights."""
    if bits.weighting is None:
        return float(bits.n_samples)
    return float(np.rint(bits.weighting.weights.sum() / bits.weighting.unit))


def levels_of(bits: Bits, variables: range, ones: NDArray[np.int32]) -> Levels:
    """Describe some variables, in units of the weights, from the ones of each of their rows."""
    starts = starts_of(bits)[variables.start : variables.stop + 1]
    begins = starts - starts[0]
    n, others = n_units(bits), ones.astype(np.float64)
    owner = np.repeat(np.arange(len(variables)), np.diff(starts))
    level = np.arange(len(others)) - begins[owner] + 1.0  # its number, the first being 0
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


def _inverses(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(1.0, numbers, out=np.zeros_like(numbers), where=numbers > 0)


def _sums(
    owner: NDArray[np.intp], values: NDArray[np.float64], n_variables: int
) -> NDArray[np.float64]:
    return np.asarray(np.bincount(owner, values, minlength=n_variables), np.float64)
