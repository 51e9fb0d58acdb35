"""The power of a study by its number of samples: a logistic regression of success on log N."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST = 100_000  # samples
WEAK_SLOPE = 0.05  # prior precision, for rounds in which all data sets agree


def fit_power(
    x: NDArray[np.float64], success: NDArray[np.bool_]
) -> tuple[float, float, NDArray[np.float64]]:
    """Regress success on x: the x of probability 1/2, the slope, and the covariance of both.

    The logarithm of the slope is fitted: power rises with the number of samples.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(at: NDArray[np.float64]) -> float:
        centre, log_slope = at
        eta = np.exp(log_slope) * (x - centre)
        ridge = WEAK_SLOPE * ((log_slope - np.log(5)) ** 2 + (centre - x.mean()) ** 2)
        return float(np.logaddexp(0, np.where(success, -eta, eta)).sum() + ridge)

    found = minimize(loss, [x.mean(), np.log(5)], method="Nelder-Mead", options={"maxiter": 2000})
    centre, slope = float(found.x[0]), float(np.exp(found.x[1]))
    p = expit(slope * (x - centre))
    design = np.column_stack([np.full(len(x), -slope), slope * (x - centre)])
    information = design.T @ ((p * (1 - p))[:, None] * design) + 2 * WEAK_SLOPE * np.eye(2)
    return centre, slope, np.linalg.inv(information)


def size_with_power(centre: float, slope: float, power: float) -> float:
    """Return the number of samples at which the regression has this power."""
    return float(np.exp(min(centre + np.log(power / (1 - power)) / slope, np.log(10 * LARGEST))))


def size_interval(
    estimate: float, slope: float, power: float, covariance: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the 95 % interval of the estimate by the delta method, for log N."""
    gradient = np.array([1.0, -np.log(power / (1 - power)) / slope])
    half = 1.96 * float(np.sqrt(gradient @ covariance @ gradient))
    return float(estimate * np.exp(-half)), float(estimate * np.exp(half))
