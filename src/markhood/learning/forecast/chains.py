"""Forecast the time of chains over graphs from chains over a few variables and their blankets.

The cost of a chain depends on the number of candidate pairs, the number of neighbours of their
ends, and how often these change. For some variables, their blankets and those of their neighbours
therefore form a small graph, whose edges and pairs two steps apart are the candidates. Chains of
full length run over it, and the time per candidate is extrapolated.

Variables with several levels need another estimate: the chains' graphs have several times the edges
of the blankets, which pay the penalty for every entry of a table, and the time of a fit is
quadratic in the number of neighbours. Fits are then slow, and problems of acceptable size have a
few thousand candidates. So all candidates are visited once, and a few are then timed in the
resulting graph. If that takes too long, a random subset of candidates is used; the graph then has
too few edges, and the forecast is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import GraphChain, PairPrior
from markhood.learning.forecast.timings import Budget
from markhood.scores.scorer import Scorer
from markhood.search.chains import Sweeps, generator_of
from markhood.search.graph_sampler import (
    SCREEN_GAMMA,
    START_SCALE,
    SWEEPS_OF_ROUND,
    GraphPrior,
    State,
    periods_of,
)
from markhood.search.remaining_pairs import FEW_PAIRS, MOST_VARIABLES
from markhood.search.screen import screen
from markhood.search.values.job import Job

SECONDS = 0.6  # limit for timed chains
EXPECTED_ROUNDS = 4  # until the scale of couplings converges
TABLE_ROUNDS = 1  # for coupling tables, whose scale is usually the largest allowed
TRIED_VISITS, TIMED_VISITS = (2, 16, 64), 512
# Measured at peak memory: a remaining pair, a candidate, and a candidate of a running chain.
REMAINING_PAIR_BYTES, CANDIDATE_BYTES, CHAIN_BYTES = 130, 250, 250


@dataclass(frozen=True)
class ChainCost:
    """Seconds per candidate: in a round that tunes the scale, and in a chain."""

    round: float
    chain: float

    def seconds(self, n_candidates: float, lengths: Sweeps, threads: float) -> float:
        """Return the time of all chains; rounds and the first chain run on one thread."""
        in_turn = 1 + np.ceil((lengths.n_chains - 1) / max(1.0, threads))
        return float(n_candidates * (EXPECTED_ROUNDS * self.round + in_turn * self.chain))


def n_steps(blankets: Lists, n_variables: int) -> float:
    """Estimate the number of pairs with a common neighbour from some variables' blankets."""
    sizes = blankets.lengths
    return float(np.mean(sizes * (sizes - 1) / 2) * n_variables) if len(sizes) else 0.0


def chain_bytes(n_variables: int, n_candidates: float, running: int) -> int:
    """Return the peak memory of candidates and chains."""
    others = min(n_variables, MOST_VARIABLES) ** 2 / 2 * REMAINING_PAIR_BYTES
    return int(others + n_candidates * (CANDIDATE_BYTES + running * CHAIN_BYTES))


def time_chains(
    scorer: Scorer,
    targets: Ints,
    spaces: Sequence[Ints],
    blankets: Lists,
    lengths: Sweeps,
    budget: Budget,
) -> ChainCost:
    """Time short chains over the candidates near some variables.

    ``spaces`` are the variables among which each target's blanket was searched.
    """
    rounds, generator = Sweeps(1, 0, SWEEPS_OF_ROUND), generator_of(np.random.SeedSequence(0))
    took, weight = np.zeros(2), 0.0
    for target, space, blanket in zip(targets.tolist(), spaces, blankets, strict=False):
        inner, outer = _no_edges(), _no_edges()
        with budget.piece(SECONDS):
            inner, outer = _near(scorer, target, space, blanket)
        pairs, present = _candidates(inner, outer)
        # The neighbours of one end of an outer edge are unknown, so its fits are half as large.
        weight += len(pairs) - len(outer) / 2
        fits: Ints | None = np.empty(0, np.int64)
        periods = np.ones(len(pairs), np.uint8)
        for k, length in zip((0, 0, 1), (Sweeps(1, 0, 1), rounds, lengths), strict=True):
            with budget.piece(SECONDS) as work:
                chain = GraphChain(present, generator, fits)
                fits, p = _run(scorer, pairs, periods, chain, length)
                periods = periods_of(p)
            took[k] += work.seconds
            budget.ran_out |= not work.is_done
        if took.sum() > SECONDS:
            break
    each = took / max(1.0, weight)
    return ChainCost(float(each[0]), float(each[1]))


def time_all_candidates(
    job: Job, targets: Ints, blankets: Lists, lengths: Sweeps, budget: Budget
) -> tuple[ChainCost, float] | None:
    """Visit all candidates once and time some more; return the cost of one, and their number.

    The starting graph consists of the known blankets. Returns None for binary variables or if there
    are too many variables.
    """
    if job.samples.is_binary or job.n_variables > MOST_VARIABLES:
        return None
    with budget.piece(math.inf) as work:
        ends = np.column_stack([np.repeat(targets, blankets.lengths), blankets.values])
        start = pairs_numbered(np.unique(pair_numbers(np.sort(ends, axis=1))))
        passing = screen(job, SCREEN_GAMMA).edges
        state = State(job, GraphPrior(), start, np.concatenate([start, passing]))
        members = float(blankets.lengths.mean())
        state.density = max(state.density, members / job.n_variables)
        return _visited(job, state, lengths, budget) if 0 < len(state.pairs) <= FEW_PAIRS else None
    budget.ran_out = True
    return ChainCost(0.0, work.seconds), 1.0


def _visited(job: Job, state: State, lengths: Sweeps, budget: Budget) -> tuple[ChainCost, float]:
    """Visit as many candidates as time allows; return the cost of one, and their number."""
    n_first, pairs, present, prior = (
        len(state.pairs),
        state.pairs,
        state.present,
        state.pair_prior(),
    )
    for n_visits in TRIED_VISITS:
        alike = prior._replace(periods=np.ones(n_first, np.uint8))
        visit = _seconds_a_visit(job, pairs, alike, present, n_visits, budget)
        if visit * n_visits > SECONDS / 8:
            break
    n_visited = min(n_first, max(1, int(SECONDS / visit)))
    with budget.piece(2 * SECONDS):
        if n_visited == n_first:
            state.sweep_once(_chain(present))
            pairs, present, prior = state.pairs, state.present, state.pair_prior()
        else:
            budget.ran_out = True
            chosen = np.sort(np.random.default_rng(0).choice(n_first, n_visited, replace=False))
            pairs, present = pairs[chosen], present[chosen]
            prior = prior._replace(
                log_odds=prior.log_odds[chosen],
                expected=prior.expected[chosen],
                periods=np.ones(n_visited, np.uint8),
            )
            sums, chain = job.scorer.swept(pairs, prior, _chain(present), 0, 1)
            present, prior = chain.present, prior._replace(periods=periods_of(sums.probabilities))
    visit = max(visit, _seconds_a_visit(job, pairs, prior, present, TIMED_VISITS, budget))
    periods, n_pairs = prior.periods, len(pairs) * n_first / n_visited
    settling = lengths.n_settling // periods
    visits = float(np.mean(settling + np.ceil(lengths.n_averaged / periods)))
    have_tables = bool((job.samples.bits.n_scores > 1).any())
    # The first round has the initial candidates, later rounds nearly all.
    rounds = TABLE_ROUNDS * n_first / n_pairs if have_tables else EXPECTED_ROUNDS
    of_round = visit * (1 + SWEEPS_OF_ROUND) * rounds / EXPECTED_ROUNDS
    return ChainCost(of_round, visit * visits), n_pairs


def _seconds_a_visit(
    job: Job,
    pairs: Ints,
    prior: PairPrior,
    present: NDArray[np.uint8],
    n_visits: int,
    budget: Budget,
) -> float:
    """Visit some pairs, favouring short periods; return the (minimum) time per visit."""
    n = min(n_visits, len(pairs))
    shares = 1 / prior.periods / (1 / prior.periods).sum()
    chosen = np.random.default_rng(0).choice(len(pairs), n, replace=False, p=shares)
    # During burn-in, a single sweep visits only pairs of period one.
    alone = np.full(len(pairs), 255, np.uint8)
    alone[chosen] = 1
    with budget.piece(SECONDS / 2) as work:
        job.scorer.swept(pairs, prior._replace(periods=alone), _chain(present), 1, 0)
    budget.ran_out |= not work.is_done
    return work.seconds / n


def _chain(present: NDArray[np.uint8]) -> GraphChain:
    return GraphChain(present, generator_of(np.random.SeedSequence(0)), None)


def _no_edges() -> Ints:
    return np.empty((0, 2), np.int64)


def _near(scorer: Scorer, target: int, space: Ints, blanket: Ints) -> tuple[Ints, Ints]:
    """Return a variable's edges, and those of its neighbours to other variables."""
    inner = np.column_stack([np.full(len(blanket), target), blanket])
    around = [np.setdiff1d(np.append(space, target), [member]) for member in blanket.tolist()]
    found = scorer.grown(blanket, Lists.of(around)).members if len(blanket) else Lists.empty(0)
    ends = np.column_stack([np.repeat(blanket, found.lengths), found.values])
    return inner, ends[ends[:, 1] != target]


def _candidates(inner: Ints, outer: Ints) -> tuple[Ints, NDArray[np.uint8]]:
    """Return these edges and the pairs of a variable's neighbours; mark those that are edges."""
    i, j = np.triu_indices(len(inner), 1)
    steps = np.column_stack([inner[i, 1], inner[j, 1]])
    edges = pair_numbers(np.sort(np.concatenate([inner, outer]), axis=1))
    numbers = np.unique(np.concatenate([edges, pair_numbers(np.sort(steps, axis=1))]))
    return pairs_numbered(numbers), np.isin(numbers, edges).astype(np.uint8)


def _run(
    scorer: Scorer, pairs: Ints, periods: NDArray[np.uint8], chain: GraphChain, lengths: Sweeps
) -> tuple[Ints | None, Floats]:
    """Run a chain, and return its cached fits and the probabilities."""
    unknown, none, zeros = np.full(len(pairs), np.nan), np.empty(0), np.zeros(len(pairs))
    prior = PairPrior(unknown, none, none, START_SCALE, 0.0, 0.0, zeros, 0.1, False, periods)
    sums, reached = scorer.swept(pairs, prior, chain, lengths.n_settling, lengths.n_averaged)
    return reached.fits, sums.probabilities / lengths.n_averaged
