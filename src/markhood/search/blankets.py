"""Phase 1: search the blanket of every variable independently.

Find the blanket of one variable without screening all pairs. The target is tested against every
other variable; with a depth of 2 or more, so are the variables that pass, and so on. Variables
within `depth` steps are the candidates of the same greedy search that PLRHC performs for every
variable. One row of the screen costs d tests instead of d^2/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.execution.runner import cut, shared_out
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.scores.scorer import Tile
from markhood.search.screen import screen
from markhood.search.spaces import Space
from markhood.search.values.job import Job

VARIABLES_PER_TILE = 32
_TILE = 4096  # variables tested against a target at a time


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

    found = list(
        job.runner.map("blankets", search, shared_out(job.n_variables, VARIABLES_PER_TILE))
    )
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
    targets = np.repeat(np.arange(len(blankets)), np.diff(blankets.starts))
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
