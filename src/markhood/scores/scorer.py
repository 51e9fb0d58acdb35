"""`Scorer`: the interface of a search to data, criteria and kernels.

A search makes a few kinds of requests, each for one tile of work: the dependent pairs, the blanket
that a greedy search finds, the score of a blanket with one variable added or removed, the
regressions on blankets, and the joint gain of an edge for both its ends. How samples are counted is
hidden from the search. `discrete` implements the interface for variables with levels.
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
    """Dependent pairs i < j, of shape (n_pairs, 2), and their gains, (n_pairs,)."""

    edges: NDArray[np.int64]
    gains: NDArray[np.float64]


class Dependence(NamedTuple):
    """Pairwise dependence of n variables.

    ``ratios``, of shape (n, n), has the likelihood ratio of every pair above the diagonal.
    ``spreads``, of shape (n, q), has the variances of each variable along the principal axes of its
    levels, padded with zeros.
    """

    ratios: NDArray[np.float64]
    spreads: NDArray[np.float64]


class Scorer(Protocol):
    """Scores of variables and their neighbours."""

    @property
    def kernels(self) -> Kernels:
        """The compute backend."""

    def on(self, samples: Samples) -> Self:
        """Return a scorer with the same settings for other samples of the same variables."""

    def given(self, n_covariates: int) -> Self:
        """Return a scorer that conditions pairs on the last variables; its tiles omit them."""

    def tiles(self) -> Sequence[Tile]:
        """Split the pairs of variables into tiles: squares of rows and columns."""

    def pairs(self, tile: Tile, gamma: float | None) -> Pairs:
        """Find the pairs of a tile whose likelihood ratio exceeds the penalty of BIC_gamma.

        The gain is the excess. With ``gamma=None`` there is no penalty.
        """

    def prices(self, pairs: NDArray[np.int64], gamma: float) -> NDArray[np.float64]:
        """Return the penalty of BIC_gamma for an edge between each pair."""

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and also with each of ``toggles`` added or removed."""

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""

    def climbed(
        self, groups: Lists, blankets: Lists, partners: Lists, changes: NDArray[np.float64]
    ) -> Flipped:
        """Flip the edge with the largest gain within each group until none gains.

        For every variable of ``groups``, the arguments have its blanket, the partners whose edge to
        it may be flipped, and the change of its score by each of these flips.
        """

    def fitted(self, targets: NDArray[np.int64], blankets: Lists) -> Fits:
        """Fit each target's regression on its blanket."""

    def independence(
        self, targets: NDArray[np.int64], givens: Lists, others: Lists
    ) -> NDArray[np.float64]:
        """Return the log-probability that each target is independent of each of its ``others``."""

    def l1_paths(
        self,
        targets: NDArray[np.int64],
        candidates: Lists,
        fractions: NDArray[np.float64],
        largest_support: int | None,
        standardize: bool,
    ) -> L1Paths:
        """Compute the L1 path of each target's indicators on the indicators of its candidates.

        The lists of the result contain indicators; `owners` maps them to variables.
        """

    def pair_gains(
        self, pairs: NDArray[np.int64], first: Lists, second: Lists, gamma: float
    ) -> NDArray[np.float64]:
        """Return the excess of each pair's likelihood ratio over the penalty of BIC_gamma.

        The ratio is that of both ends jointly, given the other neighbours of the first and of the
        second.
        """

    def pair_factors(self, pairs: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
        """Return each pair's log Bayes factor without neighbours, for couplings of this scale."""

    def dependence(self, variables: NDArray[np.int64]) -> Dependence:
        """Measure every pair of some variables, without screening."""

    def spreads(self, variables: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the variances along the principal axes of levels, given the covariates."""

    def swept(
        self,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the graphs whose edges are a subset of these pairs."""

    def potts(
        self, targets: NDArray[np.int64], penalty: PottsPenalty, most_steps: int | None = None
    ) -> PottsFits:
        """Fit the penalised regressions of at most 64 targets on all other variables."""

    @property
    def owners(self) -> NDArray[np.int64]:
        """The variable of each indicator, of shape (n_indicators,)."""
