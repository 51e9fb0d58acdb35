"""Numbers of unordered pairs, in the lexicographic order of the pairs.

Sorting and looking up one number per pair is much faster than two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints

_BITS = 32


def pair_numbers(pairs: Ints) -> Ints:
    """Return the numbers of pairs of shape (n_pairs, 2).

    Examples
    --------
    >>> pair_numbers(np.array([[0, 3], [3, 0], [1, 2]])).argsort().tolist()
    [0, 1, 2]
    """
    i, j = pairs[:, 0], pairs[:, 1]
    return np.asarray((np.minimum(i, j) << _BITS) | np.maximum(i, j))


def pairs_numbered(numbers: Ints) -> Ints:
    """Return the pairs i < j with the given numbers.

    Examples
    --------
    >>> pairs_numbered(pair_numbers(np.array([[7, 2]]))).tolist()
    [[2, 7]]
    """
    return np.column_stack([numbers >> _BITS, numbers & ((1 << _BITS) - 1)])


def positions_of(pairs: Ints, among: Ints) -> tuple[NDArray[np.intp], Bools]:
    """Return the position of each pair in a sorted list of pairs, and whether it is there.

    Examples
    --------
    >>> positions_of(np.array([[2, 1], [0, 3]]), np.array([[0, 1], [1, 2]]))
    (array([1, 1]), array([ True, False]))
    """
    numbers, wanted = pair_numbers(among), pair_numbers(pairs)
    if not len(numbers):
        return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), np.bool_)
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return at, numbers[at] == wanted


def in_order(pairs: Ints) -> NDArray[np.intp]:
    """Return the permutation that sorts pairs lexicographically.

    Pairs come from tiles and are often sorted within each, which a stable sort only has to merge.
    """
    return np.argsort(pair_numbers(pairs), kind="stable")
