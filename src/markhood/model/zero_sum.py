"""Coupling tables in the zero-sum gauge, which does not depend on the reference level.

Adding a constant to a row of a table and subtracting it from a field does not change the
distribution. Of all equivalent tables, the zero-sum table is the one whose rows and columns sum to
0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SplitTable(NamedTuple):
    """A table as ``zero_sum + rows[:, None] + columns``, up to a constant."""

    zero_sum: NDArray[np.float64]
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]


def split_table(table: NDArray[np.float64]) -> SplitTable:
    """Split a table of couplings into its zero-sum part and contributions to the fields.

    Examples
    --------
    >>> split_table(np.array([[0.0, 0.0], [0.0, 4.0]])).rows.tolist()
    [-1.0, 1.0]
    """
    centred = table - table.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    return SplitTable(centred - rows[:, None] - columns, rows, columns)


def zero_sum(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the zero-sum part of a table.

    Examples
    --------
    >>> zero_sum(np.array([[0.0, 0.0], [0.0, 4.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return split_table(table).zero_sum
