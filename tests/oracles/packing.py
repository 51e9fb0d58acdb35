"""Tables of zeros and ones as the kernels and the searches take them."""

from __future__ import annotations

import numpy as np

from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.kernels.bits import Bits


def pack(values):
    """Pack an array of zeros and ones; rows of whole 512 bits."""
    n_samples, n_variables = values.shape
    bits = np.zeros((n_variables, -(-n_samples // 512) * 512), dtype=np.uint8)
    bits[:, :n_samples] = np.asarray(values).T
    return Bits(
        np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64), n_samples
    )


def variables(levels):
    return Variables(tuple(f"x{i}" for i in range(len(levels))), levels)


def samples_of(values):
    bits = pack(values)
    d = values.shape[1]
    return Samples(bits.words, bits.n_samples, variables(((0, 1),) * d))


def samples_with_levels(values, weights=None):
    """Pack an array of level numbers; every level of a column must occur."""
    n_levels = values.max(axis=0) + 1
    rows = [values[:, v] == k for v, r in enumerate(n_levels) for k in range(1, max(2, r))]
    bits = pack(np.column_stack(rows))
    return Samples(
        bits.words,
        bits.n_samples,
        variables(tuple(tuple(range(r)) for r in n_levels)),
        weights=weights,
    )
