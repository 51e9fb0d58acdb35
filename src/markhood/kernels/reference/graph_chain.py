"""A Markov chain over graphs, one pair at a time, in NumPy: the definition for all kernels.

A sweep visits the candidate pairs in random order. A pair's probability given the other edges is

    P = 1 / (1 + exp(-log BF - log odds)),
    log odds = log(density / (1 - density)), or the pair's own log odds,

with the Bayes factor of `pair_fit` given the covariates and the current neighbours of both ends. P
is added to the pair's sum, and the edge is drawn with probability P. (Averaging probabilities
instead of draws has the same expectation and less variance.)

**The density.** After a sweep, its log odds move by one Newton step, at most 1, towards the fixed
point at which the density is the mean of P over all pairs without their own log odds, with their
latest Bayes factors, and of half an edge more, so that it is never 0. It is at most
`LARGEST_DENSITY`: a pair whose Bayes factor is below 3 is not an edge, however dense the graph.

**The prior of a coupling** that is one number is not normal, and a pair without an edge may have a
small coupling (`kernels/coupling_prior.py`). The fit has the prior N(0, scale^2), and Bayes factor,
mean and variance follow from it. Tables have the normal prior, and no background.

In accumulated sweeps, a pair with period p is visited in the first of every p sweeps, and its P
counts for all p of them. During burn-in, it is visited in the last of every p sweeps, and the
density does not change. `native/pair/graph_sampler.hpp` explains why this is correct.

`native/pair/graph_sampler.hpp` makes the same draws while the neighbours of a pair's ends have
fewer than eight scores together (r - 1 for r nominal levels, otherwise 1), but reuses the fits of
an earlier chain if there are any. From eight scores on, it replaces most fits of a coupling that is
one number by a step from an earlier fit of the pair, except where configurations of binary
neighbours are far fewer than samples. The chains then differ, and the probabilities agree within
their Monte Carlo error. This module recomputes all fits.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.kernels.bits import Bits
from markhood.kernels.coupling_prior import of_background, of_edges
from markhood.kernels.generator import next_random
from markhood.kernels.protocol import GraphChain, GraphSums, PairPrior
from markhood.kernels.reference.pair_fit import PairFit, fit_pair, step_unit
from markhood.kernels.tables import n_levels

LARGEST_DENSITY = 0.25


def sample_graphs(
    bits: Bits,
    pairs: NDArray[np.int64],
    prior: PairPrior,
    chain: GraphChain,
    n_settling: int,
    n_sweeps: int,
    n_covariates: int = 0,
) -> tuple[GraphSums, GraphChain]:
    """Sweep over the pairs, and accumulate the probabilities of the last ``n_sweeps`` sweeps."""
    state = _Sweeper(bits, pairs, prior, chain, n_covariates)
    densities = []
    for n, adds_up in ((n_settling, False), (n_sweeps, True)):
        for sweep in range(n):
            state.sweep(sweep, n, adds_up=adds_up)
            densities.append(state.density)
    return (
        GraphSums(
            np.array(densities),
            state.probabilities,
            np.concatenate([np.empty(0), *state.couplings]),
            np.concatenate([np.empty(0), *state.squares]),
            state.n_fits,
        ),
        GraphChain(state.present, state.generator.ravel(), chain.fits),
    )


class Reshaped(NamedTuple):
    """The evidence about a pair under the prior of the chain."""

    log_bayes_factor: float
    coupling: NDArray[np.float64]
    variance: NDArray[np.float64]


def reshaped(fit: PairFit, unit: float, prior: PairPrior, expected: float = 0.0) -> Reshaped:
    """Replace the normal prior of a fit by the mixture, and no coupling by the background."""
    scale = prior.scale
    normal = fit.log_bayes_factor(scale)
    if fit.size > 1 or prior.shape == prior.background == expected == 0:
        return Reshaped(normal, fit.coupling, fit.variance)
    t, v = fit.coupling / unit, fit.variance / unit**2
    found = of_edges(t, v, scale, prior.shape)
    gain = found.gain - of_background(t, v, scale, prior.background, expected)
    return Reshaped(normal + float(gain[0]), unit * found.mean, unit**2 * found.variance)


class _Sweeper:
    """A chain, and its cached fits."""

    def __init__(
        self,
        bits: Bits,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_covariates: int,
    ) -> None:
        self.present = chain.present.copy()
        self.generator = chain.generator.reshape(4, 1).copy()
        self.density = prior.density
        self.probabilities = np.zeros(len(pairs))
        self.couplings = [np.zeros(_n_shown(bits, i, j)) for i, j in pairs.tolist()]
        self.squares = [np.zeros_like(coupling) for coupling in self.couplings]
        self.n_fits = 0
        self._bits, self._n_covariates = bits, n_covariates
        self._pairs: list[list[int]] = pairs.tolist()
        self._prior = prior
        self._units = [
            step_unit(n_levels(bits, i)) * step_unit(n_levels(bits, j)) for i, j in pairs
        ]
        self._last = np.empty(len(pairs))
        self._fits: dict[tuple[int, frozenset[int], frozenset[int]], PairFit] = {}
        self._neighbours: dict[int, set[int]] = {v: set() for pair in self._pairs for v in pair}
        for (i, j), present in zip(self._pairs, self.present.tolist(), strict=True):
            if present:
                self._flip(i, j)

    def sweep(self, number: int, n_sweeps: int, *, adds_up: bool) -> None:
        """Visit once every pair that is due."""
        order = np.flatnonzero((number if adds_up else number + 1) % self._prior.periods == 0)
        times = np.minimum(self._prior.periods, n_sweeps - number)
        n = len(order)
        for k in range(n):
            other = k + (self._draw() * (n - k) >> 32)
            pair = int(order[other])
            order[other] = order[k]
            order[k] = pair
            self._visit(pair, int(times[pair]) if adds_up else 0)
        if adds_up and self._prior.learns_density:
            self._learn_density()

    def _visit(self, pair: int, counts: int) -> None:
        i, j = self._pairs[pair]
        own = self._prior.log_odds[pair]
        odds = np.log(self.density / (1 - self.density)) if np.isnan(own) else own
        p, self._last[pair] = 0.0, -np.inf
        if self.present[pair] or self._has_room(pair):
            expected = float(self._prior.expected[pair])
            fit = reshaped(self._fit(pair), self._units[pair], self._prior, expected)
            self._last[pair] = fit.log_bayes_factor
            p = float(_logistic(self._last[pair] + odds))
            if counts:
                self._add(pair, counts * p, fit)
        if ((self._draw() + 0.5) * 2.0**-32 < p) != self.present[pair]:
            self.present[pair] ^= 1
            self._flip(i, j)

    def _has_room(self, pair: int) -> bool:
        scores = self._bits.n_scores
        return all(
            scores[end] * scores[[*(self._neighbours[end] | {other})]].sum()
            <= self._prior.most_slopes
            for end, other in permutations(self._pairs[pair])
        )

    def _fit(self, pair: int) -> PairFit:
        i, j = self._pairs[pair]
        given = frozenset(self._neighbours[i] - {j}), frozenset(self._neighbours[j] - {i})
        if (pair, *given) not in self._fits:
            self.n_fits += 1
            first, second = (sorted(others) for others in given)
            self._fits[pair, *given] = fit_pair(
                self._bits, i, j, first, second, self._prior.scale, self._n_covariates
            )
        return self._fits[pair, *given]

    def _add(self, pair: int, p: float, fit: Reshaped) -> None:
        self.couplings[pair] += p * fit.coupling
        self.squares[pair] += p * (fit.coupling**2 + fit.variance)
        self.probabilities[pair] += p

    def _flip(self, i: int, j: int) -> None:
        self._neighbours[i] ^= {j}
        self._neighbours[j] ^= {i}

    def _learn_density(self) -> None:
        is_common = np.isnan(self._prior.log_odds)
        factors = np.append(self._last[is_common], self._prior.bin_log_bayes_factors)
        counts = np.append(np.ones(is_common.sum()), self._prior.bin_counts)
        odds = np.log(self.density / (1 - self.density))
        p = _logistic(factors + odds)
        if not counts.sum():
            return
        total, n = counts @ p + 0.5, counts.sum() + 0.5
        curvature = n * self.density * (1 - self.density) - counts @ (p * (1 - p))
        if curvature > 0:
            odds += np.clip((total - n * self.density) / curvature, -1, 1)
        else:
            odds = np.log(total / (n - total))
        self.density = min(float(_logistic(odds)), LARGEST_DENSITY)

    def _draw(self) -> int:
        return int(next_random(self.generator)[0])


def _n_shown(bits: Bits, i: int, j: int) -> int:
    """Return how many numbers a coupling has: one, or those of a table."""
    is_table = bits.n_scores[[i, j]].prod() > 1
    return n_levels(bits, i) * n_levels(bits, j) if is_table else 1


def _logistic(x: ArrayLike) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x)), also for infinite x."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -np.asarray(x))))
