"""Regressions and pairs with real columns by another road: a general optimiser, a sample at a time."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from markhood.kernels.reference.pair_fit import SLOPE_SCALE
from oracles.ordered import scores_of


def fitted_with_reals(values, target, blanket, ordered, reals, offset=None, weights=None, l2=0.0):
    """Maximise log p = mu_k + s(k)' (o + B z) - log Z less l2 |B|^2; return the maximum and all parameters.

    Slopes are those of real columns, then of members.
    """
    y, r, n = values[:, target], int(values[:, target].max()) + 1, len(values)
    members = (scores_of(values[:, b], ordered[b]) for b in blanket)
    z = np.column_stack([*reals, *members, np.zeros((n, 0))])
    s = scores_of(np.arange(r), ordered[target])
    f, p = s.shape[1], z.shape[1]
    w = np.ones(n) if weights is None else np.asarray(weights, float)
    o = np.zeros(n) if offset is None else offset

    def loss(parameters):
        mu, b = np.concatenate([[0], parameters[: r - 1]]), parameters[r - 1 :].reshape(p, f)
        eta = mu + (o[:, None] + z @ b) @ s.T
        eta -= eta.max(axis=1, keepdims=True)
        logs = eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))
        residual = w[:, None] * (np.eye(r)[y] - np.exp(logs))
        gradient = np.concatenate([residual.sum(axis=0)[1:], (z.T @ residual @ s).ravel()])
        gradient[r - 1 :] -= 2 * l2 * parameters[r - 1 :]
        return -(w @ logs[np.arange(n), y] - l2 * (b**2).sum()) / n, -gradient / n

    options = {"maxiter": 20_000, "gtol": 1e-9}
    found = minimize(loss, np.zeros(r - 1 + p * f), jac=True, method="BFGS", options=options)
    return -n * float(found.fun), found.x


def fitted_pair(values, i, j, given_i, given_j, reals, precision, weak):
    """Maximise the likelihood of two binary variables less penalties, with and without a coupling.

    Neighbours and the pair itself are coded -1/2 and 1/2, as the prior has them. The penalty is precision b^2 / 2 for the coupling,
    b^2 / (2 SLOPE_SCALE^2) for neighbours unless precision is less, and weak b^2 / 2 for real columns.
    """
    n = len(values)
    x = values - 0.5
    by_i, by_j = (
        np.column_stack([x[:, given], *own])
        for given, own in zip((given_i, given_j), reals, strict=True)
    )
    prior = [
        np.r_[0.0, np.full(len(g), min(precision, SLOPE_SCALE**-2)), np.full(len(own), weak)]
        for g, own in zip((given_i, given_j), reals, strict=True)
    ]
    designs = [np.column_stack([np.ones(n), by]) for by in (by_i, by_j)]
    sizes = [d.shape[1] for d in designs]
    cells = np.array([(a, b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)])
    own = (2 * values[:, i] + values[:, j]).astype(int)

    def maximum(is_coupled):
        precisions = np.concatenate([*prior, [precision] if is_coupled else []])

        def loss(b):
            fields = [
                d @ part
                for d, part in zip(designs, np.split(b[: sum(sizes)], [sizes[0]]), strict=True)
            ]
            eta = np.outer(fields[0], cells[:, 0]) + np.outer(fields[1], cells[:, 1])
            if is_coupled:
                eta += b[-1] * cells.prod(axis=1)
            logs = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
            return -(logs[np.arange(n), own].sum() - (precisions * b * b).sum() / 2) / n

        found = minimize(loss, np.zeros(len(precisions)), method="BFGS", options={"gtol": 1e-7})
        return -n * found.fun, found.x

    (joint, at), (apart, _) = maximum(True), maximum(False)
    return joint, apart, at[-1]
