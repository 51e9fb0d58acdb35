"""`EdgeProbabilities`: the posterior probability and coupling of every candidate pair.

Pairs with small probabilities are kept too, as evidence of absence. The selection of edges can be
changed without another search.

Two diagnostics of the indicator of a pair (1 if it is an edge) show whether the chains agree. Its
mean in half a chain is estimated by the mean of the conditional probabilities p_h, which has less
noise than a mean of draws:

    R-hat = sqrt((W + B) / W),      W = mean of p_h (1 - p_h),      B = variance of p_h over half
    chains,

1 if all halves agree, and large only if they differ by more than the indicator varies. The
effective sample size is the number of independent draws of the indicator whose mean p has the same
error, by batch means over m parts of the chains:

    ESS = p (1 - p) / (variance over parts / m),

so that sqrt(p (1 - p) / ESS) is the standard error of p. It often exceeds the number of sweeps,
because a sweep contributes a probability and not a 0 or 1. It is capped at 10^6, where the error is
below 0.0005 for every p. A pair that all sweeps are certain of has R-hat 1 and this size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.graph.numbering import positions_of

LARGEST_SIZE = 1e6
LARGEST_ERROR = 0.03  # standard error of a probability of chains that have converged
LARGEST_RHAT = 1.1
LARGEST_DRIFT = 0.1  # relative change of the density from first to second halves of the chains
PARTS = 4  # of each chain, for batch means
INTERVAL = 1.959964  # standard deviations of a 95 % interval


@dataclass(frozen=True)
class Choice:
    """Rule that selects the edges of the graph.

    Attributes
    ----------
    fdr : float or None
        Keep the most probable pairs as long as their mean 1 - P is at most this.
    min_probability : float
        Keep only pairs with a probability above this.
    """

    fdr: float | None = None
    min_probability: float = 0.5

    def among(self, probabilities: Floats) -> Ints:
        """Return the indices of the selected pairs, ascending.

        Examples
        --------
        >>> p = np.array([0.6, 0.99, 0.9, 0.2])
        >>> Choice().among(p).tolist(), Choice(fdr=0.06).among(p).tolist()
        ([0, 1, 2], [1, 2])
        """
        likely = np.flatnonzero(probabilities > self.min_probability)
        if self.fdr is None:
            return likely
        order = likely[np.argsort(-probabilities[likely], kind="stable")]
        expected = np.cumsum(1.0 - probabilities[order]) / np.arange(1, len(order) + 1)
        return np.sort(order[: np.count_nonzero(expected <= self.fdr)])


@dataclass(frozen=True, eq=False)
class Draws:
    """States of the chains: after each sweep if draws are kept, otherwise after each part.

    Attributes
    ----------
    edges : ndarray of shape (n_chains, n_draws, n_pairs), dtype uint8
        Which pairs were edges.
    probabilities : ndarray of shape (n_chains, n_draws, n_pairs), dtype float64
        Mean conditional probability of each pair since the previous draw.
    densities : ndarray of shape (n_chains, n_sweeps), dtype float64
        Density after every sweep.
    """

    edges: NDArray[np.uint8]
    probabilities: Floats
    densities: Floats

    def means(self, n_parts: int, pairs: Ints) -> Floats:
        """Return the means over parts of the chains, of shape (n_chains * n_parts, len(pairs))."""
        cut = np.array_split(self.probabilities[:, :, pairs], n_parts, axis=1)
        return np.concatenate([part.mean(axis=1) for part in cut])

    @property
    def errors(self) -> Floats:
        """The standard error of every pair's probability, by batch means."""
        _, n_draws, n_pairs = self.probabilities.shape
        means = self.means(min(PARTS, n_draws), np.arange(n_pairs))
        return np.asarray(means.std(axis=0, ddof=1) / len(means) ** 0.5)

    @property
    def density_halves(self) -> Floats:
        """The mean density in the first and in the second half of each chain, (n_chains, 2)."""
        halves = np.array_split(self.densities, 2, axis=1)
        return np.column_stack([half.mean(axis=1) for half in halves])

    @property
    def density_rhat(self) -> float:
        """R-hat of the log odds of the density, from half chains."""
        odds = np.log(self.densities) - np.log1p(-self.densities)
        halves = np.array_split(odds[:, : odds.shape[1] // 2 * 2], 2, axis=1)
        means = np.concatenate([half.mean(axis=1) for half in halves])
        within = np.concatenate([half.var(axis=1) for half in halves]).mean()
        return float(np.sqrt(1 + means.var(ddof=1) / max(within, 1e-12)))

    @property
    def has_drift(self) -> bool:
        """Whether the density of the second halves differs from that of the first halves."""
        if self.densities.shape[1] < 2:
            return False
        first, second = self.density_halves.mean(axis=0)
        return bool(abs(second / first - 1) > LARGEST_DRIFT and self.density_rhat > LARGEST_RHAT)

    def agreement(self, pairs: Ints) -> dict[str, Floats]:
        """Return R-hat and the effective sample size of pairs; empty if there is only one part.

        Examples
        --------
        >>> half = np.array([[[0.5, 1.0, 0.2]], [[0.5, 1.0, 0.8]]])
        >>> draws = Draws(np.zeros((2, 1, 3), np.uint8), half, np.zeros((2, 10)))
        >>> found = draws.agreement(np.arange(3))
        >>> found["rhat"].round(2).tolist(), found["ess"].round(2).tolist()
        ([1.0, 1.0, 1.46], [1000000.0, 1000000.0, 2.78])
        """
        n_chains, n_draws, _ = self.probabilities.shape
        if n_chains * n_draws < 2:
            return {}
        halves, parts = (self.means(min(n, n_draws), pairs) for n in (2, PARTS))
        within, between = (halves * (1 - halves)).mean(axis=0), halves.var(axis=0, ddof=1)
        p, noise = parts.mean(axis=0), parts.var(axis=0, ddof=1) / len(parts)
        certain = np.where(between > 0, np.inf, 0.0)  # every half is certain of 0 or of 1
        rhat = np.sqrt(1 + np.divide(between, within, where=within > 0, out=certain))
        spread = p * (1 - p)  # 0 where rounding makes a pair certain
        is_noisy = (spread > 0) & (noise * LARGEST_SIZE > spread)
        size = np.divide(spread, noise, where=is_noisy, out=np.full_like(p, LARGEST_SIZE))
        return {"rhat": rhat, "ess": size}


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """Posterior probabilities and couplings of the candidate pairs.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        Candidates, i < j in lexicographic order.
    probabilities : ndarray of shape (n_pairs,), dtype float64
    couplings, deviations : ndarray, dtype float64
        Mean and standard deviation of each coupling given that the edge is present: a log odds
        ratio per pair, or the entries of a zero-sum table for several levels; those of pair k are
        from ``starts[k]`` to ``starts[k + 1]``.
    starts : ndarray of shape (n_pairs + 1,), dtype int64
    density, scale : float
        Density of edges and scale of couplings.
    chain_probabilities : ndarray of shape (n_chains, n_pairs), dtype float64
    n_fits : int
        Number of pairs fitted by all chains.
    choice : Choice
        Rule that selects the edges of the graph.
    shape : float
        Shape of the prior of couplings: positive with two modes, 0 normal, negative with heavy
        tails.
    background : float
        Standard deviation of the couplings of pairs without an edge.
    mediated : float
        Largest mean coupling, in absolute value, of a pair without an edge: what ordered levels
        leave of the dependence that a variable mediates.
    sweeps : int or None
        Sweeps per chain after burn-in; None if missing values were drawn between sweeps.
    draws : Draws or None
        States of the chains.
    own_log_odds : ndarray of shape (n_pairs,), dtype float64, or None
        Prior log odds of the pairs that have a prior of their own, NaN for all others.
    """

    pairs: Ints
    probabilities: Floats
    couplings: Floats
    deviations: Floats
    starts: Ints
    density: float
    scale: float
    chain_probabilities: Floats
    n_fits: int
    choice: Choice = field(default_factory=Choice)
    shape: float = 0.0
    background: float = 0.0
    mediated: float = 0.0
    sweeps: int | None = None
    draws: Draws | None = None
    own_log_odds: Floats | None = None

    @property
    def disagreement(self) -> float:
        """The largest difference between two chains' probabilities of a pair."""
        return float(np.ptp(self.chain_probabilities, axis=0).max(initial=0.0))

    @property
    def has_converged(self) -> bool:
        """Whether the chains agree and show no drift; False if they are too short."""
        draws = self.draws
        if draws is None or draws.probabilities.shape[0] * draws.probabilities.shape[1] < 2:
            return False
        return not draws.has_drift and bool(draws.errors.max(initial=0.0) <= LARGEST_ERROR)

    @property
    def bayes_factors(self) -> Floats:
        """Posterior odds of every pair divided by its prior odds; infinite for P = 1.

        The prior odds are those of the density, unless the pair has a prior of its own.
        """
        prior_odds = np.full(len(self.pairs), self.density / (1 - self.density))
        if self.own_log_odds is not None:
            prior_odds[self._has_own_prior] = np.exp(self.own_log_odds[self._has_own_prior])
        return np.asarray(self._odds / prior_odds)

    @property
    def _odds(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(self.probabilities / (1 - self.probabilities))

    @property
    def _has_own_prior(self) -> Bools:
        own = self.own_log_odds
        return np.zeros(len(self.pairs), bool) if own is None else np.isfinite(own)

    def n_edges_at(self, factor: float, least: float = 0.5) -> int:
        """Return how many pairs would be more probable than this with the prior odds times factor.

        Pairs with a prior of their own keep it.
        """
        odds = self._odds * np.where(self._has_own_prior, 1.0, factor)
        return int(np.count_nonzero(odds > least / (1 - least)))

    @property
    def sensitivity(self) -> list[tuple[float, int, int]]:
        """Edge priors, and the numbers of pairs above 1/2 and above 0.9 with each.

        The prior odds are those of the density times 3^(-5/2) to 3^(5/2), in steps of 3^(1/8).
        """
        odds, rows = self.density / (1 - self.density), []
        for factor in (3.0 ** (np.arange(-20, 21) / 8)).tolist():
            prior = odds * factor / (1 + odds * factor)
            counts = self.n_edges_at(factor), self.n_edges_at(factor, 0.9)
            rows.append((float(f"{prior:.3g}"), *counts))
        return rows

    @property
    def edges(self) -> Ints:
        """The selected edges."""
        return self.pairs[self.choice.among(self.probabilities)]

    def of(self, edges: Ints) -> dict[str, Floats]:
        """Return columns of edges: probability, Bayes factor, 95 % interval, R-hat and ESS.

        A coupling table has no interval here, but one per cell (`deviations_of`): the columns are
        absent if all edges have tables, and NaN for tables among other edges. Pairs that are not
        candidates have probability zero and no R-hat.
        """
        at, is_known = positions_of(edges, self.pairs)
        columns = {name: np.full(len(edges), np.nan) for name in ("coupling_low", "coupling_high")}
        probability = np.zeros(len(edges))
        probability[is_known] = self.probabilities[at[is_known]]
        single = is_known & (np.diff(self.starts)[at] == 1) if len(self.pairs) else is_known
        first = self.starts[at[single]]
        half = INTERVAL * self.deviations[first]
        columns["coupling_low"][single] = self.couplings[first] - half
        columns["coupling_high"][single] = self.couplings[first] + half
        agreement = self.draws.agreement(at) if self.draws is not None and is_known.all() else {}
        intervals = columns if single.any() or not len(edges) else {}
        factors = np.zeros(len(edges))
        factors[is_known] = self.bayes_factors[at[is_known]]
        return {"probability": probability, "bayes_factor": factors, **intervals, **agreement}

    def couplings_of(self, edges: Ints, n_levels: Ints) -> tuple[Floats, list[Floats | None]]:
        """Return the mean couplings of edges as numbers and, for several levels, tables."""
        own = self._entries_of(edges, n_levels, self.couplings)
        tables = [table if table.size > 1 else None for table in own]
        return np.array([np.linalg.norm(t) if t.size > 1 else t.item() for t in own]), tables

    def deviations_of(self, edges: Ints, n_levels: Ints) -> list[Floats]:
        """Return standard deviations of couplings: (1, 1), or one per cell of a table."""
        return self._entries_of(edges, n_levels, self.deviations)

    def _entries_of(self, edges: Ints, n_levels: Ints, values: Floats) -> list[Floats]:
        """Return each edge's entries, one row per level of its first end; zeros if unknown."""
        at, is_known = positions_of(edges, self.pairs)
        found = []
        for k, (i, j) in enumerate(edges.tolist()):
            shape = int(n_levels[i]), int(n_levels[j])
            start, stop = self.starts[at[k] : at[k] + 2].tolist() if is_known[k] else (0, 0)
            if shape == (2, 2) or stop - start == 1:  # ordered ends: a number
                shape = 1, 1
            found.append((values[start:stop] if is_known[k] else np.zeros(shape)).reshape(shape))
        return found
