"""Exact inference in Potts networks that are forests, or have few states.

In a forest, messages pass from the leaves to the roots. Variable i collects in c_i(a) its field and
the messages of its children about level a; its message to its parent p, with the table T, is

    m(b) = log sum_a exp(T(b, a) + c_i(a)),        c_p(b) += m(b),

and P(x_i = a | x_p = b) = exp(T(b, a) + c_i(a) - m(b)). Marginals and samples then follow from the
roots down. The states of a small network are an array with one axis per variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.model.neighbours import breadth_first
from markhood.model.potts.network import Arrays, TableNeighbours
from markhood.model.sampling.gibbs import Seed

MOST_STATES = 1 << 20  # 8 MB

BLOCK_BYTES = 1 << 25


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
    """The probabilities of all states: an array with one axis per variable."""

    probability: Floats
    log_partition: float

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
        log_partition = float(log_sum_exp(logs.ravel()[None])[0])
        return cls(np.exp(logs - log_partition), log_partition)

    def exact(self, edges: Ints) -> Exact:
        """Return log Z, the marginals, and the pair marginals of the given edges."""
        pairs = tuple(self._of(i, j) for i, j in edges.tolist())
        marginals = tuple(self._of(i) for i in range(self.probability.ndim))
        return Exact(self.log_partition, marginals, pairs)

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

    def _of(self, *variables: int) -> Floats:
        others = tuple(k for k in range(self.probability.ndim) if k not in variables)
        return np.asarray(self.probability.sum(axis=others))


def log_sum_exp(logs: Floats) -> Floats:
    """Return the log of the sum of exp along the last axis, without overflow."""
    highest = logs.max(axis=-1)
    return np.asarray(highest + np.log(np.exp(logs - highest[..., None]).sum(axis=-1)))
