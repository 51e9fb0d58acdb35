"""Measure pairs of variables conditionally on covariates.

A pair is measured by the likelihood of both its ends given the covariates z
(`kernels/reference/pair_fit.py`, without a prior):

    ratio = l(x_i, x_j | z, with a coupling) - l(x_i | z) - l(x_j | z).

The ratio is symmetric, and its only additional parameters are those of the coupling. Without
covariates it is the likelihood ratio of the pair's table.

**Screening by strata.** A stratum is a configuration of the covariates. A model with a separate
coupling in every stratum fits at least as well, so

    ratio <= sum over strata of ratio_z + slack_i + slack_j,
    slack_i = sum over strata of l(x_i | stratum) - l(x_i | z).

A pair whose ratio reaches a penalty therefore reaches (penalty - slack_i - slack_j) / K in at least
one of K strata. The unconditional screen of each stratum's samples finds these pairs, and only
those whose bound reaches the penalty are fitted. With one nominal covariate, the slack of a nominal
variable is zero.

**Screening by the score test.** Real columns have no strata, since hardly any two samples agree.
Let S be the scores of a variable's levels, and m and C their means and covariances in every sample
under its regression on the covariates. Then U = sum of S_i S_j' - m_i m_j' is the derivative of the
log-likelihood with respect to the coupling, and its information is at least V = sum of C_i x C_j.
Let P be the covariance at a variable's mean probabilities. In every sample C >= share * P, where
share is C / P for a single score, and otherwise the smallest ratio of a level's probability to its
mean. So

    ratio ~ U' V^-1 U / 2 <= T / 2,     T = |P_i^-1/2 U P_j^-1/2|^2 / sum of share_i share_j.

Without covariates, a ratio never exceeds T (N log(1 + phi^2) <= N phi^2). With real columns this
does not hold exactly, and pairs are fitted if T is at least `least_share_of_price` times their
penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.bits import Bits
from markhood.kernels.reference.pair_fit import features_of
from markhood.kernels.tables import codes, n_levels
from markhood.kernels.words import unpacked

# Among 28 296 pairs that reached their penalty in 3500 simulated tables (10 variables, 40 to 1000
# samples, some with heavy-tailed covariates and quadratic effects), the smallest T was 0.62 of the
# penalty. With 200 samples or more it was 1.30 (5342 pairs, 450 tables of 12 variables).
LEAST_OF_PRICE, LEAST_WITH_MANY_SAMPLES = 0.25, 1.0
MANY_SAMPLES = 500


def least_share_of_price(n_samples: int) -> float:
    """Return the least score statistic of a pair that is fitted, relative to its penalty."""
    return LEAST_WITH_MANY_SAMPLES if n_samples >= MANY_SAMPLES else LEAST_OF_PRICE


def strata_of(bits: Bits, n_covariates: int) -> NDArray[np.int64]:
    """Return each sample's stratum number, of shape (n_samples,); zero without covariates."""
    d = len(bits.n_scores)
    numbers = np.zeros(bits.n_samples, np.int64)
    for covariate in range(d - n_covariates, d):
        both = numbers * n_levels(bits, covariate) + codes(bits, covariate)
        numbers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return numbers


def indicators_of_covariates(bits: Bits, n_covariates: int) -> tuple[Bits, int]:
    """Turn each indicator of a nominal covariate into a binary covariate; return their number.

    The model is the same, because slopes on covariates are free except for a weak prior. Fits that
    have binary variables only are several times faster.
    """
    if not n_covariates or bits.starts is None:
        return bits, n_covariates
    n_nodes = len(bits.starts) - 1 - n_covariates
    ordered = np.zeros(n_nodes + n_covariates, np.bool_) if bits.ordered is None else bits.ordered
    starts, kinds = bits.starts[: n_nodes + 1].tolist(), ordered[:n_nodes].tolist()
    for covariate in range(n_nodes, n_nodes + n_covariates):
        end = int(bits.starts[covariate + 1])
        ends = [end] if ordered[covariate] else list(range(starts[-1] + 1, end + 1))
        starts += ends
        kinds += [bool(ordered[covariate])] * len(ends)
    n = len(starts) - 1 - n_nodes
    if len(starts) == len(bits.words) + 1:
        return replace(bits, starts=None, ordered=None), n
    return replace(bits, starts=np.array(starts), ordered=np.array(kinds)), n


def covariate_design(bits: Bits, n_covariates: int, target: int) -> NDArray[np.float64]:
    """Return a target's real columns, then its covariates, of shape (n_samples, n_predictors)."""
    d = len(bits.n_scores)
    columns = [] if bits.reals is None else list(bits.reals.of_target(target)[0])
    for covariate in range(d - n_covariates, d):
        values, levels = codes(bits, covariate), n_levels(bits, covariate)
        is_step = bits.n_scores[covariate] < levels - 1
        columns += [values] if is_step else [values == level for level in range(1, levels)]
    return np.column_stack(columns).astype(np.float64)


def fitted_shares(
    bits: Bits, variable: int, coefficients: NDArray[np.float64], design: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the fitted probabilities of a variable's levels, of shape (n_samples, n_levels)."""
    levels, scores = n_levels(bits, variable), int(bits.n_scores[variable])
    linear = design @ coefficients[levels - 1 :].reshape(-1, scores)
    eta = np.zeros((len(design), levels))
    eta[:, 1:] = coefficients[: levels - 1] + (
        linear if scores == levels - 1 else linear * np.arange(1, levels)
    )
    powers = np.exp(np.maximum(eta - eta.max(axis=1, keepdims=True), -700))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class ScoredVariable(NamedTuple):
    """Inputs of the score test: scores and means, (q, n_samples), scaled by P; shares of P."""

    scores: NDArray[np.float64]
    means: NDArray[np.float64]
    share: NDArray[np.float64]


def scored_variable(
    bits: Bits, variable: int, shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> ScoredVariable:
    """Return the score-test inputs of a variable with these level probabilities in every sample."""
    levels = shares.shape[1]
    features = features_of(bits, variable)
    mean = weights @ shares / weights.sum()
    centred = features - mean @ features
    root = np.linalg.cholesky((centred.T * mean) @ centred + 1e-12 * np.eye(features.shape[1]))
    units = np.linalg.solve(root, centred.T)  # (q, levels)
    means = units @ shares.T
    if features.shape[1] == 1:
        share = np.einsum("nl,l->n", shares, units[0] ** 2) - means[0] ** 2
    else:
        occurs = mean > 0
        share = (shares[:, occurs] / mean[occurs]).min(axis=1)
    codes_of = codes(bits, variable)
    return ScoredVariable(units[:, np.minimum(codes_of, levels - 1)], means, share)


class ScoredBinaries(NamedTuple):
    """Inputs of the score test of binary variables, (n_variables, n_samples) in single precision.

    The same numbers as in `ScoredVariable`, with the weights of the samples in ``weighted``, the
    scores, and ``weighted_means`` and ``weighted_shares``.
    """

    scores: NDArray[np.float32]
    means: NDArray[np.float32]
    shares: NDArray[np.float32]
    weighted: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

    @classmethod
    def of(
        cls,
        bits: Bits,
        coefficients: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> ScoredBinaries:
        """Compute the inputs from each variable's regression on its real columns."""
        assert bits.reals is not None
        n = len(coefficients)
        columns = bits.reals.columns
        slopes = coefficients[:, 1:]
        eta = slopes @ columns if columns.ndim == 2 else (slopes[:, None] @ columns[:n])[:, 0]
        chances = 1 / (1 + np.exp(-np.clip(eta + coefficients[:, :1], -700, 700)))
        means = (chances @ weights / weights.sum())[:, None]
        variances = np.maximum(means * (1 - means), 1e-12)
        units = np.sqrt(variances)
        values = unpacked(bits.words[:n], bits.n_samples)
        parts = (
            ((values - means) / units).astype(np.float32),
            ((chances - means) / units).astype(np.float32),
            (chances * (1 - chances) / variances).astype(np.float32),
        )
        single = weights.astype(np.float32)
        return cls(*parts, (parts[0] * single, parts[1] * single, parts[2] * single))

    def statistics(self, rows: slice, columns: slice) -> NDArray[np.float32]:
        """Return T for every pair, of shape (n_rows, n_columns)."""
        scores, means, shares = self.weighted
        derivative = scores[rows] @ self.scores[columns].T - means[rows] @ self.means[columns].T
        information = shares[rows] @ self.shares[columns].T
        return np.asarray(derivative**2 / np.maximum(information, np.float32(1e-30)))


def score_statistics(
    rows: Sequence[ScoredVariable],
    columns: Sequence[ScoredVariable],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return T for every pair, of shape (n_rows, n_columns)."""
    squares = np.zeros((len(rows), len(columns)))
    last = [
        np.concatenate(part) for part in zip(*((v.scores, v.means) for v in columns), strict=True)
    ]
    starts = np.cumsum([0, *(len(v.scores) for v in columns)])[:-1]
    for k, own in enumerate(rows):
        derivative = (own.scores * weights) @ last[0].T - (own.means * weights) @ last[1].T
        squares[k] = np.add.reduceat((derivative**2).sum(axis=0), starts)
    shares = [np.array([v.share for v in part]) for part in (rows, columns)]
    information = (shares[0] * weights) @ shares[1].T
    return np.asarray(squares / np.maximum(information, 1e-300))


def spreads_given(
    bits: Bits, variable: int, shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the variances of a variable's features along principal axes, given real columns."""
    features = features_of(bits, variable)
    means = shares @ features
    total = (features.T * (weights @ shares)) @ features - (means.T * weights) @ means
    return np.maximum(np.linalg.eigvalsh(total / weights.sum()), 0.0)


def counts_in_strata(bits: Bits, variable: int, strata: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count a variable's levels in every stratum, of shape (n_strata, n_levels)."""
    levels, n_strata = n_levels(bits, variable), int(strata.max(initial=0)) + 1
    weights = None if bits.weighting is None else bits.weighting.weights
    cells = strata * levels + codes(bits, variable)
    counts = np.bincount(cells, weights, minlength=n_strata * levels).astype(np.float64)
    return counts.reshape(n_strata, levels)


def maximum_in_strata(bits: Bits, variable: int, strata: NDArray[np.int64]) -> float:
    """Return the maximum log-likelihood of a variable with free probabilities in every stratum."""
    counts = counts_in_strata(bits, variable, strata)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
    return float((counts * np.log(shares)).sum())


def spreads_within(
    samples: Samples, variables: NDArray[np.int64], strata: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the within-stratum variances of features along their principal axes, zero-padded.

    This is the pooled estimate: with K strata and N samples, sums of squares are divided by N - (K
    - 1).
    """
    bits = samples.bits
    spreads = np.zeros((len(variables), int(bits.n_scores[variables].max(initial=1))))
    freedom = samples.total_weight - int(strata.max(initial=0))
    for k, v in enumerate(variables.tolist()):
        counts, features = counts_in_strata(bits, v, strata), features_of(bits, v)
        totals = counts.sum(axis=1, keepdims=True)
        means = counts @ features / np.maximum(totals, 1e-300)
        squares = (features.T * counts.sum(axis=0)) @ features - (means.T * totals.T) @ means
        own = np.linalg.eigvalsh(squares / max(freedom, 1.0))
        spreads[k, : len(own)] = np.maximum(own, 0.0)
    return spreads
