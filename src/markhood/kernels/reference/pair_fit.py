"""The likelihood of two variables given their neighbours, with and without a coupling, in NumPy.

A pair (i, j) is modelled jointly. Given the other neighbours A of i and B of j,

    log p(x_i, x_j | x_A, x_B) = u_i(x_i) + u_j(x_j) + f(x_i)' T f(x_j)
                                 - log of the sum over both variables' levels,
    u_i(x_i) = a_0(x_i) + sum over k in A of f(x_i)' S_k f(x_k),      and u_j likewise.

a_0 has a number for every level but one, whatever f is.

For binary variables this is h_i x_i + h_j x_j + theta x_i x_j - log(1 + e^h_i + e^h_j + e^(h_i +
h_j + theta)). The fields a_0 are free. Every entry of T has the prior N(0, scale^2), and every
entry of S the prior N(0, `SLOPE_SCALE`^2), or that of T if it is wider. Let l1 be the maximum of
the penalised log-likelihood, l0 the maximum with T = 0, and D1 and D0 the determinants of their
Hessians. By Laplace's method,

    log BF = l1 - l0 - q log(scale) - (log D1 - log D0) / 2         for q numbers in T.

**The features f** of a variable's r levels are r - 1 columns, orthogonal to each other and to the
constant, such that any two levels are at distance 1. So every log odds ratio of two levels against
two has the prior N(0, scale^2), whatever the order of the levels, and with two levels T is the log
odds ratio itself. Indicators of all levels but the first would favour the first.

**Ordered levels** have one feature, their step. The prior applies to the coupling in units in which
equally frequent levels have the variance of a fair coin (`step_unit`), so that it has the same
meaning for ten levels as for two. With steps of size one, the couplings of long scales would be too
small for a prior that suits short scales. The returned coupling is that of a step.

**Slopes have a prior of their own** because shrinking them like the coupling would attribute part
of a neighbour's effect to the coupling: two variables with a strong common neighbour would look
coupled. Covariates and real columns (`Bits.reals`) are in A and in B of every pair, with the wider
prior N(0, `COVARIATE_SCALE`^2).

With an infinite scale there is no prior: the maxima are those of the likelihood, and D1 and D0 are
not used. The likelihood is `likelihoods.pair`. `newton.py` finds both maxima; the fit without the
coupling is the warm start of the fit with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import PairFits, Status
from markhood.kernels.reference.likelihoods import LogLinear, pair
from markhood.kernels.reference.newton import Cholesky, Fit, Vector, newton
from markhood.kernels.tables import codes, count_rows, n_levels, weights_of

SLOPE_SCALE, COVARIATE_SCALE = 3.0, 10.0


class PairFit(NamedTuple):
    """The maxima of a pair with and without a coupling, and the fitted coupling.

    For two variables with one feature each, ``coupling`` and ``variance`` have one number: the log
    odds ratio (of a step if the levels are ordered). Otherwise they have the r_i r_j entries of the
    zero-sum table. ``size`` is the number q of free parameters among them.
    """

    joint: float
    apart: float
    log_determinant: float  # log D1 - log D0
    coupling: NDArray[np.float64]
    variance: NDArray[np.float64]
    size: int

    def log_bayes_factor(self, scale: float) -> float:
        """Return the log Bayes factor of the coupling."""
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
    """Return r - 1 features for each of r levels, with any two levels at distance 1.

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
    """Return the size of a step such that equally frequent ordered levels have variance 1/4.

    Examples
    --------
    >>> step_unit(2), round(step_unit(5), 3)
    (1.0, 0.354)
    """
    return math.sqrt(3.0 / (levels * levels - 1))


def features_of(bits: Bits, variable: int) -> NDArray[np.float64]:
    """Return a variable's features in couplings, of shape (r, f); each column sums to zero."""
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
    """Fit a pair with and without its coupling, given other neighbours and the covariates."""
    d = len(bits.n_scores)
    given = [[*own, *range(d - n_covariates, d)] for own in (given_i, given_j)]
    columns: list[NDArray[Any]] = [codes(bits, v) for own in given for v in own]
    columns += [] if bits.reals is None else [bits.reals.groups_of(v) for v in (i, j)]
    r_j = n_levels(bits, j)
    cells = codes(bits, i).astype(np.int64) * r_j + codes(bits, j)
    first, counts = count_rows(columns, cells, n_levels(bits, i) * r_j, weights_of(bits))
    of_i, of_j = features_of(bits, i), features_of(bits, j)
    products = np.kron(of_i, of_j).astype(np.float64)
    size = products.shape[1]
    precisions = np.full(d, 1 / max(scale, SLOPE_SCALE) ** 2)
    precisions[d - n_covariates :] = weak = 1 / max(scale, COVARIATE_SCALE) ** 2
    ends, prior = [], []
    for v, features, own in ((i, of_i, given[0]), (j, of_j, given[1])):
        ends.append((features, _predictors(bits, v, own, first)))
        of_slopes = [*np.repeat(precisions[own], bits.n_scores[own]), *[weak] * bits.n_reals]
        prior += [np.zeros(len(features) - 1), np.repeat(of_slopes, features.shape[1])]
    n = sum(len(part) for part in prior)
    apart, log_d0, _ = _maximum(pair(counts, ends, coupled=False), np.zeros(n), prior)
    start = np.zeros(n + size)
    if apart.status is Status.CONVERGED:
        start[:n] = apart.coefficients
    prior.append(np.full(size, 1 / scale**2))
    joint, log_d1, system = _maximum(pair(counts, ends, coupled=True), start, prior)
    shown = np.full((1, 1), _step(of_i) * _step(of_j)) if size == 1 else products
    inverse = np.array([system.solve(unit)[n:] for unit in np.eye(n + size)[n:]])
    variance = np.einsum("ku,uv,kv->k", shown, inverse, shown)
    coupling = shown @ joint.coefficients[n:]
    return PairFit(joint.value, apart.value, log_d1 - log_d0, coupling, variance, size)


def _maximum(
    likelihood: LogLinear, start: Vector, prior: Sequence[Vector]
) -> tuple[Fit, float, Cholesky]:
    """Maximise; return the fit, and the log-determinant and factorisation of its curvature."""
    precision, system = np.diag(np.concatenate(prior)), Cholesky()
    fit = newton(likelihood, start, precision=precision if precision.any() else None)
    system.factorise(likelihood.curvature(fit.coefficients) + precision, is_new=True)
    return fit, system.log_determinant, system


def _step(features: Vector) -> float:
    return float(features[1, 0] - features[0, 0])


def _predictors(bits: Bits, end: int, given: Sequence[int], samples: NDArray[np.int64]) -> Vector:
    """Return the features of an end's neighbours, and its real columns, in these samples."""
    columns = [features_of(bits, v)[codes(bits, v)[samples]] for v in given]
    columns += [] if bits.reals is None else [bits.reals.of_target(end)[0][:, samples].T]
    return np.concatenate([np.zeros((len(samples), 0)), *columns], axis=1)
