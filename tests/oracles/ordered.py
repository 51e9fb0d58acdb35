"""Ordered levels by another road: regressions a sample at a time, and networks to draw them from."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def ordinal_chain(seed, n_samples, n_levels, coupling=0.5):
    """Make variables of these numbers of levels, each rising with the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n_levels[0], n_samples)]
    for r in n_levels[1:]:
        centred = columns[-1] - columns[-1].mean()
        thresholds = 0.5 * rng.normal(size=r)
        eta = thresholds + np.outer(coupling * centred, np.arange(r))
        columns.append((eta + rng.gumbel(size=eta.shape)).argmax(axis=1))
    values = np.column_stack(columns)
    for column, r in zip(values.T, n_levels, strict=True):
        column[:r] = np.arange(r)  # every level occurs
    return values.astype(np.uint8)


def scores_of(column, is_ordered):
    """Return what a variable enters by, of shape (n_samples, n_scores)."""
    if is_ordered:
        return column[:, None].astype(float)
    return (column[:, None] == np.arange(1, column.max() + 1)).astype(float)


def fitted(values, target, blanket, ordered, weights=None, l2=0.0, steps=None):
    """Maximise log p = mu_k + s(k)' B z - log Z less l2 |B|^2; return the maximum, mu and B.

    ``steps`` are those of an ordered target's levels, by default 0, 1, 2, ...
    """
    y, r = values[:, target], int(values[:, target].max()) + 1
    n = len(y)
    z = np.column_stack([np.zeros((n, 0)), *(scores_of(values[:, b], ordered[b]) for b in blanket)])
    s = scores_of(np.arange(r) if steps is None else np.array(steps), ordered[target])  # (r, f)
    f, p = s.shape[1], z.shape[1]
    w = np.ones(n) if weights is None else np.asarray(weights, float)

    def loss(parameters):
        mu, b = np.concatenate([[0], parameters[: r - 1]]), parameters[r - 1 :].reshape(p, f)
        eta = mu + (z @ b) @ s.T
        eta -= eta.max(axis=1, keepdims=True)
        logs = eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))
        residual = w[:, None] * (np.eye(r)[y] - np.exp(logs))
        gradient = np.concatenate([residual.sum(axis=0)[1:], (z.T @ residual @ s).ravel()])
        gradient[r - 1 :] -= 2 * l2 * parameters[r - 1 :]
        value = w @ logs[np.arange(n), y] - l2 * (b**2).sum()
        return -value / n, -gradient / n

    start = np.zeros(r - 1 + p * f)
    options = {"maxiter": 20_000, "gtol": 1e-9}
    found = minimize(loss, start, jac=True, method="BFGS", options=options)
    return -n * float(found.fun), found.x[: r - 1], found.x[r - 1 :].reshape(p, f)


def n_parameters(values, target, blanket, ordered):
    """Count thresholds and slopes."""
    f = [1 if is_ordered else int(c.max()) for c, is_ordered in zip(values.T, ordered, strict=True)]
    return int(values[:, target].max()) + f[target] * sum(f[b] for b in blanket)


def bic(values, target, blanket, ordered, gamma=0.5):
    """Score a blanket from its formula."""
    n, d = values.shape
    charged = n_parameters(values, target, blanket, ordered) * np.log(n) / 2
    charged += len(blanket) * gamma * np.log(d - 1)
    return fitted(values, target, blanket, ordered)[0] - charged
