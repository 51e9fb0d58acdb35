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

from markhood.kernels.steps import weakest_of_triangles


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
    return weakest_of_triangles(np.ascontiguousarray(pairs), strengths, n_variables)
