"""Hill climbing by the likelihood of pairs: every edge is scored once, by both ends jointly.

The paper's climb (`climb.py`) adds the gains of an edge in both ends' regressions, as if they were
independent evidence. Here the gain of an edge is the likelihood ratio of (x_i, x_j) given the other
neighbours of both, minus one penalty (`kernels/reference/pair_fit.py`, without a prior):

    gain = l1 - l0 - (r_i - 1)(r_j - 1) log(N)/2 - gamma log(d - 1).

If one end has no other neighbour, this is the likelihood ratio of the screen. Otherwise the climb
is the same: flip the edge of the OR graph with the largest gain until no flip gains. The climb has
no total score, so an edge could flip back and forth; an edge that was flipped `MOST_FLIPS` times is
kept as it is.
"""

from __future__ import annotations

import heapq
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import shared_out
from markhood.kernels.flips import best_flip
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.search.climb import Climbed, Start, present_at
from markhood.search.values.job import Job

EDGES_PER_TILE = 64
MOST_FLIPS = 10


def climb_pairs(
    job: Job, edges: NDArray[np.int64], gamma: float, start: Start | NDArray[np.int64] = "or"
) -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    state = _Pairs(job, edges, gamma, start)
    tiles = job.runner.map("climb", state.score, shared_out(len(edges), EDGES_PER_TILE))
    state.take(np.arange(len(edges)), np.concatenate([np.empty(0), *tiles]))
    while (edge := state.best()) is not None:
        touched = state.flip(edge)
        state.take(touched, state.score(touched))
    return Climbed(
        edges[state.present],
        counts_by_size(state.evaluations),
        np.zeros(job.n_variables, np.int64),
    )


class _Pairs:
    """The current gain of every possible flip."""

    def __init__(
        self,
        job: Job,
        edges: NDArray[np.int64],
        gamma: float,
        start: Start | NDArray[np.int64],
    ) -> None:
        required = job.constraints.requires(edges)
        self.present = required | present_at(start, edges)
        self.evaluations: Counter[int] = Counter()  # by number of other neighbours of both ends
        self._edges, self._required = edges, required
        self._scorer, self._gamma = job.scorer, gamma
        self._neighbours: list[set[int]] = [set() for _ in range(job.n_variables)]
        self._at: list[list[int]] = [[] for _ in range(job.n_variables)]
        for edge, (i, j) in enumerate(edges.tolist()):
            self._at[i].append(edge)
            self._at[j].append(edge)
            if self.present[edge]:
                self._neighbours[i].add(j)
                self._neighbours[j].add(i)
        self._gains = np.zeros(len(edges))
        self._flips: Counter[int] = Counter()
        self._heap: list[tuple[float, int]] = []

    def score(self, edges: NDArray[np.int64] | range) -> NDArray[np.float64]:
        """Return the gain of flipping each of these edges."""
        which = np.asarray(edges)
        pairs = np.ascontiguousarray(self._edges[which])
        first, second = (
            Lists.of([sorted(self._neighbours[i] - {j}) for i, j in ends.tolist()])
            for ends in (pairs, pairs[:, ::-1])
        )
        worth = self._scorer.pair_gains(pairs, first, second, self._gamma)
        return np.asarray(np.where(self.present[which], -worth, worth))

    def take(self, edges: NDArray[np.int64], gains: NDArray[np.float64]) -> None:
        """Store the result of `score`."""
        self._gains[edges] = gains
        for edge, gain in zip(edges.tolist(), gains.tolist(), strict=True):
            i, j = self._edges[edge].tolist()
            self.evaluations[len((self._neighbours[i] | self._neighbours[j]) - {i, j})] += 1
            if not self._required[edge]:
                heapq.heappush(self._heap, (-gain, edge))

    def best(self) -> int | None:
        """Return the flip with the largest gain (lowest index on ties), or None."""
        return best_flip(self._heap, self._gain)

    def flip(self, edge: int) -> NDArray[np.int64]:
        """Flip an edge, and return the edges whose gains change."""
        i, j = self._edges[edge].tolist()
        self.present[edge] = not self.present[edge]
        self._neighbours[i] ^= {j}
        self._neighbours[j] ^= {i}
        self._flips[edge] += 1
        return np.array(sorted({*self._at[i], *self._at[j]}))

    def _gain(self, edge: int) -> float:
        is_fixed = self._flips[edge] >= MOST_FLIPS
        return -np.inf if is_fixed else float(self._gains[edge])
