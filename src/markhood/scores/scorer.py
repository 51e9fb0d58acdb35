"""`Scorer`: the interface between searches and data, criteria and kernels.

A search requests a few quantities, one tile of work at a time: which pairs are dependent, the
blanket that a greedy search finds, the score of a blanket with one variable added or removed,
regressions on blankets, and the gain of an edge for both ends jointly. It does not see how or where
samples are counted. `discrete` implements the interface for discrete variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, Self

from markhood.arrays import Bools, Floats, Ints
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
Which = Callable[[Ints], Bools]  # of pairs, of shape (n_pairs, 2)


class Pairs(NamedTuple):
    """Dependent pairs i < j, of shape (n_pairs, 2), and their gains, (n_pairs,)."""

    edges: Ints
    gains: Floats


class Dependence(NamedTuple):
    """Pairwise dependence of n variables.

    ``ratios``, of shape (n, n), has the likelihood ratio of every pair above the diagonal;
    ``spreads``, (n, q), has the variances of each variable along the axes of its levels, padded
    with zeros.
    """

    ratios: Floats
    spreads: Floats


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

    def prices(self, pairs: Ints, gamma: float) -> Floats:
        """Return the BIC_gamma penalty of each pair, which `pairs` subtracts from the ratios."""

    def toggled(self, targets: Ints, blankets: Lists, toggles: Lists) -> tuple[Floats, Floats]:
        """Score each blanket, and with each of ``toggles`` added or removed."""

    def grown(self, targets: Ints, candidates: Lists, kept: Lists | None = None) -> Blankets:
        """Search greedily for each target's blanket: its kept members and some candidates."""

    def climbed(self, groups: Lists, blankets: Lists, partners: Lists, changes: Floats) -> Flipped:
        """Flip the edge with the largest gain within each group until none gains.

        For every variable of ``groups``, the arguments have its blanket, its partners in edges that
        may be flipped, and the change of its score by each of these flips.
        """

    def fitted(self, targets: Ints, blankets: Lists) -> Fits:
        """Fit each target's regression on its blanket."""

    def independence(self, targets: Ints, givens: Lists, others: Lists) -> Floats:
        """Return the log-probability that each target is independent of each of its ``others``."""

    def l1_paths(
        self,
        targets: Ints,
        candidates: Lists,
        fractions: Floats,
        largest_support: int | None,
        standardize: bool,
    ) -> L1Paths:
        """Follow the L1 path of each indicator of each target on those of its candidates.

        The lists contain indicators; `owners` maps them to variables.
        """

    def pair_gains(self, pairs: Ints, first: Lists, second: Lists, gamma: float) -> Floats:
        """Return each pair's likelihood ratio minus the BIC_gamma penalty.

        The ratio is that of both ends jointly, given the other neighbours of each.
        """

    def pair_factors(self, pairs: Ints, scale: float) -> Floats:
        """Return each pair's marginal log Bayes factor for couplings of this scale."""

    def dependence(self, variables: Ints) -> Dependence:
        """Measure every pair of some variables, without a screen."""

    def spreads(self, variables: Ints) -> Floats:
        """Return variances along the axes of the levels, given the covariates."""

    def swept(
        self, pairs: Ints, prior: PairPrior, chain: GraphChain, n_settling: int, n_sweeps: int
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the subgraphs of these pairs."""

    def potts(
        self, targets: Ints, penalty: PottsPenalty, most_steps: int | None = None
    ) -> PottsFits:
        """Fit penalised regressions of at most 64 targets on all other variables."""

    @property
    def owners(self) -> Ints:
        """The variable of each indicator, of shape (n_indicators,)."""
