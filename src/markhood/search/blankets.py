"""Phase 1: search the blanket of every variable independently."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import shared_out
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.search.spaces import Space
from markhood.search.values.job import Job

VARIABLES_PER_TILE = 32


class Spaces(Protocol):
    """Search spaces for the blankets of variables."""

    def of(self, targets: NDArray[np.int64]) -> Space:
        """List the space of each target, ascending."""


class Searched(NamedTuple):
    """`Blankets` of all variables, and the number of search spaces that were cut."""

    members: Lists
    scores: NDArray[np.float64]
    evaluations: NDArray[np.int64]
    n_cut: int
    not_converged: NDArray[np.int64]


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


def add_counts(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Add evaluation counts by blanket size, of different lengths."""
    total = np.zeros(max((len(c) for c in counts), default=1), dtype=np.int64)
    for c in counts:
        total[: len(c)] += c
    return total
