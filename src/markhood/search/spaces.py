"""Search spaces: the variables among which a blanket is looked for.

A true neighbour that the screen missed is often a screened neighbour of one it found, so the
space of a variable is all that lies within `depth` steps of it in the screened graph. Spaces are
made a tile at a time and never kept for all variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from markhood.kernels.lists import Lists


class NearbyVariables:
    """All within a number of steps in a graph.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
    n_variables : int
    depth : int
    """

    def __init__(self, edges: NDArray[np.int64], n_variables: int, depth: int) -> None:
        # Every variable is also a neighbour of its own, so that a step keeps what was reached.
        itself = np.arange(n_variables)
        steps = np.concatenate([edges, edges[:, ::-1], np.column_stack([itself, itself])])
        ones = np.ones(len(steps), dtype=np.bool_)
        self._steps: Any = csr_array((ones, steps.T), shape=(n_variables, n_variables))
        self._depth = depth

    def of(self, targets: NDArray[np.int64]) -> Lists:
        """List the space of each target, ascending."""
        reached = self._steps[targets]
        for _ in range(self._depth - 1):
            reached = reached @ self._steps
        reached.sort_indices()
        starts = reached.indptr.astype(np.int64)
        others = reached.indices != np.repeat(targets, np.diff(starts))
        return Lists(starts - np.arange(len(starts)), reached.indices[others].astype(np.int64))


class AllVariables:
    """Every other variable: the search without a screen."""

    def __init__(self, n_variables: int) -> None:
        self._all = np.arange(n_variables)

    def of(self, targets: NDArray[np.int64]) -> Lists:
        """List the space of each target, ascending."""
        return Lists.of([np.delete(self._all, t) for t in targets])
