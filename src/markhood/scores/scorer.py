"""`Scorer`: the interface between searches and data, criteria and kernels.

A search requests a few quantities, one tile of work at a time: which pairs are dependent, the
blanket that a greedy search finds, the score of a blanket with one variable added or removed,
regressions on blankets, and the gain of an edge for both ends jointly. It does not see how or where
samples are counted. `discrete` implements the interface for discrete variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.lists import Lists
from markhood.kernels.networks import PottsFits, PottsPenalty
from markhood.kernels.protocol import (
    Blankets,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    Kernels,
    L1Paths,
    PairPrior,
)

Tile = tuple[range, range]
Which = Callable[[NDArray[np.int64]], NDArray[np.bool_]]  # of pairs, of shape (n_pairs, 2)


class Pairs(NamedTuple):
    """Dependent pairs i < j, of shape (n_pairs, 2), and their gains, (n_pairs,)."""

    edges: NDArray[np.int64]
    gains: NDArray[np.float64]


class Dependence(NamedTuple):
    """Pairwise dependence of n variables.

    ``ratios``, of shape (n, n), has the likelihood ratio of every pair above the diagonal;
    ``spreads``, (n, q), has the variances of each variable along the axes of its levels, padded
    with zeros.
    """

    ratios: NDArray[np.float64]
    spreads: NDArray[np.float64]


class Scorer(Protocol):
    """Scores of variables and their neighbours."""

    @property
    def kernels(self) -> Kernels:
        """The compute backend."""

    def on(self, samples: Samples) -> Self:
        """Return an equal scorer of other samples of the same variables."""

    def given(self, n_covariates: int) -> Self:
        """Return a scorer that conditions pairs on the last variables, outside its tiles."""

    def tiles(self) -> Sequence[Tile]:
        """Cut the pairs of variables into tiles: squares of rows and columns."""

    def pairs(self, tile: Tile, gamma: float | None, fitted: Which | None = None) -> Pairs:
        """Find the pairs of a tile whose likelihood ratio exceeds the BIC_gamma penalty.

        With ``gamma=None`` there is no penalty. Given real columns, ratios are fitted, which is
        slow; pairs outside ``fitted`` then have half the score statistic instead.
        """

    def prices(self, pairs: NDArray[np.int64], gamma: float) -> NDArray[np.float64]:
        """Return the BIC_gamma penalty of each pair, which `pairs` subtracts from the ratios."""

    def toggled(
        self, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each blanket, and with each of ``toggles`` added or removed."""

    def grown(
        self, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
    ) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""

    def climbed(
        self, groups: Lists, blankets: Lists, partners: Lists, changes: NDArray[np.float64]
    ) -> Flipped:
        """Flip the edge with the largest gain within each group until none gains.

        For every variable of ``groups``, the arguments have its blanket, its partners in edges that
        may be flipped, and the change of its score by each of these flips.
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
        """Follow the L1 path of each indicator of each target on those of its candidates.

        The lists contain indicators; `owners` maps them to variables.
        """

    def pair_gains(
        self, pairs: NDArray[np.int64], first: Lists, second: Lists, gamma: float
    ) -> NDArray[np.float64]:
        """Return each pair's likelihood ratio minus the BIC_gamma penalty.

        The ratio is that of both ends jointly, given the other neighbours of each.
        """

    def pair_factors(self, pairs: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
        """Return each pair's marginal log Bayes factor for couplings of this scale."""

    def dependence(self, variables: NDArray[np.int64]) -> Dependence:
        """Measure every pair of some variables, without a screen."""

    def spreads(self, variables: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return variances along the axes of the levels, given the covariates."""

    def swept(
        self,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the subgraphs of these pairs."""

    def potts(
        self, targets: NDArray[np.int64], penalty: PottsPenalty, most_steps: int | None = None
    ) -> PottsFits:
        """Fit penalised regressions of at most 64 targets on all other variables."""

    @property
    def owners(self) -> NDArray[np.int64]:
        """The variable of each indicator, of shape (n_indicators,)."""
