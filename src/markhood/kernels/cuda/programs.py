"""Counting kernels for GPUs, and their programs.

A program consists of three pieces of source, as described in `counting.cu`: the common part, the
use of the counts, and the counting variant. It is compiled for the GPU at first use; CuPy caches
it.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np

SLICE = 128  # bytes of a row read at a time
STAGES = 4  # slices in flight
WHOLE_TILES = 256  # number of rows that is a multiple of every variant's tile

Output = Literal["pairs", "tables"]


class KernelVariant(NamedTuple):
    """A counting kernel: its source, the tile of a thread block, and its resources."""

    name: str
    rows: int
    columns: int
    threads: int = 256
    shared_bytes: int = 0
    blocks_together: int = 1
    tours: bool = True  # one block per multiprocessor loops over tiles


WGMMA = KernelVariant(
    "wgmma",
    rows=256,
    columns=256,
    threads=384,
    shared_bytes=STAGES * (384 * SLICE + 16) + 4 * 128 * 24,  # with barriers and margins
    blocks_together=2,
)
MMA = KernelVariant("mma", 256, 128, shared_bytes=STAGES * 384 * SLICE + 128 * 16)
POPCOUNT = KernelVariant("popcount", 64, 64, tours=False)


def variant_for(capability: tuple[int, int], compiler: tuple[int, int]) -> KernelVariant:
    """Return the fastest counting kernel that a GPU and its compiler support.

    Binary matrix products exist for compute capabilities 8.0 to 9.0, and 9.0 has a faster variant,
    which needs a compiler of CUDA 13 or later for its target.
    """
    if capability == (9, 0) and compiler >= (13, 0):
        return WGMMA
    return MMA if (8, 0) <= capability <= (9, 0) else POPCOUNT


class Program:
    """Count tiles of rows of bits on the GPU, and process the counts according to ``output``."""

    def __init__(
        self, cupy: Any, variant: KernelVariant, output: Output, n_multiprocessors: int
    ) -> None:
        folder = files("markhood.kernels.cuda")
        pieces = [
            (folder / f"{name}.cu").read_text("utf-8")
            for name in ("counting", output, variant.name)
        ]
        # wgmma is not part of plain sm_90.
        options = ("-std=c++17", *(["-arch=sm_90a"] if variant is WGMMA else []))
        self._module = cupy.RawModule(code="".join(pieces), options=options)
        self._variant, self._n_multiprocessors = variant, n_multiprocessors
        self._count = self._module.get_function("count")
        if variant.shared_bytes:
            self._count.max_dynamic_shared_size_bytes = variant.shared_bytes

        self._lay_out = self._module.get_function("lay_out") if variant is WGMMA else None

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
        """Count rows of bits ``left``, numbered ``rows``, with ``right``, numbered ``columns``."""
        variant = self._variant
        blocks = (
            -(-len(rows) // variant.rows)
            * -(-len(columns) // variant.columns)
            * variant.blocks_together
        )
        if variant.tours:
            most = self._n_multiprocessors // variant.blocks_together * variant.blocks_together
            blocks = min(blocks, most)
        small = (len(rows), len(columns), rows.start, columns.start, left.shape[1])
        arguments = (left, right, *map(np.uint32, small), *output)
        self._count((blocks,), (variant.threads,), arguments, shared_mem=variant.shared_bytes)
