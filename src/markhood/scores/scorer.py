"""The two roads from samples to the scores of blankets.

Both answer the same two questions for tiles of variables: `toggled`, the scores of blankets with one
variable more or less, and `grown`, the blankets that a greedy search finds. `KernelRoad`
is for built-in criteria, which the kernels compute from the packed samples; `PythonRoad` is for
any object with a `score` method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels import greedy
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets, Kernels, Pricing
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.scores.table import blanket_table


class Road(Protocol):
    """Scores of blankets, for tiles of target variables."""

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and it with each of ``toggles`` put in or taken out."""

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""


@dataclass(frozen=True)
class KernelRoad:
    """Scores from the kernels: the fast road."""

    samples: Samples
    criterion: Bic | Mpl
    kernels: Kernels

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and it with each of ``toggles`` put in or taken out."""
        bits = self.samples.bits
        return self.kernels.toggle_scores(bits, targets, blankets, toggles, self._costs)

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""
        bits = self.samples.bits
        return self.kernels.grow_blankets(bits, targets, candidates, self._costs, kept)

    @cached_property
    def _costs(self) -> Pricing:
        return self.criterion.costs(self.samples.total_weight, self.samples.n_variables)


@dataclass(frozen=True)
class PythonRoad:
    """Scores from a criterion written in Python: the readable road."""

    samples: Samples
    criterion: Criterion

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and it with each of ``toggles`` put in or taken out."""
        return greedy.toggle_scores(self._score, targets, blankets, toggles)

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""
        return greedy.grow_blankets(self._score, targets, candidates, kept)

    def _score(self, target: int, blanket: Sequence[int]) -> float:
        return float(self.criterion.score(blanket_table(self.samples, target, blanket)))


def road_for(samples: Samples, criterion: Criterion, kernels: Kernels) -> Road:
    """Choose the fast road where the kernels know the criterion."""
    # A subclass may score differently, so it is not enough to be a kind of one.
    if isinstance(criterion, Bic | Mpl) and type(criterion) in (Bic, Mpl):
        return KernelRoad(samples, criterion, kernels)
    return PythonRoad(samples, criterion)
