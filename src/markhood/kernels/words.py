"""Pack samples into words: sample k is bit k % 64 of word k // 64 on any byte order.

NumPy packs into bytes, lowest bit first. On little-endian processors these bytes already are words;
on big-endian processors they are swapped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Words


def packed(bits: NDArray[np.generic], n_words: int) -> Words:
    """Pack rows of zeros and ones into rows of words, padded with zeros.

    Examples
    --------
    >>> packed(np.array([1, 0, 1, 1]), 2)
    array([13,  0], dtype=uint64)
    """
    found = np.zeros((*bits.shape[:-1], 8 * n_words), np.uint8)
    rows = np.packbits(bits.astype(np.bool_, copy=False), axis=-1, bitorder="little")
    found[..., : rows.shape[-1]] = rows
    return found.view("<u8").astype(np.uint64, copy=False)


def transposed(words: Words) -> Words:
    """Return a word per sample and 64 rows of words: bit k of word b is that of row 64 b + k.

    Blocks of 64 x 64 bits are transposed by swapping halves, quarters, and so on.

    Parameters
    ----------
    words : ndarray of shape (..., n_rows, n_words)

    Returns
    -------
    ndarray of shape (..., ceil(n_rows / 64), 64 n_words)

    Examples
    --------
    >>> transposed(np.array([[13, 0], [1, 0]], np.uint64))[:, :5]
    array([[3, 0, 1, 1, 0]], dtype=uint64)
    """
    *outer, n_rows, n_words = words.shape
    n_blocks = -(-n_rows // 64)
    found = np.zeros((*outer, n_blocks, 64, n_words), np.uint64)
    found.reshape(*outer, 64 * n_blocks, n_words)[..., :n_rows, :] = words
    for step in (32, 16, 8, 4, 2, 1):
        by, low = np.uint64(step), np.uint64((2**64 - 1) // (2**step + 1))
        halves = found.reshape(-1, 2, step, n_words)
        upper, lower = halves[:, 0], halves[:, 1]
        swapped = upper >> by
        swapped ^= lower
        swapped &= low
        lower ^= swapped
        swapped <<= by
        upper ^= swapped
    return np.swapaxes(found, -1, -2).reshape(*outer, n_blocks, 64 * n_words)


def unpacked(words: Words, n_samples: int) -> NDArray[np.uint8]:
    """Return the bits of rows of words, of shape (..., n_samples).

    Examples
    --------
    >>> unpacked(np.array([13, 0], np.uint64), 4)
    array([1, 0, 1, 1], dtype=uint8)
    """
    little = np.ascontiguousarray(words, "<u8")
    return np.unpackbits(little.view(np.uint8), axis=-1, count=n_samples, bitorder="little")
