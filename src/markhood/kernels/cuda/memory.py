"""`Memory`: what of the data is on the card.

Rows of bits are copied there once and stay while memory lasts; the oldest leave first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.cuda.ways import SLICE, WHOLE_TILES

SHARE_OF_MEMORY = 0.8
BLOCKS_OF_A_TILE = 2  # these always stay

Block = TypeVar("Block")


class Memory(Generic[Block]):
    """The blocks of rows that are on the card.

    Parameters
    ----------
    cupy : module
    make : callable
        Makes a block of rows on the card, padded with zeros to whole tiles and slices.
    copies : int, default=1
        How many times the rows are in a block.
    """

    def __init__(self, cupy: Any, make: Callable[[range, Any], Block], copies: int = 1) -> None:
        self._cupy, self._make, self._copies = cupy, make, copies
        self._blocks: OrderedDict[range, Block] = OrderedDict()

    def block(self, words: NDArray[np.uint64], rows: range) -> Block:
        """Return some rows on the card, as they were made."""
        if rows not in self._blocks:
            self._blocks[rows] = self._make(rows, self._brought(words[rows.start : rows.stop]))
        self._blocks.move_to_end(rows)
        return self._blocks[rows]

    def _brought(self, words: NDArray[np.uint64]) -> Any:
        cupy, (n, width) = self._cupy, words.shape
        shape = (-(-n // WHOLE_TILES) * WHOLE_TILES, -(-width * 8 // SLICE) * SLICE // 8)
        wanted = 8 * shape[0] * shape[1] * (1 + self._copies)
        while len(self._blocks) > BLOCKS_OF_A_TILE and self._is_full(wanted):
            self._blocks.popitem(last=False)
        block = cupy.zeros(shape, dtype=cupy.uint64)
        block[:n, :width] = cupy.asarray(words)
        return block

    def _is_full(self, wanted: int) -> bool:
        pool = self._cupy.get_default_memory_pool()
        _, total = self._cupy.cuda.runtime.memGetInfo()
        return bool(pool.used_bytes() + wanted > SHARE_OF_MEMORY * total)
