"""Arrays mapped from files, gone through without their pages staying in memory.

The pages of a map count as the process's memory until someone else needs them. What goes through a
large file once should not look like, or be billed as, a process that holds all of it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 25


def row_blocks(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield an array some rows at a time; of a mapped one, only those are in memory."""
    step = max(1, BLOCK_BYTES // max(1, rows[:1].nbytes))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
        let_go(rows)


def let_go(array: NDArray[Any]) -> None:
    """Give back the pages of a mapped array, which are in its file; others stay as they are."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)
