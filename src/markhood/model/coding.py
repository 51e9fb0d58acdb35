"""Conversion of couplings and fields between 0/1 and -1/+1 coding.

    J^s_ij = J_ij / 4,      h^s_i = h_i / 2 + sum_j J_ij / 4,        s_i = 2 x_i - 1

define the same distribution. All conversions use this module, because fields of one coding with
couplings of the other would silently define a different distribution.

Coupling tables in the zero-sum gauge, which does not depend on the reference level. Adding a
constant to a row of a table and subtracting it from a field does not change the distribution. Of
all equivalent tables, the zero-sum table is the one whose rows and columns sum to 0.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from markhood.arrays import Floats
from markhood.options import check_value


def recode(
    edges: ArrayLike, couplings: ArrayLike, fields: ArrayLike, to: str
) -> tuple[Floats, Floats]:
    """Convert couplings and fields of binary variables between 0/1 and -1/+1 coding.

    Parameters
    ----------
    edges : array-like of shape (n_edges, 2)
        The numbers of the two variables of each coupling.
    couplings : array-like of shape (n_edges,)
    fields : array-like of shape (n_variables,)
    to : {"spins", "01"}
        The coding of the result; the arguments are in the other coding.

    Returns
    -------
    couplings : ndarray of shape (n_edges,)
    fields : ndarray of shape (n_variables,)

    Examples
    --------
    >>> recode([(0, 1)], [2.0], [-1.0, -1.0], to="spins")
    (array([0.5]), array([0., 0.]))
    >>> recode([(0, 1)], [0.5], [0.0, 0.0], to="01")
    (array([2.]), array([-1., -1.]))
    """
    check_coding(to)
    own, levels = np.asarray(couplings, np.float64), np.asarray(fields, np.float64)
    ends = np.asarray(edges, np.int64).reshape(-1, 2)
    sums = np.bincount(ends.ravel(), np.repeat(own, 2), len(levels))
    if to == "spins":
        return own / 4, levels / 2 + sums / 4
    return 4 * own, 2 * levels - 2 * sums


def check_coding(coding: str) -> None:
    """Raise `InputError` for an unknown coding."""
    check_value("coding", coding, Literal["01", "spins"])


class SplitTable(NamedTuple):
    """A table as ``zero_sum + rows[:, None] + columns``, up to a constant."""

    zero_sum: Floats
    rows: Floats
    columns: Floats


def split_table(table: Floats) -> SplitTable:
    """Split a table of couplings into its zero-sum part and contributions to the fields.

    Examples
    --------
    >>> split_table(np.array([[0.0, 0.0], [0.0, 4.0]])).rows.tolist()
    [-1.0, 1.0]
    """
    centred = table - table.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    return SplitTable(centred - rows[:, None] - columns, rows, columns)


def zero_sum(table: Floats) -> Floats:
    """Return the zero-sum part of a table.

    Examples
    --------
    >>> zero_sum(np.array([[0.0, 0.0], [0.0, 4.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return split_table(table).zero_sum
