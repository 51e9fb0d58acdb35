"""The ceiling of the screen (see ceiling.cpp), compiled here for this very processor."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples

HERE = Path(__file__).parent
COLUMNS = 32  # of a panel


class Ceiling:
    """AND and count bits over the same tiles as the screen."""

    def __init__(self, samples: Samples) -> None:
        self._count = _compiled().count_tile
        self._rows = samples.words
        self._panels = _panels(samples.words)

    def count(self, tiles: Sequence[tuple[range, range]]) -> int:
        """Return the sum of the joint counts of all pairs in the tiles."""
        return sum(self.count_tile(tile) for tile in tiles)

    def count_tile(self, tile: tuple[range, range]) -> int:
        """Count one tile; the interpreter's lock is released meanwhile."""
        rows, columns = tile
        bounds = (rows.start, rows.stop, columns.start, columns.stop)
        count: int = self._count(
            self._rows.ctypes.data, self._panels.ctypes.data, self._rows.shape[1], *bounds
        )
        return count


def _panels(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Put word w of 32 variables side by side, on 64-byte boundaries as the kernel has them."""
    n_variables, n_words = words.shape
    padded = np.zeros((-(-n_variables // COLUMNS) * COLUMNS, n_words), dtype=np.uint64)
    padded[:n_variables] = words
    memory = np.empty(padded.size + 8, dtype=np.uint64)
    start = -memory.ctypes.data % 64 // 8
    panels = memory[start : start + padded.size].reshape(-1, n_words, COLUMNS)
    panels[...] = padded.reshape(-1, COLUMNS, n_words).transpose(0, 2, 1)
    return panels


def _compiled() -> ctypes.CDLL:
    source, library = HERE / "ceiling.cpp", HERE.parent / "build" / "benchmarks" / "ceiling.so"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        options = ["-O3", "-march=native", "-std=c++20", "-shared", "-fPIC"]
        command = [os.environ.get("CXX", "c++"), *options, str(source), "-o", str(library)]
        subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.count_tile.restype = ctypes.c_uint64
    loaded.count_tile.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_size_t] * 5
    return loaded
