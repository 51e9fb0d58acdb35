"""Packing of level numbers: a row of bits for each level but the first.

Levels that do not occur in the sample are left out, so that no parameters are fitted for them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Ints, Words
from markhood.data.samples import Samples, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.data.variables import Variables
from markhood.execution.runner import cut

_TILE_BYTES = 1 << 22


def pack_levels(
    blocks: Iterable[NDArray[np.uint8]], n_samples: int, names: tuple[str, ...], n_levels: Ints
) -> Samples:
    """Pack blocks of level numbers.

    Parameters
    ----------
    blocks : iterable of ndarray of shape (n_rows, n_variables), dtype uint8
        All but the last must have a multiple of 64 rows.
    n_samples : int
        Total number of rows.
    names : tuple of str
    n_levels : ndarray of shape (n_variables,)
        At least two each.

    Examples
    --------
    >>> block = np.array([[0, 2], [1, 1]], np.uint8)
    >>> samples = pack_levels([block], 2, ("a", "b"), np.array([2, 3]))
    >>> samples.levels, samples.words[:, 0].tolist()
    (((0, 1), (1, 2)), [2, 1])
    """
    owners = np.repeat(np.arange(len(names)), n_levels - 1)
    firsts = np.cumsum(n_levels - 1) - (n_levels - 1)
    levels = np.arange(len(owners)) - firsts[owners] + 1
    require_memory(len(owners), n_samples)
    packed = np.zeros((len(owners), words_per_row(n_samples) * 8), np.uint8)
    byte = 0
    for block in blocks:
        by_variable = np.ascontiguousarray(block.T)
        end = byte + -(-len(block) // 8)
        for tile in cut(len(owners), max(1, _TILE_BYTES // len(block))):
            rows = slice(tile.start, tile.stop)
            ones = by_variable[owners[rows]] == levels[rows, None]
            packed[rows, byte:end] = np.packbits(ones, axis=1, bitorder="little")
        byte = end
    words = packed.view("<u8").astype(np.uint64, copy=False)
    return _without_unused_levels(words, n_samples, names, n_levels)


def _without_unused_levels(
    words: Words, n_samples: int, names: tuple[str, ...], n_levels: Ints
) -> Samples:
    tiles = [words[tile.start : tile.stop] for tile in cut(len(words), 4096)]
    ones = np.concatenate([np.bitwise_count(t).sum(axis=1, dtype=np.int64) for t in tiles])
    ends = np.cumsum(n_levels - 1)
    kept, levels = np.ones(len(words), np.bool_), []
    for start, end in zip((ends - n_levels + 1).tolist(), ends.tolist(), strict=True):
        counts = [n_samples - int(ones[start:end].sum()), *ones[start:end].tolist()]
        seen = [level for level, count in enumerate(counts) if count]
        levels.append(tuple(seen))
        if len(seen) < len(counts):
            kept[start:end] = False
            kept[[start + level - 1 for level in seen[1:]]] = True
            if len(seen) == 1:  # a constant variable has one row of zeros
                kept[start], words[start] = True, 0
    variables = Variables(names, tuple(levels))
    return Samples(words if kept.all() else words[kept], n_samples, variables)
