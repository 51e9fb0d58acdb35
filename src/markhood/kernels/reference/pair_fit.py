"""The likelihood of two variables given their neighbours, with and without a coupling, in NumPy.

A pair (i, j) is looked at as one: given i's other neighbours A and j's other neighbours B,

    log p(x_i, x_j | x_A, x_B) = u_i(x_i) + u_j(x_j) + f(x_i)' T f(x_j) - log of the sum over both variables' levels,
    u_i(x_i) = a_0(x_i) + sum over k in A of f(x_i)' S_k f(x_k),      and u_j likewise.

For binary variables that is h_i x_i + h_j x_j + theta x_i x_j - log(1 + e^h_i + e^h_j + e^(h_i + h_j + theta)).
The fields a_0 are free; every number of S and T has the prior N(0, scale^2). l1 is the maximum of the
penalised log-likelihood, l0 that with T = 0, and D1, D0 the determinants of their Hessians. By Laplace

    log BF = l1 - l0 - q log(scale) - (log D1 - log D0) / 2         for q numbers in T.

**The features f** of a variable's r levels are r - 1 columns, orthogonal to each other and to the
ones, such that any two levels are at distance 1. So every log odds ratio of two levels against
two has the prior N(0, scale^2), whichever level comes first; and with two levels T is the
log odds ratio itself. Indicators of all levels but the first would favour the first.

An infinite scale is no prior: the maxima are then those of the likelihood, and D1, D0 of no use.
`native/pair_fit.hpp` is the same for binary variables, by way of tables without a column for every cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Bits, PairFits
from markhood.kernels.tables import codes, n_levels

PROMISED_GAIN = 1e-11
SMALLEST_PIVOT = 1e-13
LONGEST_STEP = 5.0
MAX_STEPS, MAX_HALVINGS = 200, 60


class PairFit(NamedTuple):
    """The two maxima of a pair, and its coupling at the one.

    ``coupling`` and ``variance`` have one number, the log odds ratio, for two binary variables; else
    r_i r_j, the zero-sum table. ``size`` is the number q of free ones among them.
    """

    joint: float
    apart: float
    log_determinant: float  # log D1 - log D0
    coupling: NDArray[np.float64]
    variance: NDArray[np.float64]
    size: int

    def log_bayes_factor(self, scale: float) -> float:
        """Return the log of how much likelier the data are with the coupling."""
        return self.joint - self.apart - self.size * np.log(scale) - self.log_determinant / 2


def fit_pairs(
    bits: Bits,
    pairs: NDArray[np.int64],
    given_first: Lists,
    given_second: Lists,
    scale: float,
) -> PairFits:
    """Fit each pair, given the other neighbours of its first and of its second end."""
    fits = [
        fit_pair(bits, i, j, first.tolist(), second.tolist(), scale)
        for (i, j), first, second in zip(pairs.tolist(), given_first, given_second, strict=True)
    ]
    return PairFits(
        np.array([fit.joint for fit in fits]),
        np.array([fit.apart for fit in fits]),
        np.array([fit.log_determinant for fit in fits]),
        np.concatenate([np.empty(0), *(fit.coupling for fit in fits)]),
        np.concatenate([np.empty(0), *(fit.variance for fit in fits)]),
    )


def level_features(levels: int) -> NDArray[np.float64]:
    """Return r - 1 numbers for each of r levels, any two levels at distance 1.

    Examples
    --------
    >>> level_features(2).tolist()
    [[-0.5], [0.5]]
    """
    features = np.zeros((levels, levels - 1))
    for k in range(1, levels):
        features[:k, k - 1] = -1.0 / np.sqrt(2 * k * (k + 1))
        features[k, k - 1] = k / np.sqrt(2 * k * (k + 1))
    return features


def fit_pair(
    bits: Bits, i: int, j: int, given_i: Sequence[int], given_j: Sequence[int], scale: float
) -> PairFit:
    """Fit a pair with and without its coupling, given each end's other neighbours."""
    counts, configurations = _pair_table(bits, i, j, [*given_i, *given_j])
    of_i, of_j = level_features(n_levels(bits, i)), level_features(n_levels(bits, j))
    slopes_i = _features_of(bits, given_i, configurations[:, : len(given_i)])
    slopes_j = _features_of(bits, given_j, configurations[:, len(given_i) :])
    first = _end(of_i, slopes_i)[:, :, np.newaxis, :].repeat(len(of_j), axis=2)
    second = _end(of_j, slopes_j)[:, np.newaxis, :, :].repeat(len(of_i), axis=1)
    coupled = np.einsum("ku,lv->kluv", of_i, of_j).reshape(len(of_i), len(of_j), -1)
    both = np.broadcast_to(coupled, (*counts.shape, coupled.shape[-1]))
    # The fields of either end have no prior.
    free = [len(of_i) - 1, len(of_j) - 1]
    prior = np.concatenate(
        [np.arange(part.shape[-1]) >= n for part, n in zip((first, second), free, strict=True)]
        + [np.ones(both.shape[-1], dtype=np.bool_)]
    ) / (scale * scale)
    flat = (len(counts), -1)
    design = np.concatenate([first, second, both], axis=-1)
    design = design.reshape(*flat, design.shape[-1])
    counts = counts.reshape(flat)
    n = design.shape[-1] - both.shape[-1]
    apart, b, log_d0, _ = _maximise(design[..., :n], counts, prior[:n], np.zeros(n))
    joint, b, log_d1, inverse = _maximise(design, counts, prior, np.append(b, np.zeros(both.shape[-1])))
    shown = np.ones((1, 1)) if len(of_i) == len(of_j) == 2 else np.kron(of_i, of_j)
    variance = np.einsum("ku,uv,kv->k", shown, inverse[n:, n:], shown)
    return PairFit(joint, apart, log_d1 - log_d0, shown @ b[n:], variance, both.shape[-1])


def _pair_table(
    bits: Bits, i: int, j: int, given: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
    """Count both variables' levels, (n_rows, r_i, r_j), in each configuration of the others."""
    values = np.column_stack(
        [*(codes(bits, v) for v in given), np.zeros((bits.n_samples, 0), np.uint16)]
    )
    configurations, row = np.unique(values, axis=0, return_inverse=True)
    counts = np.zeros((len(configurations), n_levels(bits, i), n_levels(bits, j)))
    weights = 1.0 if bits.weighting is None else bits.weighting.weights
    np.add.at(counts, (row.ravel(), codes(bits, i), codes(bits, j)), weights)
    return counts, configurations


def _features_of(
    bits: Bits, given: Sequence[int], configurations: NDArray[np.uint16]
) -> NDArray[np.float64]:
    columns = [
        level_features(n_levels(bits, v))[configurations[:, k]] for k, v in enumerate(given)
    ]
    return np.concatenate([np.zeros((len(configurations), 0)), *columns], axis=1)


def _end(features: NDArray[np.float64], slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the design of one end, (n_rows, r, p): indicators, then features times slopes."""
    levels, n_rows = len(features), len(slopes)
    fields = np.broadcast_to(np.eye(levels)[:, 1:], (n_rows, levels, levels - 1))
    products = np.einsum("ku,rv->rkuv", features, slopes).reshape(n_rows, levels, -1)
    return np.concatenate([fields, products], axis=-1)


def _maximise(
    design: NDArray[np.float64],
    counts: NDArray[np.float64],
    prior: NDArray[np.float64],
    b: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
    """Maximise sum n log p - sum prior b^2 / 2 by Newton's method; p is the softmax of a row's cells.

    Returns the maximum, where it is, the log-determinant of the Hessian and its inverse.
    """
    totals = counts.sum(axis=1)

    def objective(b: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logs = design @ b
        logs = logs - logs.max(axis=1, keepdims=True)
        logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return float((counts * logs).sum() - (prior * b * b).sum() / 2), np.exp(logs)

    reached, p = objective(b)
    for _ in range(MAX_STEPS):
        gradient = np.einsum("rc,rcu->u", counts - totals[:, np.newaxis] * p, design) - prior * b
        means = np.einsum("rc,rcu->ru", p, design)
        spread = design - means[:, np.newaxis]
        weighted = spread * (totals[:, np.newaxis] * p)[..., np.newaxis]
        hessian = np.tensordot(weighted, spread, axes=([0, 1], [0, 1])) + np.diag(prior)
        inverse = _inverse(hessian)
        step = inverse @ gradient
        if not gradient @ step > PROMISED_GAIN:
            break
        step *= LONGEST_STEP / max(LONGEST_STEP, np.abs(step).max())
        for halving in range(MAX_HALVINGS):
            tried = b + step * 0.5**halving
            improved, p_tried = objective(tried)
            if improved >= reached:
                break
        if not improved >= reached:
            break
        b, p, reached = tried, p_tried, improved
    return reached, b, float(np.linalg.slogdet(hessian)[1]), inverse


def _inverse(hessian: NDArray[np.float64]) -> NDArray[np.float64]:
    """Invert, leaving out directions without information: without a prior there may be some."""
    root = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    scaled, vectors = np.linalg.eigh(hessian / np.outer(root, root))
    usable = scaled > SMALLEST_PIVOT * max(1.0, scaled[-1])
    vectors = vectors[:, usable] / root[:, np.newaxis]
    return np.asarray((vectors / scaled[usable]) @ vectors.T)
