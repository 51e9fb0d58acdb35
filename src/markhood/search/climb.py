"""The second phase: climb over graphs, flipping one edge of the OR graph at a time.

The climb starts from the OR graph, from the graph without edges, or from any other that is part of the
OR graph; required edges are there either way, and are never flipped.

    1. for every other edge of the OR graph: the change of the two end variables' scores if it were
       flipped (removed, or put back)
    2. flip the edge with the largest gain; stop when none gains
    3. score anew the flips at the two changed ends only, and go on with 2

The total score is the sum over variables, so a flip touches two of them, and what happens in one component of
the OR graph is no matter to another. So 1 is done for tiles of variables, 2 and 3 (`kernels/flips.py`) for tiles of
components: those in which a flip gains, the largest first, because its steps follow one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import shared_out
from markhood.graph.numbering import pair_numbers
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Flipped
from markhood.kernels.ties import TIE
from markhood.search.blankets import add_counts
from markhood.search.job import Job

VARIABLES_PER_TILE = 512

Start = Literal["or", "empty"]


@dataclass(frozen=True, eq=False)
class Climbed:
    """The edges at the top, and how many blankets of each size were scored on the way."""

    edges: NDArray[np.int64]
    evaluations: NDArray[np.int64]


def climb(job: Job, edges: NDArray[np.int64], start: Start | NDArray[np.int64] = "or") -> Climbed:
    """Climb over the graphs with some of these edges (i < j, lexicographic)."""
    d, required = job.n_variables, job.knowledge.requires(edges)
    present = present_at(start, edges) | required
    blankets = Lists.of_neighbours(edges[present], d)
    blankets = job.knowledge.adjusted(np.arange(d), blankets)
    free = edges[~required]
    partners = Lists.of_neighbours(free, d)
    places = _places(free, partners)
    changes = _changes(job, blankets, partners)
    gaining = free[changes[places].sum(axis=1) > TIE]
    components = _components(free, gaining, d)

    numbers = np.empty(len(partners.values), np.int64)  # of the edge at every place
    numbers[places.T] = np.flatnonzero(~required)
    scored = np.repeat(np.diff(blankets.starts), np.diff(partners.starts))
    scored += np.where(present[numbers], -1, 1)
    tiles = _flip(job, components, blankets, partners, changes)
    flipped_at = Lists(partners.starts, numbers).pick(components.values).values
    present[flipped_at] = np.concatenate([np.empty(0, np.bool_), *(tile.present for tile in tiles)])
    counts = [np.bincount(scored, minlength=1), *(tile.evaluations for tile in tiles)]
    return Climbed(edges[present], add_counts(counts))


def present_at(start: Start | NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the edges are there when a climb begins."""
    if isinstance(start, str):
        return np.full(len(edges), start == "or")
    return np.isin(pair_numbers(edges), pair_numbers(start))


def _places(edges: NDArray[np.int64], partners: Lists) -> NDArray[np.int64]:
    """Return where in the lists of partners each edge is, at its lower and at its upper end."""
    is_upper = partners.values < np.repeat(np.arange(len(partners)), np.diff(partners.starts))
    places = np.empty(edges.shape, np.int64)
    places[:, 0] = np.flatnonzero(~is_upper)
    by_upper_end = np.argsort((edges[:, 1] << 32) | edges[:, 0])
    places[by_upper_end, 1] = np.flatnonzero(is_upper)
    return places


def _changes(job: Job, blankets: Lists, partners: Lists) -> NDArray[np.float64]:
    """Return how each variable's score would change by each flip at it."""
    scorer = job.scorer

    def score(tile: range) -> NDArray[np.float64]:
        flips = partners.part(tile)
        targets = np.arange(tile.start, tile.stop)
        scores, toggled = scorer.toggled(targets, blankets.part(tile), flips)
        return toggled - np.repeat(scores, np.diff(flips.starts))

    tiles = job.runner.map("flips", score, shared_out(len(partners), VARIABLES_PER_TILE))
    return np.concatenate([np.empty(0), *tiles])


def _components(edges: NDArray[np.int64], gaining: NDArray[np.int64], n_variables: int) -> Lists:
    """List the variables of each component in which an edge gains, the largest component first."""
    if not len(gaining):
        return Lists.empty(0)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(edges), np.bool_)
    joined = csr_array((ones, edges.T), shape=(n_variables, n_variables))
    _, labels = connected_components(joined, directed=False)
    sizes = np.bincount(labels)
    gains = np.zeros(len(sizes), np.bool_)
    gains[labels[gaining[:, 0]]] = True
    variables = np.flatnonzero(gains[labels])
    label = labels[variables]
    order = np.lexsort((label, -sizes[label]))
    changes = np.flatnonzero(np.diff(label[order], prepend=-1, append=-1))
    return Lists(changes, variables[order])


def _flip(
    job: Job,
    components: Lists,
    blankets: Lists,
    partners: Lists,
    changes: NDArray[np.float64],
) -> list[Flipped]:
    """Climb in every component."""
    scorer, which = job.scorer, components.values
    changes = changes[Lists(partners.starts, np.arange(len(changes))).pick(which).values]
    blankets, partners = blankets.pick(which), partners.pick(which)

    def climb_in(tile: range) -> Flipped:
        variables = range(int(components.starts[tile.start]), int(components.starts[tile.stop]))
        flips = partners.part(variables)
        first = int(partners.starts[variables.start])
        own = changes[first : first + len(flips.values)]
        return scorer.climbed(components.part(tile), blankets.part(variables), flips, own)

    tiles = _tiles(components)
    return list(job.runner.map("climb", climb_in, tiles)) if tiles else []


def _tiles(components: Lists) -> list[range]:
    """Put components together to tiles that begin about `VARIABLES_PER_TILE` variables apart."""
    tile = components.starts[:-1] // VARIABLES_PER_TILE
    bounds = np.flatnonzero(np.diff(tile, prepend=-1, append=-1)).tolist()
    return [range(first, last) for first, last in zip(bounds[:-1], bounds[1:], strict=True)]
