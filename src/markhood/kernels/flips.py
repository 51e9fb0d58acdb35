"""Hill climbing over graphs: flip the edge that improves the sum of all scores most.

    1. take the flip with the largest gain; stop if none gains
    2. add the edge to both ends' blankets, or remove it from them
    3. update the scores of the flips at these two ends, and return to 1

A flip changes the gains at its two ends only, so groups of variables climb independently. An edge
between two groups does not change; the largest change that it would have made at an end shows
whether it could ever have gained.

This is the definition. `native/search/climb.hpp` implements it for the built-in criteria, and
criteria written in Python use this module.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.kernels.greedy import Score, counts_by_size, toggle_scores
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Flipped
from markhood.kernels.ties import TIE


def climb_groups(
    score: Score, groups: Lists, blankets: Lists, partners: Lists, changes: Floats
) -> Flipped:
    """Flip the best edge within each group until none gains; see ``Kernels.climb_groups``."""
    present, evaluations = [np.empty(0, np.bool_)], []
    changed, highest, gained = [np.empty(0)], [np.empty(0)], [np.empty(0)]
    for first, last in pairwise(groups.starts.tolist()):
        tile = range(first, last)
        own = slice(*partners.starts[[first, last]].tolist())
        variables = groups.values[first:last]
        flips = _Flips(variables, blankets.part(tile), partners.part(tile), changes[own], score)
        flips.climb()
        present.append(flips.present)
        changed.append(flips.changes)
        highest.append(flips.highest)
        gained.append(flips.gained)
        evaluations.append(counts_by_size(flips.evaluations))
    not_converged = np.zeros(len(groups.values), np.int64)
    return Flipped(
        np.concatenate(present),
        np.concatenate(changed),
        np.concatenate(highest),
        np.concatenate(gained),
        Lists.of(evaluations),
        not_converged,
    )


class _Flips:
    """The flips within one group, each at two positions of the partner lists, one per end."""

    def __init__(
        self, variables: Ints, blankets: Lists, partners: Lists, changes: Floats, score: Score
    ) -> None:
        self.evaluations: Counter[int] = Counter()
        self._score = score
        self._variables = variables
        self._partners = partners
        self._blankets = [set(blanket.tolist()) for blanket in blankets]
        self.changes = changes.copy()  # of the owner's score, by a flip
        self.highest = changes.copy()
        self.gained = np.zeros(len(variables))
        self._owners = np.repeat(np.arange(len(variables)), partners.lengths)
        (within,) = np.nonzero(np.isin(partners.values, variables))
        # Sorted by lower and then upper end, an edge has its two positions next to each other.
        lower, upper = np.sort([variables[self._owners[within]], partners.values[within]], axis=0)
        self._places = within[np.lexsort((within, upper, lower))].reshape(-1, 2)
        self._edges = np.full(
            len(changes), -1
        )  # the edge at each position, -1 for one that leaves the group
        self._edges[self._places.T] = np.arange(len(self._places))
        self._heap = [(-self._gain(edge), edge) for edge in range(len(self._places))]
        heapq.heapify(self._heap)

    @property
    def present(self) -> Bools:
        """Whether the partner at each position is in the blanket."""
        places = zip(self._owners.tolist(), self._partners.values.tolist(), strict=True)
        return np.array([p in self._blankets[owner] for owner, p in places], np.bool_)

    def climb(self) -> None:
        """Flip the best edge until none gains."""
        while (edge := best_flip(self._heap, self._gain)) is not None:
            places = self._places[edge]
            for place in places:
                self.gained[self._owners[place]] += self.changes[place]
                self._blankets[self._owners[place]] ^= {int(self._partners.values[place])}
            for place in places:
                self._rescore(int(self._owners[place]))

    def _rescore(self, owner: int) -> None:
        """Update the scores of the flips at a variable."""
        target, blanket = self._variables[[owner]], sorted(self._blankets[owner])
        flips = self._partners.part(range(owner, owner + 1))
        reached, toggled = toggle_scores(self._score, target, Lists.of([blanket]), flips)
        places = slice(*self._partners.starts[[owner, owner + 1]].tolist())
        self.changes[places] = toggled - reached
        self.highest[places] = np.fmax(self.highest[places], self.changes[places])
        for partner, edge in zip(flips.values.tolist(), self._edges[places].tolist(), strict=True):
            is_there = partner in self._blankets[owner]
            self.evaluations[len(blanket) - 1 if is_there else len(blanket) + 1] += 1
            if edge >= 0:
                heapq.heappush(self._heap, (-self._gain(edge), edge))

    def _gain(self, edge: int) -> float:
        lower, upper = self._places[edge]
        return float(self.changes[lower] + self.changes[upper])


def best_flip(heap: list[tuple[float, int]], gain: Callable[[int], float]) -> int | None:
    """Return the edge with the largest gain, the lowest among ties; None if no flip gains.

    Heap entries are (minus the gain, the edge). Entries with an outdated gain are dropped.
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
