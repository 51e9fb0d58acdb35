"""What a compute backend must provide.

Everything slow in this library goes through these few functions, so a backend is one module and one
class. Add an operation here only after a profile asks for it. It is long because what goes in and
comes out is told of here too, beside the functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists

CHAINS = 16  # that one call of the Gibbs kernel advances, one a lane
LEVELS_PER_VECTOR = 4  # the factors of a Potts variable's levels are padded to whole vectors
MOST_LEVELS = 256  # of a Potts variable: what fits in a byte


class Weighting(NamedTuple):
    """How often each sample counts: ``weights`` of shape (n_samples,), dtype float64.

    They are ``unit`` times whole numbers, and ``planes`` of shape (n_planes, n_words) are the
    binary digits of these, packed as the samples are, the lowest first.
    """

    weights: NDArray[np.float64]
    planes: NDArray[np.uint64]
    unit: float


class Reals(NamedTuple):
    """Real-valued predictors of every target in addition to its blanket; not variables.

    ``columns``, of shape (n_reals, n_samples), or (n_variables, n_reals, n_samples) where each
    target has its own. ``offset``, of shape (n_samples,) or (n_variables, n_samples), is added to
    the linear predictor with slope 1: to the log odds of a binary target, and to those of a step up
    of an ordered one. Other targets cannot have offsets. ``groups``, of shape (n_samples,) or
    (n_variables, n_samples) and dtype uint32, numbers samples from 0 on, with the same number where
    all of these coincide: tables have a row for each group, not for each sample.
    """

    columns: NDArray[np.float64]
    offset: NDArray[np.float64] | None
    groups: NDArray[np.uint32]

    @classmethod
    def of(cls, columns: NDArray[np.float64], offset: NDArray[np.float64] | None = None) -> Self:
        """Put columns and offsets together, and number the samples that coincide.

        Examples
        --------
        >>> Reals.of(np.array([[0.5, 2.0, 0.5]])).groups.tolist()
        [0, 1, 0]
        """
        columns = np.ascontiguousarray(columns, np.float64)
        offset = None if offset is None else np.ascontiguousarray(offset, np.float64)
        ungrouped = cls(columns, offset, np.zeros(columns.shape[-1], np.uint32))
        n_targets = [
            len(own) for own, n in ((columns, 3), (offset, 2)) if own is not None and own.ndim == n
        ]
        groups = [
            np.unique(np.vstack(ungrouped.of_target(t)).T, axis=0, return_inverse=True)[1].ravel()
            for t in range(n_targets[0] if n_targets else 1)
        ]
        numbers = np.array(groups, np.uint32)
        return ungrouped._replace(groups=numbers if n_targets else numbers[0])

    def groups_of(self, target: int) -> NDArray[np.uint32]:
        """Return the group of each sample for one target."""
        return self.groups if self.groups.ndim == 1 else self.groups[target]

    def of_target(self, target: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the columns, (n_reals, n_samples), and the offset, (n_samples,), of one target."""
        columns = self.columns if self.columns.ndim == 2 else self.columns[target]
        if self.offset is None:
            return columns, np.zeros(columns.shape[1])
        return columns, self.offset if self.offset.ndim == 1 else self.offset[target]


@dataclass(frozen=True, eq=False)
class Bits:
    """Packed variables: ``words`` of shape (n_rows, n_words), a bit a sample.

    A variable v with r levels is the r - 1 rows from ``starts[v]`` on, one for each level but the
    first. Without ``starts`` every row is a binary variable. Without ``weighting`` every sample
    counts once. ``ordered``, of shape (n_variables,), marks the variables whose levels are steps;
    without it none are. Two levels are a step and a category at once, whatever it says of them.
    ``reals`` are further predictors of every target in blanket scores and in fits of blankets and
    pairs. The arrays must not be written to: backends check them once and keep what they made of
    them.
    """

    words: NDArray[np.uint64]
    n_samples: int
    starts: NDArray[np.int64] | None = None
    weighting: Weighting | None = None
    ordered: NDArray[np.bool_] | None = None
    reals: Reals | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all variables are binary and all samples count once, as fast kernels need it."""
        return self.starts is None and self.weighting is None

    @property
    def n_reals(self) -> int:
        """How many real-valued predictors every target has."""
        return 0 if self.reals is None else int(self.reals.columns.shape[-2])

    @property
    def n_scores(self) -> NDArray[np.int64]:
        """In how many numbers each variable enters a regression, of shape (n_variables,).

        An ordered one in a single number, its step; another in r - 1 indicators. An edge has as
        many parameters as the product of its ends' numbers, a target r - 1 thresholds besides.
        """
        if self.starts is None:
            return np.ones(len(self.words), np.int64)
        indicators = np.diff(self.starts)
        return indicators if self.ordered is None else np.where(self.ordered, 1, indicators)


class FitPenalty(NamedTuple):
    """Penalty on the log-likelihood of a fit: ``l1 sum |b| + l2 sum b^2`` over all slopes b."""

    l1: float = 0.0
    l2: float = 0.0


NO_PENALTY = FitPenalty()


class Costs(NamedTuple):
    """BIC_gamma's two prices: of a regression parameter, and of a blanket variable.

    The likelihood is maximised less the ``penalty``, by default none.
    """

    parameter: float
    variable: float
    penalty: FitPenalty = NO_PENALTY


class Dirichlet(NamedTuple):
    """The marginal likelihood with a Dirichlet prior of 1/2 a cell, and the price of a variable."""

    variable: float


Pricing = Costs | Dirichlet


class Tiling(NamedTuple):
    """How large a tile of the screen should be: words of intersections, and variables a side."""

    words: float
    side: int


class AssociatedPairs(NamedTuple):
    """Pairs i < j, of shape (n_pairs, 2), and the samples where both are one, (n_pairs,)."""

    pairs: NDArray[np.int64]
    joint: NDArray[np.int64]


class AssociatedTables(NamedTuple):
    """Pairs i < j, of shape (n_pairs, 2), and their log-likelihood ratios, (n_pairs,)."""

    pairs: NDArray[np.int64]
    ratios: NDArray[np.float64]


class Blankets(NamedTuple):
    """What a greedy search found: a list and a score a target, and how much it evaluated.

    ``n_bounded`` of the evaluations needed no fit: a bound showed that they were not the best.
    ``not_converged``, of shape (n_targets,), counts the fits of each target that did not converge.
    """

    members: Lists
    scores: NDArray[np.float64]
    evaluations: NDArray[np.int64]
    n_bounded: int
    not_converged: NDArray[np.int64]


class Flipped(NamedTuple):
    """What a climb ended with: of every partner of every variable whether it is in the blanket.

    ``highest``, also of shape (len(partners.values),), is the highest change of the variable's
    score that the flip would have made at any time; where that could not make the edge gain it may
    be a bound, which could not either. ``evaluations`` lists for each group how many blankets of
    each size were scored on the way. ``not_converged`` counts the fits of each variable that did
    not converge.
    """

    present: NDArray[np.bool_]
    highest: NDArray[np.float64]
    evaluations: Lists
    not_converged: NDArray[np.int64]


class Status(IntEnum):
    """How a fit ended, numbered as in ``native/fit``."""

    CONVERGED = 0
    SEPARATED = 1  # the maximum is at infinity, and the value is the supremum
    BOUNDED = 2  # stopped, because no fit can exceed a given value
    NOT_CONVERGED = 3


class Fits(NamedTuple):
    """Maximum likelihood of each target on its blanket, less the penalty on the fit.

    A member is as many predictors as it has scores: its step where it is ordered, else a one for
    each of its levels but the first. Real columns are predictors before those of all members.
    ``coefficients`` holds for every target, one after another:

    - of a nominal one with r levels, an array of shape (1 + n_predictors, r - 1): the thresholds of
    its
      levels but the first, then a row for each predictor;
    - of an ordered one r - 1 thresholds, then one number for each predictor: what a step up of the
      target gains in log odds when the predictor is one higher.

    With two levels both are the intercept and a coefficient a member. ``infinite`` marks those of
    them that grow without bound because the data are separated. ``statuses``, of shape
    (n_targets,), are of `Status`.
    """

    log_likelihoods: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    infinite: NDArray[np.bool_]
    statuses: NDArray[np.uint8]


class IsingNetwork(NamedTuple):
    """A binary network as its Gibbs sampler uses it.

    ``coupling_odds`` is exp(-coupling) of each of ``neighbours.values``, ``field_odds`` exp(-field)
    of each variable, ``order`` that of a sweep; ``is_wide`` marks the variables whose odds could
    leave the range of a float64, products of a part of their factors included.
    """

    neighbours: Lists
    coupling_odds: NDArray[np.float64]
    field_odds: NDArray[np.float64]
    order: NDArray[np.int64]
    is_wide: NDArray[np.bool_]


class PottsNetwork(NamedTuple):
    """A network with any number of levels as its Gibbs sampler uses it.

    A factor is exp of a field or of a table's entry, less the largest of those that compete.
    Variable i with ``n_levels[i]`` levels has ``field_starts[i + 1] - field_starts[i]`` field
    factors, one for each level, padded with zeros to a multiple of `LEVELS_PER_VECTOR`. For
    ``neighbours.values[k]`` there are from ``factor_starts[k]`` on, for each of the neighbour's
    levels, as many for i's levels. ``order`` is that of a sweep; ``is_wide`` marks the variables
    whose products of factors could leave the range of a float64.
    """

    neighbours: Lists
    factors: NDArray[np.float64]
    factor_starts: NDArray[np.int64]
    field_factors: NDArray[np.float64]
    field_starts: NDArray[np.int64]
    n_levels: NDArray[np.int64]
    order: NDArray[np.int64]
    is_wide: NDArray[np.bool_]


Network = IsingNetwork | PottsNetwork


class Chains(NamedTuple):
    """Where `CHAINS` chains are: states (CHAINS, n_variables), generators (4, CHAINS)."""

    states: NDArray[np.uint8]
    generators: NDArray[np.uint32]


class L1Paths(NamedTuple):
    """L1-penalised logistic regressions of each target, along a path of falling penalties.

    ``lambdas``, ``intercepts`` and ``log_likelihoods`` have shape (n_targets, n_fractions).
    ``supports`` has a list for each of their elements, target after target, of the variables whose
    slope is not zero, ascending; ``slopes`` holds a number for each of ``supports.values``.
    ``converged``, of shape (n_targets,), says whether all fits of a target's path have.
    """

    lambdas: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    log_likelihoods: NDArray[np.float64]
    supports: Lists
    slopes: NDArray[np.float64]
    converged: NDArray[np.bool_]


class PairFits(NamedTuple):
    """Pairs fitted with and without a coupling, as ``kernels/reference/pair_fit.py`` says.

    ``joint`` and ``apart``, of shape (n_pairs,), are the two maxima, ``log_determinants`` the log
    of the ratio of their Hessians' determinants. ``couplings`` and ``variances`` hold the coupling
    given that there is one, pair after pair: its log odds ratio, of a step where levels are
    ordered, or where an end has more than one score the r_i r_j entries of its zero-sum table.
    """

    joint: NDArray[np.float64]
    apart: NDArray[np.float64]
    log_determinants: NDArray[np.float64]
    couplings: NDArray[np.float64]
    variances: NDArray[np.float64]


class PairPrior(NamedTuple):
    """What a chain over graphs takes for granted of all pairs.

    ``log_odds``, of shape (n_pairs,), are those of each candidate pair; not a number where they are
    those of the edge density, which is ``density``, or where ``learns_density`` is true begins with
    it and is then the mean probability of all pairs after each sweep that is added up. Pairs that
    are no candidates enter that by ``bin_counts`` and the ``bin_log_bayes_factors`` of those
    counted. ``scale`` is the standard deviation of slopes and couplings. ``periods``, of shape
    (n_pairs,): a pair is visited in the last of every so many sweeps that settle and in the first
    of every so many that are added up.
    """

    log_odds: NDArray[np.float64]
    bin_log_bayes_factors: NDArray[np.float64]
    bin_counts: NDArray[np.float64]
    scale: float
    density: float
    learns_density: bool
    periods: NDArray[np.uint8]


class GraphChain(NamedTuple):
    """Where a chain over graphs is: which pairs are edges, (n_pairs,), and a generator, (4,).

    ``fits``, of shape (n_words,), are those that another chain over the same samples has made; or
    empty; or None where those that the chain makes are not to be handed on.
    """

    present: NDArray[np.uint8]
    generator: NDArray[np.uint32]
    fits: NDArray[np.int64] | None = None


class GraphSums(NamedTuple):
    """What sweeps over pairs add up to.

    ``densities`` of shape (n_settling + n_sweeps,) are those after each sweep; ``probabilities``
    the sum over the last ``n_sweeps`` of every pair's P, of shape (n_pairs,), ``couplings`` that of
    P times the coupling, ``squares`` that of P times its square and variance, as many as `PairFits`
    has. ``n_fits`` pairs had to be fitted for it.
    """

    densities: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    couplings: NDArray[np.float64]
    squares: NDArray[np.float64]
    n_fits: int


class PottsSamples(NamedTuple):
    """Samples as a Potts model reads them: a row of its table for every level of every variable.

    Variable v has the rows from ``starts[v]`` to ``starts[v + 1]``, one a level. ``places``, of
    shape (n_samples, n_variables) and dtype int32, has the row of each value, or ``starts[-1]``
    where it is missing; ``weights``, of shape (n_samples,), says how often each sample counts.
    """

    places: NDArray[np.int32]
    starts: NDArray[np.int64]
    weights: NDArray[np.float64]


class PottsPenalty(NamedTuple):
    """What the squares of fields, and of the couplings of i and j, are multiplied by.

    The latter is ``variables[i] * variables[j]``, once in each of their two regressions.
    """

    field: float
    variables: NDArray[np.float64]


class PottsFits(NamedTuple):
    """Some targets' regressions on all other variables: their part of a Potts model.

    ``table``, of shape (n_rows + 1, n_columns) and dtype float32, has a row for each level of each
    variable, then one with the fields; a column for each level of each target. Fields are those of
    an average sample: log odds are ``fields + sum over j of (row of x_j - mean row of j)``, the
    mean being over the samples. A target's own rows are zero. ``n_steps`` is how long it took;
    ``converged``, of shape (n_targets,), says which targets have a gradient within the tolerance.
    """

    table: NDArray[np.float32]
    n_steps: int
    converged: NDArray[np.bool_]


class Unsound(NamedTuple):
    """First variables, -1 for none, with a one ``past`` the samples, or a sample of ``two_levels``.

    A sample that has a level and is missing counts as one of two levels.
    """

    past: int
    two_levels: int


# What the kernels return, and so what tiles consist of: the records that a checkpoint knows.
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
    """The operations that cost time."""

    @property
    def name(self) -> str:
        """What to call the backend."""

    def tiling(self, bits: Bits) -> Tiling:
        """Say how large a tile of the screen of these variables should be."""

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the pairs i < j, i in ``rows`` and j in ``columns``, that depend on each other.

        For plain bits only. Those are the pairs whose log-likelihood ratio, n times their mutual
        information, is ``least_ratio`` > 0 or more. ``ones`` counts the ones of every variable, and
        ``n_log_n`` holds k log k for k = 0 ... n_samples.
        """

    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        """Find the pairs i < j, i in ``rows`` and j in ``columns``, that depend on each other.

        Those are the pairs whose log-likelihood ratio is the price of an edge (see
        ``Bits.n_scores``) or more: that of its parameters plus that of a variable, which is
        positive. The ratio is that of an edge against none in the pair's table, both margins being
        free.
        """

    def associated_among(
        self, bits: Bits, pairs: NDArray[np.int64], costs: Costs
    ) -> AssociatedTables:
        """Find the pairs i < j whose likelihood ratio reaches their penalty, in the given order."""

    def toggle_scores(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        blankets: Lists,
        toggles: Lists,
        costs: Pricing,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each target's blanket, and it with each of ``toggles`` put in or taken out.

        Returns scores of shape (n_targets,), and toggled ones of shape (len(toggles.values),).
        """

    def grow_blankets(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        """Search greedily for each target's blanket among its candidates (ascending).

        ``kept`` has for each target the members (ascending) that its search starts from and never
        takes out; None is for none at all.
        """

    def climb_groups(
        self,
        bits: Bits,
        groups: Lists,
        blankets: Lists,
        partners: Lists,
        changes: NDArray[np.float64],
        costs: Pricing,
    ) -> Flipped:
        """Flip the edge that gains most within each group of variables until none gains.

        ``groups`` lists the variables of each, ascending. For every one of these, ``blankets`` has
        its blanket at the start, and ``partners`` the variables (ascending) to which it is joined
        by an edge that may be flipped; ``changes``, of shape (len(partners.values),), how its score
        would change by each of these flips. Both ends of an edge within a group have it; an edge
        that leads out of a group stays as it is.
        """

    def fit_blankets(
        self, bits: Bits, targets: NDArray[np.int64], blankets: Lists, penalty: FitPenalty
    ) -> Fits:
        """Fit each target's logistic regression on its blanket."""

    def gibbs(
        self, network: Network, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains: ``burn_in`` sweeps, then ``n_draws`` times ``thinning`` sweeps.

        Returns the states after each thinning, of shape (n_draws, CHAINS, n_variables), and where
        the chains are then.
        """

    def independence_tests(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        givens: Lists,
        others: Lists,
        log_factorials: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Test each target against each of its ``others``, given its list of ``givens``.

        Returns log-probabilities of independence, of shape (len(others.values),).
        ``log_factorials`` holds log k! for k = 0 ... n_samples + 3.
        """

    def l1_paths(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        penalties: NDArray[np.float64],
        fractions: NDArray[np.float64],
        largest_support: int,
    ) -> L1Paths:
        """Maximise L(b)/n - lambda sum_j penalties_j |b_j| for each target on its candidates.

        The intercept and real columns have no penalty; ``penalties`` has one for every variable.
        Candidates whose penalty is zero are in every fit. Lambda is each of ``fractions`` (falling,
        of 1 at most) of the least lambda at which all other slopes are zero. A path ends with the
        first support of more than ``largest_support`` variables, and repeats it. Where candidates
        are equal, complements or otherwise combinations of others, there may be several maxima, and
        a backend is free to return any of them.
        """

    def fit_pairs(
        self,
        bits: Bits,
        pairs: NDArray[np.int64],
        given_first: Lists,
        given_second: Lists,
        scale: float,
        n_covariates: int = 0,
    ) -> PairFits:
        """Fit each pair i < j, given the other neighbours of i and of j, both ascending.

        The last ``n_covariates`` variables and real columns are given to both ends in addition.
        Slopes and couplings have the prior N(0, scale^2), slopes on those a weak one; without
        priors ``scale`` is infinite.
        """

    def sample_graphs(
        self,
        bits: Bits,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
        n_covariates: int = 0,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over the graphs whose edges are some of ``pairs`` (i < j, ascending).

        In each sweep every pair is an edge with its probability given the others; see
        ``kernels/reference/graph_chain.py``. The last ``n_covariates`` variables are given to every
        end. Returns sums over the last ``n_sweeps`` sweeps, and where the chain is then.
        """

    def fit_potts(
        self,
        samples: PottsSamples,
        targets: NDArray[np.int64],
        penalty: PottsPenalty,
        tolerance: float,
        most_steps: int | None = None,
    ) -> PottsFits:
        """Fit the regressions of some targets, 64 at most, on all other variables.

        Minimises minus the targets' log-likelihood plus the penalty. A target has converged when
        the norm of its gradient g, sqrt(sum g^2 / c) with the second derivatives c where nothing
        depends on anything, is at most ``tolerance``: about its distance from the minimum in
        standard errors. None of ``most_steps`` is the backend's own limit. A missing value adds
        nothing to the log odds, and is not a target.
        """

    def unsound_variables(
        self, bits: Bits, masked: NDArray[np.int64], masks: NDArray[np.uint64]
    ) -> Unsound:
        """Find variables whose rows are not what the other operations take for granted.

        ``masked`` lists the variables with missing values, ascending, and ``masks`` has for each
        the samples in which it is missing, packed as the rows are.
        """
