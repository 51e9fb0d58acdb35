"""Two variables given others, another way: sample by sample, by a general optimiser, by summing over a lattice."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from markhood.kernels.reference.pair_fit import COVARIATE_SCALE, SLOPE_SCALE


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


def penalised_maximum(values, i, j, given_i, given_j, scale, coupled, covariates=()):
    """Return the maximum of the log-likelihood less sum b^2 / (2 s^2), by BFGS; and where it is.

    s is ``scale`` for the coupling, and at least SLOPE_SCALE for slopes, COVARIATE_SCALE on covariates.
    """
    slopes_i, slopes_j = (
        [max(scale, COVARIATE_SCALE if v in covariates else SLOPE_SCALE) for v in given]
        for given in (given_i, given_j)
    )
    deviations = np.array([np.inf, *slopes_i, np.inf, *slopes_j, *[scale] * coupled])
    n = len(deviations)

    def loss(b):
        fit = log_likelihood(values, i, j, given_i, given_j, b)
        return (b * b / (2 * deviations**2)).sum() - fit

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


def maximum_of_levels(values, features, ends, scale, coupled):
    """Return the maximum for variables of any levels, sample by sample, by BFGS; and the coupling there.

    ``features`` has a matrix (levels, scores) for each variable; ``ends`` are i, j and the other neighbours of each.
    """
    i, j, given_i, given_j = ends
    of_i, of_j = features[i], features[j]
    around = [
        np.concatenate(
            [np.empty((len(values), 0)), *(features[v][values[:, v]] for v in given)], axis=1
        )
        for given in (given_i, given_j)
    ]
    shapes = [
        (len(of_i) - 1,),
        (of_i.shape[1], around[0].shape[1]),
        (len(of_j) - 1,),
        (of_j.shape[1], around[1].shape[1]),
        (of_i.shape[1], of_j.shape[1]),
    ][: 5 if coupled else 4]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def loss(b):
        parts = [
            part.reshape(shape)
            for part, shape in zip(np.split(b, np.cumsum(sizes)[:-1]), shapes, strict=True)
        ]
        own = [
            np.append(0.0, thresholds) + z @ slopes.T @ f.T
            for thresholds, slopes, z, f in zip(
                parts[::2], parts[1::2], around, (of_i, of_j), strict=False
            )
        ]
        energies = own[0][:, :, np.newaxis] + own[1][:, np.newaxis, :]
        if coupled:
            energies = energies + of_i @ parts[4] @ of_j.T
        chosen = energies[np.arange(len(values)), values[:, i], values[:, j]]
        deviations = {1: max(scale, SLOPE_SCALE), 3: max(scale, SLOPE_SCALE), 4: scale}
        penalty = sum(
            (part**2).sum() / deviations[k] ** 2 for k, part in enumerate(parts) if k in deviations
        )
        return penalty / 2 - np.sum(chosen - logsumexp(energies, axis=(1, 2)))

    found = minimize(loss, np.zeros(sum(sizes)), method="BFGS", options={"gtol": 1e-6})
    return -found.fun, found.x[sum(sizes[:4]) :]
