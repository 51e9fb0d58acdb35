"""The second phase: climb over graphs, flipping one edge of the OR graph at a time.

The climb starts from the OR graph, or from the graph without edges; required edges are there
either way, and are never flipped.

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

from markhood.execution.runner import Runner, cut
from markhood.kernels.greedy import TIE, counts_by_size
from markhood.kernels.lists import Lists
from markhood.scores.scorer import Road
from markhood.search.knowledge import NOTHING, Knowledge

VARIABLES_PER_TILE = 64

Start = Literal["or", "empty"]


@dataclass(frozen=True, eq=False)
class Climbed:
    """The edges at the top, and how many blankets of each size were scored on the way."""

    edges: NDArray[np.int64]
    evaluations: NDArray[np.int64]


def climb(
    edges: NDArray[np.int64],
    n_variables: int,
    road: Road,
    runner: Runner,
    start: Start = "or",
    knowledge: Knowledge = NOTHING,
) -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    required = knowledge.requires(edges)
    first = Lists.of_neighbours(edges if start == "or" else edges[required], n_variables)
    state = _Flips(edges[~required], n_variables, road, start, first)
    tiles = runner.map("climb", state.score_first, cut(n_variables, VARIABLES_PER_TILE))
    state.begin(np.concatenate([np.empty(0), *tiles]))
    while (edge := state.best()) is not None:
        ends = state.flip(edge)
        state.update(ends, state.score(ends))
    present = required.copy()
    present[~required] = state.present
    return Climbed(edges[present], counts_by_size(state.evaluations))


class _Flips:
    """The gain of every possible flip, kept up to date."""

    def __init__(
        self,
        edges: NDArray[np.int64],
        n_variables: int,
        road: Road,
        start: Start,
        first: Lists,
    ) -> None:
        self.present = np.full(len(edges), start == "or")
        self.evaluations: Counter[int] = Counter()
        self._edges = edges
        self._road = road
        self._start = start
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
        scores, toggled = self._road.toggled(targets, self._first.part(tile), partners)
        return toggled - np.repeat(scores, np.diff(partners.starts))

    def begin(self, changes: NDArray[np.float64]) -> None:
        """Take in what `score_first` returned, of all variables at once."""
        self._changes[self._edge.values, self._end.values] = changes
        change = -1 if self._start == "or" else 1
        sizes = np.diff(self._first.starts) + change
        for size, degree in zip(sizes.tolist(), self._degrees.tolist(), strict=True):
            if degree > 0:
                self.evaluations[size] += degree
        gains = self._changes.sum(axis=1)
        self._heap = list(zip((-gains).tolist(), range(len(gains)), strict=True))
        heapq.heapify(self._heap)

    def score(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how each target's score would change by each flip at it."""
        blankets = Lists.of([sorted(self._blankets[t]) for t in targets.tolist()])
        toggles = Lists.of([self._partners[t] for t in targets.tolist()])
        scores, toggled = self._road.toggled(targets, blankets, toggles)
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
