"""Data with any number of levels, and their regressions by another road: a row a sample."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import minimize


def chain(seed, n_samples, n_levels, strength=1.5):
    """Make variables of these numbers of levels, each depending on the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n_levels[0], n_samples)]
    for before, r in pairwise(n_levels):
        table = strength * rng.normal(size=(before, r))
        noise = rng.gumbel(size=(n_samples, r))
        columns.append((table[columns[-1]] + noise).argmax(axis=1))
    values = np.column_stack(columns)
    for column, r in zip(values.T, n_levels, strict=True):
        column[:r] = np.arange(r)  # every level occurs
    return values.astype(np.uint8)


def design_of(values, blanket):
    """Return a one, and indicators of the levels but the first of each member, for every sample."""
    columns = [np.ones(len(values))]
    for b in blanket:
        columns += [values[:, b] == level for level in range(1, values[:, b].max() + 1)]
    return np.column_stack(columns).astype(float)


def penalised_maximum(values, target, blanket, weights=None, l1=0.0, l2=0.0):
    """Maximise the likelihood less a penalty by L-BFGS; slopes come as differences of two halves."""
    design, y = design_of(values, blanket), values[:, target]
    r, p = int(y.max()) + 1, design.shape[1]
    weights = np.ones(len(y)) if weights is None else weights

    def loss(halves):
        b = (halves[: p * (r - 1)] - halves[p * (r - 1) :]).reshape(p, r - 1)
        eta = np.column_stack([np.zeros(len(y)), design @ b])
        top = eta.max(axis=1, keepdims=True)
        logs = eta - top - np.log(np.exp(eta - top).sum(axis=1, keepdims=True))
        slopes = halves.reshape(2, p, r - 1)[:, 1:]
        value = -(weights * logs[np.arange(len(y)), y]).sum() + l2 * (b[1:] ** 2).sum()
        residual = weights[:, None] * (np.exp(logs) - np.eye(r)[y])[:, 1:]
        gradient = design.T @ residual
        gradient[1:] += 2 * l2 * b[1:]
        both = np.stack([gradient, -gradient])
        both[:, 1:] += l1
        return value + l1 * slopes.sum(), both.ravel()

    options = {"maxiter": 50_000, "maxfun": 500_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50}
    start = np.zeros(2 * p * (r - 1))
    bounds = [(0, 60)] * len(start)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return -float(found.fun)
