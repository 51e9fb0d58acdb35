"""The definition of every kernel, in NumPy: short, obvious and slow.

The other backends are tested against this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels import greedy, independence
from markhood.kernels.l1_reference import l1_path
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import (
    AssociatedPairs,
    Bits,
    Blankets,
    Chains,
    Dirichlet,
    Fits,
    GibbsNetwork,
    L1Paths,
    Pricing,
)

PROMISED_GAIN = 1e-11  # far below 1e-9, the least difference between two scores
SMALLEST_PIVOT = 1e-13  # relative; below it a direction is one that others already span
LONGEST_STEP = 5.0  # of a coefficient: one too far would end where all weights are nothing
STILL_MOVING = 0.05  # a step this long at the maximum: the coefficient is on its way to infinity


class Table(NamedTuple):
    """How often the target is zero and one in each configuration of its blanket that occurs."""

    configurations: NDArray[np.uint8]  # (n_rows, n_blanket), ascending
    counts: NDArray[np.int64]  # (n_rows, 2)


class LogisticFit(NamedTuple):
    """A maximum of the likelihood; ``drift`` is large only where a coefficient is infinite."""

    log_likelihood: float
    coefficients: NDArray[np.float64]
    drift: NDArray[np.float64]


def blanket_table(bits: Bits, target: int, blanket: Sequence[int]) -> Table:
    """Count the target's values in every configuration of its blanket."""
    rows = np.ascontiguousarray(bits.words[[*blanket, target]]).view(np.uint8)
    values = np.unpackbits(rows, axis=1, count=bits.n_samples, bitorder="little")
    cells, counts = np.unique(values.T, axis=0, return_counts=True)
    configurations, row = np.unique(cells[:, :-1], axis=0, return_inverse=True)
    table = np.zeros((len(configurations), 2), dtype=np.int64)
    table[row.ravel(), cells[:, -1]] = counts
    return Table(configurations, table)


def fit_logistic(table: Table) -> LogisticFit:
    """Maximise the likelihood of a logistic regression on a table, by Newton's method.

    The steps are those of ``native/logistic.hpp``, where they are explained.
    """
    (zeros, ones), totals = table.counts.T, table.counts.sum(axis=1)
    design = np.column_stack([np.ones(len(totals)), table.configurations])
    b = np.zeros(design.shape[1])
    kept = independent = _independent(design.T @ (totals[:, np.newaxis] * design), range(len(b)))
    step = b
    last_steps: list[NDArray[np.float64]] = []  # of coordinates that are about to be left out
    likelihood = _log_likelihood(design @ b, zeros, ones)
    while True:
        of_one, of_zero = _logistic(design @ b), _logistic(-design @ b)
        gradient = design.T @ (ones * of_zero - zeros * of_one)
        weight = totals * of_one * of_zero
        hessian = design.T @ (weight[:, np.newaxis] * design)
        kept_before, kept = kept, _independent(hessian, independent)
        if not set(kept_before) <= set(kept):
            last_steps.append(step)
        step = np.zeros_like(b)
        step[kept] = np.linalg.solve(hessian[np.ix_(kept, kept)], gradient[kept])
        if not gradient @ step > PROMISED_GAIN:
            break
        lengths = 0.5 ** np.arange(60) * min(1.0, LONGEST_STEP / np.abs(step).max())
        tried = (_log_likelihood(design @ (b + t * step), zeros, ones) for t in lengths)
        length, improved = next(
            ((t, v) for t, v in zip(lengths, tried, strict=True) if v >= likelihood), (0.0, -np.inf)
        )
        if not improved >= likelihood:  # rounding: no step goes up any more
            break
        b, likelihood = b + length * step, improved
    drifts = np.array([*last_steps, step])
    drift = np.take_along_axis(drifts, np.abs(drifts).argmax(axis=0)[np.newaxis], axis=0)[0]
    # The rows that leave for infinity have arrived: there, their likelihood is one.
    changes = drifts @ design.T
    leaving = ((ones == 0) & (changes < -STILL_MOVING)) | ((zeros == 0) & (changes > STILL_MOVING))
    stays = ~leaving.any(axis=0)
    return LogisticFit(_log_likelihood((design @ b)[stays], zeros[stays], ones[stays]), b, drift)


def _log_likelihood(
    eta: NDArray[np.float64], zeros: NDArray[np.int64], ones: NDArray[np.int64]
) -> float:
    return -float(np.sum(ones * np.logaddexp(0, -eta) + zeros * np.logaddexp(0, eta)))


def _logistic(eta: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(np.clip(-eta, -700, 700))))


def _independent(hessian: NDArray[np.float64], among: Iterable[int]) -> list[int]:
    """Leave out coordinates whose pivot in a Cholesky decomposition is nothing but rounding."""
    kept: list[int] = []
    for k in among:
        pivot = hessian[k, k]
        if kept:
            pivot -= hessian[k, kept] @ np.linalg.solve(
                hessian[np.ix_(kept, kept)], hessian[kept, k]
            )
        if pivot > SMALLEST_PIVOT * hessian[k, k]:
            kept.append(k)
    return kept


def likelihood_ratio(
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
            passing = likelihood_ratio(joint, ones[i], ones[j], n_log_n) >= least_ratio
            pairs.append(np.column_stack([np.full(passing.sum(), i), j[passing]]))
            joints.append(joint[passing])
        return AssociatedPairs(
            np.concatenate([np.empty((0, 2), np.int64), *pairs]),
            np.concatenate([np.empty(0, np.int64), *joints]),
        )

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

    def fit_blankets(self, bits: Bits, targets: NDArray[np.int64], blankets: Lists) -> Fits:
        """Fit each target's logistic regression on its blanket."""
        fits = [
            fit_logistic(blanket_table(bits, t, blanket.tolist()))
            for t, blanket in zip(targets.tolist(), blankets, strict=True)
        ]
        drifts = np.concatenate([np.empty(0), *(fit.drift for fit in fits)])
        return Fits(
            np.array([fit.log_likelihood for fit in fits]),
            np.concatenate([np.empty(0), *(fit.coefficients for fit in fits)]),
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


def log_marginal(counts: NDArray[np.int64]) -> float:
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
        likelihood = fit_logistic(table).log_likelihood
        return likelihood - (size + 1) * costs.parameter - size * costs.variable

    return score


def _odds_against(network: GibbsNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of the neighbours that are one, with the exponent kept apart."""
    start, stop = network.neighbours.starts[i : i + 2]
    fraction, exponent = np.frexp(np.full(values.shape[1], network.field_odds[i]))
    for j, factor in zip(network.neighbours[i], network.coupling_odds[start:stop], strict=True):
        fraction, shift = np.frexp(np.where(values[j], fraction * factor, fraction))
        exponent = exponent + shift
    odds: NDArray[np.float64] = np.ldexp(fraction, np.clip(exponent, -900, 900))
    return odds


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
