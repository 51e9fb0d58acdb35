"""Counting methods on the GPU, and their programs.

A program consists of three source files, as `counting.cu` explains: the shared part, the use of the
counts, and the counting method. It is compiled for the GPU on first use, and CuPy caches the
result.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np

SLICE = 128  # bytes of a row that the kernels read at a time
STAGES = 4  # slices in flight
WHOLE_TILES = 256  # number of rows that is a multiple of every method's tile

Output = Literal["pairs", "tables"]


class Way(NamedTuple):
    """A counting method: its source, the part of a tile per thread block, and its resources."""

    name: str
    rows: int
    columns: int
    threads: int = 256
    shared_bytes: int = 0
    blocks_together: int = 1
    tours: bool = True  # persistent: each multiprocessor runs one block, which processes many tiles


WGMMA = Way(
    "wgmma",
    rows=256,
    columns=256,
    threads=384,
    shared_bytes=STAGES * (384 * SLICE + 16) + 4 * 128 * 24,  # with barriers and margins
    blocks_together=2,
)
MMA = Way("mma", 256, 128, shared_bytes=STAGES * 384 * SLICE + 128 * 16)
POPCOUNT = Way("popcount", 64, 64, tours=False)


def way_of(capability: tuple[int, int], compiler: tuple[int, int]) -> Way:
    """Return the fastest counting method that the GPU and its compiler support.

    Binary tensor-core products exist from compute capability 8.0 to 9.0, and 9.0 also has a faster
    one (wgmma). A compiler before CUDA 13 accepts only the target that CuPy names.
    """
    if capability == (9, 0) and compiler >= (13, 0):
        return WGMMA
    return MMA if (8, 0) <= capability <= (9, 0) else POPCOUNT


class Program:
    """Count tiles of rows of bits on the GPU, and process the counts according to ``output``."""

    def __init__(self, cupy: Any, way: Way, output: Output, n_multiprocessors: int) -> None:
        folder = files("markhood.kernels.cuda")
        pieces = [
            (folder / f"{name}.cu").read_text("utf-8") for name in ("counting", output, way.name)
        ]
        # wgmma needs the architecture-specific target 9.0a.
        options = ("-std=c++17", *(["-arch=sm_90a"] if way is WGMMA else []))
        self._module = cupy.RawModule(code="".join(pieces), options=options)
        self._way, self._n_multiprocessors = way, n_multiprocessors
        self._count = self._module.get_function("count")
        if way.shared_bytes:
            self._count.max_dynamic_shared_size_bytes = way.shared_bytes

        self._lay_out = self._module.get_function("lay_out") if way is WGMMA else None

    def kernel(self, name: str) -> Any:
        """Return another kernel of the program."""
        return self._module.get_function(name)

    def laid_out(self, block: Any) -> Any:
        """Return rows of words as bytes, in the order in which they are fetched."""
        rows = block.view(np.uint8)
        if self._lay_out is None:
            return rows
        units, n_pieces = rows.copy(), rows.size // 16
        arguments = (rows, units, np.uint32(rows.shape[1]), np.uint64(n_pieces))
        self._lay_out((-(-n_pieces // 256),), (256,), arguments)
        return units

    def count(self, left: Any, right: Any, rows: range, columns: range, *output: Any) -> None:
        """Count the bit rows ``left``, numbered ``rows``, with ``right``, numbered ``columns``."""
        way = self._way
        blocks = -(-len(rows) // way.rows) * -(-len(columns) // way.columns) * way.blocks_together
        if way.tours:
            most = self._n_multiprocessors // way.blocks_together * way.blocks_together
            blocks = min(blocks, most)
        small = (len(rows), len(columns), rows.start, columns.start, left.shape[1])
        arguments = (left, right, *map(np.uint32, small), *output)
        self._count((blocks,), (way.threads,), arguments, shared_mem=way.shared_bytes)
