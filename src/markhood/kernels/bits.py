"""Packed samples: what all kernels that count read."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints, Words


class Weighting(NamedTuple):
    """Sample weights: ``weights`` of shape (n_samples,), dtype float64.

    Each weight is ``unit`` times a whole number. ``planes``, of shape (n_planes, n_words), holds
    the binary digits of these numbers, packed like the samples, lowest digit first.
    """

    weights: Floats
    planes: Words
    unit: float


class Reals(NamedTuple):
    """Real-valued predictors of every target, in addition to its blanket; they are not variables.

    ``columns`` has shape (n_reals, n_samples), or (n_variables, n_reals, n_samples) where each
    target has its own. ``offset``, of shape (n_samples,) or (n_variables, n_samples), is added to
    the linear predictor with slope 1: to the log odds of a binary target, or to the log odds of a
    step up of an ordered target. Nominal targets with more than two levels cannot have offsets.
    ``groups``, of shape (n_samples,) or (n_variables, n_samples) and dtype uint32, numbers the
    samples from 0; samples with equal columns and offsets share a number. Contingency tables have a
    row for each group, not for each sample.
    """

    columns: Floats
    offset: Floats | None
    groups: NDArray[np.uint32]

    @classmethod
    def of(cls, columns: Floats, offset: Floats | None = None) -> Self:
        """Combine columns and offsets, and group the samples in which they are equal.

        Columns that are broadcast over the targets are stored once.

        Examples
        --------
        >>> Reals.of(np.array([[0.5, 2.0, 0.5]])).groups.tolist()
        [0, 1, 0]
        """
        if columns.ndim == 3 and columns.strides[0] == 0:
            columns = columns[0]
        columns = np.ascontiguousarray(columns, np.float64)
        offset = None if offset is None else np.ascontiguousarray(offset, np.float64)
        ungrouped = cls(columns, offset, np.zeros(columns.shape[-1], np.uint32))
        n_targets = [
            len(own) for own, n in ((columns, 3), (offset, 2)) if own is not None and own.ndim == n
        ]
        known: dict[bytes, NDArray[np.intp]] = {}  # many targets may have the same columns
        keys = []
        for target in range(n_targets[0] if n_targets else 1):
            own = np.vstack(ungrouped.of_target(target))
            keys.append(blake2b(own.tobytes()).digest())
            if keys[-1] not in known:
                known[keys[-1]] = _group_numbers(own)
        numbers = np.array([known[key] for key in keys], np.uint32)
        return ungrouped._replace(groups=numbers if n_targets else numbers[0])

    def groups_of(self, target: int) -> NDArray[np.uint32]:
        """Return the group of each sample for one target."""
        return self.groups if self.groups.ndim == 1 else self.groups[target]

    def of_targets(self, targets: Ints) -> Reals:
        """Return the same with other targets, each with the columns of a present one."""
        columns, offset, groups = self
        return Reals(
            columns if columns.ndim == 2 else columns[targets],
            offset if offset is None or offset.ndim == 1 else offset[targets],
            groups if groups.ndim == 1 else groups[targets],
        )

    def of_target(self, target: int) -> tuple[Floats, Floats]:
        """Return the columns, (n_reals, n_samples), and the offset, (n_samples,), of one target."""
        columns = self.columns if self.columns.ndim == 2 else self.columns[target]
        if self.offset is None:
            return columns, np.zeros(columns.shape[1])
        return columns, self.offset if self.offset.ndim == 1 else self.offset[target]


def _group_numbers(rows: Floats) -> NDArray[np.intp]:
    """Return numbers of the columns in lexicographic order; equal columns share a number.

    Row by row, which is several times faster than `np.unique` with an axis.
    """
    numbers = np.zeros(rows.shape[1], np.intp)
    for row in rows:
        values, own = np.unique(row, return_inverse=True)
        if len(values) > 1:
            numbers = np.unique(numbers * len(values) + own, return_inverse=True)[1]
    return numbers


@dataclass(frozen=True, eq=False)
class Bits:
    """Packed variables: ``words`` of shape (n_rows, n_words), one bit per sample.

    A variable v with r levels occupies r - 1 rows from ``starts[v]`` on, one for each level but the
    first. Without ``starts``, every row is a binary variable. Without ``weighting``, every sample
    has weight 1. ``ordered``, of shape (n_variables,), marks the variables with ordered levels;
    without it, all variables are nominal. It has no effect on variables with two levels. ``reals``
    are additional predictors of every target in blanket scores and in fits of blankets and pairs.
    Do not write to the arrays: backends validate them once and cache derived data.
    """

    words: Words
    n_samples: int
    starts: Ints | None = None
    weighting: Weighting | None = None
    ordered: Bools | None = None
    reals: Reals | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all variables are binary and all weights are 1, as the fast kernels require."""
        return self.starts is None and self.weighting is None

    @property
    def n_reals(self) -> int:
        """Number of real-valued predictors of every target."""
        return 0 if self.reals is None else int(self.reals.columns.shape[-2])

    @property
    def n_scores(self) -> Ints:
        """Number of regression columns of each variable, of shape (n_variables,).

        An ordered variable has one column, its step; a nominal variable has r - 1 indicators. The
        number of parameters of an edge is the product of its ends' numbers. A target also has r - 1
        thresholds.
        """
        if self.starts is None:
            return np.ones(len(self.words), np.int64)
        indicators = np.diff(self.starts)
        return indicators if self.ordered is None else np.where(self.ordered, 1, indicators)
