"""Near copies: every variable put with one that it is alike to.

Likeness is not handed on from one to the next, or a chain of them would be one set. A variable that leads
a set is alike to all of it; those that are alike to the most others lead, and take what is not yet taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def representatives(edges: NDArray[np.int64], n_variables: int) -> NDArray[np.int64]:
    """Return who leads each variable, of shape (n_variables,): itself, or one that it is alike to.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        Pairs of variables that are alike, each once.
    n_variables : int

    Examples
    --------
    >>> representatives(np.array([[0, 1], [1, 2], [2, 3]]), 5).tolist()
    [1, 1, 1, 3, 4]
    """
    found = np.arange(n_variables)
    both = np.concatenate([edges, edges[:, ::-1]])
    others = both[np.argsort(both[:, 0], kind="stable"), 1]
    sizes = np.bincount(both[:, 0], minlength=n_variables)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    is_free = np.ones(n_variables, np.bool_)
    for leader in np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())].tolist():
        if is_free[leader]:
            own = others[starts[leader] : starts[leader + 1]]
            own = own[is_free[own]]
            found[own] = leader
            is_free[own] = is_free[leader] = False
    return found
