"""Maxima of conditional log-linear likelihoods by another route: a linear programme, then a trust region.

A row has an observed cell y, a weight w and features T of all its cells, and contributes

    w (T_y'b - log sum over cells c of exp(T_c'b)) = -w log sum over c of exp(D_c'b),   D_c = T_c - T_y.

A direction d with D d <= 0 can be followed without end. The linear programme finds the cells that some such direction
lowers; the supremum is the maximum without them. Nothing here groups samples or parameters: a nominal target, an ordered
one and a pair differ only by their features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp

from markhood.kernels.reference.pair_fit import SLOPE_SCALE


class Problem(NamedTuple):
    """What is maximised: the log-likelihood less sum l1 |b| + precision b^2 / 2."""

    differences: np.ndarray  # (n_rows, n_cells, n_coefficients)
    weights: np.ndarray
    l1: np.ndarray
    precision: np.ndarray


def blanket_problem(values, target, blanket, ordered=None, weights=None, l1=0.0, l2=0.0, real=None):
    """Regress a target on its blanket and on real columns; coefficients as `Fits` has them."""
    values, real, weights = _distinct(values, [target, *blanket], real, weights)
    ordered = (
        np.zeros(len(blanket) + 1, bool)
        if ordered is None
        else np.asarray(ordered)[[target, *blanket]]
    )
    y, r = values[:, 0], values[:, 0].max() + 1
    steps = np.arange(r)[:, None] if ordered[0] else np.eye(r)[:, 1:]
    predictors = [real]
    for column, is_ordered in zip(values[:, 1:].T, ordered[1:], strict=True):
        predictors.append(column[:, None] if is_ordered else np.eye(column.max() + 1)[column, 1:])
    predictors = np.concatenate([*predictors[1:], predictors[0]], axis=1)
    slopes = np.einsum("nu,kf->nkuf", predictors, steps).reshape(len(y), r, -1)
    thresholds = np.broadcast_to(np.eye(r)[:, 1:], (len(y), r, r - 1))
    is_slope = np.arange(r - 1 + slopes.shape[2]) >= r - 1
    features = np.concatenate([thresholds, slopes], axis=2)
    return _problem(features, y, weights, l1 * is_slope, 2 * l2 * is_slope)


def pair_problem(values, i, j, given_i, given_j, scale, ordered=None, weights=None, coupled=True):
    """Two variables given others; without an order any two levels of one are at distance 1."""
    used = [i, j, *given_i, *given_j]
    values, _, weights = _distinct(values, used, None, weights)
    ordered = np.zeros(len(used), bool) if ordered is None else np.asarray(ordered)[used]
    entered = [
        _centred(column.max() + 1, is_ordered)
        for column, is_ordered in zip(values.T, ordered, strict=True)
    ]
    r_i, r_j = len(entered[0]), len(entered[1])
    around = [s[column] for s, column in zip(entered[2:], values.T[2:], strict=True)]
    none, n = np.zeros((len(values), 0)), len(given_i)
    z_i, z_j = (
        np.concatenate([none, *around[:n]], axis=1),
        np.concatenate([none, *around[n:]], axis=1),
    )
    shape, parts = (len(values), r_i, r_j), []
    for z, own, letters in ((z_i, entered[0], "nu,kf->nkuf"), (z_j, entered[1], "nu,kf->nkuf")):
        of = np.einsum(letters, np.column_stack([np.ones(len(values)), z]), own).reshape(
            len(values), len(own), -1
        )
        thresholds = np.broadcast_to(np.eye(len(own))[:, 1:], (len(values), len(own), len(own) - 1))
        parts.append(np.concatenate([thresholds, of[:, :, own.shape[1] :]], axis=2))
    own = [
        np.broadcast_to(parts[0][:, :, None], (*shape, parts[0].shape[2])),
        np.broadcast_to(parts[1][:, None], (*shape, parts[1].shape[2])),
    ]
    both = np.einsum("kf,lg->klfg", entered[0], entered[1]).reshape(r_i, r_j, -1)
    own.append(np.broadcast_to(both, (*shape, both.shape[2])))
    features = np.concatenate(own if coupled else own[:2], axis=3)
    is_free = [
        np.arange(part.shape[2]) < len(e) - 1 for part, e in zip(parts, entered[:2], strict=True)
    ]
    n_slopes = sum(map(len, is_free))
    is_free = np.concatenate([*is_free, np.zeros(both.shape[2] * coupled, bool)])
    scales = np.where(np.arange(len(is_free)) < n_slopes, max(scale, SLOPE_SCALE), scale)
    y = values[:, 0] * r_j + values[:, 1]
    return _problem(
        features.reshape(len(values), r_i * r_j, -1), y, weights, 0 * is_free, ~is_free / scales**2
    )


def is_separated(problem):
    """Say whether some direction can be followed without end."""
    return (
        not problem.precision.any()
        and not problem.l1.any()
        and bool(_lowered(problem.differences).any())
    )


def supremum(problem):
    """Maximise; what a Newton step could still gain is below 1e-9, or an assertion fails."""
    if problem.l1.any():
        return _by_halves(problem)
    there = np.ones(problem.differences.shape[:2], bool)
    if not problem.precision.any():
        there = ~_lowered(problem.differences)

    def at(b):
        value, gradient, curvature = _derivatives(problem, there, b)
        return value, gradient, curvature + np.diag(problem.precision)

    found = minimize(
        lambda b: at(b)[:2],
        np.zeros(len(problem.precision)),
        jac=True,
        hess=lambda b: at(b)[2],
        method="trust-exact",
        options={"gtol": 1e-8, "maxiter": 1000},
    )
    _, gradient, curvature = at(found.x)
    step = np.linalg.pinv(curvature, rcond=1e-12, hermitian=True) @ gradient
    assert gradient @ step < 1e-9, found
    return -min(found.fun, at(found.x - step)[0])


def _distinct(values, used, real, weights):
    real = np.zeros((len(values), 0)) if real is None else real
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, float)
    _, first, row = np.unique(
        np.column_stack([values[:, used], real]), axis=0, return_index=True, return_inverse=True
    )
    return values[first][:, used].astype(np.int64), real[first], np.bincount(row.ravel(), weights)


def _centred(levels, is_ordered):
    """Return the numbers by which levels enter a pair: eigenvectors of the centring matrix, or steps."""
    if is_ordered:
        return (np.arange(levels)[:, None] - (levels - 1) / 2) * np.sqrt(3 / (levels**2 - 1))
    _, vectors = np.linalg.eigh(np.eye(levels) - 1 / levels)
    return vectors[:, 1:] / np.sqrt(2)


def _problem(features, y, weights, l1, precision):
    observed = np.take_along_axis(features, y[:, None, None], axis=1)
    return Problem(features - observed, weights, l1, precision)


def _lowered(differences):
    """Say which cells some direction lowers that raises none."""
    n, cells, p = differences.shape
    flat = differences.reshape(n * cells, p)
    moves = np.abs(flat).max(axis=1, initial=0) > 0
    at_most = flat[moves]
    found = linprog(
        np.r_[np.zeros(p), -np.ones(len(at_most))],
        A_ub=np.hstack([at_most, np.eye(len(at_most))]),
        b_ub=np.zeros(len(at_most)),
        bounds=[(None, None)] * p + [(0, 1)] * len(at_most),
    )
    assert found.status == 0, found.message
    lowered = np.zeros(n * cells, bool)
    lowered[moves] = found.x[p:] > 0.5
    return lowered.reshape(n, cells)


def _derivatives(problem, there, b):
    logs = np.where(there, problem.differences @ b, -np.inf)
    total = logsumexp(logs, axis=1)
    p = np.exp(logs - total[:, None])
    mean = np.einsum("nc,ncu->nu", p, problem.differences)
    centred = problem.differences - mean[:, None]
    curvature = np.einsum("n,nc,ncu,ncv->uv", problem.weights, p, centred, centred, optimize=True)
    value = problem.weights @ total + problem.precision @ b**2 / 2
    return value, problem.weights @ mean + problem.precision * b, curvature


def _by_halves(problem):
    """Maximise under an L1 penalty: every coefficient is the difference of two that are not negative."""
    everything, p = np.ones(problem.differences.shape[:2], bool), len(problem.l1)
    l1 = np.r_[problem.l1, problem.l1]

    def loss(halves):
        value, gradient, _ = _derivatives(problem, everything, halves[:p] - halves[p:])
        return value + l1 @ halves, np.r_[gradient, -gradient] + l1

    at = np.zeros(2 * p)
    bounds = [(0, None) if l else (None, None) for l in problem.l1]
    bounds += [(0, None) if l else (0, 0) for l in problem.l1]
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 0, "gtol": 1e-9, "maxcor": 50}
    for _ in range(3):  # a restart goes on where a line search gave up
        found = minimize(loss, at, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        at = found.x
    gradient = np.where(at == 0, np.minimum(loss(at)[1], 0), loss(at)[1])
    assert np.abs(gradient[[b != (0, 0) for b in bounds]]).max() < 1e-5, found
    return -found.fun
