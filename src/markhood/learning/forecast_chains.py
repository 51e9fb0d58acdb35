"""How long chains over graphs will take, from chains over a few variables and their blankets.

What a chain does depends on its candidates: how many there are, how many neighbours their ends have, and how
often these change. So for some variables their blankets and those of their neighbours make a small graph, whose edges
and pairs two steps apart are the candidates; chains as long as the real ones run over it and are timed, and a candidate
there takes what one of all will take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import GraphChain, PairPrior
from markhood.scores.scorer import Scorer
from markhood.search.graph_sampler import (
    LARGEST_SCALE,
    SWEEPS_OF_ROUND,
    Sweeps,
    generator_of,
    periods_of,
)
from markhood.search.other_pairs import MOST_VARIABLES

SECONDS = 0.8  # of chains that are timed
EXPECTED_ROUNDS = 4  # until the scale of couplings is settled
# Measured at the peak: a pair among some hundred variables, a candidate, and one in a running chain.
OTHER_PAIR_BYTES, CANDIDATE_BYTES, CHAIN_BYTES = 130, 250, 250


@dataclass(frozen=True)
class ChainCost:
    """What a candidate takes, in seconds: in a round that settles the scale, and in a chain."""

    round: float
    chain: float

    def seconds(self, n_candidates: float, lengths: Sweeps, threads: float) -> float:
        """Return how long all chains take; rounds and the first are on one thread, each other on its own."""
        in_turn = 1 + np.ceil((lengths.n_chains - 1) / max(1.0, threads))
        return float(n_candidates * (EXPECTED_ROUNDS * self.round + in_turn * self.chain))


def n_steps(blankets: Lists, n_variables: int) -> float:
    """Return how many pairs of all variables have a common neighbour, from some variables' blankets."""
    sizes = np.diff(blankets.starts)
    return float(np.mean(sizes * (sizes - 1) / 2) * n_variables) if len(sizes) else 0.0


def chain_bytes(n_variables: int, n_candidates: float, running: int) -> int:
    """Return the memory that candidates and chains take at the peak."""
    others = min(n_variables, MOST_VARIABLES) ** 2 / 2 * OTHER_PAIR_BYTES
    return int(others + n_candidates * (CANDIDATE_BYTES + running * CHAIN_BYTES))


def time_chains(
    scorer: Scorer,
    targets: NDArray[np.int64],
    spaces: Sequence[NDArray[np.int64]],
    blankets: Lists,
    lengths: Sweeps,
) -> ChainCost:
    """Run chains over the candidates near some variables, for a moment.

    ``spaces`` are the variables among which each target's blanket was looked for.
    """
    rounds, generator = Sweeps(1, 0, SWEEPS_OF_ROUND), generator_of(np.random.SeedSequence(0))
    took, weight = np.zeros(2), 0.0
    for target, space, blanket in zip(targets.tolist(), spaces, blankets, strict=False):
        inner, outer = _near(scorer, target, space, blanket)
        pairs, present = _candidates(inner, outer)
        # Of an outer edge one end's neighbours are not known, so that its fits are but half as large.
        weight += len(pairs) - len(outer) / 2
        fits: NDArray[np.int64] | None = np.empty(0, np.int64)
        periods = np.ones(len(pairs), np.uint8)
        for k, length in zip((0, 0, 1), (Sweeps(1, 0, 1), rounds, lengths), strict=True):
            start = perf_counter()
            chain = GraphChain(present, generator, fits)
            fits, p = _run(scorer, pairs, periods, chain, length)
            took[k] += perf_counter() - start
            periods = periods_of(p)
        if took.sum() > SECONDS:
            break
    each = took / max(1.0, weight)
    return ChainCost(float(each[0]), float(each[1]))


def _near(
    scorer: Scorer, target: int, space: NDArray[np.int64], blanket: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a variable's edges, and those of its neighbours to others."""
    inner = np.column_stack([np.full(len(blanket), target), blanket])
    around = [np.setdiff1d(np.append(space, target), [member]) for member in blanket.tolist()]
    found = scorer.grown(blanket, Lists.of(around)).members if len(blanket) else Lists.empty(0)
    ends = np.column_stack([np.repeat(blanket, np.diff(found.starts)), found.values])
    return inner, ends[ends[:, 1] != target]


def _candidates(
    inner: NDArray[np.int64], outer: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return all these edges and the pairs of a variable's neighbours; which of them are edges."""
    i, j = np.triu_indices(len(inner), 1)
    steps = np.column_stack([inner[i, 1], inner[j, 1]])
    edges = pair_numbers(np.sort(np.concatenate([inner, outer]), axis=1))
    numbers = np.unique(np.concatenate([edges, pair_numbers(np.sort(steps, axis=1))]))
    return pairs_numbered(numbers), np.isin(numbers, edges).astype(np.uint8)


def _run(
    scorer: Scorer,
    pairs: NDArray[np.int64],
    periods: NDArray[np.uint8],
    chain: GraphChain,
    lengths: Sweeps,
) -> tuple[NDArray[np.int64] | None, NDArray[np.float64]]:
    """Run a chain, and return the fits that it hands on and the probabilities."""
    unknown, none = np.full(len(pairs), np.nan), np.empty(0)
    prior = PairPrior(unknown, none, none, LARGEST_SCALE, 0.1, False, periods)
    sums, reached = scorer.swept(pairs, prior, chain, lengths.n_settling, lengths.n_averaged)
    return reached.fits, sums.probabilities / lengths.n_averaged
