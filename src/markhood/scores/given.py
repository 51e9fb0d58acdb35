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
does not hold exactly. Pairs are fitted if their approximate ratio, T / 2, is at least
`least_share_of_price` times their penalty.

**Binary variables.** For these U is the joint count minus the sum of p_i p_j, where p_i are the
probabilities of variable i, and V is the sum of p_i (1 - p_i) p_j (1 - p_j). The p_i are smooth
functions of few columns, so a few singular vectors represent all of them, and both sums are inner
products of short vectors. A pair then costs a joint count of bits and two such products
(`native/count/residual_pairs.hpp`). If every variable has rest scores of its own, p_i also depends
on x_i, which is not represented. This changes U by a factor of about 1 - c_i c_j, where c_i is the
change of p_i by x_i.

With rare values, the ratio is much smaller than T / 2. The approximate ratio is therefore that of
the table with the expected counts, multiplied by what makes its own score statistic equal to T.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.kernels.bits import Bits, Reals
from markhood.kernels.protocol import Residuals
from markhood.kernels.reference.pair_fit import features_of
from markhood.kernels.tables import codes, n_levels

# In 1500 simulated tables (12 binary variables, 40 to 2000 samples, one to three real columns, many
# heavy-tailed or with quadratic effects), 4 of 13 833 pairs that reached their penalty with 500
# samples or more had a smaller approximate ratio, and 24 of 9438 with fewer samples.
LEAST_OF_PRICE, LEAST_WITH_MANY_SAMPLES = 0.125, 0.75
MANY_SAMPLES = 500
# The squared norm of a row that its short vector may leave, and the least sum of variances, for
# weights of 1: sums over all samples are then known to 0.1, and a pair with a joint count of 2
# where none is expected passes.
ERROR, LEAST_VARIANCE = 0.05, 0.1
ROUNDING = 1e-5  # of single precision, relative to the squared norm of a row
STARTS, MOST_LENGTH = 64, 32  # rows at first, and numbers of a short vector at most
BLOCK = 256  # variables whose rows are computed together
BINS = 64  # of a real column


def least_share_of_price(n_samples: int) -> float:
    """Return the least approximate ratio of a pair that is fitted, relative to its penalty."""
    return LEAST_WITH_MANY_SAMPLES if n_samples >= MANY_SAMPLES else LEAST_OF_PRICE


def strata_of(bits: Bits, n_covariates: int) -> Ints:
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
    if bits.reals is not None:  # covariates have their own columns, but are never targets
        targets = np.minimum(np.arange(n_nodes + n), n_nodes + n_covariates - 1)
        bits = replace(bits, reals=bits.reals.of_targets(targets))
    if len(starts) == len(bits.words) + 1:
        return replace(bits, starts=None, ordered=None), n
    return replace(bits, starts=np.array(starts), ordered=np.array(kinds)), n


def covariate_design(bits: Bits, n_covariates: int, target: int) -> Floats:
    """Return a target's real columns, then its covariates, of shape (n_samples, n_predictors)."""
    d = len(bits.n_scores)
    columns = [] if bits.reals is None else list(bits.reals.of_target(target)[0])
    for covariate in range(d - n_covariates, d):
        values, levels = codes(bits, covariate), n_levels(bits, covariate)
        is_step = bits.n_scores[covariate] < levels - 1
        columns += [values] if is_step else [values == level for level in range(1, levels)]
    return np.column_stack(columns).astype(np.float64)


def fitted_shares(bits: Bits, variable: int, coefficients: Floats, design: Floats) -> Floats:
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

    scores: Floats
    means: Floats
    share: Floats


def scored_variable(bits: Bits, variable: int, shares: Floats, weights: Floats) -> ScoredVariable:
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


def score_statistics(
    rows: Sequence[ScoredVariable], columns: Sequence[ScoredVariable], weights: Floats
) -> Floats:
    """Return T for every pair, of shape (n_rows, n_columns)."""
    (scores, means, shares), others = (
        [np.vstack(part) for part in zip(*side, strict=True)] for side in (rows, columns)
    )
    squares = ((scores * weights) @ others[0].T - (means * weights) @ others[1].T) ** 2
    for axis, side in enumerate((rows, columns)):
        starts = np.cumsum([0, *(len(v.scores) for v in side)])[:-1]
        squares = np.add.reduceat(squares, starts, axis=axis)
    information = (shares * weights) @ others[2].T
    return np.asarray(squares / np.maximum(information, 1e-300))


def residuals_of(bits: Bits, coefficients: Floats, n_covariates: int, weights: Floats) -> Residuals:
    """Return the residuals of binary variables given real columns and covariates.

    ``coefficients``, (n_variables, 1 + n_predictors), are those of each variable's regression on
    its `covariate_design`, and may be approximate.
    """
    assert bits.reals is not None
    n, unit, roots = len(coefficients), float(weights.mean()), np.sqrt(weights).astype(np.float32)
    is_shared = bits.reals.columns.ndim == 2
    design = covariate_design(bits, n_covariates, 0) if is_shared else np.empty(0)

    def rows(variables: Ints) -> list[NDArray[np.float32]]:
        own = coefficients[variables]
        if is_shared:
            eta = own[:, 1:] @ design.T
        else:
            designs = (covariate_design(bits, n_covariates, v) for v in variables.tolist())
            eta = np.array([one @ slopes for one, slopes in zip(designs, own[:, 1:], strict=True)])
        eta = np.clip(eta + own[:, :1], -80, 80).astype(np.float32)
        chances = np.asarray(1 / (1 + np.exp(-eta)), np.float32)
        return [chances * roots, chances * (1 - chances) * roots]

    means, variances = short_vectors(rows, n, ERROR * unit)
    return Residuals(means, variances, LEAST_VARIANCE * unit)


def coarse(reals: Reals) -> Reals:
    """Replace the values of shared columns by means of bins, so that fits have fewer rows.

    Half of the width of a bin is its share of the samples, half its share of the range, so that
    outliers have bins of their own.
    """
    if reals.columns.ndim == 3:
        return reals
    columns = reals.columns.copy()
    for column in columns:
        ranks, range_ = np.argsort(np.argsort(column)) / len(column), np.ptp(column) or 1.0
        bins = (BINS / 2 * (ranks + (column - column.min()) / range_)).astype(np.int64)
        counts = np.maximum(np.bincount(bins), 1)
        column[:] = (np.bincount(bins, column) / counts)[bins]
    return Reals.of(columns, reals.offset)


def short_vectors(
    rows: Callable[[Ints], list[NDArray[np.float32]]], n: int, error: float
) -> list[Floats]:
    """Return vectors whose inner products are those of n long rows, up to a small error.

    ``rows`` computes the rows of some variables, of several kinds. The vectors of a kind are the
    coordinates on the leading singular vectors of some rows. Rows that leave more than ``error``
    are added to these, up to `MOST_LENGTH` singular vectors.
    """
    chosen = np.unique(np.linspace(0, n - 1, min(n, STARTS)).astype(np.int64))
    while True:
        bases = [_leading_vectors(own, error) for own in rows(chosen)]
        found = [np.empty((n, len(basis))) for basis in bases]
        left = np.empty((len(bases), n))
        for start in range(0, n, BLOCK):
            part = slice(start, min(start + BLOCK, n))
            for k, own in enumerate(rows(np.arange(n)[part])):
                found[k][part] = own @ bases[k].T
                left[k, part] = (own**2).sum(axis=1) * (1 - ROUNDING)
        for k, vectors in enumerate(found):
            left[k] -= (vectors**2).sum(axis=1)
            left[k, len(bases[k]) == MOST_LENGTH :] = 0.0
        worst = np.argsort(left.max(axis=0))[-STARTS // 2 :]
        more = np.union1d(chosen, worst[left.max(axis=0)[worst] > 2 * error])
        if len(more) == len(chosen):
            return found
        chosen = more


def _leading_vectors(rows: NDArray[np.float32], error: float) -> NDArray[np.float32]:
    """Return the right singular vectors of rows that leave at most this squared norm of a row."""
    values, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    left = np.cumsum(np.maximum(values, 0.0) * vectors**2, axis=1).max(axis=0)
    n_left = int(np.searchsorted(left, max(error, ROUNDING * left[-1])))
    kept = slice(max(min(n_left, len(rows) - 1), len(rows) - MOST_LENGTH), None)
    units = vectors[:, kept] / np.sqrt(np.maximum(values[kept], 1e-30))
    return np.asarray(units.T @ rows, np.float32)


def spreads_given(bits: Bits, variable: int, shares: Floats, weights: Floats) -> Floats:
    """Return the variances of a variable's features along principal axes, given real columns."""
    features = features_of(bits, variable)
    means = shares @ features
    total = (features.T * (weights @ shares)) @ features - (means.T * weights) @ means
    return np.maximum(np.linalg.eigvalsh(total / weights.sum()), 0.0)


def counts_in_strata(bits: Bits, variable: int, strata: Ints) -> Floats:
    """Count a variable's levels in every stratum, of shape (n_strata, n_levels)."""
    levels, n_strata = n_levels(bits, variable), int(strata.max(initial=0)) + 1
    weights = None if bits.weighting is None else bits.weighting.weights
    cells = strata * levels + codes(bits, variable)
    counts = np.bincount(cells, weights, minlength=n_strata * levels).astype(np.float64)
    return counts.reshape(n_strata, levels)


def maximum_in_strata(bits: Bits, variable: int, strata: Ints) -> float:
    """Return the maximum log-likelihood of a variable with free probabilities in every stratum."""
    counts = counts_in_strata(bits, variable, strata)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
    return float((counts * np.log(shares)).sum())


def spreads_within(samples: Samples, variables: Ints, strata: Ints) -> Floats:
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
