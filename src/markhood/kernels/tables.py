"""Contingency tables of a variable with its blanket, in NumPy: the definition for all kernels.

Variables may have any number of levels, and samples any weights, as in `Bits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.kernels.bits import Bits
from markhood.kernels.words import unpacked


class Table(NamedTuple):
    """Counts of each level of a target in each configuration of its blanket."""

    configurations: NDArray[np.uint16]  # (n_rows, n_blanket), those that occur, ascending
    counts: Floats  # (n_rows, n_levels of the target)
    n_levels: tuple[int, ...]  # of each member of the blanket
    ordered: tuple[bool, ...] = ()  # the target, then each member; empty if all are nominal
    reals: Floats | None = None  # (n_rows, n_reals), additional predictors
    offset: Floats | None = None  # (n_rows,), added to the linear predictor


def n_levels(bits: Bits, variable: int) -> int:
    """Return the number of levels of a variable; a constant counts as binary."""
    if bits.starts is None:
        return 2
    return int(bits.starts[variable + 1] - bits.starts[variable]) + 1


def n_parameters(bits: Bits, i: int | Ints, j: int | Ints) -> Ints:
    """Return the number of parameters of the edge between each i and j."""
    return np.asarray(_n_scores(bits, np.asarray(i)) * _n_scores(bits, np.asarray(j)))


def _n_scores(bits: Bits, variables: Ints) -> Ints:
    """Return ``Bits.n_scores`` of some variables only."""
    if bits.starts is None:
        return np.ones(variables.shape, np.int64)
    indicators = bits.starts[variables + 1] - bits.starts[variables]
    return indicators if bits.ordered is None else np.where(bits.ordered[variables], 1, indicators)


def codes(bits: Bits, variable: int) -> NDArray[np.uint16]:
    """Return the level of a variable in every sample, of shape (n_samples,)."""
    start = variable if bits.starts is None else int(bits.starts[variable])
    rows = bits.words[start : start + n_levels(bits, variable) - 1]
    ones = unpacked(rows, bits.n_samples)
    return (np.arange(1, len(ones) + 1) @ ones).astype(np.uint16)


def blanket_table(bits: Bits, target: int, blanket: Sequence[int]) -> Table:
    """Count the target's levels in every configuration of its blanket and real columns."""
    values = [codes(bits, b) for b in blanket]
    groups = [] if bits.reals is None else [bits.reals.groups_of(target)]
    first, counts = count_rows(
        [*values, *groups], codes(bits, target), n_levels(bits, target), weights_of(bits)
    )
    members = np.array(values, np.uint16).reshape(len(blanket), bits.n_samples)[:, first].T
    levels = tuple(n_levels(bits, b) for b in blanket)
    table = Table(members, counts, levels, ordered(bits, [target, *blanket]))
    if bits.reals is None:
        return table
    reals, offset = bits.reals.of_target(target)
    return table._replace(reals=reals[:, first].T, offset=offset[first])


def weights_of(bits: Bits) -> Floats:
    """Return the weight of each sample."""
    return np.ones(bits.n_samples) if bits.weighting is None else bits.weighting.weights


def count_rows(
    columns: Iterable[NDArray[Any]], cells: NDArray[Any], n_cells: int, weights: Floats
) -> tuple[Ints, Floats]:
    """Group samples that are equal in all columns, and count the cells of each group.

    Columns hold levels or real numbers. Returns one sample of each group, of shape (n_rows,), with
    the groups in ascending order of their columns, and the counts, (n_rows, n_cells).
    """
    row, n_rows = np.zeros(len(cells), np.int64), 1
    for column in columns:
        if column.dtype.kind == "f":
            _, column = np.unique(column, return_inverse=True)
        n_values = int(column.max(initial=0)) + 1
        row, n_rows = row * n_values + column, n_rows * n_values
        if n_rows > 4 * len(cells):  # more than can occur: renumber those that do
            _, row = np.unique(row, return_inverse=True)
            n_rows = int(row.max(initial=-1)) + 1
    first = np.full(n_rows, -1)
    first[row] = np.arange(len(cells))
    counts: NDArray[Any] = np.bincount(row * n_cells + cells, weights, n_rows * n_cells)
    return first[first >= 0], counts.reshape(n_rows, n_cells)[first >= 0]


def n_coefficients(table: Table) -> int:
    """Return the number of parameters of the regression on a table; see ``Bits.n_scores``."""
    levels = (int(table.counts.shape[1]), *table.n_levels)
    steps = table.ordered or (False,) * len(levels)
    own, *others = [1 if step else r - 1 for r, step in zip(levels, steps, strict=True)]
    n_reals = 0 if table.reals is None else table.reals.shape[1]
    return levels[0] - 1 + own * (n_reals + sum(others))


def ordered(bits: Bits, variables: Sequence[int]) -> tuple[bool, ...]:
    """Return which of some variables are ordered; empty if no variable of the data is."""
    return () if bits.ordered is None else tuple(bits.ordered[list(variables)].tolist())


def pair_table(bits: Bits, i: int, j: int) -> Floats:
    """Count the levels of one variable by those of another, of shape (r_i, r_j)."""
    shape = n_levels(bits, i), n_levels(bits, j)
    cells = codes(bits, i).astype(np.int64) * shape[1] + codes(bits, j)
    counts: NDArray[Any] = np.bincount(cells, weights_of(bits), shape[0] * shape[1])
    return counts.reshape(shape)


def likelihood_ratio(counts: Floats) -> float:
    """Return n times the mutual information of a table of two variables.

    This is the log-likelihood ratio of dependence against independence, in either direction: with
    indicators of one variable's levels, the regression of the other is saturated.
    """
    sums = (_n_log_n(c).sum() for c in (counts, counts.sum(0), counts.sum(1), counts.sum()))
    cells, columns, rows, total = sums
    return float((cells - columns) - (rows - total))


def likelihood_ratios(joint: Ints, ones_i: Ints, ones_j: Ints, n_log_n: Floats) -> Floats:
    """Return n times the mutual information of pairs of variables, from their counts.

    For two binary variables the logistic regression of one on the other is saturated, so this is
    the log-likelihood ratio of dependence against independence, in either direction.
    """
    n = len(n_log_n) - 1
    cells = (
        n_log_n[joint]
        + n_log_n[ones_i - joint]
        + n_log_n[ones_j - joint]
        + n_log_n[n - ones_i - ones_j + joint]
    )
    margin_i = n_log_n[ones_i] + n_log_n[n - ones_i] - n_log_n[n]
    margin_j = n_log_n[ones_j] + n_log_n[n - ones_j]
    return np.asarray(cells - margin_i - margin_j)


def _n_log_n(counts: Floats) -> Floats:
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))
