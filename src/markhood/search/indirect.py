"""Find pairs that are dependent only through a third variable, by the data processing inequality.

In a chain i - k - j, the mutual information of the ends is at most that of either link:
MI_ij <= min(MI_ik, MI_kj). ARACNE (Margolin et al., 2006) inverts this, and takes the weakest pair
of every triangle as indirect. All triangles are examined before any pair is removed, so their order
does not matter. If several pairs tie for the weakest, as with three copies, none is removed.

The weakest pair of three directly dependent variables is removed too: the rule is fast, but does
not replace a Markov blanket.
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
        Mutual information, or a value proportional to it.
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
