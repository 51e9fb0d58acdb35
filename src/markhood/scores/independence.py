"""The Bayesian test of conditional independence, as a function of data.

`kernels/reference/independence.py` has the formula. The Blankets Joint Posterior is a sum of such
log-probabilities, one per pair of variables (`search/ibmap.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from markhood.arrays import Floats
from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels

LOG_2 = math.log(2)


def independence_test(
    data: Any, i: int | str, j: int | str, given: Sequence[int | str] = ()
) -> float:
    """Return the log-probability that two variables are independent given others.

    The probability is a posterior: independence and dependence are equally likely before the data
    are seen. No asymptotics are involved, so it may be used with few samples.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables)
        Every column has a few distinct values of any type.
    i, j : int or str
        The two variables, by column number or name.
    given : sequence of int or str, default=()
        The variables to condition on.

    Returns
    -------
    float
        Natural logarithm, at most 0; its ``log_complement`` is that of dependence.

    Raises
    ------
    InputError
        If a variable is unknown or named twice.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0] ^ coins[:, 1]
    >>> round(float(np.exp(independence_test(coins, 0, 1))), 2)
    0.6
    >>> independence_test(coins, 0, 1, given=[2]) < -100
    True
    """
    samples = encode(data)
    x, y, *z = (_number(variable, samples) for variable in (i, j, *given))
    if len({x, y, *z}) < len(z) + 2:
        raise InputError(
            "option-value",
            "",
            "A test of independence needs distinct variables: one is named twice.",
        )
    log_probabilities = NativeKernels().independence_tests(
        samples.bits,
        np.array([x]),
        Lists.of([z]),
        Lists.of([[y]]),
        log_factorials(samples.n_samples),
    )
    return float(log_probabilities[0])


def log_factorials(n_samples: int) -> Floats:
    """Return log k! for k = 0 ... n_samples + 3, as needed by tests on n_samples."""
    from scipy.special import gammaln

    logs: Floats = gammaln(np.arange(1.0, n_samples + 5))
    return logs


def log_complement(log_probabilities: Floats) -> Floats:
    """Return log(1 - exp(x)), to full accuracy where the probability is near 0 or 1.

    Examples
    --------
    >>> log_complement(np.log([0.25, 0.5, 1e-300])).round(6).tolist()
    [-0.287682, -0.693147, -0.0]
    """
    x = np.asarray(log_probabilities)
    likely = np.log(-np.expm1(np.maximum(x, -LOG_2)))
    return np.where(x > -LOG_2, likely, np.log1p(-np.exp(np.minimum(x, -LOG_2))))


def _number(variable: int | str, samples: Samples) -> int:
    d = samples.n_variables
    if isinstance(variable, str):
        if variable not in samples.names:
            raise InputError(
                "unknown-column", variable, f"There is no variable {variable!r} in the data."
            )
        return samples.names.index(variable)
    if not isinstance(variable, (int, np.integer)) or not 0 <= variable < d:
        raise InputError(
            "unknown-column",
            str(variable),
            f"There is no variable {variable!r}: variables are numbered 0 to {d - 1}.",
        )
    return int(variable)
