"""The neighbours of every variable with their couplings, as the sweeps over a network need them.

A graph holds each edge once; whatever walks over variables (a Gibbs sweep, a message, a local
field) wants every edge from both its ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Every edge from both its ends.

    Attributes
    ----------
    lists : Lists
        Neighbours of each variable, ascending.
    couplings : ndarray of shape (2 * n_edges,), dtype float64
        Aligned with ``lists.values``.
    """

    lists: Lists
    couplings: NDArray[np.float64]

    @classmethod
    def of(
        cls, n_variables: int, edges: NDArray[np.int64], couplings: NDArray[np.float64]
    ) -> Neighbours:
        """List the neighbours of every variable, from edges of shape (n_edges, 2)."""
        i, j = edges.T
        order = np.lexsort((np.concatenate((j, i)), np.concatenate((i, j))))
        return cls(Lists.of_neighbours(edges, n_variables), np.tile(couplings, 2)[order])

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up, for every variable, the values that are aligned with its neighbours."""
        owner = np.repeat(np.arange(len(self.lists)), np.diff(self.lists.starts))
        sums = np.bincount(owner, weights=values, minlength=len(self.lists))
        return sums.astype(np.float64)  # integers where there are no edges
