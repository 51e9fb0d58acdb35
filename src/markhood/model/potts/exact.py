"""Exact inference in Potts networks that are forests, or have few states.

In a forest, messages pass from the leaves to the roots. Variable i collects in c_i(a) its field and
the messages of its children about level a; its message to its parent p, with the table T, is

    m(b) = log sum_a exp(T(b, a) + c_i(a)),        c_p(b) += m(b),

and P(x_i = a | x_p = b) = exp(T(b, a) + c_i(a) - m(b)). Marginals and samples then follow from the
roots down.

Exact inference by variable elimination: log Z, marginals and pair marginals. Variables are
eliminated one by one, the one with the fewest neighbours first. Eliminating v joins its remaining
neighbours, its parents pa(v), by a table

    m(pa) = log sum_v exp(all terms that contain v),        P(v | pa) = exp(... - m(pa)),

which is passed to the parent that is eliminated next. The network is then a list of conditional
probabilities, and marginals are computed from the last variable back to the first. The size of the
tables grows with the treewidth of the graph; none is built if a table would be too large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import prod

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.model.neighbours import breadth_first
from markhood.model.potts.network import Arrays, TableNeighbours
from markhood.model.sampling.gibbs import Seed

MOST_STATES = 1 << 20  # 8 MB

BLOCK_BYTES = 1 << 25
MOST_CLIQUE_STATES = 1 << 20  # cells of one table (8 MB)
MOST_TOTAL = 1 << 22  # cells of all tables


@dataclass(frozen=True, eq=False)
class Exact:
    """Normalising constant and marginals."""

    log_partition: float  # log Z
    # (r_i,): probabilities of the levels of each variable.
    marginals: tuple[Floats, ...]
    # (r_i, r_j): probabilities of the pairs of levels of each edge.
    pair_marginals: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest as conditional probabilities, parents before children."""

    order: Ints  # (n_variables,): all variables, each after its parent
    parent: Ints  # (n_variables,): parent of each variable; -1 for a root
    # (r_parent, r): probabilities of the levels, with a row for each level of the parent; one row
    # for a root.
    conditionals: Arrays
    log_partition: float

    @classmethod
    def of(cls, neighbours: TableNeighbours, fields: Arrays) -> Forest | None:
        """Pass the messages; return None if the graph has a cycle."""
        order, parent, position = breadth_first(neighbours.lists)
        if len(neighbours.tables) != np.count_nonzero(parent >= 0):
            return None
        collected = [field[None] for field in fields]
        conditionals = list(collected)
        log_partition = 0.0
        for i in reversed(order.tolist()):
            p = int(parent[i])
            logs = collected[i] if p < 0 else collected[i] + neighbours.table(int(position[i]))
            message = log_sum_exp(logs)
            conditionals[i] = np.exp(logs - message[:, None])
            if p < 0:
                log_partition += float(message[0])
            else:
                collected[p] = collected[p] + message
        return cls(order, parent, tuple(conditionals), log_partition)

    def exact(self, edges: Ints) -> Exact:
        """Return log Z, the marginals, and the pair marginals of the given edges."""
        marginals = list(self.conditionals)
        for i in self.order.tolist():
            p = int(self.parent[i])
            above = np.ones(1) if p < 0 else marginals[p]
            marginals[i] = above @ self.conditionals[i]
        pairs = []
        for i, j in edges.tolist():  # one end is the parent of the other
            child, parent = (j, i) if self.parent[j] == i else (i, j)
            table = marginals[parent][:, None] * self.conditionals[child]
            pairs.append(table if child == j else table.T)
        return Exact(self.log_partition, tuple(marginals), tuple(pairs))

    def blocks(
        self, n_samples: int, seed: Seed, block_bytes: int = BLOCK_BYTES
    ) -> Iterator[NDArray[np.uint8]]:
        """Draw independent samples, parents before children, in blocks of rows."""
        rng = np.random.default_rng(seed)
        d = len(self.order)
        # Without the last sum, which may be below 1 by rounding, no draw exceeds the last level.
        sums = [np.cumsum(table, axis=1)[:, :-1] for table in self.conditionals]
        rows = 64 * max(1, block_bytes // (64 * d))
        for first in range(0, n_samples, rows):
            n = min(rows, n_samples - first)
            values = np.zeros((d, n), dtype=np.uint8)
            for i in self.order.tolist():
                p, u = int(self.parent[i]), rng.random(n)
                given = values[p] if p >= 0 else np.zeros(n, np.uint8)
                for reached in sums[i].T:
                    values[i] += reached[given] <= u
            yield np.ascontiguousarray(values.T)


@dataclass(frozen=True, eq=False)
class States:
    """The probabilities of all states, to draw from: an array with one axis per variable."""

    probability: Floats

    @classmethod
    def of(cls, edges: Ints, tables: Arrays, fields: Arrays) -> States | None:
        """Sum over all states; return None if there are more than `MOST_STATES`."""
        shape = tuple(len(field) for field in fields)
        if prod(shape) > MOST_STATES:
            return None
        logs = np.zeros(shape)
        for i, field in enumerate(fields):
            logs += field.reshape(-1, *[1] * (len(shape) - i - 1))
        for (i, j), table in zip(edges.tolist(), tables, strict=True):
            axes = [
                len(table) if k == i else table.shape[1] if k == j else 1 for k in range(len(shape))
            ]
            logs += table.reshape(axes)
        return cls(np.exp(logs - log_sum_exp(logs.ravel())))

    def blocks(
        self, n_samples: int, seed: Seed, block_bytes: int = BLOCK_BYTES
    ) -> Iterator[NDArray[np.uint8]]:
        """Draw independent samples in blocks of rows."""
        rng = np.random.default_rng(seed)
        sums = np.cumsum(self.probability)
        rows = 64 * max(1, block_bytes // (64 * 16 * self.probability.ndim))
        for first in range(0, n_samples, rows):
            u = rng.random(min(rows, n_samples - first)) * sums[-1]
            states = np.unravel_index(
                np.searchsorted(sums, u, side="right"), self.probability.shape
            )
            yield np.stack(states, axis=1).astype(np.uint8)


def log_sum_exp(logs: Floats) -> Floats:
    """Return the log of the sum of exp along the last axis, without overflow."""
    highest = logs.max(axis=-1)
    return np.asarray(highest + np.log(np.exp(logs - highest[..., None]).sum(axis=-1)))


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """An elimination order, and the parents of each variable."""

    n_levels: list[int]
    order: list[int]  # all variables in the order of elimination
    parents: list[list[int]]  # parents of each variable, in the order of elimination

    @classmethod
    def of(
        cls, n_levels: Sequence[int], edges: Ints, most_states: int = MOST_CLIQUE_STATES
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
