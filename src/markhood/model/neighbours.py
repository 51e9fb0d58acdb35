"""The neighbours of each variable with their couplings.

A graph has each edge once; algorithms that iterate over variables (Gibbs sampling, message passing,
local fields) need each edge from both ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.lists import Lists


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Each edge from both ends."""

    lists: Lists  # neighbours of each variable, ascending
    couplings: Floats  # (2 * n_edges,): aligned with ``lists.values``

    @classmethod
    def of(cls, n_variables: int, edges: Ints, couplings: Floats) -> Neighbours:
        """List the neighbours of each variable, from edges of shape (n_edges, 2)."""
        lists, sides = both_ends(n_variables, edges)
        return cls(lists, np.tile(couplings, 2)[sides])

    def sums(self, values: Floats) -> Floats:
        """Sum, for each variable, values that are aligned with ``lists.values``."""
        owner = np.repeat(np.arange(len(self.lists)), self.lists.lengths)
        sums = np.bincount(owner, weights=values, minlength=len(self.lists))
        return sums.astype(np.float64)  # bincount returns integers if there are no edges


def both_ends(n_variables: int, edges: Ints) -> tuple[Lists, Ints]:
    """List the neighbours of each variable, ascending, and the number of the edge to each.

    Edge e has the number e from its first end, and n_edges + e from its second.
    """
    i, j = edges.T
    sides = np.lexsort((np.concatenate((j, i)), np.concatenate((i, j))))
    return Lists.of_neighbours(edges, n_variables), sides.astype(np.int64)


def breadth_first(neighbours: Lists) -> tuple[Ints, Ints, Ints]:
    """Order all variables breadth first, from the lowest number of each component.

    Return the order, the parent of each variable, and the variable's position in
    ``neighbours.values`` in the list of its parent; both are -1 for a root.
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
        for i in component:  # the list grows during the loop
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
