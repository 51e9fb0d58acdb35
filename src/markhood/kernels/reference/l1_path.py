"""The path of L1-penalised logistic regressions, in NumPy: short, obvious and slow.

    maximise  L(b)/N - lambda sum_j penalty_j |b_j|

over slopes b and an intercept without penalty. Each lambda starts from the solution of the one
before. Newton's method: the quadratic model of L at b, with its penalty, is maximised a
coordinate at a time, all candidates being looked at every time; the step is halved until the
objective rises; again until the steps are nothing, and so is what the point lacks of being a maximum:
with residuals r, x_j'r = +-N lambda penalty_j where b_j is not zero, no more than that where it
is, and sum r = 0. The intercept is eliminated from the model first. `native/l1/l1_path.hpp` looks at
fewer candidates and computes fewer curvatures, and arrives at the same maxima.

Candidates with a penalty of zero are in every solution, also in the first, where all others are out. So that their slopes
are finite where they separate the target, they are bound by `FREE` instead of lambda.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.protocol import Bits
from markhood.kernels.words import unpacked

DISTANCE_LEFT = 1e-9  # of a coefficient from its maximum
OFF_MAXIMUM = 1e-8  # of lambda: by so much a point may miss the conditions of a maximum
FREE = 1e-6  # what is taken of a slope without a penalty, a sample
FLAT = 1e-12  # relative; below it a curvature is rounding
LOST_TO_ROUNDING = 1e-13  # relative, of the objective
MAX_STEPS = 200
MAX_SWEEPS = 1000

_Reals = NDArray[np.float64]


class L1Point(NamedTuple):
    """A solution: lambda, log-likelihood, intercept, a slope a candidate, most of them zero, and whether it and those before converged."""

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
    """Return a solution for each fraction of the least lambda at which all slopes are zero."""
    *x, y = unpacked(bits.words[[*candidates, target]], bits.n_samples).astype(np.int64)
    design = np.array(x, dtype=np.float64).reshape(len(candidates), bits.n_samples)
    n, ones = bits.n_samples, int(y.sum())
    covariances = np.array([n * int(c @ y) - int(c.sum()) * ones for c in x], dtype=np.float64)
    with np.errstate(divide="ignore"):
        intercept = float(np.log(ones) - np.log(n - ones))
    entropy = sum(k * np.log(k / n) for k in (ones, n - ones) if k)
    point = L1Point(1.0, float(entropy), intercept, np.zeros(len(candidates)))
    is_free = penalties == 0
    if is_free.any() and np.isfinite(intercept):
        start = point._replace(slopes=np.zeros(int(is_free.sum())))
        bounds = np.full(len(start.slopes), n * FREE)
        alone = _maximise(design[is_free], y.astype(np.float64), bounds, start)
        point = alone._replace(slopes=np.zeros(len(candidates)))
        point.slopes[is_free] = alone.slopes
        p = 1 / (1 + np.exp(-(point.intercept + point.slopes @ design)))
        covariances = n * (design @ (y - p))
    top = np.max(np.abs(covariances[~is_free]) / (n * n * penalties[~is_free]), initial=0.0)
    point = point._replace(bound=float(top))
    path = []
    for fraction in fractions:
        if top > 0 and fraction < 1 and np.count_nonzero(point.slopes) <= largest_support:
            start = point._replace(bound=top * fraction)
            bounds = np.where(is_free, n * FREE, n * start.bound * penalties)
            point = _maximise(design, y.astype(np.float64), bounds, start)
        path.append(point)
    return path


def _maximise(design: _Reals, y: _Reals, bounds: _Reals, point: L1Point) -> L1Point:
    distance = np.inf
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-(point.intercept + point.slopes @ design)))
        if distance < DISTANCE_LEFT and _off_maximum(design, y - p, bounds, point) <= OFF_MAXIMUM:
            break
        weights = p * (1 - p)
        means = design @ weights / weights.sum()
        centred = design - means[:, np.newaxis]
        gradient = design @ (y - p) - means * (y - p).sum()
        slopes = _lasso((centred * weights) @ centred.T, gradient, bounds, point.slopes)
        change = slopes - point.slopes
        intercept_change = (y - p).sum() / weights.sum() - means @ change
        promised = design @ (y - p) @ change + (y - p).sum() * intercept_change
        promised -= bounds @ (np.abs(slopes) - np.abs(point.slopes))
        objective = point.log_likelihood - bounds @ np.abs(point.slopes)
        for length in 0.5 ** np.arange(20):
            b = slopes if length == 1 else point.slopes + length * change
            intercept = float(point.intercept + length * intercept_change)
            likelihood = _log_likelihood(intercept + b @ design, y)
            moved = L1Point(point.bound, likelihood, intercept, b, point.has_converged)
            gained = moved.log_likelihood - bounds @ np.abs(b) - objective
            if gained >= 0.01 * length * promised + LOST_TO_ROUNDING * objective:
                point = moved
                break
        else:  # rounding: no step goes up any more
            break
        distance = max(abs(intercept_change), np.abs(change).max())
    else:
        point = point._replace(has_converged=False)
    return point


def _off_maximum(design: _Reals, residuals: _Reals, bounds: _Reals, point: L1Point) -> float:
    """Return by how much of lambda a point misses the conditions of a maximum."""
    gradient, b = design @ residuals, point.slopes
    off = np.where(b == 0, np.abs(gradient) - bounds, np.abs(gradient - bounds * np.sign(b)))
    n_lambda = len(residuals) * point.bound
    judged_by = np.where(bounds == len(residuals) * FREE, n_lambda, bounds)
    return float(max(abs(residuals.sum()) / n_lambda, np.max(off / judged_by)))


def _lasso(curvature: _Reals, gradient: _Reals, bounds: _Reals, start: _Reals) -> _Reals:
    """Maximise g'(t - b) - (t - b)'C(t - b)/2 - bounds |t| over t, from t = b on."""
    t, rest = start.copy(), gradient.copy()
    sizes = np.diag(curvature)
    usable = np.flatnonzero(sizes > FLAT * max(sizes.max(), 1.0))
    for _ in range(MAX_SWEEPS):
        largest = 0.0
        for j in usable:
            pull = rest[j] + sizes[j] * t[j]
            moved = np.sign(pull) * max(abs(pull) - bounds[j], 0.0) / sizes[j]
            if moved != t[j]:
                rest -= curvature[j] * (moved - t[j])
                largest = max(largest, abs(moved - t[j]))
                t[j] = moved
        if largest < DISTANCE_LEFT / 100:
            break
    return t


def _log_likelihood(eta: _Reals, y: _Reals) -> float:
    return float(np.sum(y * eta - np.logaddexp(0, eta)))
