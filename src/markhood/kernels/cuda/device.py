"""`Device`: an NVIDIA GPU through CuPy, and the screening of tiles on it.

A tile is counted on a lane: a stream with memory for its results. There are two lanes, so that one
tile is counted while the results of another are copied back. Tiles that wait for a lane use no
memory. Rows of bits, and data that describe all variables, stay on the GPU between tiles.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.kernels.bits import Bits
from markhood.kernels.cuda.lanes import Lanes
from markhood.kernels.cuda.levels import n_units, rows_of
from markhood.kernels.cuda.on_card import PairsOnCard, TablesOnCard, are_same
from markhood.kernels.cuda.programs import Program, variant_for
from markhood.kernels.protocol import Costs

LANES = 2
THREADS = (32, 8)  # of a block that tests tables: columns and rows


class Device:
    """The GPU: its programs, and the variables in its memory.

    Raises
    ------
    InputError
        If CuPy or a GPU is missing.
    """

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise InputError(
                "library-missing",
                "cuda",
                "kernels='cuda' needs CuPy: pip install 'markhood[cuda]', or leave it out.",
            ) from None
        try:
            has_card = cupy.cuda.runtime.getDeviceCount() > 0
        except cupy.cuda.runtime.CUDARuntimeError:
            has_card = False
        if not has_card:
            raise InputError(
                "executor", "kernels", "There is no CUDA GPU here: leave kernels='cuda' out."
            )
        self._cupy = cupy
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.name = properties["name"].decode()
        self.n_bytes = int(properties["totalGlobalMem"])
        self._n_multiprocessors = properties["multiProcessorCount"]
        capability = (properties["major"], properties["minor"])
        self._variant = variant_for(capability, cupy.cuda.nvrtc.getVersion())
        self._lock = Lock()
        self._counting, self._copying = Lanes(cupy, LANES), Lanes(cupy, LANES)
        self._held: PairsOnCard | TablesOnCard | None = None

    def __reduce__(self) -> tuple[type[Device], tuple[()]]:
        return Device, ()  # every process opens the GPU itself

    @cached_property
    def _pairs(self) -> Program:
        return Program(self._cupy, self._variant, "pairs", self._n_multiprocessors)

    @cached_property
    def _tables(self) -> Program:
        return Program(self._cupy, self._variant, "tables", self._n_multiprocessors)

    def associated_pairs(
        self,
        bits: Bits,
        ones: Ints,
        n_log_n: Floats,
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> NDArray[np.int32]:
        """Return i, j and the joint count of the tile's pairs that reach the bound, unordered."""
        with self._lock:
            data = self._pairs_of(bits)
            test = data.test(ones, n_log_n, least_ratio)
        left, right = data.rows.block(rows), data.rows.block(columns)
        with self._counting.taken() as lane:
            return lane.found(
                3, lambda *found: data.program.count(left, right, rows, columns, *test, *found)
            )

    def likely_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> NDArray[np.int32]:
        """Return all pairs of a tile that pass and a few that do not, unordered."""
        with self._lock:
            data = self._tables_of(bits)
        numbers = (rows_of(bits, rows), rows_of(bits, columns))
        left, right = (data.sides.block(part) for part in numbers)
        unit = 1.0 if bits.weighting is None else bits.weighting.unit
        prices = (costs.parameter / unit, costs.variable / unit, n_units(bits))
        sides = (*left.known, *_extent(rows), *right.known, *_extent(columns))
        blocks = (-(-len(columns) // THREADS[0]), -(-len(rows) // THREADS[1]))
        program = data.program
        kernel = program.kernel("find_tables")
        with self._counting.taken() as lane:
            counts = lane.room("counts", len(left.rows), len(right.rows))
            stride = np.uint64(counts.shape[1])
            for k, masked in enumerate(left.masked):
                program.count(masked, right.rows, *numbers, counts, stride, np.uint32(k > 0))
            arguments = (counts, stride, *sides, *map(np.float64, prices))
            return lane.found(2, lambda *found: kernel(blocks, THREADS, (*arguments, *found)))

    def _pairs_of(self, bits: Bits) -> PairsOnCard:
        """Return these data on the GPU, which holds one data set at a time."""
        held = self._held
        if not (isinstance(held, PairsOnCard) and are_same(held.bits, bits)):
            held = self._held = PairsOnCard(self._cupy, bits, self._pairs, self._copying)
        return held

    def _tables_of(self, bits: Bits) -> TablesOnCard:
        held = self._held
        if not (isinstance(held, TablesOnCard) and are_same(held.bits, bits)):
            held = self._held = TablesOnCard(self._cupy, bits, self._tables, self._copying)
        return held


def _extent(variables: range) -> tuple[np.uint32, np.uint32]:
    return np.uint32(variables.start), np.uint32(len(variables))
