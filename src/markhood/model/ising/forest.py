"""Forests: exact log Z, marginals and independent samples by message passing.

From the leaves to the roots, each variable i collects in a_i its field and the messages of its
children. Its message to its parent p, with coupling J, is the log ratio of the weights of the
states below it for x_p = 1 and x_p = 0; with s(a) = log(1 + e^a),

    a_p += s(a_i + J) - s(a_i),        log Z += s(a_i).

The forest is then a table of conditional probabilities, P(x_i = 1 | x_p) = 1 / (1 + exp(-a_i - J
x_p)), from which marginals and ancestral samples follow from the roots down without a second pass
of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.model.neighbours import Neighbours, breadth_first

BLOCK_BYTES = 1 << 25


@dataclass(frozen=True, eq=False)
class Exact:
    """Normalising constant and marginals."""

    log_partition: float  # log Z
    marginals: Floats  # (n_variables,): probability that each variable is one
    # (n_edges, 2, 2): entry ``[e, a, b]`` is the probability that edge e = (i, j) has x_i = a and
    # x_j = b.
    pair_marginals: Floats


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest as conditional probabilities, parents before children."""

    order: Ints  # (n_variables,): all variables, each after its parent
    parent: Ints  # (n_variables,): parent of each variable; -1 for a root
    # (n_variables,) each: P(x_i = 1) given each value of the parent; equal for a root.
    given_zero: Floats
    given_one: Floats
    log_partition: float

    @classmethod
    def of(cls, neighbours: Neighbours, fields: Floats) -> Forest | None:
        """Pass the messages; return None if the graph has a cycle."""
        order, parent, position = breadth_first(neighbours.lists)
        has_parent = parent >= 0
        if len(neighbours.couplings) != 2 * np.count_nonzero(has_parent):
            return None
        coupling = np.zeros(len(fields))
        coupling[has_parent] = neighbours.couplings[position[has_parent]]
        collected = fields.tolist()
        log_partition = 0.0
        for i in reversed(order.tolist()):
            below = float(np.logaddexp(0.0, collected[i]))
            log_partition += below
            if parent[i] >= 0:
                more = float(np.logaddexp(0.0, collected[i] + coupling[i]))
                collected[parent[i]] += more - below
        log_odds = np.array(collected)
        return cls(order, parent, sigmoid(log_odds), sigmoid(log_odds + coupling), log_partition)

    def exact(self, edges: Ints) -> Exact:
        """Return log Z, the marginals, and the pair marginals of the given edges."""
        marginals = np.empty(len(self.order))
        for i in self.order.tolist():
            above = marginals[self.parent[i]] if self.parent[i] >= 0 else 0.0
            marginals[i] = self.given_zero[i] * (1.0 - above) + self.given_one[i] * above
        # One end of each edge is the parent of the other; tables are [x_parent, x_child].
        first, second = edges[:, 0], edges[:, 1]
        downward = self.parent[second] == first
        child, parent = np.where(downward, second, first), np.where(downward, first, second)
        given = np.stack((self.given_zero[child], self.given_one[child]), axis=1)
        above = np.stack((1.0 - marginals[parent], marginals[parent]), axis=1)
        tables = np.stack((above * (1.0 - given), above * given), axis=2)
        tables[~downward] = tables[~downward].transpose(0, 2, 1)
        return Exact(self.log_partition, marginals, tables)

    def blocks(
        self,
        n_samples: int,
        seed: int | np.random.SeedSequence | np.random.Generator | None,
        block_bytes: int = BLOCK_BYTES,
    ) -> Iterator[NDArray[np.uint8]]:
        """Draw independent samples, parents before children, in blocks of rows."""
        rng = np.random.default_rng(seed)
        d = len(self.order)
        rows = 64 * max(1, block_bytes // (64 * max(1, d)))
        for first in range(0, n_samples, rows):
            n = min(rows, n_samples - first)
            values = np.empty((d, n), dtype=np.uint8)
            for i in self.order.tolist():
                probability: Floats | np.float64 = self.given_zero[i]
                if self.parent[i] >= 0:
                    by_parent = np.array((self.given_zero[i], self.given_one[i]))
                    probability = by_parent[values[self.parent[i]]]
                np.less(rng.random(n), probability, out=values[i], casting="unsafe")
            yield np.ascontiguousarray(values.T)


def sigmoid(log_odds: Floats) -> Floats:
    """Return 1 / (1 + exp(-log_odds)) without overflow."""
    small = np.exp(-np.abs(log_odds))
    result: Floats = np.where(log_odds < 0, small, 1.0) / (1.0 + small)
    return result
