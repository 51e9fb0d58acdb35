"""Group near copies of variables, each with a representative.

Similarity is not transitive, or a chain of similar variables would be one group. A representative
is similar to all members of its group. Variables with the most similar ones become representatives
first, and take those that are not yet grouped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def representatives(edges: NDArray[np.int64], n_variables: int) -> NDArray[np.int64]:
    """Return the representative of each variable, of shape (n_variables,); possibly itself.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        Pairs of near copies, each once.
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
