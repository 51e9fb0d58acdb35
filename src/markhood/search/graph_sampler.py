"""Estimate the posterior probability of every edge with Markov chains over graphs.

The Bayes factor of a pair given the current neighbours of its two ends
(`kernels/reference/pair_fit.py`) times the prior odds gives the conditional probability of an edge.
Chains over graphs (`kernels/reference/graph_chain.py`) average it over the neighbours.

    1. candidates: all pairs of up to a hundred variables with a single coupling; otherwise pairs
       that are not improbable on their own (`remaining_pairs.py`), pairs of any blanket, and pairs
       two steps apart in the starting graph. Others enter through their marginal statistic.
    2. rounds of a few sweeps until the scale of couplings, estimated from the pairs, is stable;
       pairs two steps apart in the current graph become candidates
    3. chains, all started from the last round's graph, each with its own generator. Their mean is
       the estimate, and their disagreement measures its error. The more certain the last round was
       about a pair, the less often it is visited. Each chain runs in parts, whose means give R-hat
       and the effective sample size (`values/probabilities.py`). Chains are doubled in length
       until these show convergence; pairs that are then nearly certain are visited once in a part.
       If draws are kept, a part is one sweep that visits all pairs.

**Hyperparameters** are learned from all pairs. The density is the mean probability of all pairs and
of those that its prior adds (`remaining_pairs.py`), so no prior guess of the number of edges is
needed. Without candidates two steps apart, indirect association would bias it; candidates three
steps apart did not change it and took up to three times the fits. Scale and shape of the prior of
couplings (`kernels/reference/graph_chain.py`) are those whose second and fourth moments are the
mean posterior moments over edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import GraphChain, GraphSums, PairPrior
from markhood.kernels.ties import TIE
from markhood.scores.scorer import Pairs
from markhood.search.background import Layout, with_background
from markhood.search.chains import ChainRun, Ran, Sweeps, continued, generator_of, run_chain
from markhood.search.hill_climbing import hill_climb
from markhood.search.remaining_pairs import (
    has_too_many,
    may_be_edges,
    measure_remaining_pairs,
    most_slopes,
)
from markhood.search.screen import screen
from markhood.search.values.job import Job
from markhood.search.values.probabilities import (
    LARGEST_ERROR,
    Choice,
    Draws,
    EdgeProbabilities,
)
from markhood.search.values.search_result import SearchResult, timed

SCREEN_GAMMA = 0.25
START_GAMMA = 0.5  # of PLRHC, whose graph starts the chains
START_SCALE = 1.5  # of couplings; also the mean of its prior, which is worth a few edges
PRIOR_EDGES = 5.0
SMALLEST_SCALE, LARGEST_SCALE = 0.1, 5.0
LARGEST_SHAPE = 0.95
MOST_ROUNDS = 8
SETTLED = 0.03  # relative change of the scale that does not affect probabilities
STILL = 0.01  # relative change of the density in a sweep that ends the rounds
# Visits of a pair by the distance of its mean probability in the last round from 0 or 1.
PERIODS = ((0.003, 20), (0.03, 10), (0.1, 4))
ONCE = 255  # longer than every part of a continued chain: a visit in its first sweep
SWEEPS_OF_ROUND = 6
# Fits times further parameters of a coupling, per variable, after which chains are not doubled, and
# after which rounds end and chains begin with half of the sweeps. 100 samples of 30 variables with
# five levels that depend on a hidden class take 8 s.
MOST_WORK, MOST_OF_ROUNDS = 6000, 1500
MOST_STEPS = 128  # limit on neighbours of a variable whose pairs all become candidates


def _no_pairs() -> Ints:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class GraphPrior:
    """Prior of edges and couplings.

    Attributes
    ----------
    density : float, optional
        Probability of an edge; by default learned from the data.
    scale : float, optional
        The standard deviation of couplings; by default learned from the data.
    start_scale : float
        Where learning it starts.
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        i < j: pairs with a probability of their own.
    probabilities : ndarray of shape (n_pairs,), dtype float64
        Strictly between 0 and 1; certain edges are required or forbidden instead.
    """

    density: float | None = None
    scale: float | None = None
    start_scale: float = START_SCALE
    pairs: Ints = field(default_factory=_no_pairs)
    probabilities: Floats = field(default_factory=lambda: np.empty(0))


def bayes(
    job: Job, *, choice: Choice, prior: GraphPrior | None = None, sweeps: Sweeps | None = None
) -> SearchResult:
    """Start at PLRHC's graph, estimate the probability of every candidate, and select edges.

    Parameters
    ----------
    job : Job
    choice : Choice
        Which pairs make the graph.
    prior : GraphPrior, optional
    sweeps : Sweeps, optional
    """
    seconds: dict[str, float] = {}
    with timed(seconds, "screen"):
        screened = screen(job, SCREEN_GAMMA)
    # The paper's screen is the same with a higher penalty, so it need not be run again.
    gains = screened.gains - (START_GAMMA - SCREEN_GAMMA) * np.log(max(1, job.n_variables - 1))
    passing = gains > TIE
    stricter = Pairs(screened.edges[passing], gains[passing])
    climbed = hill_climb(
        job, gamma=START_GAMMA, depth=3, rule="global", start="or", screened=stricter
    )
    seconds |= {phase: s for phase, s in climbed.seconds.items() if phase != "screen"}
    with timed(seconds, "chains"):
        density = first_density(job, climbed.edges, prior)
        likely = may_be_edges(job, screened, SCREEN_GAMMA, density, START_SCALE)
        also = np.concatenate([likely, climbed.or_edges])
        found = replace(sample_edges(job, climbed.edges, also, prior, sweeps), choice=choice)
    edges = found.edges
    return replace(
        climbed,
        edges=edges,
        or_edges=_distinct([climbed.or_edges, edges]),
        screened=screened,
        probabilities=found,
        seconds=seconds,
    )


def sample_edges(
    job: Job, start: Ints, also: Ints, prior: GraphPrior | None = None, sweeps: Sweeps | None = None
) -> EdgeProbabilities:
    """Estimate the probability of every candidate pair.

    Parameters
    ----------
    job : Job
    start : ndarray of shape (n_edges, 2)
        The starting graph.
    also : ndarray of shape (n_pairs, 2)
        Further candidates: screened pairs and members of blankets.
    prior : GraphPrior, optional
    sweeps : Sweeps, optional
    """
    sweeps = sweeps or Sweeps()
    seeds = np.random.SeedSequence(job.seed).spawn(sweeps.n_chains + 1)
    state = settle(job, start, also, prior, seeds[-1])
    chains = [GraphChain(state.present, generator_of(seed)) for seed in seeds[:-1]]
    densities, n_settling = [state.density] * len(chains), sweeps.n_settling
    runs, n, length = list[ChainRun](), 0, sweeps.n_averaged
    if state.work(0) > MOST_OF_ROUNDS and length < sweeps.n_most:
        length = (length + 1) // 2
    while True:
        further = _advance(job, state, chains, densities, n_settling, sweeps.parts(length, n))
        runs = list(map(continued, runs, further)) if runs else further
        n += length
        result = together(job, state, runs, replace(sweeps, n_averaged=n))
        is_long = state.work(result.n_fits) > MOST_WORK
        if 2 * n > sweeps.n_most or result.has_converged or is_long:
            return result
        length, n_settling = n, 0
        state.visit_by(result)
        chains = [GraphChain(run.present[-1], run.generator) for run in runs]
        densities = [float(run.sums.densities[-1]) for run in runs]


def _advance(
    job: Job,
    state: State,
    chains: Sequence[GraphChain],
    densities: Sequence[float],
    n_settling: int,
    parts: Sequence[int],
) -> list[ChainRun]:
    """Run all chains for these parts."""
    scorer, pairs, set_up = job.scorer, state.pairs, state.pair_prior()

    def starting_with(fits: Ints) -> Callable[[tuple[GraphChain, float]], Ran]:
        # It may be sent to other processes, so it must not refer to the state and its job.
        def run(tile: tuple[GraphChain, float]) -> Ran:
            chain, density = tile
            own, prior = chain._replace(fits=fits), set_up._replace(density=density)
            return run_chain(scorer, pairs, prior, own, n_settling, parts)

        return run

    # Chains share about half of their fits, so one chain runs first.
    first, *others = zip(chains, densities, strict=True)
    ((found, fits),) = job.runner.map("chains", starting_with(state.fits), [first])
    if fits is not None:
        state.fits = fits
    run = starting_with(state.fits)
    # The fits of the others are not reused; leaving them out keeps a checkpoint small.
    return [found, *job.runner.map("chains", lambda tile: run(tile)[0], others)]


def settle(
    job: Job, start: Ints, also: Ints, prior: GraphPrior | None, seed: np.random.SeedSequence
) -> State:
    """Choose candidates and the scale of couplings, as `sample_edges` does before its chains."""
    prior = prior or GraphPrior()
    state = State(job, prior, start, np.concatenate([start, also, prior.pairs]))
    state.learn_scale(generator_of(seed))
    return state


def first_density(job: Job, start: Ints, prior: GraphPrior | None) -> float:
    """Return the given density, or that of the starting graph."""
    d = job.n_nodes
    n_pairs = max(1, d * (d - 1) // 2)
    return (prior and prior.density) or (len(start) + 0.5) / (n_pairs + 1)


class State:
    """The state that rounds update: candidates, graph, density and scale."""

    def __init__(self, job: Job, prior: GraphPrior, start: Ints, found: Ints) -> None:
        self._job, self._prior = job, prior
        self._others = measure_remaining_pairs(job)
        self.scale = prior.scale or prior.start_scale
        self.shape = self.background = 0.0
        self.density = first_density(job, start, prior)
        self.pairs, self.present = _no_pairs(), np.empty(0, np.uint8)
        self._periods = np.empty(0, np.uint8)
        self._n_fits = 0  # of the rounds
        self.expected = np.empty(0)  # couplings without an edge
        # From the last round; chains with the same scale reuse them.
        self.fits = np.empty(0, np.int64)
        self._add(found, job.constraints.applied_to(start))

    def learn_scale(self, generator: NDArray[np.uint32]) -> None:
        """Sweep in rounds that update scale and candidates, until scale and density are stable.

        A stable scale keeps its value of the last round, so that the fits can be reused.
        """
        chain = GraphChain(self.present, generator, self.fits)
        for _ in range(MOST_ROUNDS if len(self.pairs) else 0):
            sums, chain = self._round(chain._replace(present=self.present))
            if self._prior.density is None:
                self.density = float(sums.densities[-1])
            scale, self.shape = _scale_and_shape(self._job, self.pairs, sums)
            scale = self._prior.scale or scale
            p = sums.probabilities / SWEEPS_OF_ROUND
            self._periods = periods_of(p)
            self._add(_no_pairs(), self.pairs[chain.present > 0])
            if chain.fits is not None:
                self.fits = chain.fits
            is_scale_settled = abs(scale / self.scale - 1) < SETTLED
            self._n_fits += sums.n_fits
            is_density_settled = abs(sums.densities[-1] / sums.densities[-2] - 1) < STILL
            if (is_scale_settled and is_density_settled) or self.work(0) > MOST_OF_ROUNDS:
                break
            if not is_scale_settled:
                self.scale = scale

    def sweep_once(self, chain: GraphChain) -> None:
        """Visit all pairs once, and add pairs that are then two steps apart."""
        sums, chain = self._job.scorer.swept(self.pairs, self.pair_prior(), chain, 0, 1)
        self.density = float(sums.densities[-1])
        self._periods = periods_of(sums.probabilities)
        self._add(_no_pairs(), self.pairs[chain.present > 0])

    def _round(self, chain: GraphChain) -> tuple[GraphSums, GraphChain]:
        """Measure all pairs, then visit mainly uncertain pairs in a few sweeps."""
        scorer, pairs, set_up = self._job.scorer, self.pairs, self.pair_prior()
        layout = _layout(self._job, pairs)
        # The last bin has the pairs that the prior of the density adds.
        n_absent = self._others.n_absent if len(set_up.bin_counts) == 1 else None

        def run(at: GraphChain) -> tuple[GraphSums, GraphChain, float, Floats]:
            prior, p, at = with_background(scorer, pairs, set_up, at, layout, n_absent)
            prior = prior._replace(periods=periods_of(p))
            swept = scorer.swept(pairs, prior, at, 0, SWEEPS_OF_ROUND)
            return *swept, prior.background, prior.expected

        ran = self._job.runner.map("rounds", run, [chain])
        ((sums, chain, self.background, self.expected),) = ran
        return sums, chain

    def visit_by(self, found: EdgeProbabilities) -> None:
        """Visit pairs less often whose probability is nearly certain and has a small error."""
        assert found.draws is not None
        p = found.probabilities
        is_certain = np.minimum(p, 1 - p) < PERIODS[-1][0]
        is_settled = is_certain & (found.draws.errors <= LARGEST_ERROR / 3)
        self._periods = np.where(is_settled, ONCE, periods_of(p)).astype(np.uint8)

    def work(self, n_fits: int) -> float:
        """Return the work of the rounds and further fits, in units of `MOST_WORK`."""
        sizes = self._job.samples.bits.n_scores[self.pairs].prod(axis=1)
        further = float(sizes.mean()) - 1.0 if len(sizes) else 0.0
        return (self._n_fits + n_fits) * further / self._job.n_nodes

    def own_log_odds(self) -> Floats:
        """Return the prior log odds of pairs with their own, infinite if required; NaN if none."""
        log_odds, numbers = np.full(len(self.pairs), np.nan), pair_numbers(self.pairs)
        own, p = pair_numbers(self._prior.pairs), self._prior.probabilities
        is_candidate = np.isin(own, numbers)
        p = p[is_candidate]
        log_odds[np.searchsorted(numbers, own[is_candidate])] = np.log(p) - np.log1p(-p)
        log_odds[self._job.constraints.requires(self.pairs)] = np.inf
        return log_odds

    def pair_prior(self) -> PairPrior:
        """Return the fixed inputs of a chain in the current state."""
        numbers = pair_numbers(self.pairs)
        bins, counts = self._others.histogram(numbers, self.scale)
        is_learned = self._prior.density is None
        return PairPrior(
            self.own_log_odds(),
            bins,
            counts,
            self.scale,
            self.shape,
            self.background,
            self.expected,
            self.density,
            is_learned,
            self._periods,
            most_slopes(self._job.samples),
        )

    def _add(self, found: Ints, edges: Ints) -> None:
        """Add candidates, and pairs two steps apart in the graph, which becomes current."""
        steps = _two_steps(edges, self._job.n_variables)
        likely = self._others.likely(self.scale, self.density)
        pairs = _distinct([self.pairs, found, edges, steps, likely])
        known, is_constant = self._job.constraints, self._job.samples.is_constant
        possible = ~is_constant[pairs].any(axis=1) & ~has_too_many(self._job.samples, pairs)
        before = pair_numbers(self.pairs)
        self.pairs = pairs[(known.allows(*pairs.T) & possible) | known.requires(pairs)]
        numbers = pair_numbers(self.pairs)
        self.present = np.isin(numbers, pair_numbers(edges)).astype(np.uint8)
        at, periods, expected = np.searchsorted(numbers, before), self._periods, self.expected
        self._periods = np.full(len(numbers), PERIODS[-1][1], np.uint8)
        self.expected = np.zeros(len(numbers))
        self._periods[at], self.expected[at] = periods, expected


def _two_steps(edges: Ints, n_variables: int) -> Ints:
    """List the pairs i < j that have a common neighbour, with repetitions."""
    neighbours = Lists.of_neighbours(edges, n_variables)
    degrees = np.minimum(neighbours.lengths, MOST_STEPS)
    found = [_no_pairs()]
    for degree in np.unique(degrees[degrees > 1]).tolist():
        first = neighbours.starts[:-1][degrees == degree]
        ends = neighbours.values[first[:, np.newaxis] + np.arange(degree)]
        i, j = np.triu_indices(degree, 1)
        found.append(np.stack([ends[:, i], ends[:, j]], axis=-1).reshape(-1, 2))
    return np.concatenate(found)


def _scale_and_shape(job: Job, pairs: Ints, sums: GraphSums) -> tuple[float, float]:
    """Return the root mean square of couplings over edges, and the shape of their prior.

    Both have a prior worth `PRIOR_EDGES` edges: `START_SCALE`, and a normal distribution. A table
    is a product of both ends' features, whose squares sum to 1/2 (nominal) or r/4 (ordered).
    """
    sizes, n_scores = _sizes(job, pairs), job.samples.bits.n_scores
    first = np.cumsum(sizes) - sizes
    levels = np.diff(job.samples.starts) + 1
    of_table = np.where(n_scores == levels - 1, 0.5, levels / 4)
    of_step = 3.0 / (levels**2 - 1)
    grown = np.where(sizes == 1, of_step[pairs].prod(axis=1), of_table[pairs].prod(axis=1))
    p, free = sums.probabilities / SWEEPS_OF_ROUND, n_scores[pairs].prod(axis=1)
    each = np.maximum(sums.probabilities, 1e-300)
    squares = np.add.reduceat(sums.squares, first) / (each * grown * free)
    mean = (p @ squares + PRIOR_EDGES * START_SCALE**2) / (p.sum() + PRIOR_EDGES)
    # The fourth moment of a normal posterior, over the square of the prior's second.
    centre = (sums.couplings[first] / each) ** 2 / grown
    fourth = np.where(sizes == 1, 3 * squares**2 - 2 * centre**2, 3 * mean**2) / mean**2
    kurtosis = (p @ fourth + 3 * PRIOR_EDGES) / (p.sum() + PRIOR_EDGES)
    # A mixture with two modes has the kurtosis 3 - 2 shape^4, one with heavy tails 3 + 3 shape^2.
    shape = ((3 - kurtosis) / 2) ** 0.25 if kurtosis < 3 else -((kurtosis / 3 - 1) ** 0.5)
    shape = float(np.clip(shape, -LARGEST_SHAPE, LARGEST_SHAPE))
    return float(np.clip(np.sqrt(mean), SMALLEST_SCALE, LARGEST_SCALE)), shape


def _layout(job: Job, pairs: Ints) -> Layout:
    """Return where the couplings of pairs are, and their units."""
    sizes, levels = _sizes(job, pairs), np.diff(job.samples.starts) + 1
    units = np.sqrt(3.0 / (levels**2 - 1))[pairs].prod(axis=1)
    is_ordered = (levels > 2) & (job.samples.bits.n_scores == 1)
    has_factors = job.samples.components is not None
    return Layout(
        np.cumsum(sizes) - sizes, units, sizes == 1, is_ordered[: job.n_nodes], has_factors
    )


def _sizes(job: Job, pairs: Ints) -> Ints:
    """Return the number of parameters of each pair's coupling."""
    levels, n_scores = np.diff(job.samples.starts)[pairs] + 1, job.samples.bits.n_scores[pairs]
    return np.where((n_scores == 1).all(axis=1), 1, levels.prod(axis=1))


def together(
    job: Job, state: State, chains: Sequence[ChainRun], sweeps: Sweeps
) -> EdgeProbabilities:
    """Average the chains."""
    n = sweeps.n_averaged * sweeps.n_chains
    sizes = _sizes(job, state.pairs)
    sums = [own.sums for own in chains]
    total = sum(own.probabilities for own in sums)
    weight = np.repeat(np.maximum(total, 1e-300), sizes)
    means = sum(own.couplings for own in sums) / weight
    squares = sum(own.squares for own in sums) / weight
    densities = np.stack([own.densities[sweeps.n_settling :] for own in sums])
    return EdgeProbabilities(
        state.pairs,
        np.asarray(total / n),
        np.asarray(means),
        np.sqrt(np.maximum(squares - means**2, 0.0)),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
        float(densities.mean()),
        state.scale,
        np.stack([own.probabilities / sweeps.n_averaged for own in sums]),
        sum(own.n_fits for own in sums),
        shape=state.shape,
        background=state.background,
        mediated=float(np.abs(state.expected).max(initial=0.0)),
        sweeps=sweeps.n_averaged,
        draws=Draws(
            np.stack([own.present for own in chains]),
            np.stack([own.means for own in chains]),
            densities,
        ),
        own_log_odds=state.own_log_odds(),
    )


def periods_of(probabilities: Floats) -> NDArray[np.uint8]:
    """Return the period of visits of each pair from its mean probability in a round."""
    doubt = np.minimum(probabilities, 1 - probabilities)
    below = [doubt < most for most, _ in PERIODS]
    return np.select(below, [period for _, period in PERIODS], 1).astype(np.uint8)


def _distinct(lists: Sequence[Ints]) -> Ints:
    """Combine lists of pairs into unique pairs in lexicographic order."""
    return pairs_numbered(np.unique(pair_numbers(np.concatenate(lists))))
