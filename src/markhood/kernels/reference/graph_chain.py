"""A chain over graphs, a pair at a time, in NumPy: the definition for all kernels.

In a sweep the candidate pairs come in random order. A pair's probability given the other edges is

    P = 1 / (1 + exp(-log BF - log odds)),     log odds = log(density / (1 - density)), or the pair's own,

where the Bayes factor, `pair_fit`, is that given the covariates and the neighbours which both ends have now. P is added to the
pair's sum, and the edge is set by a draw with this probability. (A mean of probabilities has less noise
than a mean of draws, and is right for the same reason.) After a sweep the density is the mean of P over all
pairs without odds of their own, each as it was last, and half an edge of one pair more, so that it never is 0 or 1.

A pair is visited in the first of as many sweeps as its period says, and what is added up then counts for those
where it is not; while a chain settles, in the last of as many, and the density stays what it was:
`native/pair/graph_sampler.hpp` says why that is right.

`native/pair/graph_sampler.hpp` is the same, with the same draws, but takes over the fits of an earlier chain where there are
any; here all are made anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.kernels.generator import next_random
from markhood.kernels.protocol import Bits, GraphChain, GraphSums, PairPrior
from markhood.kernels.reference.pair_fit import PairFit, fit_pair


def sample_graphs(
    bits: Bits,
    pairs: NDArray[np.int64],
    prior: PairPrior,
    chain: GraphChain,
    n_settling: int,
    n_sweeps: int,
    n_covariates: int = 0,
) -> tuple[GraphSums, GraphChain]:
    """Sweep over the pairs, and add up the probabilities of the last ``n_sweeps`` sweeps."""
    state = _Sweeper(bits, pairs, prior, chain, n_covariates)
    densities = []
    for n, adds_up in ((n_settling, False), (n_sweeps, True)):
        for sweep in range(n):
            state.sweep(sweep, n, adds_up=adds_up)
            densities.append(state.density)
    sums = state.sums or [[np.zeros(1)] * 2] * len(pairs)
    return (
        GraphSums(
            np.array(densities),
            state.probabilities,
            np.concatenate([np.empty(0), *(coupling for coupling, _ in sums)]),
            np.concatenate([np.empty(0), *(square for _, square in sums)]),
            state.n_fits,
        ),
        GraphChain(state.present, state.generator.ravel(), chain.fits),
    )


class _Sweeper:
    """A chain, and the fits that it has made."""

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
        self.sums: list[list[NDArray[np.float64]]] = []
        self.n_fits = 0
        self._bits, self._n_covariates = bits, n_covariates
        self._pairs: list[list[int]] = pairs.tolist()
        self._prior = prior
        self._last = np.empty(len(pairs))
        self._fits: dict[tuple[int, frozenset[int], frozenset[int]], PairFit] = {}
        self._neighbours: dict[int, set[int]] = {v: set() for pair in self._pairs for v in pair}
        for (i, j), present in zip(self._pairs, self.present.tolist(), strict=True):
            if present:
                self._flip(i, j)

    def sweep(self, number: int, n_sweeps: int, *, adds_up: bool) -> None:
        """Visit once every pair whose turn it is."""
        order = np.flatnonzero((number if adds_up else number + 1) % self._prior.periods == 0)
        times = np.minimum(self._prior.periods, n_sweeps - number)
        n = len(order)
        for k in range(n):
            other = k + (self._draw() * (n - k) >> 32)
            pair = int(order[other])
            order[other] = order[k]
            order[k] = pair
            self._last[pair] = self._visit(pair, int(times[pair]) if adds_up else 0)
        if adds_up and self._prior.learns_density:
            self._learn_density(self._last[np.isnan(self._prior.log_odds)])

    def _visit(self, pair: int, counts: int) -> float:
        i, j = self._pairs[pair]
        fit = self._fit(pair)
        own = self._prior.log_odds[pair]
        odds = np.log(self.density / (1 - self.density)) if np.isnan(own) else own
        p = float(_logistic(fit.log_bayes_factor(self._prior.scale) + odds))
        if counts:
            self._add(pair, counts * p, fit)
        if ((self._draw() + 0.5) * 2.0**-32 < p) != self.present[pair]:
            self.present[pair] ^= 1
            self._flip(i, j)
        return p

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

    def _add(self, pair: int, p: float, fit: PairFit) -> None:
        if not self.sums:
            self.sums = [[np.zeros(1), np.zeros(1)] for _ in self._pairs]
        coupling, square = self.sums[pair]
        self.sums[pair] = [
            coupling + p * fit.coupling,
            square + p * (fit.coupling**2 + fit.variance),
        ]
        self.probabilities[pair] += p

    def _flip(self, i: int, j: int) -> None:
        self._neighbours[i] ^= {j}
        self._neighbours[j] ^= {i}

    def _learn_density(self, common: NDArray[np.float64]) -> None:
        counts, factors = self._prior.bin_counts, self._prior.bin_log_bayes_factors
        odds = np.log(self.density / (1 - self.density))
        total = common.sum() + (counts * _logistic(factors + odds)).sum()
        n = len(common) + counts.sum()
        if n > 0:
            self.density = float((total + 0.5) / (n + 1))

    def _draw(self) -> int:
        return int(next_random(self.generator)[0])


def _logistic(x: ArrayLike) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x)), of infinite x too."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -np.asarray(x))))
