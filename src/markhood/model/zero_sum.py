"""Tables of couplings in the one form that does not depend on which level comes first.

A number added to a row of a table and taken off a field changes no distribution. Of all tables that say
the same, the zero-sum one is that whose every row and column sums to nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SplitTable(NamedTuple):
    """A table as ``zero_sum + rows[:, None] + columns``, but for a constant."""

    zero_sum: NDArray[np.float64]
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]


def split_table(table: NDArray[np.float64]) -> SplitTable:
    """Take what belongs to one variable alone off a table of couplings.

    Examples
    --------
    >>> split_table(np.array([[0.0, 0.0], [0.0, 4.0]])).rows.tolist()
    [-1.0, 1.0]
    """
    centred = table - table.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    return SplitTable(centred - rows[:, None] - columns, rows, columns)


def zero_sum(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take means off a table until every row and every column sums to nothing.

    Examples
    --------
    >>> zero_sum(np.array([[0.0, 0.0], [0.0, 4.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return split_table(table).zero_sum
