"""The path of L1-penalised logistic regressions, in NumPy: short and slow.

    maximise  L(b)/N - lambda sum_j penalty_j |b_j|

over slopes b and an unpenalised intercept. Each lambda is warm-started from the previous solution
and solved by `newton.py`, with all candidates in every step. `native/l1/l1_path.hpp` considers
fewer candidates, computes fewer curvatures, and finds the same maxima.

Real columns and candidates with a penalty of zero are in every solution, including the first, in
which all other slopes are zero. Their penalty is `FREE` instead of lambda, so that the slopes are
finite where they separate the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.bits import Bits
from markhood.kernels.protocol import Status
from markhood.kernels.reference.likelihoods import nominal
from markhood.kernels.reference.newton import newton
from markhood.kernels.words import unpacked

FREE = 1e-6  # penalty per sample on a slope that is otherwise unpenalised

_Reals = NDArray[np.float64]


class L1Point(NamedTuple):
    """A solution; ``has_converged`` is true if it and all previous ones have converged.

    ``bound`` is lambda, and ``slopes`` has a value for each candidate.
    """

    bound: float
    log_likelihood: float
    intercept: float
    slopes: _Reals
    has_converged: bool = True


def l1_path(
    bits: Bits,
    target: int,
    candidates: NDArray[np.int64],
    penalties: _Reals,
    fractions: _Reals,
    largest_support: int,
) -> list[L1Point]:
    """Return a solution for each fraction of the smallest lambda at which all slopes are zero."""
    *x, y = unpacked(bits.words[[*candidates, target]], bits.n_samples).astype(np.int64)
    n, ones, n_reals = bits.n_samples, int(y.sum()), bits.n_reals
    reals = np.empty((0, n)) if bits.reals is None else bits.reals.of_target(target)[0]
    design = np.array([*reals, *x], dtype=np.float64).reshape(n_reals + len(candidates), n)
    penalties = np.append(np.zeros(n_reals), penalties)
    covariances = np.array([n * (c @ y) - c.sum() * ones for c in design], dtype=np.float64)
    with np.errstate(divide="ignore"):
        intercept = float(np.log(ones) - np.log(n - ones))
    entropy = sum(k * np.log(k / n) for k in (ones, n - ones) if k)
    point = L1Point(1.0, float(entropy), intercept, np.zeros(len(design)))
    is_free = penalties == 0
    if is_free.any() and np.isfinite(intercept):
        start = point._replace(slopes=np.zeros(int(is_free.sum())))
        bounds = np.full(len(start.slopes), n * FREE)
        alone = _maximise(design[is_free], y.astype(np.float64), bounds, start)
        point = alone._replace(slopes=np.zeros(len(design)))
        point.slopes[is_free] = alone.slopes
        p = 1 / (1 + np.exp(-(point.intercept + point.slopes @ design)))
        covariances = n * (design @ (y - p))
    top = np.max(np.abs(covariances[~is_free]) / (n * n * penalties[~is_free]), initial=0.0)
    point = point._replace(bound=float(top))
    path = []
    for fraction in fractions:
        if top > 0 and fraction < 1 and np.count_nonzero(point.slopes[n_reals:]) <= largest_support:
            start = point._replace(bound=top * fraction)
            bounds = np.where(is_free, n * FREE, n * start.bound * penalties)
            point = _maximise(design, y.astype(np.float64), bounds, start)
        path.append(point)
    return [point._replace(slopes=point.slopes[n_reals:]) for point in path]


def _maximise(design: _Reals, y: _Reals, bounds: _Reals, point: L1Point) -> L1Point:
    predictors = np.column_stack([np.ones(len(y)), design.T])
    likelihood = nominal(np.column_stack([1 - y, y]), predictors)
    start = np.append(point.intercept, point.slopes)
    fit = newton(likelihood, start, l1=np.append(0.0, bounds), tolerance=0.0)
    b, has_converged = fit.coefficients, fit.status is Status.CONVERGED
    return L1Point(
        point.bound, likelihood.value(b), float(b[0]), b[1:], point.has_converged and has_converged
    )
