"""Search spaces: the variables among which a blanket is looked for.

A true neighbour that the screen missed is often a screened neighbour of one it found, so the
space of a variable is all that lies within `depth` steps of it in the screened graph. Spaces are
made a tile at a time and never kept for all variables.

Where the screened graph is dense, as it is in genomes, a space can be most of the variables. It can be
bounded: then it is the nearer variables first and, among those equally many steps away, one of each set of near
copies before the others, and those with the largest product of gains along the way. A gain is nearly N/2 times a squared correlation, and
along a chain correlations multiply, so the product ranks variables by how far they are correlated
with the target through the ones between.

Near copies give way because they say the same: among sites in linkage, those that are nearest by would
otherwise fill a space, and a coupling to a distant one never be looked at. Where no variable tells half of
what there is to know of another one, there are none, and nothing gives way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.steps import within_steps
from markhood.kernels.ties import levelled
from markhood.search.bounded_screen import is_further, ranked_steps


class Space(NamedTuple):
    """The candidates of some targets, ascending, and how many of the targets have more than that."""

    candidates: Lists
    n_cut: int = 0


class NearbyVariables:
    """All within a number of steps in a graph.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
    n_variables : int
    depth : int
    """

    def __init__(self, edges: NDArray[np.int64], n_variables: int, depth: int) -> None:
        self._neighbours = Lists.of_neighbours(edges, n_variables)
        self._depth = depth

    def of(self, targets: NDArray[np.int64]) -> Space:
        """List the space of each target, ascending."""
        return Space(within_steps(self._neighbours, targets, self._depth))

    def largest(self) -> NDArray[np.float64]:
        """Return what no space is larger than, from the number of walks: of shape (n_variables,)."""
        n_variables, sizes = len(self._neighbours), np.diff(self._neighbours.starts)
        owners, values = np.repeat(np.arange(n_variables), sizes), self._neighbours.values
        walks: NDArray[np.float64] = np.ones(n_variables)
        for _ in range(self._depth):
            # A step may also stay where it is, so that it keeps what was reached.
            onward = np.bincount(owners, walks[values], n_variables)
            fewer, walks = walks, np.minimum(onward + walks, n_variables)
            if np.array_equal(walks, fewer):
                break
        return walks - 1


class StrongestNearby:
    """At most so many within a number of steps in a graph: nearer ones first, then stronger ones.

    Of those equally near, all but the strongest of each set come last.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        Each once.
    gains : ndarray of shape (n_edges,)
        How strong each is, above 0.
    n_variables : int
    depth : int
    most : int
        How many variables a space may have.
    sets : ndarray of shape (n_variables,), dtype int64, optional
        The number of the set of near copies that each is in; by default each is in its own.
    """

    def __init__(
        self,
        edges: NDArray[np.int64],
        gains: NDArray[np.float64],
        n_variables: int,
        depth: int,
        most: int,
        sets: NDArray[np.int64] | None = None,
    ) -> None:
        self._most, self._depth = most, depth
        self._sets = np.arange(n_variables) if sets is None else sets
        self._nearby = NearbyVariables(edges, n_variables, depth)
        self._may_be_larger = self._nearby.largest() > most
        steps = ranked_steps(edges, gains, n_variables, sets)
        # Of the steps from a variable, strongest first, no more can matter than fill a space after
        # those that lead back into it: without this a hub of all variables would be gone through
        # once for each of them.
        kept = steps.rank < steps_that_matter(most)
        self._ends = steps.ends[kept]
        self._gains = levelled(gains)[steps.pair[kept]]
        self._starts = np.searchsorted(steps.sources[kept], np.arange(n_variables + 1))

    def of(self, targets: NDArray[np.int64]) -> Space:
        """List the space of each target, ascending."""
        large = self._may_be_larger[targets]
        small = iter(self._nearby.of(targets[~large]).candidates)
        found = [
            self._bounded(t) if b else (next(small), False)
            for t, b in zip(targets, large, strict=True)
        ]
        return Space(Lists.of([space for space, _ in found]), sum(is_cut for _, is_cut in found))

    def _bounded(self, target: np.int64) -> tuple[NDArray[np.int64], bool]:
        """Return a space by breadth-first search that stops when it is full, and whether it was."""
        reached = frontier = np.array([target])
        strengths = np.ones(1)
        for _ in range(self._depth):
            ends, strengths = self._steps_from(frontier, strengths)
            is_new = ~np.isin(ends, reached)
            ends, strengths = ends[is_new], strengths[is_new]
            order = np.lexsort((ends, -strengths))
            _, first = np.unique(ends[order], return_index=True)  # the strongest way to each
            best = order[np.sort(first)]
            sets = np.concatenate([self._sets[reached[1:]], self._sets[ends[best]]])
            best = best[np.argsort(is_further(sets)[len(reached) - 1 :], kind="stable")]
            room = self._most + 1 - len(reached)
            frontier, strengths = ends[best[:room]], strengths[best[:room]]
            reached = np.concatenate([reached, frontier])
            if len(best) > room:
                return np.sort(reached[1:]), True
            if not len(frontier):
                break
        return np.sort(reached[1:]), False

    def _steps_from(
        self, variables: NDArray[np.int64], strengths: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return where all steps from some variables lead, and how strong the ways there are."""
        starts = self._starts[variables]
        lengths = self._starts[variables + 1] - starts
        before = np.cumsum(lengths) - lengths
        at = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
        return self._ends[at], np.repeat(strengths, lengths) * self._gains[at]


def steps_that_matter(most: int) -> int:
    """Return how many of the first steps from a variable fill a space of at most so many."""
    return 2 * most


class AllVariables:
    """Every other variable: the search without a screen."""

    def __init__(self, n_variables: int) -> None:
        self._all = np.arange(n_variables)

    def of(self, targets: NDArray[np.int64]) -> Space:
        """List the space of each target, ascending."""
        return Space(Lists.of([np.delete(self._all, t) for t in targets]))
