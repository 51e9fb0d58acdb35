"""The second phase: climb over graphs, flipping one edge of the OR graph at a time.

The climb starts from the OR graph, from the graph without edges, or from any other that is part of the
OR graph; required edges are there either way, and are never flipped.

    1. for every other edge of the OR graph: the change of the two end variables' scores if it were
       flipped (removed, or put back)
    2. flip the edge with the largest gain; stop when none gains
    3. score anew the flips at the two changed ends only, and go on with 2

The total score is the sum over variables, so a flip touches two of them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import shared_out
from markhood.graph.numbering import pair_numbers
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.kernels.ties import TIE
from markhood.scores.scorer import Scorer
from markhood.search.job import Job

VARIABLES_PER_TILE = 64

Start = Literal["or", "empty"]


@dataclass(frozen=True, eq=False)
class Climbed:
    """The edges at the top, and how many blankets of each size were scored on the way."""

    edges: NDArray[np.int64]
    evaluations: NDArray[np.int64]


def climb(job: Job, edges: NDArray[np.int64], start: Start | NDArray[np.int64] = "or") -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    d, required = job.n_variables, job.knowledge.requires(edges)
    present = present_at(start, edges)
    first = Lists.of_neighbours(edges[present | required], d)
    first = job.knowledge.adjusted(np.arange(d), first)
    state = _Flips(edges[~required], present[~required], d, job.scorer, first)
    tiles = job.runner.map("climb", state.score_first, shared_out(d, VARIABLES_PER_TILE))
    state.begin(np.concatenate([np.empty(0), *tiles]))
    while (edge := state.best()) is not None:
        ends = state.flip(edge)
        state.update(ends, state.score(ends))
    present = required.copy()
    present[~required] = state.present
    return Climbed(edges[present], counts_by_size(state.evaluations))


def present_at(start: Start | NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the edges are there when a climb begins."""
    if isinstance(start, str):
        return np.full(len(edges), start == "or")
    return np.isin(pair_numbers(edges), pair_numbers(start))


class _Flips:
    """The gain of every possible flip, kept up to date."""

    def __init__(
        self,
        edges: NDArray[np.int64],
        present: NDArray[np.bool_],
        n_variables: int,
        scorer: Scorer,
        first: Lists,
    ) -> None:
        self.present = present
        self.evaluations: Counter[int] = Counter()
        self._edges = edges
        self._scorer = scorer
        self._first = first  # the blankets at the start
        # Every edge is seen from both ends: from variable v along _partners[v], as _edge[v].
        self._partners = Lists.of_neighbours(edges, n_variables)
        self._degrees = np.diff(self._partners.starts)
        upper_end = self._partners.values < np.repeat(np.arange(n_variables), self._degrees)
        numbers = np.empty(len(upper_end), dtype=np.int64)
        numbers[~upper_end] = np.arange(len(edges))
        numbers[upper_end] = np.lexsort((edges[:, 0], edges[:, 1]))
        self._edge = Lists(self._partners.starts, numbers)
        self._end = Lists(self._partners.starts, upper_end.astype(np.int64))
        self._blankets = [set(blanket.tolist()) for blanket in first]
        self._changes = np.zeros((len(edges), 2))  # of the score of each end, by a flip
        self._heap: list[tuple[float, int]] = []

    def score_first(self, tile: range) -> NDArray[np.float64]:
        """Return what `score` does for a tile of variables at the start."""
        partners = self._partners.part(tile)
        targets = np.arange(tile.start, tile.stop)
        scores, toggled = self._scorer.toggled(targets, self._first.part(tile), partners)
        return toggled - np.repeat(scores, np.diff(partners.starts))

    def begin(self, changes: NDArray[np.float64]) -> None:
        """Take in what `score_first` returned, of all variables at once."""
        self._changes[self._edge.values, self._end.values] = changes
        sizes = np.repeat(np.diff(self._first.starts), self._degrees)
        counts = np.bincount(sizes + np.where(self.present[self._edge.values], -1, 1))
        self.evaluations.update({size: n for size, n in enumerate(counts.tolist()) if n})
        gains = self._changes.sum(axis=1)
        self._heap = list(zip((-gains).tolist(), range(len(gains)), strict=True))
        heapq.heapify(self._heap)

    def score(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how each target's score would change by each flip at it."""
        blankets = Lists.of([sorted(self._blankets[t]) for t in targets.tolist()])
        toggles = Lists.of([self._partners[t] for t in targets.tolist()])
        scores, toggled = self._scorer.toggled(targets, blankets, toggles)
        return toggled - np.repeat(scores, np.diff(toggles.starts))

    def update(self, targets: NDArray[np.int64], changes: NDArray[np.float64]) -> None:
        """Take in what `score` returned."""
        at = 0
        for t in targets.tolist():
            edges, size = self._edge[t], len(self._blankets[t])
            self._changes[edges, self._end[t]] = changes[at : at + len(edges)]
            at += len(edges)
            for edge, present in zip(edges.tolist(), self.present[edges].tolist(), strict=True):
                self.evaluations[size - 1 if present else size + 1] += 1
                heapq.heappush(self._heap, (-self._gain(edge), edge))

    def best(self) -> int | None:
        """Return the flip with the largest gain, the lowest of those that tie; None if none gains."""
        return best_flip(self._heap, self._gain)

    def flip(self, edge: int) -> NDArray[np.int64]:
        """Flip an edge and return its two ends."""
        i, j = self._edges[edge].tolist()
        self.present[edge] = not self.present[edge]
        self._blankets[i] ^= {j}
        self._blankets[j] ^= {i}
        return np.array([i, j])

    def _gain(self, edge: int) -> float:
        return float(self._changes[edge, 0] + self._changes[edge, 1])


def best_flip(heap: list[tuple[float, int]], gain: Callable[[int], float]) -> int | None:
    """Return the entry (minus its gain, its edge) with the largest gain, the lowest edge of those that tie.

    Entries whose gain is no longer the edge's are dropped. None where no flip gains.
    """
    tied: list[tuple[float, int]] = []
    while heap:
        minus_gain, edge = heap[0]
        if -minus_gain != gain(edge):  # superseded by a later entry
            heapq.heappop(heap)
            continue
        if tied and -minus_gain < -tied[0][0] - TIE:
            break
        tied.append(heapq.heappop(heap))
    for entry in tied:
        heapq.heappush(heap, entry)
    if not tied or not -tied[0][0] > TIE:
        return None
    return min(edge for _, edge in tied)
