"""The definition of every kernel, in NumPy: short, obvious and slow.

The other backends are tested against this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.kernels import greedy
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import (
    AssociatedPairs,
    AssociatedTables,
    Bits,
    Blankets,
    Chains,
    Costs,
    Dirichlet,
    FitPenalty,
    Fits,
    GibbsNetwork,
    L1Paths,
    PottsNetwork,
    Pricing,
)
from markhood.kernels.reference import independence
from markhood.kernels.reference.l1_path import l1_path
from markhood.kernels.reference.multinomial import STILL_MOVING, fit_multinomial
from markhood.kernels.tables import (
    Table,
    blanket_table,
    likelihood_ratio,
    n_levels,
    n_parameters,
    ordered,
    pair_table,
)


def likelihood_ratios(
    joint: NDArray[np.int64],
    ones_i: NDArray[np.int64],
    ones_j: NDArray[np.int64],
    n_log_n: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return n times the mutual information of pairs of variables, from their counts.

    For two binary variables the logistic regression of one on the other is saturated, so this is
    the log-likelihood ratio of dependence against independence, in either direction.
    """
    n = len(n_log_n) - 1
    cells = (
        n_log_n[joint]
        + n_log_n[ones_i - joint]
        + n_log_n[ones_j - joint]
        + n_log_n[n - ones_i - ones_j + joint]
    )
    margin_i = n_log_n[ones_i] + n_log_n[n - ones_i] - n_log_n[n]
    margin_j = n_log_n[ones_j] + n_log_n[n - ones_j]
    return np.asarray(cells - margin_i - margin_j)


class ReferenceKernels:
    """Kernels for reading and for testing the others against."""

    name = "reference"
    words_per_tile = 4e7
    largest_tile = 1024

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the pairs of the tile with a likelihood ratio at the bound or above."""
        pairs, joints = [], []
        for i in rows:
            j = np.arange(max(i + 1, columns.start), columns.stop)
            joint = np.bitwise_count(bits.words[i] & bits.words[j]).sum(axis=1, dtype=np.int64)
            passing = likelihood_ratios(joint, ones[i], ones[j], n_log_n) >= least_ratio
            pairs.append(np.column_stack([np.full(passing.sum(), i), j[passing]]))
            joints.append(joint[passing])
        return AssociatedPairs(
            np.concatenate([np.empty((0, 2), np.int64), *pairs]),
            np.concatenate([np.empty(0, np.int64), *joints]),
        )

    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        """Find the pairs of the tile whose likelihood ratio is their price or more."""
        pairs, ratios = [], []
        for i in rows:
            for j in range(max(i + 1, columns.start), columns.stop):
                ratio = _pair_ratio(bits, i, j)
                parameters = int(bits.n_scores[i] * bits.n_scores[j])
                if ratio >= parameters * costs.parameter + costs.variable:
                    pairs.append((i, j))
                    ratios.append(ratio)
        return AssociatedTables(np.array(pairs, np.int64).reshape(-1, 2), np.array(ratios))

    def toggle_scores(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        blankets: Lists,
        toggles: Lists,
        costs: Pricing,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each target's blanket, and it with each of ``toggles`` put in or taken out."""
        return greedy.toggle_scores(_score(bits, costs), targets, blankets, toggles)

    def grow_blankets(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        """Search greedily for each target's blanket among its candidates."""
        return greedy.grow_blankets(_score(bits, costs), targets, candidates, kept)

    def fit_blankets(
        self, bits: Bits, targets: NDArray[np.int64], blankets: Lists, penalty: FitPenalty
    ) -> Fits:
        """Fit each target's logistic regression on its blanket."""
        fits = [
            fit_multinomial(blanket_table(bits, t, blanket.tolist()), *penalty)
            for t, blanket in zip(targets.tolist(), blankets, strict=True)
        ]
        drifts = np.concatenate([np.empty(0), *(fit.drift.ravel() for fit in fits)])
        return Fits(
            np.array([fit.objective for fit in fits]),
            np.concatenate([np.empty(0), *(fit.coefficients.ravel() for fit in fits)]),
            np.abs(drifts) > STILL_MOVING,
        )

    def gibbs(
        self, network: GibbsNetwork, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains; ``native/gibbs.hpp`` explains the arithmetic."""
        values, generators = chains.states.T.copy(), chains.generators.copy()
        draws = np.empty((n_draws, *chains.states.shape), dtype=np.uint8)
        for sweep in range(1, burn_in + n_draws * thinning + 1):
            for i in network.order:
                u = _next_random(generators).view(np.int32).astype(np.float64)
                odds = _odds_against(network, int(i), values)
                values[i] = (u + 2147483648.5) * odds < 2147483647.5 - u
            if sweep > burn_in and (sweep - burn_in) % thinning == 0:
                draws[(sweep - burn_in) // thinning - 1] = values.T
        return draws, Chains(np.ascontiguousarray(values.T), generators)

    def potts_gibbs(
        self, network: PottsNetwork, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains; ``native/potts.hpp`` explains the arithmetic."""
        values, generators = chains.states.T.copy(), chains.generators.copy()
        draws = np.empty((n_draws, *chains.states.shape), dtype=np.uint8)
        for sweep in range(1, burn_in + n_draws * thinning + 1):
            for i in network.order:
                sums = np.cumsum(_level_weights(network, int(i), values), axis=0)
                u = _next_random(generators).astype(np.float64) + 0.5
                values[i] = (sums[:-1] <= u * (sums[-1] * 2.0**-32)).sum(axis=0)
            if sweep > burn_in and (sweep - burn_in) % thinning == 0:
                draws[(sweep - burn_in) // thinning - 1] = values.T
        return draws, Chains(np.ascontiguousarray(values.T), generators)

    def independence_tests(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        givens: Lists,
        others: Lists,
        log_factorials: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Test each target against each of its ``others``, given its list of ``givens``."""
        return independence.independence_tests(bits, targets, givens, others, log_factorials)

    def l1_paths(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        penalties: NDArray[np.float64],
        fractions: NDArray[np.float64],
        largest_support: int,
    ) -> L1Paths:
        """Fit each target's L1-penalised logistic regressions on its candidates."""
        points, supports = [], []
        for target, among in zip(targets.tolist(), candidates, strict=True):
            path = l1_path(bits, target, among, penalties[among], fractions, largest_support)
            points += path
            supports += [among[np.flatnonzero(point.slopes)] for point in path]
        shape = len(targets), len(fractions)
        return L1Paths(
            np.array([point.bound for point in points]).reshape(shape),
            np.array([point.intercept for point in points]).reshape(shape),
            np.array([point.log_likelihood for point in points]).reshape(shape),
            Lists.of(supports),
            np.concatenate([np.empty(0), *(p.slopes[np.flatnonzero(p.slopes)] for p in points)]),
        )


def log_marginal(counts: NDArray[Any]) -> float:
    """Return the log marginal likelihood of a table, its rows with a Dirichlet prior of 1/2 a cell.

    It is the sum over rows of log G(r/2) - log G(n + r/2), and over their r cells of
    log G(n_x + 1/2) - log G(1/2).
    """
    from scipy.special import gammaln

    prior = counts.shape[1] / 2
    rows = gammaln(prior) - gammaln(counts.sum(axis=1) + prior)
    return float(np.sum(rows) + np.sum(gammaln(counts + 0.5) - gammaln(0.5)))


def _score(bits: Bits, costs: Pricing) -> greedy.Score:
    def score(target: int, blanket: Sequence[int]) -> float:
        table, size = blanket_table(bits, target, blanket), len(blanket)
        if isinstance(costs, Dirichlet):
            return log_marginal(table.counts) - size * costs.variable
        parameters = n_parameters(table)
        reached = fit_multinomial(table, *costs.penalty).objective
        return float(reached - parameters * costs.parameter - size * costs.variable)

    return score


def _pair_ratio(bits: Bits, i: int, j: int) -> float:
    """Return the log-likelihood ratio of an edge in the table of a pair, both margins being free.

    In a log-linear model with all margins of j that is the regression of i on j against none.
    """
    counts = pair_table(bits, i, j)
    saturated = (n_levels(bits, i) - 1) * (n_levels(bits, j) - 1)
    if bits.n_scores[i] * bits.n_scores[j] == saturated:
        return likelihood_ratio(counts)
    # Levels that do not occur tell nothing, but are steps all the same.
    (occurs,) = np.nonzero(counts.sum(axis=0))
    table = Table(
        occurs[:, np.newaxis].astype(np.uint16),
        np.ascontiguousarray(counts[:, occurs].T),
        (counts.shape[1],),
        ordered(bits, [i, j]),
    )
    margin = counts.sum(axis=1)
    alone = np.sum(margin * np.log(np.where(margin > 0, margin / margin.sum(), 1.0)))
    return float(fit_multinomial(table).objective - alone)


def _odds_against(network: GibbsNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of the neighbours that are one, with the exponent kept apart."""
    start, stop = network.neighbours.starts[i : i + 2]
    fraction, exponent = np.frexp(np.full(values.shape[1], network.field_odds[i]))
    for j, factor in zip(network.neighbours[i], network.coupling_odds[start:stop], strict=True):
        fraction, shift = np.frexp(np.where(values[j], fraction * factor, fraction))
        exponent = exponent + shift
    odds: NDArray[np.float64] = np.ldexp(fraction, np.clip(exponent, -900, 900))
    return odds


def _level_weights(network: PottsNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of each level, (r, n_chains), with the exponent kept apart."""
    r, (first, end) = int(network.n_levels[i]), network.field_starts[i : i + 2]
    start, stop = network.neighbours.starts[i : i + 2]
    fields = network.field_factors[first : first + r, None]
    fraction, exponent = np.frexp(np.repeat(fields, values.shape[1], axis=1))
    for j, begin in zip(network.neighbours[i], network.factor_starts[start:stop], strict=True):
        at = begin + values[j].astype(np.int64) * (end - first) + np.arange(r)[:, None]
        fraction, shift = np.frexp(fraction * network.factors[at])
        exponent = exponent + shift
    weights: NDArray[np.float64] = np.ldexp(
        fraction, np.maximum(exponent - exponent.max(axis=0), -1000)
    )
    return weights


def _next_random(state: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Draw 32 bits from each of the xoshiro128++ generators of shape (4, n), in place."""
    a, b, c, d = state
    drawn: NDArray[np.uint32] = _rotate(a + d, 7) + a
    shifted = b << np.uint32(9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d[:] = _rotate(d, 11)
    return drawn


def _rotate(x: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))
