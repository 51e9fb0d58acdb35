"""Exact inference by variable elimination: log Z, marginals and pair marginals.

Variables are eliminated one by one, the one with the fewest neighbours first. Eliminating v joins
its remaining neighbours, its parents pa(v), by a table

    m(pa) = log sum_v exp(all terms that contain v),        P(v | pa) = exp(... - m(pa)),

which is passed to the parent that is eliminated next. The network is then a list of conditional
probabilities, and marginals are computed from the last variable back to the first. The size of the
tables grows with the treewidth of the graph; there is no tree if a table would be too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import prod

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.model.potts.exact import Exact, log_sum_exp
from markhood.model.potts.network import Arrays

MOST_STATES = 1 << 20  # cells of one table (8 MB)
MOST_TOTAL = 1 << 22  # cells of all tables


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """An elimination order, and the parents of each variable."""

    n_levels: list[int]
    order: list[int]  # all variables in the order of elimination
    parents: list[list[int]]  # parents of each variable, in the order of elimination

    @classmethod
    def of(
        cls, n_levels: Sequence[int], edges: Ints, most_states: int = MOST_STATES
    ) -> JunctionTree | None:
        """Choose the order; return None if a table would have more than `most_states` cells."""
        joined: list[set[int]] = [set() for _ in n_levels]
        for i, j in edges.tolist():
            joined[i].add(j)
            joined[j].add(i)
        waiting = [(len(own), v) for v, own in enumerate(joined)]
        heapify(waiting)
        position = [-1] * len(joined)
        order: list[int] = []
        total = 0
        while waiting:
            degree, v = heappop(waiting)
            if position[v] >= 0 or degree != len(joined[v]):
                continue  # outdated: the variable was pushed again with its new degree
            size = n_levels[v] * prod(n_levels[u] for u in joined[v])
            total += size
            if size > most_states or total > MOST_TOTAL:
                return None
            position[v] = len(order)
            order.append(v)
            for u in joined[v]:
                joined[u] |= joined[v]
                joined[u] -= {u, v}
                heappush(waiting, (len(joined[u]), u))
        parents = [sorted(own, key=position.__getitem__) for own in joined]
        return cls(list(n_levels), order, parents)

    def exact(self, edges: Ints, tables: Arrays, fields: Arrays) -> Exact:
        """Return log Z, the marginals, and the pair marginals of the edges."""
        joint, log_partition = self._joints(edges, tables, fields)
        marginals = [self._summed(joint[v], v, [v]) for v in range(len(self.order))]
        pairs = []
        for i, j in edges.tolist():
            is_first = j in self.parents[i]
            table = self._summed(joint[i], i, [i, j]) if is_first else None
            pairs.append(table if table is not None else self._summed(joint[j], j, [j, i]).T)
        return Exact(log_partition, tuple(marginals), tuple(pairs))

    def joint(
        self, edges: Ints, tables: Arrays, fields: Arrays, variables: Sequence[int]
    ) -> Floats:
        """Return the joint distribution of variables that are all neighbours of each other.

        The axes are in the order of `variables`. The first variable to be eliminated has all
        others as parents.
        """
        first = min(variables, key=self.order.index)
        summed = self._summed(self._joints(edges, tables, fields)[0][first], first, variables)
        axes = [u for u in (first, *self.parents[first]) if u in variables]
        return summed.transpose([axes.index(u) for u in variables])

    def _joints(
        self, edges: Ints, tables: Arrays, fields: Arrays
    ) -> tuple[dict[int, Floats], float]:
        """Return the joint distribution of each variable with its parents, and log Z."""
        conditionals, log_partition = self._conditionals(edges, tables, fields)
        joint: dict[int, Floats] = {}
        for v in reversed(self.order):
            own = self.parents[v]
            above = np.ones(()) if not own else self._summed(joint[own[0]], own[0], own)
            joint[v] = conditionals[v] * above
        return joint, log_partition

    def _conditionals(
        self, edges: Ints, tables: Arrays, fields: Arrays
    ) -> tuple[list[Floats], float]:
        """Return P(v | pa) of each variable, with its levels along the first axis, and log Z."""
        collected = [
            field.reshape([-1, *[1] * len(own)])
            for field, own in zip(fields, self.parents, strict=True)
        ]
        for (i, j), table in zip(edges.tolist(), tables, strict=True):
            v, u, oriented = (i, j, table) if j in self.parents[i] else (j, i, table.T)
            collected[v] = collected[v] + self._spread(oriented, [v, u], v)
        conditionals, log_partition = list(collected), 0.0
        for v in self.order:
            own = self.parents[v]
            logs = np.broadcast_to(collected[v], [self.n_levels[u] for u in (v, *own)])
            message = log_sum_exp(np.moveaxis(logs, 0, -1))
            conditionals[v] = np.exp(logs - message)
            if own:
                collected[own[0]] = collected[own[0]] + self._spread(message, own, own[0])
            else:
                log_partition += float(message)
        return conditionals, log_partition

    def _spread(self, array: Floats, axes: Sequence[int], v: int) -> Floats:
        """Reshape an array with some of the axes of v and its parents to have all of them."""
        return array.reshape([self.n_levels[u] if u in axes else 1 for u in (v, *self.parents[v])])

    def _summed(self, joint: Floats, v: int, wanted: Sequence[int]) -> Floats:
        """Marginalise the joint distribution of v and its parents to some of them."""
        others = tuple(k for k, u in enumerate((v, *self.parents[v])) if u not in wanted)
        return np.asarray(joint.sum(axis=others))
