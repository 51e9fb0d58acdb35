"""The likelihood of two variables given their neighbours, with and without a coupling, in NumPy.

A pair (i, j) is looked at as one: given i's other neighbours A and j's other neighbours B,

    log p(x_i, x_j | x_A, x_B) = u_i(x_i) + u_j(x_j) + f(x_i)' T f(x_j) - log of the sum over both variables' levels,
    u_i(x_i) = a_0(x_i) + sum over k in A of f(x_i)' S_k f(x_k),      and u_j likewise.

a_0 has a number for every level but one, whatever f is.

For binary variables that is h_i x_i + h_j x_j + theta x_i x_j - log(1 + e^h_i + e^h_j + e^(h_i + h_j + theta)).
The fields a_0 are free; every number of S and T has the prior N(0, scale^2). l1 is the maximum of the
penalised log-likelihood, l0 that with T = 0, and D1, D0 the determinants of their Hessians. By Laplace's method

    log BF = l1 - l0 - q log(scale) - (log D1 - log D0) / 2         for q numbers in T.

**The features f** of a variable's r levels are r - 1 columns, orthogonal to each other and to the
ones, such that any two levels are at distance 1. So every log odds ratio of two levels against
two has the prior N(0, scale^2), whichever level comes first; and with two levels T is the
log odds ratio itself. Indicators of all levels but the first would favour the first.

**Ordered levels** have one feature, their step. The prior is on its coupling in units in which levels taken equally often
have the variance of a fair coin, `step_unit`, so that it means as much for ten levels as for two; steps
of size one would make the couplings of long scales too small for any prior that suits the short ones. What
is returned is the coupling of a step.

**Covariates** are in A and in B of every pair, and so are real columns (`Bits.reals`). Their slopes have the weak prior
N(0, `COVARIATE_SCALE`^2): shrinking them as couplings are shrunk would leave part of what a covariate explains to the
coupling.

With an infinite scale there is no prior: the maxima are those of the likelihood, and D1 and D0 are not used.
`native/pair/pair_fit.hpp` is the same for binary variables, by way of tables without a column for every cell, and
`native/pair/level_pair_fit.hpp` for all others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Bits, PairFits
from markhood.kernels.tables import codes, n_levels

COVARIATE_SCALE = 10.0
PROMISED_GAIN = 1e-11
SMALLEST_PIVOT = 1e-13
LONGEST_STEP = 5.0
MAX_STEPS, MAX_HALVINGS = 200, 60


class PairFit(NamedTuple):
    """The two maxima of a pair, and its coupling at the one.

    ``coupling`` and ``variance`` have one number for two variables of one feature each: the log odds ratio, of a step
    where levels are ordered; else r_i r_j, the zero-sum table. ``size`` is the number q of free ones among them.
    """

    joint: float
    apart: float
    log_determinant: float  # log D1 - log D0
    coupling: NDArray[np.float64]
    variance: NDArray[np.float64]
    size: int

    def log_bayes_factor(self, scale: float) -> float:
        """Return the log of how much likelier the data are with the coupling."""
        prior = self.size * math.log(scale)
        return self.joint - self.apart - prior - self.log_determinant / 2


def fit_pairs(
    bits: Bits,
    pairs: NDArray[np.int64],
    given_first: Lists,
    given_second: Lists,
    scale: float,
    n_covariates: int = 0,
) -> PairFits:
    """Fit each pair, given the other neighbours of its first and of its second end."""
    fits = [
        fit_pair(bits, i, j, first.tolist(), second.tolist(), scale, n_covariates)
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


def step_unit(levels: int) -> float:
    """Return how large a step between ordered levels is: so that equally frequent ones have variance 1/4.

    Examples
    --------
    >>> step_unit(2), round(step_unit(5), 3)
    (1.0, 0.354)
    """
    return math.sqrt(3.0 / (levels * levels - 1))


def features_of(bits: Bits, variable: int) -> NDArray[np.float64]:
    """Return the numbers by which a variable enters couplings, (r, f); each column sums to zero."""
    levels = n_levels(bits, variable)
    if bits.n_scores[variable] == levels - 1:
        return level_features(levels)
    steps = np.arange(levels, dtype=np.float64) - (levels - 1) / 2
    return np.asarray(steps[:, np.newaxis] * step_unit(levels))


def fit_pair(
    bits: Bits,
    i: int,
    j: int,
    given_i: Sequence[int],
    given_j: Sequence[int],
    scale: float,
    n_covariates: int = 0,
) -> PairFit:
    """Fit a pair with and without its coupling, given each end's other neighbours and the covariates."""
    d = len(bits.n_scores)
    given_i, given_j = ([*given, *range(d - n_covariates, d)] for given in (given_i, given_j))
    counts, configurations, first = _pair_table(bits, i, j, [*given_i, *given_j])
    of_i, of_j = features_of(bits, i), features_of(bits, j)
    r_i, r_j = len(of_i), len(of_j)
    ones = np.ones((len(counts), 1))
    by_i = _predictors(bits, given_i, configurations[:, : len(given_i)])
    by_j = _predictors(bits, given_j, configurations[:, len(given_i) :])
    by_i, by_j = (
        np.column_stack([by, *_reals(bits, v)[:, first]]) for by, v in ((by_i, i), (by_j, j))
    )
    products: NDArray[np.float64] = np.kron(of_i, of_j).astype(np.float64)
    free, own = np.zeros(1), np.full(1, 1 / scale**2)
    of_slopes = np.repeat(own, d)
    of_slopes[d - n_covariates :] = np.minimum(own, 1 / COVARIATE_SCALE**2)
    of_reals = np.repeat(np.minimum(own, 1 / COVARIATE_SCALE**2), bits.n_reals)
    prior_i, prior_j = (
        np.append(np.repeat(of_slopes[given], bits.n_scores[given]), of_reals)
        for given in (given_i, given_j)
    )
    # The features of the cells, what multiplies them in every row of the table, and the precision of each product.
    groups = [
        (np.repeat(level_features(r_i), r_j, axis=0), ones, free),
        (np.repeat(of_i, r_j, axis=0), by_i, prior_i),
        (np.tile(level_features(r_j), (r_i, 1)), ones, free),
        (np.tile(of_j, (r_i, 1)), by_j, prior_j),
        (products, ones, own),
    ]
    model = _PairModel(counts.reshape(len(counts), -1), groups)
    n, size = model.starts[-2], products.shape[1]
    apart, b, log_d0, _ = model.maximise(4, np.zeros(n))
    joint, b, log_d1, inverse = model.maximise(5, np.append(b, np.zeros(size)))
    shown = products
    if size == 1:
        shown = np.full((1, 1), _step(of_i) * _step(of_j))
    variance = np.einsum("ku,uv,kv->k", shown, inverse[n:, n:], shown)
    return PairFit(joint, apart, log_d1 - log_d0, shown @ b[n:], variance, size)


def _step(features: NDArray[np.float64]) -> float:
    return float(features[1, 0] - features[0, 0])


def _pair_table(
    bits: Bits, i: int, j: int, given: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.uint16], NDArray[np.int64]]:
    """Count both variables' levels, (n_rows, r_i, r_j), in each configuration of the others, and name a sample that has it."""
    groups = [] if bits.reals is None else [bits.reals.groups_of(v) for v in (i, j)]
    values = np.column_stack(
        [*(codes(bits, v) for v in given), *groups, np.zeros((bits.n_samples, 0), np.uint16)]
    )
    configurations, first, row = np.unique(values, axis=0, return_index=True, return_inverse=True)
    counts = np.zeros((len(configurations), n_levels(bits, i), n_levels(bits, j)))
    weights = 1.0 if bits.weighting is None else bits.weighting.weights
    np.add.at(counts, (row.ravel(), codes(bits, i), codes(bits, j)), weights)
    return counts, configurations[:, : len(given)].astype(np.uint16), first


def _reals(bits: Bits, variable: int) -> NDArray[np.float64]:
    """Return a variable's real columns, (n_reals, n_samples)."""
    if bits.reals is None:
        return np.empty((0, bits.n_samples))
    return bits.reals.of_target(variable)[0]


def _predictors(
    bits: Bits, given: Sequence[int], configurations: NDArray[np.uint16]
) -> NDArray[np.float64]:
    columns = [features_of(bits, v)[configurations[:, k]] for k, v in enumerate(given)]
    return np.concatenate([np.zeros((len(configurations), 0)), *columns], axis=1)


class _PairModel:
    """Groups of parameters: i's fields and slopes, j's fields and slopes, and the coupling.

    A group has features, (n_cells, q), predictors, (n_rows, m), and the precisions of their slopes, (m,); its q m
    parameters W add features W predictors' to the log-probabilities. The last group can be left out.
    """

    def __init__(
        self,
        counts: NDArray[np.float64],
        groups: list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]],
    ) -> None:
        self._counts, self._totals = counts, counts.sum(axis=1, keepdims=True)
        self._features, self._predictors, precisions = (
            list(part) for part in zip(*groups, strict=True)
        )
        priors = [
            np.tile(own, features.shape[1])
            for features, own in zip(self._features, precisions, strict=True)
        ]
        self.starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(p) for p in priors])])
        self._prior = np.concatenate(priors)
        self._squares = {
            (g, h): np.einsum("ra,rb->rab", self._predictors[g], self._predictors[h]).reshape(
                len(counts), self._predictors[g].shape[1] * self._predictors[h].shape[1]
            )
            for g in range(len(groups))
            for h in range(g + 1)
        }

    def maximise(
        self, n_groups: int, b: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
        """Maximise the penalised log-likelihood of the first groups by Newton's method.

        Returns the maximum, where it is, the log-determinant of the Hessian and its inverse.
        """
        reached, p = self._objective(n_groups, b)
        for _ in range(MAX_STEPS):
            gradient, hessian = self._derivatives(n_groups, b, p)
            inverse = _inverse(hessian, bool(self._prior.any()))
            step = inverse @ gradient
            if not gradient @ step > PROMISED_GAIN:
                break
            step *= LONGEST_STEP / max(LONGEST_STEP, np.abs(step).max())
            for halving in range(MAX_HALVINGS):
                tried = b + step * 0.5**halving
                improved, p_tried = self._objective(n_groups, tried)
                if improved >= reached:
                    break
            if not improved >= reached:
                break
            b, p, reached = tried, p_tried, improved
        return reached, b, float(np.linalg.slogdet(hessian)[1]), inverse

    def _objective(
        self, n_groups: int, b: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        logs = np.zeros_like(self._counts)
        for g in range(n_groups):
            features, predictors = self._features[g], self._predictors[g]
            own = b[self.starts[g] : self.starts[g + 1]].reshape(features.shape[1], -1)
            logs += predictors @ own.T @ features.T
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        penalty = (self._prior[: len(b)] * b * b).sum() / 2
        return float((self._counts * logs).sum() - penalty), np.exp(logs)

    def _derivatives(
        self, n_groups: int, b: NDArray[np.float64], p: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        prior = self._prior[: len(b)]
        gradient, hessian = -prior * b, np.diag(prior)
        residuals = self._counts - self._totals * p
        means = [p @ features for features in self._features[:n_groups]]
        for g in range(n_groups):
            own = slice(self.starts[g], self.starts[g + 1])
            of_g = self._features[g]
            gradient[own] += ((residuals @ of_g).T @ self._predictors[g]).ravel()
            for h in range(g + 1):
                other = slice(self.starts[h], self.starts[h + 1])
                of_h = self._features[h]
                products = np.einsum("cu,cv->cuv", of_g, of_h).reshape(len(of_g), -1)
                both = np.einsum("ru,rv->ruv", means[g], means[h]).reshape(len(p), -1)
                covariances = self._totals * (p @ products - both)
                block = covariances.T @ self._squares[g, h]
                by = self._predictors[g].shape[1], self._predictors[h].shape[1]
                block = block.reshape(of_g.shape[1], of_h.shape[1], *by).transpose(0, 2, 1, 3)
                hessian[own, other] += block.reshape(hessian[own, other].shape)
                if h < g:
                    hessian[other, own] = hessian[own, other].T
        return gradient, hessian


def _inverse(hessian: NDArray[np.float64], has_prior: bool) -> NDArray[np.float64]:
    """Invert; without a prior leave out directions of which the data say nothing."""
    if has_prior:
        return np.asarray(np.linalg.inv(hessian), dtype=np.float64)
    root = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    scaled, vectors = np.linalg.eigh(hessian / np.outer(root, root))
    usable = scaled > SMALLEST_PIVOT * max(1.0, scaled[-1])
    vectors = vectors[:, usable] / root[:, np.newaxis]
    return np.asarray((vectors / scaled[usable]) @ vectors.T, dtype=np.float64)
