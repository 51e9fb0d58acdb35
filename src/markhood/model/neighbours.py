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
        lists, sides = both_ends(n_variables, edges)
        return cls(lists, np.tile(couplings, 2)[sides])

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up, for every variable, the values that are aligned with its neighbours."""
        owner = np.repeat(np.arange(len(self.lists)), np.diff(self.lists.starts))
        sums = np.bincount(owner, weights=values, minlength=len(self.lists))
        return sums.astype(np.float64)  # integers where there are no edges


def both_ends(n_variables: int, edges: NDArray[np.int64]) -> tuple[Lists, NDArray[np.int64]]:
    """List every variable's neighbours, ascending, and of each the edge that leads there.

    Edge e is numbered e from its first end, and n_edges + e from its second.
    """
    i, j = edges.T
    sides = np.lexsort((np.concatenate((j, i)), np.concatenate((i, j))))
    return Lists.of_neighbours(edges, n_variables), sides.astype(np.int64)


def breadth_first(
    neighbours: Lists,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Order all variables from the lowest of each component.

    Returns the order, every variable's parent, and where in ``neighbours.values`` the parent has it; -1
    for a root.
    """
    d = len(neighbours)
    starts, indices = neighbours.starts.tolist(), neighbours.values.tolist()
    parent, position = [-1] * d, [-1] * d
    seen = bytearray(d)
    order: list[int] = []
    for root in range(d):
        if seen[root]:
            continue
        seen[root] = 1
        component = [root]
        for i in component:  # grows while it is read
            for k in range(starts[i], starts[i + 1]):
                j = indices[k]
                if not seen[j]:
                    seen[j] = 1
                    parent[j], position[j] = i, k
                    component.append(j)
        order += component
    return (
        np.array(order, dtype=np.int64),
        np.array(parent, dtype=np.int64),
        np.array(position, dtype=np.int64),
    )
