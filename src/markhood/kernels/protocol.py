"""The interface of a compute backend.

All slow loops of the library go through these functions, so a backend is one module with one class.
Profile before you add an operation here. The module also defines the arguments and results of the
functions.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints, Words
from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.networks import Chains, Network, PottsFits, PottsPenalty, PottsSamples


class FitPenalty(NamedTuple):
    """The penalty ``l1 sum |b| + l2 sum b^2`` on all slopes b of a fit."""

    l1: float = 0.0
    l2: float = 0.0


NO_PENALTY = FitPenalty()


class Costs(NamedTuple):
    """The penalties of BIC_gamma for a regression parameter and for a blanket variable.

    ``penalty`` applies to the coefficients of each fit; by default there is none.
    """

    parameter: float
    variable: float
    penalty: FitPenalty = NO_PENALTY


class Dirichlet(NamedTuple):
    """Marginal likelihood with a Dirichlet prior of 1/2 per cell, and the penalty per variable."""

    variable: float


Pricing = Costs | Dirichlet


class Tiling(NamedTuple):
    """Preferred size of a screening tile: words of intersections, and variables per side."""

    words: float
    side: int


class AssociatedPairs(NamedTuple):
    """Pairs i < j, of shape (n_pairs, 2), and the number of samples with both ones, (n_pairs,)."""

    pairs: Ints
    joint: Ints


class AssociatedTables(NamedTuple):
    """Pairs i < j, of shape (n_pairs, 2), and their log-likelihood ratios, (n_pairs,)."""

    pairs: Ints
    ratios: Floats


class Residuals(NamedTuple):
    """Residuals of binary variables given real columns, as short vectors with inner products.

    With p_i the probabilities of ones of variable i in every sample, ``means[i] @ means[j]`` is the
    sum of p_i p_j, and ``variances[i] @ variances[j]`` the sum of p_i (1 - p_i) p_j (1 - p_j). Sums
    of variances count as at least ``least_variance``. Covariates, which come last, have none.
    """

    means: Floats
    variances: Floats
    least_variance: float


class Blankets(NamedTuple):
    """Result of a greedy search: a blanket and a score per target, and the number of evaluations.

    ``n_bounded`` of the evaluations needed no fit, because a bound showed that they were not the
    best. ``not_converged``, of shape (n_targets,), counts the fits of each target that did not
    converge.
    """

    members: Lists
    scores: Floats
    evaluations: Ints
    n_bounded: int
    not_converged: Ints


class Flipped(NamedTuple):
    """Result of a hill climb: whether each partner of each variable is in its blanket.

    ``changes``, also of shape (len(partners.values),), is the change of the variable's score that
    the flip would make at the end; NaN where it is not known exactly. ``highest`` is the largest
    change that the flip would have made at any time. Where that change could not make the edge
    gain, it may be replaced by an upper bound that could not either. ``gained`` is the change of
    each variable's score from start to end. ``evaluations`` lists for each group the number of
    scored blankets of each size. ``not_converged`` counts the fits of each variable that did not
    converge.
    """

    present: Bools
    changes: Floats
    highest: Floats
    gained: Floats
    evaluations: Lists
    not_converged: Ints


class Status(IntEnum):
    """Outcome of a fit, numbered as in ``native/fit``."""

    CONVERGED = 0
    SEPARATED = 1  # the maximum is at infinity, and the value is the supremum
    BOUNDED = 2  # stopped because no fit can exceed a given value
    NOT_CONVERGED = 3


class Fits(NamedTuple):
    """Maximum log-likelihood of each target given its blanket, minus the penalty on the fit.

    A member contributes as many predictors as it has scores: its step if it is ordered, otherwise
    an indicator for each level but the first. Real columns come before the predictors of all
    members. ``coefficients`` concatenates the coefficients of all targets:

    - a nominal target with r levels has an array of shape (1 + n_predictors, r - 1): the thresholds
      of its levels but the first, then a row for each predictor;
    - an ordered target has r - 1 thresholds, then one number for each predictor: the change in the
      log odds of a step up of the target per unit of the predictor.

    With two levels, both are the intercept and one coefficient per member. ``infinite`` marks the
    coefficients that grow without bound because the data are separated. ``statuses``, of shape
    (n_targets,), holds values of `Status`.
    """

    log_likelihoods: Floats
    coefficients: Floats
    infinite: Bools
    statuses: NDArray[np.uint8]


class L1Paths(NamedTuple):
    """L1-penalised logistic regressions of each target, along a path of decreasing penalties.

    ``lambdas``, ``intercepts`` and ``log_likelihoods`` have shape (n_targets, n_fractions).
    ``supports`` has a list for each of their elements, target by target, of the variables with a
    nonzero slope, ascending; ``slopes`` holds a number for each of ``supports.values``.
    ``converged``, of shape (n_targets,), is true if all fits of a target's path converged.
    """

    lambdas: Floats
    intercepts: Floats
    log_likelihoods: Floats
    supports: Lists
    slopes: Floats
    converged: Bools


class PairFits(NamedTuple):
    """Pairs fitted with and without a coupling, as defined in ``kernels/reference/pair_fit.py``.

    ``joint`` and ``apart``, of shape (n_pairs,), are the maxima with and without the coupling.
    ``log_determinants`` is the log of the ratio of the determinants of their Hessians.
    ``couplings`` and ``variances`` describe the coupling given that the edge is present, pair by
    pair: the log odds ratio (of a step if the levels are ordered) or, where an end has more than
    one score, the r_i r_j entries of the zero-sum table.
    """

    joint: Floats
    apart: Floats
    log_determinants: Floats
    couplings: Floats
    variances: Floats


class PairPrior(NamedTuple):
    """Prior of a Markov chain over graphs.

    ``log_odds``, of shape (n_pairs,), are the prior log odds of each candidate pair; NaN means the
    log odds of the edge density. The density is ``density``. If ``learns_density`` is true, it
    starts there and is estimated after each accumulated sweep from the Bayes factors of all pairs;
    pairs that are not candidates contribute to it by ``bin_counts`` and the
    ``bin_log_bayes_factors`` of the bins. ``scale`` is the standard deviation of couplings, and
    ``shape``, between -1 and 1, is positive if their prior has two modes, 0 if it is normal and
    negative if it has heavy tails. ``background`` is the standard deviation of the couplings of
    pairs without an edge, and ``expected``, of shape (n_pairs,), their means, if they are single
    numbers (`kernels/reference/graph_chain.py`). ``periods`` has shape (n_pairs,): a pair with
    period p is visited in the last of every p burn-in sweeps and in the first of every p
    accumulated sweeps. A pair with which the regression of an end on its neighbours would have
    more than ``most_slopes`` slopes does not become an edge.
    """

    log_odds: Floats
    bin_log_bayes_factors: Floats
    bin_counts: Floats
    scale: float
    shape: float
    background: float
    expected: Floats
    density: float
    learns_density: bool
    periods: NDArray[np.uint8]
    most_slopes: float = np.inf


class GraphChain(NamedTuple):
    """State of a chain over graphs: which pairs are edges, (n_pairs,), and a generator, (4,).

    ``fits``, of shape (n_words,), holds the fits that another chain has made on the same samples,
    or is empty. None means that the chain does not return its own fits.
    """

    present: NDArray[np.uint8]
    generator: NDArray[np.uint32]
    fits: Ints | None = None


class GraphSums(NamedTuple):
    """Sums over the sweeps of a chain over graphs.

    ``densities``, of shape (n_settling + n_sweeps,), has the edge density after each sweep. The
    other arrays are sums over the last ``n_sweeps`` sweeps: ``probabilities``, of shape (n_pairs,),
    of the probability P of every pair; ``couplings`` of P times the coupling; and ``squares`` of P
    times the sum of the squared coupling and its variance. The last two have the layout of
    `PairFits`. ``n_fits`` is the number of pairs that were fitted.
    """

    densities: Floats
    probabilities: Floats
    couplings: Floats
    squares: Floats
    n_fits: int


class Unsound(NamedTuple):
    """First variable, or -1, with a bit ``past`` the samples, or with ``two_levels`` in one sample.

    A sample that has a level and is also marked as missing counts as having two levels.
    """

    past: int
    two_levels: int


# The result types of the kernels, and therefore of tiles: the records that a checkpoint can store.
RESULTS = (
    AssociatedPairs,
    AssociatedTables,
    Blankets,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    L1Paths,
    Lists,
    PairFits,
    PottsFits,
)


class Kernels(Protocol):
    """The computationally expensive operations."""

    @property
    def name(self) -> str:
        """Name of the backend."""

    def tiling(self, bits: Bits) -> Tiling:
        """Return the preferred size of a screening tile for these variables."""

    def associated_pairs(
        self,
        bits: Bits,
        ones: Ints,
        n_log_n: Floats,
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the dependent pairs i < j with i in ``rows`` and j in ``columns``.

        Only for plain bits. A pair is dependent if its log-likelihood ratio, n times its mutual
        information, is at least ``least_ratio`` > 0. ``ones`` counts the ones of every variable,
        and ``n_log_n`` holds k log k for k = 0 ... n_samples.
        """

    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        """Find the dependent pairs i < j with i in ``rows`` and j in ``columns``.

        A pair is dependent if its log-likelihood ratio is at least the penalty of an edge: the
        costs of its parameters (see ``Bits.n_scores``) plus the cost of a variable. The penalty
        must be positive. The ratio compares the pair's table with and without the edge, with both
        margins free.
        """

    def associated_among(self, bits: Bits, pairs: Ints, costs: Costs) -> AssociatedTables:
        """Select the pairs i < j whose likelihood ratio is at least their penalty, in order."""

    def associated_residuals(
        self, bits: Bits, rows: range, columns: range, residuals: Residuals, least: float
    ) -> AssociatedTables:
        """Find the pairs i < j of binary variables whose residuals are correlated.

        With U the sum of x_i x_j - p_i p_j and V the sum of p_i (1 - p_i) p_j (1 - p_j), the ratio
        is approximately U^2 / (2 V), and corrected for rare values by the ratio in the pair's
        table of expected counts. It must be at least ``least`` > 0.
        """

    def toggle_scores(
        self, bits: Bits, targets: Ints, blankets: Lists, toggles: Lists, costs: Pricing
    ) -> tuple[Floats, Floats]:
        """Score each target's blanket, and the blanket with each of ``toggles`` added or removed.

        Returns scores of shape (n_targets,), and scores after toggling of shape
        (len(toggles.values),).
        """

    def grow_blankets(
        self,
        bits: Bits,
        targets: Ints,
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        """Search greedily for each target's blanket among its candidates (ascending).

        ``kept`` lists for each target the members (ascending) from which its search starts and
        which it never removes. None means no such members.
        """

    def climb_groups(
        self,
        bits: Bits,
        groups: Lists,
        blankets: Lists,
        partners: Lists,
        changes: Floats,
        costs: Pricing,
    ) -> Flipped:
        """Flip the edge with the largest gain within each group of variables until none gains.

        ``groups`` lists the variables of each group, ascending. For each of these variables,
        ``blankets`` has its initial blanket, and ``partners`` has the variables (ascending) whose
        edge to it may be flipped. ``changes``, of shape (len(partners.values),), has the change of
        its score for each of these flips. An edge within a group is listed at both ends; an edge
        that leaves a group does not change.
        """

    def fit_blankets(self, bits: Bits, targets: Ints, blankets: Lists, penalty: FitPenalty) -> Fits:
        """Fit each target's logistic regression on its blanket."""

    def gibbs(
        self, network: Network, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains of a network by ``burn_in`` and then ``n_draws * thinning`` sweeps.

        Returns the states after every ``thinning`` sweeps, of shape (n_draws, CHAINS, n_variables),
        and the final state of the chains.
        """

    def independence_tests(
        self, bits: Bits, targets: Ints, givens: Lists, others: Lists, log_factorials: Floats
    ) -> Floats:
        """Test each target against each of its ``others``, given its list of ``givens``.

        Returns log-probabilities of independence, of shape (len(others.values),).
        ``log_factorials`` holds log k! for k = 0 ... n_samples + 3.
        """

    def l1_paths(
        self,
        bits: Bits,
        targets: Ints,
        candidates: Lists,
        penalties: Floats,
        fractions: Floats,
        largest_support: int,
    ) -> L1Paths:
        """Maximise L(b)/n - lambda sum_j penalties_j |b_j| for each target on its candidates.

        The intercept and real columns are not penalised; ``penalties`` has a value for every
        variable. Candidates whose penalty is zero are in every fit. Lambda takes the values of
        ``fractions`` (decreasing, at most 1) times the smallest lambda at which all other slopes
        are zero. A path ends with the first support of more than ``largest_support`` variables, and
        repeats it. Where candidates are equal, complements or other linear combinations of each
        other, there may be several maxima, and a backend may return any of them.
        """

    def fit_pairs(
        self,
        bits: Bits,
        pairs: Ints,
        given_first: Lists,
        given_second: Lists,
        scale: float,
        n_covariates: int = 0,
    ) -> PairFits:
        """Fit each pair i < j, given the other neighbours of i and of j, both ascending.

        Both ends are also conditioned on the last ``n_covariates`` variables and on the real
        columns. Slopes and couplings have the prior N(0, scale^2), and slopes on covariates and
        real columns have a weak prior. Without priors, ``scale`` is infinite.
        """

    def sample_graphs(
        self,
        bits: Bits,
        pairs: Ints,
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
        n_covariates: int = 0,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the graphs whose edges are a subset of ``pairs`` (i < j, ascending).

        Each sweep draws every pair with its conditional probability given the other pairs; see
        ``kernels/reference/graph_chain.py``. Every end is conditioned on the last ``n_covariates``
        variables. Returns sums over the last ``n_sweeps`` sweeps, and the final state of the chain.
        """

    def fit_potts(
        self,
        samples: PottsSamples,
        targets: Ints,
        penalty: PottsPenalty,
        tolerance: float,
        most_steps: int | None = None,
    ) -> PottsFits:
        """Fit the regressions of at most 64 targets on all other variables.

        Minimises the negative log-likelihood of the targets plus the penalty. A target has
        converged when the norm of its gradient g, sqrt(sum g^2 / c) with the second derivatives c
        under independence, is at most ``tolerance``. The norm is approximately the distance from
        the minimum in standard errors. With ``most_steps`` None, the backend's own limit applies. A
        missing value adds nothing to the log odds, and is not predicted.
        """

    def unsound_variables(self, bits: Bits, masked: Ints, masks: Words) -> Unsound:
        """Find variables whose rows violate the assumptions of the other operations.

        ``masked`` lists the variables with missing values, ascending. ``masks`` has for each of
        them the samples in which it is missing, packed like the rows.
        """
