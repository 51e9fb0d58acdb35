"""Bounds with which the GPU compares a pair's counts before it computes logarithms.

They are computed in NumPy, outside the kernel (`pairs.cu`, which explains the two bounds), so that
they can be tested without a GPU: a bound that is slightly too high would lose edges silently.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Ints

HAIR = 1e-6  # relative; single precision and its products are accurate to a few 1e-7


def margins(ones: Ints, n_samples: int, least_ratio: float) -> NDArray[np.float32]:
    """Return the number of ones, the loose bound, the tight bound and 0 for every variable.

    A pair i, j can have a likelihood ratio of at least ``least_ratio`` only if |n n_ij - n_i n_j|
    is at least the product of the loose bounds, and at least that of the tight bounds.

    Returns
    -------
    ndarray of shape (n_variables, 4), dtype float32
        Bounds of constant variables are infinite.
    """
    n, count = float(n_samples), ones.astype(np.float64)
    product = count * (n - count)
    is_constant = product == 0
    root = np.sqrt(np.where(is_constant, np.inf, product)) * (1 - HAIR)
    information = least_ratio / n
    least_phi = np.sqrt(2 * information)
    rarer = np.where(is_constant, 0.5, np.minimum(count, n - count) / n)
    odds = (1 - rarer) / rarer
    skewness = least_phi * odds / 6 + (least_phi * odds) ** 2 / 3
    loose = root * np.expm1(information) ** 0.25
    tight = root * np.sqrt(least_phi / (1 + skewness))
    return np.column_stack([count, loose, tight, np.zeros_like(count)]).astype(np.float32)


def slack(n_samples: int) -> float:
    """Return a generous bound of the single-precision error of n n_ij - n_i n_j."""
    return 4e-7 * float(n_samples) ** 2
