"""L1-penalised logistic regression by another road: a smooth problem with bounds.

With b = u - v, u and v not negative, the penalty is linear, and what is left is smooth: scipy's
L-BFGS-B finds the support, and Newton's method on it alone, signs fixed, the last digits.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit


def slopes_along(paths, target, n_variables):
    """The slopes of one target's path as an array of shape (n_fractions, n_variables)."""
    length = paths.lambdas.shape[1]
    dense = np.zeros((length, n_variables))
    for f in range(length):
        k = target * length + f
        start, stop = paths.supports.starts[k : k + 2]
        dense[f, paths.supports[k]] = paths.slopes[start:stop]
    return dense


def scores(x, y, intercept, slopes):
    """The mean derivatives of the log-likelihood, the intercept's first."""
    residuals = y - expit(intercept + x @ slopes)
    return np.concatenate([[residuals.mean()], x.T @ residuals / len(y)])


def l1_logistic(x, y, bounds):
    """Maximise mean log-likelihood - bounds @ |b|; returns the intercept and b.

    Kernels whose bounds differ by rounding share one result.
    """
    rounded = np.array([float(f"{bound:.13g}") for bound in bounds])
    arrays = np.asarray(x, dtype=float), np.asarray(y, dtype=float), rounded
    return _maximum(*(array.tobytes() for array in arrays))


@cache
def _maximum(*contents):
    x, y, bounds = (np.frombuffer(content) for content in contents)
    d = len(bounds)
    x = x.reshape(len(y), d)

    def minus(parts):
        eta = parts[0] + x @ (parts[1 : d + 1] - parts[d + 1 :])
        slope = -scores(x, y, parts[0], parts[1 : d + 1] - parts[d + 1 :])
        value = np.mean(np.logaddexp(0, eta) - y * eta) + bounds @ (
            parts[1 : d + 1] + parts[d + 1 :]
        )
        return value, np.concatenate([slope[:1], slope[1:] + bounds, -slope[1:] + bounds])

    limits = [(None, None)] + [(0, None)] * (2 * d)
    options = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 50_000, "maxfun": 100_000, "maxcor": 30}
    found = minimize(minus, np.zeros(2 * d + 1), jac=True, method="L-BFGS-B", bounds=limits,
                     options=options).x  # fmt: skip
    b = found[1 : d + 1] - found[d + 1 :]
    return _polished(x, y, bounds, found[0], np.where(np.abs(b) > 1e-5, b, 0))


def _polished(x, y, bounds, intercept, b):
    inside = np.flatnonzero(b)
    design = np.column_stack([np.ones(len(y)), x[:, inside]])
    pull = np.concatenate([[0], bounds[inside] * np.sign(b[inside])])
    at = np.concatenate([[intercept], b[inside]])
    for _ in range(50):
        p = expit(design @ at)
        hessian = design.T @ ((p * (1 - p))[:, None] * design) / len(y)
        step = np.linalg.lstsq(hessian, design.T @ (y - p) / len(y) - pull, rcond=None)[0]
        at = at + step
        if np.abs(step).max() < 1e-13:
            break
    b = np.zeros(len(b))
    b[inside] = at[1:]
    return at[0], b
