"""Every edge with its probability: chains over graphs, a pair at a time.

A pair's Bayes factor given the present neighbours of its two ends (`kernels/reference/pair_fit.py`) times
the prior odds of an edge gives the probability that the pair is an edge; chains of graphs
(`kernels/reference/graph_sampler.py`) average it over what the neighbours may be.

    1. candidates: pairs that pass the screen at gamma 1/4, those of any blanket, and pairs two
       steps apart in the graph where the search begins. All other pairs count by their marginal statistic.
    2. rounds of a few sweeps, until the scale of couplings, taken from the pairs', changes no more;
       pairs two steps apart in the graph as it has become are candidates from then on
    3. chains, all from the last round's graph, each with its own generator; their mean is the answer and their
       disagreement says how far it is settled

**Two numbers are learned from all pairs together.** The density is the mean probability of all
pairs, so that nothing need be known of how many edges to expect. It would suffer from indirect
association if pairs two steps apart were not candidates; with those three apart it was the same
and took up to three times the fits. The scale of couplings is the root of the mean of theta^2 +
variance over edges, but `LARGEST_SCALE` at most: where only strong edges can be seen the mean is too
high (2.7 where the truth is 2), and a slab that is too wide costs edges, one too narrow little.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import GraphChain, GraphSums, Kernels, PairPrior
from markhood.search.knowledge import NOTHING, Knowledge
from markhood.search.other_pairs import OtherPairs, measure_other_pairs
from markhood.search.screen import pair_costs, screen

SCREEN_GAMMA = 0.25
LARGEST_SCALE = 1.5
SMALLEST_SCALE = 0.1
MOST_ROUNDS = 6
SETTLED = 0.03  # a relative change of the scale that makes no difference to a probability
SWEEPS_OF_ROUND = 10  # the first half of them to settle
MOST_STEPS = 128  # of a variable with more neighbours, not all pairs of them become candidates


def _no_pairs() -> NDArray[np.int64]:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class GraphPrior:
    """What is believed of edges before the data are seen.

    Attributes
    ----------
    density : float, optional
        The probability of an edge; by default learned from the data.
    scale : float, optional
        The standard deviation of couplings; by default learned from the data.
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        i < j: pairs with a probability of their own.
    probabilities : ndarray of shape (n_pairs,), dtype float64
        Between 0 and 1, both excluded: what is certain is required or forbidden.
    """

    density: float | None = None
    scale: float | None = None
    pairs: NDArray[np.int64] = field(default_factory=_no_pairs)
    probabilities: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class Sweeps:
    """How long the chains are, and how many.

    Attributes
    ----------
    n_chains : int
    n_settling : int
        Sweeps of each chain before probabilities are added up.
    n_averaged : int
        Sweeps over which they are.
    seed : int
    """

    n_chains: int = 4
    n_settling: int = 15
    n_averaged: int = 30
    seed: int = 0


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """What chains over graphs say of the candidate pairs.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        Candidates, i < j in lexicographic order.
    probabilities : ndarray of shape (n_pairs,), dtype float64
    couplings, deviations : ndarray, dtype float64
        Mean and standard deviation of each coupling given that it is there: a log odds ratio a pair, or where
        a variable has more levels the entries of the zero-sum table; pair k's are
        those from ``starts[k]`` to ``starts[k + 1]``.
    starts : ndarray of shape (n_pairs + 1,), dtype int64
    density, scale : float
        Of edges, and of couplings.
    chain_probabilities : ndarray of shape (n_chains, n_pairs), dtype float64
    n_fits : int
        Pairs fitted, by all chains.
    """

    pairs: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    couplings: NDArray[np.float64]
    deviations: NDArray[np.float64]
    starts: NDArray[np.int64]
    density: float
    scale: float
    chain_probabilities: NDArray[np.float64]
    n_fits: int

    @property
    def disagreement(self) -> float:
        """The largest difference between two chains' probabilities of a pair."""
        return float(np.ptp(self.chain_probabilities, axis=0).max(initial=0.0))

    def edges(self, fdr: float | None = None) -> NDArray[np.int64]:
        """Return the pairs that are likelier edges than not, or as many as keep to a rate.

        That is the largest set of the likeliest pairs whose mean 1 - P is ``fdr`` at most.
        """
        if fdr is None:
            return self.pairs[self.probabilities > 0.5]
        order = np.argsort(-self.probabilities, kind="stable")
        expected = np.cumsum(1.0 - self.probabilities[order]) / np.arange(1, len(order) + 1)
        return self.pairs[np.sort(order[: np.count_nonzero(expected <= fdr)])]


def sample_edges(
    samples: Samples,
    start: NDArray[np.int64],
    *,
    kernels: Kernels,
    runner: Runner,
    also: NDArray[np.int64] | None = None,
    screened: NDArray[np.int64] | None = None,
    prior: GraphPrior | None = None,
    sweeps: Sweeps | None = None,
    knowledge: Knowledge = NOTHING,
) -> EdgeProbabilities:
    """Give every pair of variables that may be an edge its probability.

    Parameters
    ----------
    samples : Samples
    start : ndarray of shape (n_edges, 2)
        The graph where the chains begin.
    kernels : Kernels
    runner : Runner
    also : ndarray of shape (n_pairs, 2), optional
        Candidates besides those of the screen: what any blanket had.
    screened : ndarray of shape (n_pairs, 2), optional
        What passed the screen at `SCREEN_GAMMA`, where that is known; else it is run.
    prior : GraphPrior, optional
    sweeps : Sweeps, optional
    knowledge : Knowledge, optional
    """
    prior, sweeps = prior or GraphPrior(), sweeps or Sweeps()
    if screened is None:
        screened = screen(samples, pair_costs(samples, SCREEN_GAMMA), kernels, runner).edges
    found = np.concatenate([screened, start, *([] if also is None else [also]), prior.pairs])
    others = measure_other_pairs(samples, knowledge, kernels)
    state = _State(samples, prior, knowledge, others, kernels, start, found)
    seeds = np.random.SeedSequence(sweeps.seed).spawn(sweeps.n_chains + 1)
    state.learn_scale(_generator(seeds[-1]))
    set_up, present = state.pair_prior(), state.present

    def run(seed: np.random.SeedSequence) -> GraphSums:
        chain = GraphChain(present, _generator(seed))
        length = sweeps.n_settling, sweeps.n_averaged
        return kernels.sample_graphs(samples.bits, state.pairs, set_up, chain, *length)[0]

    chains = list(runner.map("chains", run, seeds[:-1]))
    return _together(samples, state, chains, sweeps)


class _State:
    """What the rounds change: candidates, the graph, the density and the scale."""

    def __init__(
        self,
        samples: Samples,
        prior: GraphPrior,
        knowledge: Knowledge,
        others: OtherPairs,
        kernels: Kernels,
        start: NDArray[np.int64],
        found: NDArray[np.int64],
    ) -> None:
        self._samples, self._prior, self._kernels = samples, prior, kernels
        self._knowledge, self._others = knowledge, others
        d = samples.n_variables
        self.scale = prior.scale or LARGEST_SCALE
        n_pairs = max(1, d * (d - 1) // 2)
        self.density = prior.density or (len(start) + 0.5) / (n_pairs + 1)
        self.pairs, self.present = _no_pairs(), np.empty(0, np.uint8)
        self._add(found, knowledge.applied_to(start))

    def learn_scale(self, generator: NDArray[np.uint32]) -> None:
        """Sweep in rounds, after each of which scale and candidates are chosen anew."""
        settling = SWEEPS_OF_ROUND // 2
        chain = GraphChain(self.present, generator)
        for _ in range(MOST_ROUNDS if len(self.pairs) else 0):
            before, set_up = self.scale, self.pair_prior()
            sums, chain = self._kernels.sample_graphs(
                self._samples.bits,
                self.pairs,
                set_up,
                chain._replace(present=self.present),
                settling,
                SWEEPS_OF_ROUND - settling,
            )
            if self._prior.density is None:
                self.density = float(sums.densities[-1])
            if self._prior.scale is None:
                self.scale = _scale_of(self._samples, self.pairs, sums)
            self._add(_no_pairs(), self.pairs[chain.present > 0])
            if abs(self.scale / before - 1) < SETTLED:
                break

    def pair_prior(self) -> PairPrior:
        """Return what a chain takes for granted, as things stand."""
        own = _numbers(self._prior.pairs)
        log_odds = np.full(len(self.pairs), np.nan)
        at = np.searchsorted(_numbers(self.pairs), own)
        p = self._prior.probabilities
        log_odds[at] = np.log(p) - np.log1p(-p)
        log_odds[self._knowledge.requires(self.pairs)] = np.inf
        numbers = self.pairs[:, 0] * self._samples.n_variables + self.pairs[:, 1]
        bins, counts = self._others.histogram(numbers, self.scale)
        is_learned = self._prior.density is None
        return PairPrior(log_odds, bins, counts, self.scale, self.density, is_learned)

    def _add(self, found: NDArray[np.int64], edges: NDArray[np.int64]) -> None:
        """Take in candidates, and pairs two steps apart in a graph, which is then the present one."""
        steps = _two_steps(edges, self._samples.n_variables)
        found = np.concatenate([self.pairs, found, edges, steps])
        numbers = np.unique(_numbers(found))
        pairs = np.column_stack([numbers >> 32, numbers & 0xFFFFFFFF])
        varies = ~self._samples.is_constant[pairs].any(axis=1)
        required = self._knowledge.requires(pairs)
        self.pairs = pairs[(self._knowledge.allows(*pairs.T) & varies) | required]
        self.present = np.isin(_numbers(self.pairs), _numbers(edges)).astype(np.uint8)


def _two_steps(edges: NDArray[np.int64], n_variables: int) -> NDArray[np.int64]:
    """List the pairs i < j that have a common neighbour, some of them more than once."""
    neighbours = Lists.of_neighbours(edges, n_variables)
    degrees = np.minimum(np.diff(neighbours.starts), MOST_STEPS)
    found = [_no_pairs()]
    for degree in np.unique(degrees[degrees > 1]).tolist():
        first = neighbours.starts[:-1][degrees == degree]
        ends = neighbours.values[first[:, np.newaxis] + np.arange(degree)]
        i, j = np.triu_indices(degree, 1)
        found.append(np.stack([ends[:, i], ends[:, j]], axis=-1).reshape(-1, 2))
    return np.concatenate(found)


def _scale_of(samples: Samples, pairs: NDArray[np.int64], sums: GraphSums) -> float:
    """Return the root mean square of a log odds ratio over the edges."""
    sizes = _sizes(samples, pairs)
    squares = np.add.reduceat(sums.squares, np.cumsum(sizes) - sizes)
    # A zero-sum table of r by s levels has (r - 1)(s - 1) numbers, each of variance scale^2, times 1/4.
    free = np.diff(samples.starts)[pairs].prod(axis=1)
    squares = np.where(sizes > 1, 4.0 * squares / free, squares)
    mean = squares.sum() / max(sums.probabilities.sum(), 1e-300)
    return float(np.clip(np.sqrt(mean), SMALLEST_SCALE, LARGEST_SCALE))


def _sizes(samples: Samples, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many numbers the kernels give for each pair's coupling."""
    levels = np.diff(samples.starts)[pairs] + 1
    return np.where((levels == 2).all(axis=1), 1, levels.prod(axis=1))


def _together(
    samples: Samples, state: _State, chains: list[GraphSums], sweeps: Sweeps
) -> EdgeProbabilities:
    """Take the mean over chains."""
    n = sweeps.n_averaged * sweeps.n_chains
    sizes = _sizes(samples, state.pairs)
    total = sum(chain.probabilities for chain in chains)
    weight = np.repeat(np.maximum(total, 1e-300), sizes)
    means = sum(chain.couplings for chain in chains) / weight
    squares = sum(chain.squares for chain in chains) / weight
    learned = np.mean([chain.densities[sweeps.n_settling :].mean() for chain in chains])
    return EdgeProbabilities(
        state.pairs,
        np.asarray(total / n),
        np.asarray(means),
        np.sqrt(np.maximum(squares - means**2, 0.0)),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
        float(learned),
        state.scale,
        np.stack([chain.probabilities / sweeps.n_averaged for chain in chains]),
        sum(chain.n_fits for chain in chains),
    )


def _generator(seed: np.random.SeedSequence) -> NDArray[np.uint32]:
    return seed.generate_state(4, np.uint32).astype(np.uint32)


def _numbers(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give every pair i < j a number, ascending as pairs do."""
    return np.asarray((pairs[:, 0] << 32) | pairs[:, 1])
