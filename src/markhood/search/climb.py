"""Phase 2: hill climbing over graphs, flipping one edge of the OR graph at a time.

The climb starts from the OR graph, from the empty graph, or from any subgraph of the OR graph.
Required edges are always present and never flipped.

    1. for every other edge of the OR graph, compute the change of both end variables' scores if the
       edge were flipped (removed or added)
    2. flip the edge with the largest gain; stop if no flip gains
    3. update the flips at the two changed ends only, and continue with 2

The total score is a sum over variables, so a flip changes two terms. Groups of variables can
perform steps 2 and 3 (`kernels/flips.py`) in parallel as long as no edge between two groups would
ever gain. Initially, groups are the components of edges that gain. The gain of an edge between
groups is at most the sum of the highest changes seen at its ends; if that is positive, the two
groups are merged and climb again from the start. The result is therefore that of a sequential
climb, in any order of the groups.

Hill climbing by the likelihood of pairs: every edge is scored once, by both ends jointly. The
paper's climb (`climb.py`) adds the gains of an edge in both ends' regressions, as if they were
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
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.graph.numbering import pair_numbers
from markhood.kernels.flips import best_flip
from markhood.kernels.greedy import counts_by_size
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Flipped
from markhood.kernels.ties import TIE
from markhood.search.blankets import add_counts
from markhood.search.values.job import Job
from markhood.search.values.search_result import Evidence

VARIABLES_PER_TILE = 2048  # a tile takes some milliseconds

Start = Literal["or", "empty"]
EDGES_PER_TILE = 64
MOST_FLIPS = 10


@dataclass(frozen=True, eq=False)
class Climbed:
    """The edges at the end of a climb, and the number of blankets scored by size.

    ``not_converged``, of shape (n_variables,), counts the fits of each variable that did not
    converge.
    """

    edges: Ints
    evaluations: Ints
    not_converged: Ints
    evidence: Evidence | None = None


def climb(job: Job, edges: Ints, start: Start | Ints = "or") -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    d, required = job.n_variables, job.constraints.requires(edges)
    present = present_at(start, edges) | required
    blankets = Lists.of_neighbours(edges[present], d)
    blankets = job.constraints.adjusted(np.arange(d), blankets)
    flips = _Flips(job, edges[~required], blankets)
    first = flips.scored(present[~required])
    while flips.meet():
        flips.climb()
    present[~required] = flips.present
    gains = np.full(edges.shape, np.nan)
    gains[~required] = -flips.changes_at_ends()
    return Climbed(
        edges[present],
        add_counts([first, flips.evaluations()]),
        flips.not_converged,
        Evidence(job.scorer, flips.scores, edges[present], gains[present]),
    )


def present_at(start: Start | Ints, edges: Ints) -> Bools:
    """Return which edges are present at the start of a climb."""
    if isinstance(start, str):
        return np.full(len(edges), start == "or")
    return np.isin(pair_numbers(edges), pair_numbers(start))


class _Flips:
    """The edges that may be flipped, each stored at two positions in the lists of partners."""

    def __init__(self, job: Job, edges: Ints, blankets: Lists) -> None:
        self.present = np.empty(len(edges), np.bool_)
        self.not_converged = np.zeros(job.n_variables, np.int64)
        self._job, self._edges, self._blankets = job, edges, blankets
        self._partners, self._places = Lists.from_both_ends(edges, job.n_variables)
        self._edge_at = np.empty(2 * len(edges), np.int64)
        self._edge_at[self._places.T] = np.arange(len(edges))
        # Of a score by each flip, by position: at the start, the highest, and at the end.
        self._changes = self._highest = self._last = np.empty(0)
        self._first_scores = self.scores = np.empty(0)
        self._touched = np.arange(len(edges))  # edges whose gains changed
        self._group = np.arange(job.n_variables)  # lowest variable of each variable's group
        self._groups = Lists.empty(0)  # groups that climb next
        # The last round in which each variable climbed.
        self._round = np.zeros(job.n_variables, np.int64)
        self._rounds: list[tuple[Ints, Lists]] = []

    def scored(self, present: Bools) -> Ints:
        """Score all flips of the starting graph; return the number of blankets scored by size."""
        scorer, partners, blankets = self._job.scorer, self._partners, self._blankets

        def score(tile: range) -> tuple[Floats, Floats]:
            flips = partners.part(tile)
            targets = np.arange(tile.start, tile.stop)
            scores, toggled = scorer.toggled(targets, blankets.part(tile), flips)
            return scores, toggled - np.repeat(scores, flips.lengths)

        variables = self._job.tiles(len(partners), VARIABLES_PER_TILE)
        tiles = list(self._job.runner.map("flips", score, variables))
        self._first_scores, self._changes = (
            np.concatenate([np.empty(0), *numbers]) for numbers in zip(*tiles, strict=True)
        )
        self.scores = self._first_scores.copy()
        self._highest, self._last = self._changes.copy(), self._changes.copy()
        self.present[:] = present
        sizes = np.repeat(blankets.lengths, partners.lengths)
        return np.bincount(sizes + np.where(present[self._edge_at], -1, 1), minlength=1)

    def meet(self) -> bool:
        """Merge groups between which an edge may gain; return whether there are any."""
        gains = self._highest[self._places[self._touched]].sum(axis=1) > TIE
        gaining = self._edges[self._touched[gains]]
        lower, upper = self._group[gaining].T
        new = gaining[lower != upper]
        if not len(new):
            return False
        self._group = _joined(self._group, new)
        self._groups = _members(self._group, self._group[new[:, 0]])
        return True

    def climb(self) -> None:
        """Let merged groups climb from the start."""
        scorer, groups = self._job.scorer, self._groups
        at = Lists(self._partners.starts, np.arange(len(self._changes))).pick(groups.values)
        changes = self._changes[at.values]
        blankets, partners = self._blankets.pick(groups.values), self._partners.pick(groups.values)

        def climb(tile: range) -> Flipped:
            variables = range(int(groups.starts[tile.start]), int(groups.starts[tile.stop]))
            own = changes[at.starts[variables.start] : at.starts[variables.stop]]
            flips = partners.part(variables)
            return scorer.climbed(groups.part(tile), blankets.part(variables), flips, own)

        parts = _tiles(groups, self._job.fewest_tiles)
        tiles = list(self._job.runner.map("climb", climb, parts))
        self._touched = self._edge_at[at.values]
        self.present[self._touched] = np.concatenate([tile.present for tile in tiles])
        self._highest[at.values] = np.concatenate([tile.highest for tile in tiles])
        self._last[at.values] = np.concatenate([tile.changes for tile in tiles])
        gained = np.concatenate([tile.gained for tile in tiles])
        self.scores[groups.values] = self._first_scores[groups.values] + gained
        self.not_converged[groups.values] += np.concatenate([tile.not_converged for tile in tiles])
        evaluations = Lists.joined([tile.evaluations for tile in tiles])
        self._rounds.append((groups.values[groups.starts[:-1]], evaluations))
        self._round[groups.values] = len(self._rounds)

    def changes_at_ends(self) -> Floats:
        """Return the change of both ends' scores by flipping each edge; NaN where unknown."""
        return self._last[self._places]

    def evaluations(self) -> Ints:
        """Return the number of blankets scored by size, without discarded climbs."""
        counts = [np.zeros(1, np.int64)]
        for number, (firsts, evaluations) in enumerate(self._rounds, 1):
            last = evaluations.pick(np.flatnonzero(self._round[firsts] == number))
            sizes = np.arange(len(last.values)) - np.repeat(last.starts[:-1], last.lengths)
            counts.append(np.bincount(sizes, last.values).astype(np.int64))
        return np.trim_zeros(add_counts(counts), "b")


def _joined(group: Ints, edges: Ints) -> Ints:
    """Merge groups that are joined by edges.

    The lowest variable of a group represents it (union-find). Each group is linked to the lowest
    group that it meets, links are followed to their roots, and this repeats until both ends of
    every edge agree.

    Examples
    --------
    >>> _joined(np.array([0, 1, 2, 2, 4]), np.array([[1, 3], [1, 4]])).tolist()
    [0, 1, 1, 1, 1]
    """
    group = group.copy()
    while len(edges):
        lower, upper = np.sort(group[edges], axis=1).T
        edges = edges[lower != upper]
        np.minimum.at(group, upper, lower)
        while not np.array_equal(above := group[group], group):
            group = above
    return group


def _members(group: Ints, wanted: Ints) -> Lists:
    """List the variables of the given groups, largest group first."""
    sizes = np.bincount(group)
    is_wanted = np.zeros(len(sizes), np.bool_)
    is_wanted[wanted] = True
    variables = np.flatnonzero(is_wanted[group])
    own = group[variables]
    order = np.lexsort((own, -sizes[own]))
    return Lists(np.flatnonzero(np.diff(own[order], prepend=-1, append=-1)), variables[order])


def _tiles(groups: Lists, fewest: int) -> list[range]:
    """Combine groups into tiles of about `VARIABLES_PER_TILE` variables."""
    largest = min(VARIABLES_PER_TILE, -(-len(groups.values) // fewest))
    tile = groups.starts[:-1] // largest
    bounds = np.flatnonzero(np.diff(tile, prepend=-1, append=-1)).tolist()
    return [range(first, last) for first, last in pairwise(bounds)]


def climb_pairs(job: Job, edges: Ints, gamma: float, start: Start | Ints = "or") -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    state = _Pairs(job, edges, gamma, start)
    tiles = job.runner.map("climb", state.score, job.tiles(len(edges), EDGES_PER_TILE))
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

    def __init__(self, job: Job, edges: Ints, gamma: float, start: Start | Ints) -> None:
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

    def score(self, edges: Ints | range) -> Floats:
        """Return the gain of flipping each of these edges."""
        which = np.asarray(edges)
        pairs = np.ascontiguousarray(self._edges[which])
        first, second = (
            Lists.of([sorted(self._neighbours[i] - {j}) for i, j in ends.tolist()])
            for ends in (pairs, pairs[:, ::-1])
        )
        worth = self._scorer.pair_gains(pairs, first, second, self._gamma)
        return np.asarray(np.where(self.present[which], -worth, worth))

    def take(self, edges: Ints, gains: Floats) -> None:
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

    def flip(self, edge: int) -> Ints:
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
