"""Phase 1: search the blanket of every variable independently.

Find the blanket of one variable without screening all pairs. The target is tested against every
other variable; with a depth of 2 or more, so are the variables that pass, and so on. Variables
within `depth` steps are the candidates of the same greedy search that PLRHC performs for every
variable. One row of the screen costs d tests instead of d^2/2.

Search spaces: the variables among which a blanket is searched. A true neighbour that the screen
missed is often a screened neighbour of one it found, so the space of a variable contains all
variables within `depth` steps in the screened graph. Spaces are built tile by tile and never kept
for all variables.

In dense screened graphs, as in genomes, a space can contain most variables. A bounded space takes
nearer variables first and, among those equally far, one of each set of near copies first, then
those with the largest product of gains along the path. A gain is approximately N/2 times a squared
correlation, and correlations multiply along a chain, so the product ranks variables by their
correlation with the target through intermediate ones.

Near copies are deferred because they carry the same information: otherwise the nearest sites in
linkage would fill a space, and a coupling to a distant one would never be examined. Two variables
are near copies if one has at least half of the information about the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.execution.runner import cut
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.kernels.steps import within_steps
from markhood.kernels.ties import levelled
from markhood.scores.scorer import Tile
from markhood.search.screen import is_further, ranked_steps, screen
from markhood.search.values.job import Job

VARIABLES_PER_TILE = 32
_TILE = 4096  # variables tested against a target at a time


class Space(NamedTuple):
    """Candidates of some targets, ascending, and the number of targets whose space was cut."""

    candidates: Lists
    n_cut: int = 0


class NearbyVariables:
    """All variables within a number of steps in a graph.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
    n_variables : int
    depth : int
    """

    def __init__(self, edges: Ints, n_variables: int, depth: int) -> None:
        self._neighbours = Lists.of_neighbours(edges, n_variables)
        self._depth = depth

    def of(self, targets: Ints) -> Space:
        """List the space of each target, ascending."""
        return Space(within_steps(self._neighbours, targets, self._depth))

    def largest(self) -> Floats:
        """Return an upper bound of each space's size, from walks: (n_variables,)."""
        n_variables, sizes = len(self._neighbours), self._neighbours.lengths
        owners, values = np.repeat(np.arange(n_variables), sizes), self._neighbours.values
        walks: Floats = np.ones(n_variables)
        for _ in range(self._depth):
            # A step may also stay in place, which keeps the variables already reached.
            onward = np.bincount(owners, walks[values], n_variables)
            fewer, walks = walks, np.minimum(onward + walks, n_variables)
            if np.array_equal(walks, fewer):
                break
        return walks - 1


class StrongestNearby:
    """At most `most` variables within some steps in a graph: nearer first, then stronger.

    Among variables equally near, all but the strongest of each set come last.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        Each once.
    gains : ndarray of shape (n_edges,)
        Strength of each edge, above 0.
    n_variables : int
    depth : int
    most : int
        Maximum size of a space.
    sets : ndarray of shape (n_variables,), dtype int64, optional
        Set of near copies of each variable; by default each has its own.
    """

    def __init__(
        self,
        edges: Ints,
        gains: Floats,
        n_variables: int,
        depth: int,
        most: int,
        sets: Ints | None = None,
    ) -> None:
        self._most, self._depth = most, depth
        self._sets = np.arange(n_variables) if sets is None else sets
        self._nearby = NearbyVariables(edges, n_variables, depth)
        self._may_be_larger = self._nearby.largest() > most
        steps = ranked_steps(edges, gains, n_variables, sets)
        # Only the strongest steps that can fill a space, plus those that lead back into it, matter.
        # Without this bound, all steps of a hub would be visited once per variable.
        kept = steps.rank < steps_that_matter(most)
        self._ends = steps.ends[kept]
        self._gains = levelled(gains)[steps.pair[kept]]
        self._starts = np.searchsorted(steps.sources[kept], np.arange(n_variables + 1))

    def of(self, targets: Ints) -> Space:
        """List the space of each target, ascending."""
        large = self._may_be_larger[targets]
        small = iter(self._nearby.of(targets[~large]).candidates)
        found = [
            self._bounded(t) if b else (next(small), False)
            for t, b in zip(targets, large, strict=True)
        ]
        return Space(Lists.of([space for space, _ in found]), sum(is_cut for _, is_cut in found))

    def _bounded(self, target: np.int64) -> tuple[Ints, bool]:
        """Return a space by breadth-first search until it is full, and whether it was cut."""
        reached = frontier = np.array([target])
        strengths = np.ones(1)
        for _ in range(self._depth):
            ends, strengths = self._steps_from(frontier, strengths)
            is_new = ~np.isin(ends, reached)
            ends, strengths = ends[is_new], strengths[is_new]
            order = np.lexsort((ends, -strengths))
            _, first = np.unique(ends[order], return_index=True)  # the strongest path to each
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

    def _steps_from(self, variables: Ints, strengths: Floats) -> tuple[Ints, Floats]:
        """Return the ends of all steps from some variables, and the strength of each path."""
        starts = self._starts[variables]
        lengths = self._starts[variables + 1] - starts
        before = np.cumsum(lengths) - lengths
        at = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
        return self._ends[at], np.repeat(strengths, lengths) * self._gains[at]


def steps_that_matter(most: int) -> int:
    """Return the number of first steps from a variable that can fill a bounded space."""
    return 2 * most


class AllVariables:
    """All other variables: the search without a screen."""

    def __init__(self, n_variables: int) -> None:
        self._all = np.arange(n_variables)

    def of(self, targets: Ints) -> Space:
        """List the space of each target, ascending."""
        n_others = len(self._all) - 1
        others = self._all[:-1] + (self._all[:-1] >= targets[:, np.newaxis])
        return Space(Lists(n_others * np.arange(len(targets) + 1), others.ravel()))


class Spaces(Protocol):
    """Search spaces for the blankets of variables."""

    def of(self, targets: Ints) -> Space:
        """List the space of each target, ascending."""


class Searched(NamedTuple):
    """`Blankets` of all variables, and the number of search spaces that were cut."""

    members: Lists
    scores: Floats
    evaluations: Ints
    n_cut: int
    not_converged: Ints


def search_blankets(job: Job, spaces: Spaces) -> Searched:
    """Grow and shrink the blanket of every variable within its space."""
    scorer, constraints = job.scorer, job.constraints

    def search(tile: range) -> tuple[Blankets, int]:
        targets = np.arange(tile.start, tile.stop)
        space = spaces.of(targets)
        candidates = constraints.allowed(targets, space.candidates)
        found = scorer.grown(targets, candidates, constraints.required_of(targets))
        return found._replace(members=constraints.nodes_of(found.members)), space.n_cut

    tiles_of_variables = job.tiles(job.n_variables, VARIABLES_PER_TILE)
    found = list(job.runner.map("blankets", search, tiles_of_variables))
    tiles = [blankets for blankets, _ in found]
    return Searched(
        Lists.joined([tile.members for tile in tiles]),
        np.concatenate([np.empty(0), *(tile.scores for tile in tiles)]),
        add_counts([tile.evaluations for tile in tiles]),
        sum(n_cut for _, n_cut in found),
        np.concatenate([np.empty(0, np.int64), *(tile.not_converged for tile in tiles)]),
    )


def add_counts(counts: list[Ints]) -> Ints:
    """Add evaluation counts by blanket size, of different lengths."""
    total = np.zeros(max((len(c) for c in counts), default=1), dtype=np.int64)
    for c in counts:
        total[: len(c)] += c
    return total


class OneBlanket(NamedTuple):
    """A blanket: members (ascending), the gain from each, and the candidates."""

    members: Ints
    evidence: Floats
    candidates: Ints


def blanket_of(job: Job, target: int, gamma: float, depth: int) -> OneBlanket:
    """Search for the blanket of a variable."""
    near, layer = {target}, [target]
    for _ in range(depth):
        tiles = [tile for v in layer for tile in _row(v, job.n_nodes)]
        pairs = screen(job, gamma, tiles).edges
        layer = sorted(set(pairs.ravel().tolist()) - near)
        near.update(layer)
    candidates = np.array(sorted(near - {target}), dtype=np.int64)
    targets = np.array([target])
    known = job.constraints
    blankets = job.scorer.grown(targets, Lists.of([candidates]), known.required_of(targets)).members
    members = known.nodes_of(blankets)
    score, without = job.scorer.toggled(targets, blankets, members)
    return OneBlanket(members.values, score[0] - without, candidates)


def _row(variable: int, n_variables: int) -> list[Tile]:
    """Return the tiles that contain a variable's pairs, each once."""
    one = range(variable, variable + 1)
    before = [(part, one) for part in cut(variable, _TILE)]
    after = [
        (one, range(part.start + variable + 1, part.stop + variable + 1))
        for part in cut(n_variables - variable - 1, _TILE)
    ]
    return [*before, *after]


def combine(blankets: Lists, rule: Literal["or", "and"]) -> Ints:
    """Return the edges, i < j in lexicographic order, in the blankets of either or both ends.

    Examples
    --------
    >>> blankets = Lists.of([[1, 2], [0], []])
    >>> combine(blankets, "or").tolist(), combine(blankets, "and").tolist()
    ([[0, 1], [0, 2]], [[0, 1]])
    """
    targets = np.repeat(np.arange(len(blankets)), blankets.lengths)
    asserted = pair_numbers(np.column_stack([targets, blankets.values]))
    numbers, times = np.unique(asserted, return_counts=True)
    return pairs_numbered(numbers[times == 2] if rule == "and" else numbers)


def edges_in_most(graphs: Sequence[Ints]) -> tuple[Ints, Floats]:
    """Return the edges in more than half of several graphs, with their shares.

    Examples
    --------
    >>> edges, shares = edges_in_most([np.array([[0, 1], [1, 2]]), np.array([[0, 1]])])
    >>> edges.tolist(), shares.tolist()
    ([[0, 1]], [1.0])
    """
    numbers = np.concatenate([pair_numbers(edges) for edges in graphs])
    found, times = np.unique(numbers, return_counts=True)
    is_usual = 2 * times > len(graphs)
    return pairs_numbered(found[is_usual]), times[is_usual] / len(graphs)
