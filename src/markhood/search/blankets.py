"""The first phase: every variable's blanket, each searched for on its own."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.scores.roads import Road
from markhood.search.knowledge import NOTHING, Knowledge

VARIABLES_PER_TILE = 32


class Spaces(Protocol):
    """Where to look for the blankets of some variables."""

    def of(self, targets: NDArray[np.int64]) -> Lists:
        """List the space of each target, ascending."""


def search_blankets(
    n_variables: int, spaces: Spaces, road: Road, runner: Runner, knowledge: Knowledge = NOTHING
) -> Blankets:
    """Grow and shrink the blanket of every variable within its space."""

    def search(tile: range) -> Blankets:
        targets = np.arange(tile.start, tile.stop)
        candidates = knowledge.allowed(targets, spaces.of(targets))
        return road.grown(targets, candidates, knowledge.required_of(targets))

    tiles = list(runner.map("blankets", search, cut(n_variables, VARIABLES_PER_TILE)))
    return Blankets(
        Lists.joined([tile.members for tile in tiles]),
        np.concatenate([np.empty(0), *(tile.scores for tile in tiles)]),
        add_counts([tile.evaluations for tile in tiles]),
    )


def add_counts(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Add evaluation counts by blanket size, of different lengths."""
    total = np.zeros(max((len(c) for c in counts), default=1), dtype=np.int64)
    for c in counts:
        total[: len(c)] += c
    return total
