"""Newton's method for a concave function of many numbers, of which each meets only a few others.

1. Solve (information + precision) step = gradient of likelihood and prior.
2. Halve the step until the sum of both rises.
3. Stop when the step promises a rise of less than 1e-10, or than rounding allows to see.

Few parameters are solved for at once, many by conjugate gradients, which need no more memory
than the information has entries: a factor of a large random graph fills up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 1500  # parameters that are solved for at once
_MOST_STEPS = 100
_PROMISE = 1e-10
_ROUNDING = 1e-12
_RELATIVE = 1e-4  # of a step: what is left is for the next one


class Concave(Protocol):
    """A log-likelihood with its derivatives."""

    def value(self, parameters: NDArray[np.float64]) -> float:
        """Return the function's value."""

    def derivatives(
        self, parameters: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], csr_array]:
        """Return value, gradient, and minus the Hessian."""


def maximum(
    likelihood: Concave, precision: csr_array, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where a likelihood and a normal prior are highest together."""
    parameters = start.copy()
    for _ in range(_MOST_STEPS):
        value, gradient, information = likelihood.derivatives(parameters)
        pull = precision @ parameters
        value -= float(parameters @ pull) / 2
        slope = gradient - pull
        step = solved(information + precision, slope)
        promise = float(step @ slope)
        if promise < max(_PROMISE, _ROUNDING * abs(value)):
            parameters += step
            break
        length = 1.0
        while length > 1e-8:
            tried = parameters + length * step
            reached = likelihood.value(tried) - float(tried @ (precision @ tried)) / 2
            if reached >= value + 1e-4 * length * promise:
                break
            length /= 2
        else:
            break  # rounding is all that is left to climb
        parameters = tried
    return parameters


def solved(matrix: csr_array, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve a positive definite system."""
    if matrix.shape[0] <= DENSE:
        return np.asarray(np.linalg.solve(matrix.toarray(), right))
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg

    scaling = diags_array(1 / matrix.diagonal())
    return np.asarray(cg(matrix, right, M=scaling, rtol=_RELATIVE, maxiter=2000)[0])
