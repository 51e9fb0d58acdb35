"""`Scorer`: all that a search sees of data, criteria and kernels.

A search asks four things, each for a tile of work at a time: which pairs depend on each other, which
blanket a greedy search finds, what a blanket scores with one variable more or less, and the
regressions on blankets. What counts the samples, and where, it never learns. `discrete` answers
for variables with levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets, Fits, L1Paths

Tile = tuple[range, range]


class Pairs(NamedTuple):
    """Pairs i < j that depend on each other, of shape (n_pairs, 2), and their gains, (n_pairs,)."""

    edges: NDArray[np.int64]
    gains: NDArray[np.float64]


class Scorer(Protocol):
    """Numbers about variables and their neighbours."""

    def on(self, samples: Samples) -> Self:
        """Return what scores other samples of the same variables alike."""

    def tiles(self) -> Sequence[Tile]:
        """Cut the pairs of variables into tiles: squares of rows and columns."""

    def pairs(self, tile: Tile, gamma: float | None) -> Pairs:
        """Find the pairs of a tile whose likelihood ratio exceeds BIC_gamma's price by their gain.

        With ``gamma=None`` nothing has a price.
        """

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and it with each of ``toggles`` put in or taken out."""

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""

    def fitted(self, targets: NDArray[np.int64], blankets: Lists) -> Fits:
        """Fit each target's regression on its blanket."""

    def independence(
        self, targets: NDArray[np.int64], givens: Lists, others: Lists
    ) -> NDArray[np.float64]:
        """Return the log-probability that each target is independent of each of its others."""

    def l1_paths(
        self,
        targets: NDArray[np.int64],
        candidates: Lists,
        fractions: NDArray[np.float64],
        largest_support: int | None,
        standardize: bool,
    ) -> L1Paths:
        """Follow the L1 path of each indicator of each target on those of its candidates.

        Its lists are of indicators; `owners` says whose they are.
        """

    @property
    def owners(self) -> NDArray[np.int64]:
        """The variable of each indicator, of shape (n_indicators,)."""
