"""The penalised pseudo-likelihood of a Potts model, minimised by SciPy.

The implementation is independent of the compiled kernel: it uses dense products of one-hot samples,
double precision, and a general-purpose solver.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.networks import PottsFits, PottsPenalty, PottsSamples

Values = NDArray[np.float64]

FLAT = 1e-5  # largest derivative at a minimum, relative to the total weight


class Objective:
    """Negative log-likelihood of some targets plus the penalty, as a function of their table."""

    def __init__(
        self, samples: PottsSamples, targets: NDArray[np.int64], penalty: PottsPenalty
    ) -> None:
        places, starts, self.weights = samples
        n_rows = int(starts[-1])
        one_hot = np.zeros((len(places), n_rows + 1))
        np.put_along_axis(one_hot, places.astype(np.int64), 1.0, axis=1)
        one_hot[:, n_rows] = 0.0  # missing values
        centred = one_hot[:, :-1] - self.weights @ one_hot[:, :-1] / self.weights.sum()
        self.design = np.column_stack([centred, np.ones(len(places))])
        owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        columns = [np.arange(starts[t], starts[t + 1]) for t in targets.tolist()]
        own = owners[np.concatenate(columns)]
        self.observed = [one_hot[:, of_target] for of_target in columns]
        self.ends = np.cumsum([len(of_target) for of_target in columns])[:-1]
        strengths = penalty.variables[owners][:, None] * penalty.variables[own]
        self.strengths = np.vstack([strengths, np.full((1, len(own)), penalty.field)])
        self.is_free = np.vstack([owners[:, None] != own, np.ones((1, len(own)), np.bool_)])

    def value_and_gradient(self, flat: Values) -> tuple[float, Values]:
        """Return the objective at a table and its gradient, both flattened."""
        table = flat.reshape(self.strengths.shape)
        value, residuals = float((self.strengths * table**2).sum()), []
        parts = np.split(self.design @ table, self.ends, axis=1)
        for logits, observed in zip(parts, self.observed, strict=True):
            normalised = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
            value -= float(self.weights @ (observed * normalised).sum(axis=1))
            is_seen = observed.sum(axis=1, keepdims=True)
            residuals.append(self.weights[:, None] * (is_seen * np.exp(normalised) - observed))
        gradient = self.design.T @ np.hstack(residuals) + 2 * self.strengths * table
        return value, np.where(self.is_free, gradient, 0.0).ravel()


def fit_potts(
    samples: PottsSamples, targets: NDArray[np.int64], penalty: PottsPenalty
) -> PottsFits:
    """Fit the regressions of some targets on all other variables to high accuracy."""
    from scipy.optimize import minimize

    objective = Objective(samples, targets, penalty)
    found = minimize(
        objective.value_and_gradient,
        np.zeros(objective.strengths.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-8},
    )
    table = found.x.reshape(objective.strengths.shape)
    gradient = objective.value_and_gradient(found.x)[1].reshape(table.shape)
    parts = np.split(np.abs(gradient), objective.ends, axis=1)
    is_flat = np.array([part.max() <= FLAT * samples.weights.sum() for part in parts])
    return PottsFits(table.astype(np.float32), int(found.nit), is_flat)
