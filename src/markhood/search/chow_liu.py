"""The Chow-Liu forest: of all forests, the one under which the data are most likely.

It is the maximum spanning forest of the pairs, each weighted by its likelihood ratio. With the
penalty of the screen taken off the weights, pairs that do not pass are in no forest; without it
the forest is one tree, as in the original, wherever the data allow it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from markhood.search.screen import Screened


def spanning_forest(pairs: Screened, n_variables: int) -> NDArray[np.int64]:
    """Return the edges, i < j in lexicographic order, of the forest with the largest gains.

    Examples
    --------
    >>> triangle = Screened(np.array([[0, 1], [0, 2], [1, 2]]), np.array([3.0, 1.0, 2.0]))
    >>> spanning_forest(triangle, 3).tolist()
    [[0, 1], [1, 2]]
    """
    # Ranks instead of gains: ties go to the earlier pair, and no weight is zero.
    order = np.lexsort((np.arange(len(pairs.gains)), -pairs.gains))
    ranks = np.empty(len(order), dtype=np.float64)
    ranks[order] = np.arange(1, len(order) + 1)
    shape = (n_variables, n_variables)
    weights: Any = csr_array((ranks, pairs.edges.T), shape=shape)
    forest = minimum_spanning_tree(weights).tocoo()
    edges = np.sort(np.column_stack([forest.row, forest.col]).astype(np.int64), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]
