"""Two variables given others, another way: sample by sample, by a general optimiser, by summing over a lattice."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp


def log_likelihood(values, i, j, given_i, given_j, parameters):
    """Return the log-likelihood of two binary variables: intercept and slopes of i, of j, coupling."""
    a, b, coupling = np.split(
        np.asarray(parameters), [1 + len(given_i), 2 + len(given_i) + len(given_j)]
    )
    h_i = a[0] + values[:, given_i] @ a[1:]
    h_j = b[0] + values[:, given_j] @ b[1:]
    theta = coupling[0] if len(coupling) else 0.0
    energies = np.stack([np.zeros(len(values)), h_i, h_j, h_i + h_j + theta])
    chosen = values[:, i] * h_i + values[:, j] * h_j + theta * values[:, i] * values[:, j]
    return float(np.sum(chosen - logsumexp(energies, axis=0)))


def penalised_maximum(values, i, j, given_i, given_j, scale, coupled):
    """Return the maximum of the log-likelihood less sum b^2 / (2 scale^2), by BFGS; and where it is."""
    n = 2 + len(given_i) + len(given_j) + coupled
    has_prior = np.ones(n)
    has_prior[[0, 1 + len(given_i)]] = 0.0

    def loss(b):
        fit = log_likelihood(values, i, j, given_i, given_j, b)
        return (has_prior * b * b).sum() / (2 * scale**2) - fit

    found = minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-7})
    return -found.fun, found.x


def integrated_log_bayes_factor(values, scale, points=81, width=6.0):
    """Integrate over both intercepts, and the coupling where there is one: of two variables without neighbours."""
    counts = np.histogram2d(*values.T, bins=2)[0]

    def log_integral(coupled):
        top = penalised_maximum(values, 0, 1, [], [], scale, coupled)[1]
        axes = [np.linspace(-width, width, points) + at for at in top]
        a, b, *theta = np.meshgrid(*axes, indexing="ij")
        t = theta[0] if coupled else 0.0
        logs = counts[1, 0] * a + counts[0, 1] * b + counts[1, 1] * (a + b + t)
        scores = np.log1p(np.exp(a) + np.exp(b) + np.exp(a + b + t))
        logs = logs - counts.sum() * scores
        if coupled:
            logs = logs - t**2 / (2 * scale**2) - np.log(scale) - np.log(2 * np.pi) / 2
        steps = sum(np.log(axis[1] - axis[0]) for axis in axes)
        return logsumexp(logs) + steps

    return log_integral(True) - log_integral(False)
