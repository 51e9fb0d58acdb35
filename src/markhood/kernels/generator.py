"""The random number generator of all kernels: xoshiro128++ by Blackman and Vigna."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def next_random(state: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Draw 32 bits from each of the xoshiro128++ generators of shape (4, n), in place."""
    a, b, c, d = state
    drawn: NDArray[np.uint32] = _rotate(a + d, 7) + a
    shifted = b << np.uint32(9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d[:] = _rotate(d, 11)
    return drawn


def _rotate(x: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))
