"""Data with any number of levels, and their regressions by another road: a row a sample."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import linprog, minimize


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


def supremum(values, target, blanket):
    """Maximise the likelihood: a linear programme for what is at infinity, a trust region for the rest.

    A direction that leaves the log odds of all cells with samples as they are, and raises no other cell of their
    rows, may be followed without end. Cells that some such direction lowers are gone at the supremum.
    """
    configurations, row = np.unique(values[:, blanket], axis=0, return_inverse=True)
    y, samples = values[:, target], design_of(values, blanket)
    r = int(y.max()) + 1
    counts = np.zeros((len(configurations), r))
    np.add.at(counts, (row.ravel(), y), 1)
    design = np.empty((len(configurations), samples.shape[1]))
    design[row.ravel()] = samples
    odds = np.einsum("cu,lk->clku", design, np.eye(r)[:, 1:]).reshape(len(design), r, -1)
    odds = odds - odds[np.arange(len(design)), counts.argmax(axis=1)][:, None]
    there = counts > 0
    leaving = _lowered(odds[there], odds[~there])
    there[~there] = ~leaving
    return _finite_maximum(odds, counts, there)


def _lowered(fixed, free):
    """Say which of the free rows some direction lowers that raises none, and leaves the fixed ones."""
    n, p = free.shape
    found = linprog(
        np.r_[np.zeros(p), -np.ones(n)],
        A_ub=np.hstack([free, np.eye(n)]) if n else None,
        b_ub=np.zeros(n) if n else None,
        A_eq=np.hstack([fixed, np.zeros((len(fixed), n))]),
        b_eq=np.zeros(len(fixed)),
        bounds=[(None, None)] * p + [(0, 1)] * n,
    )
    return found.x[p:] > 0.5


def _finite_maximum(odds, counts, there):
    totals = counts.sum(axis=1)

    def shares(b):
        eta = np.where(there, odds @ b, -np.inf)
        top = eta.max(axis=1, keepdims=True)
        logs = eta - top - np.log(np.exp(eta - top).sum(axis=1, keepdims=True))
        return logs, np.exp(logs)

    def loss(b):
        logs, p = shares(b)
        residual = counts - totals[:, None] * p
        return -counts[counts > 0] @ logs[counts > 0], -np.einsum("rk,rku->u", residual, odds)

    def curvature(b):
        _, p = shares(b)
        mean = np.einsum("rk,rku->ru", p, odds)
        squares = np.einsum("r,rk,rku,rkv->uv", totals, p, odds, odds, optimize=True)
        return squares - np.einsum("r,ru,rv->uv", totals, mean, mean)

    start = np.zeros(odds.shape[2])
    options = {"gtol": 1e-7, "maxiter": 500}
    found = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options=options)
    return -float(found.fun)
