"""Read memory-mapped arrays in blocks, and release their pages.

The pages of a map count as memory of the process until another process needs them, so a single pass
over a large file would otherwise look like, or be billed as, holding all of it in memory.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 25


def row_blocks(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield an array in blocks of rows; only one block of a mapped array is in memory."""
    step = max(1, BLOCK_BYTES // max(1, rows[:1].nbytes))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
        _release_pages(rows)


def _release_pages(array: NDArray[Any]) -> None:
    """Release the pages of an array if it is memory-mapped."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)
