"""`Memory`: a cache of data on the GPU.

Rows of bits are copied to the GPU once and stay until memory is short; the oldest blocks are
evicted first. Only the tiles that need a block wait while it is copied, so that other tiles are
counted meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from markhood.arrays import Words
from markhood.kernels.cuda.lanes import Lanes
from markhood.kernels.cuda.programs import SLICE, WHOLE_TILES

SHARE_OF_MEMORY = 0.8
BLOCKS_OF_A_TILE = 2  # these are never evicted

Block = TypeVar("Block")


class Memory(Generic[Block]):
    """The blocks of rows on the GPU.

    Parameters
    ----------
    words : ndarray of shape (n_rows, n_words), dtype uint64
    make : callable
        Makes a block from rows on the GPU that are padded with zeros to whole tiles and slices.
    """

    def __init__(
        self,
        cupy: Any,
        words: Words,
        copying: Lanes,
        make: Callable[[range, Any], Block],
        copies: int = 1,
    ) -> None:
        self._cupy, self._words, self._copying = cupy, words, copying
        self._make, self._copies = make, copies
        self._lock = Lock()
        self._blocks: OrderedDict[range, Future[Block]] = OrderedDict()

    def block(self, rows: range) -> Block:
        """Return the block of some rows on the GPU."""
        with self._lock:
            known = self._blocks.get(rows)
            block = self._blocks[rows] = known or Future()
            self._blocks.move_to_end(rows)
            if known is None:
                self._make_room(rows)
        if known is None:
            try:
                with self._copying.taken():
                    made = self._make(rows, self._brought(rows))
                block.set_result(made)  # after the copy is complete
            except BaseException as error:
                self._blocks.pop(rows, None)
                block.set_exception(error)
                raise
        return block.result()

    def _make_room(self, rows: range) -> None:
        pool = self._cupy.get_default_memory_pool()
        wanted = len(rows) * self._words.shape[1] * 8 * (1 + self._copies)
        _, total = self._cupy.cuda.runtime.memGetInfo()
        is_full = pool.used_bytes() + wanted > SHARE_OF_MEMORY * total
        while is_full and len(self._blocks) > BLOCKS_OF_A_TILE + 1:
            self._blocks.popitem(last=False)
            is_full = pool.used_bytes() + wanted > SHARE_OF_MEMORY * total

    def _brought(self, rows: range) -> Any:
        words, width = self._words[rows.start : rows.stop], self._words.shape[1]
        shape = (-(-len(rows) // WHOLE_TILES) * WHOLE_TILES, -(-width * 8 // SLICE) * SLICE // 8)
        block = self._cupy.zeros(shape, dtype=np.uint64)
        block[: len(rows), :width] = self._cupy.asarray(words)
        return block
