"""Which pairs depend on each other only through a third variable, by the data processing inequality.

Of three variables in a row, i - k - j, the ends cannot say more of each other than either says of the middle:
MI_ij <= min(MI_ik, MI_kj). ARACNE (Margolin and others, 2006) turns this round, and takes the weakest pair of every
triangle for indirect. All triangles are looked at before any pair is removed, so their order does not matter; of
pairs that tie for the weakest, as those of three copies do, none is.

Of three variables that depend on each other directly the weakest pair goes too: the rule is cheap, and no
substitute for a blanket.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.ties import TIE


def are_indirect(
    pairs: NDArray[np.int64], strengths: NDArray[np.float64], n_variables: int
) -> NDArray[np.bool_]:
    """Return whether each pair is the weakest of a triangle of pairs.

    Parameters
    ----------
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        i < j, in lexicographic order.
    strengths : ndarray of shape (n_pairs,)
        Their mutual information, or anything in proportion to it.
    n_variables : int

    Examples
    --------
    >>> chain = np.array([[0, 1], [0, 2], [1, 2]])
    >>> are_indirect(chain, np.array([3.0, 1.0, 2.0]), 3).tolist()
    [False, True, False]
    >>> are_indirect(chain, np.array([3.0, 1.0, 1.0]), 3).tolist()
    [False, False, False]
    """
    neighbours, along = _both_ways(pairs, strengths, n_variables)
    firsts = np.searchsorted(pairs[:, 0], np.arange(n_variables + 1))
    detours = np.full(
        len(pairs), -np.inf
    )  # the better of the ways round, each as weak as its weaker half
    own = np.full(n_variables, -np.inf)
    degrees = np.diff(neighbours.starts)
    for i in np.flatnonzero(np.diff(firsts)).tolist():
        rows = slice(firsts[i], firsts[i + 1])
        others = pairs[rows, 1]
        mine = slice(neighbours.starts[i], neighbours.starts[i + 1])
        own[neighbours.values[mine]] = along[mine]
        starts, lengths = neighbours.starts[others], degrees[others]
        ends = np.cumsum(lengths)
        at = np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1])
        by_way_of = np.minimum(own[neighbours.values[at]], along[at])
        detours[rows] = np.maximum.reduceat(by_way_of, ends - lengths)
        own[neighbours.values[mine]] = -np.inf
    return np.asarray(detours > strengths + TIE)


def _both_ways(
    pairs: NDArray[np.int64], strengths: NDArray[np.float64], n_variables: int
) -> tuple[Lists, NDArray[np.float64]]:
    """List every variable's neighbours, and the strengths of the pairs along the lists."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    return Lists.of_neighbours(pairs, n_variables), np.tile(strengths, 2)[order]
