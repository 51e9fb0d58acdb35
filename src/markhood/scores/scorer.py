"""`Scorer`: all that a search sees of data, criteria and kernels.

A search asks a few things, each for a tile of work at a time: which pairs depend on each other, which
blanket a greedy search finds, what a blanket scores with one variable more or less, the
regressions on blankets, what an edge is worth to both its ends together. What counts the samples, and where, it never learns. `discrete` answers
for variables with levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import (
    Blankets,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    Kernels,
    L1Paths,
    PairPrior,
    PottsFits,
    PottsPenalty,
)

Tile = tuple[range, range]


class Pairs(NamedTuple):
    """Pairs i < j that depend on each other, of shape (n_pairs, 2), and their gains, (n_pairs,)."""

    edges: NDArray[np.int64]
    gains: NDArray[np.float64]


class Dependence(NamedTuple):
    """How some n variables depend on each other, two at a time.

    ``ratios`` of shape (n, n) has the likelihood ratio of every pair above the diagonal; ``spreads``, (n, q), the
    variances of each variable along the axes of its levels, zero where it has fewer than q + 1.
    """

    ratios: NDArray[np.float64]
    spreads: NDArray[np.float64]


class Scorer(Protocol):
    """Numbers about variables and their neighbours."""

    @property
    def kernels(self) -> Kernels:
        """The compute backend."""

    def on(self, samples: Samples) -> Self:
        """Return what scores other samples of the same variables alike."""

    def given(self, n_covariates: int) -> Self:
        """Return what measures pairs given the last variables, which are not among its tiles."""

    def tiles(self) -> Sequence[Tile]:
        """Cut the pairs of variables into tiles: squares of rows and columns."""

    def pairs(self, tile: Tile, gamma: float | None) -> Pairs:
        """Find the pairs of a tile whose likelihood ratio exceeds BIC_gamma's price by their gain.

        With ``gamma=None`` nothing has a price.
        """

    def prices(self, pairs: NDArray[np.int64], gamma: float) -> NDArray[np.float64]:
        """Return BIC_gamma's price of an edge between each pair, which `pairs` takes off their ratios."""

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and it with each of ``toggles`` put in or taken out."""

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""

    def climbed(
        self, groups: Lists, blankets: Lists, partners: Lists, changes: NDArray[np.float64]
    ) -> Flipped:
        """Flip the edge that gains most within each group until none gains.

        For every variable of ``groups``: its blanket, the variables to which an edge that may be flipped
        joins it, and how its score would change by each of these flips.
        """

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

    def pair_gains(
        self, pairs: NDArray[np.int64], first: Lists, second: Lists, gamma: float
    ) -> NDArray[np.float64]:
        """Return by how much each pair's likelihood ratio exceeds BIC_gamma's price.

        It is that of both ends together, given the other neighbours of the first and of the second.
        """

    def pair_factors(self, pairs: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
        """Return each pair's log Bayes factor on its own, without neighbours, for couplings of this scale."""

    def dependence(self, variables: NDArray[np.int64]) -> Dependence:
        """Measure every pair of some variables, whatever passes a screen."""

    def spreads(self, variables: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the variances of some variables along the axes of their levels, given the covariates."""

    def swept(
        self,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the graphs whose edges are some of these pairs."""

    def potts(
        self, targets: NDArray[np.int64], penalty: PottsPenalty, most_steps: int | None = None
    ) -> PottsFits:
        """Fit the regressions of some targets, 64 at most, on all other variables, penalised."""

    @property
    def owners(self) -> NDArray[np.int64]:
        """The variable of each indicator, of shape (n_indicators,)."""
