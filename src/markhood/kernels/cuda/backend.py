"""`CudaKernels`: the screen's pairs on an NVIDIA GPU through CuPy, all else as in `NativeKernels`.

The packed variables of a tile's rows and columns are copied to the card once and stay there while
memory lasts; the oldest leave first. Every call has a stream of its own, so that with two threads one
copies while the other's tile is counted. The source is compiled for the card at the first use.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from importlib.resources import files
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import AssociatedPairs, Bits, Tiling

SLICE = 128  # bytes that the kernels read of a row at a time
STAGES = 4  # slices on their way
WHOLE_TILES = 256  # rows that are a whole number of tiles in every way of counting
CAPACITY = 1 << 22  # pairs that a tile may return before it is run again with more room
SHARE_OF_MEMORY = 0.8
MOST_SAMPLES = 1 << 22  # counts are kept in the low bits of a float


class Way(NamedTuple):
    """A way of counting: its kernel, what of a tile a block of threads does, and what it takes."""

    kernel: str
    rows: int
    columns: int
    threads: int = 256
    shared_bytes: int = 0
    blocks_together: int = 1
    tours: bool = True  # a multiprocessor has one block, which goes through many tiles


WGMMA = Way(
    "pairs_wgmma",
    rows=256,
    columns=256,
    threads=384,
    shared_bytes=STAGES * (384 * SLICE + 16) + 4 * 128 * 24,  # and their barriers, and margins
    blocks_together=2,
)
MMA = Way("pairs_mma", 256, 128, shared_bytes=STAGES * 384 * SLICE + 128 * 16)
POPCOUNT = Way("pairs_popcount", 64, 64, tours=False)


class Device:
    """The card: its program, and the variables that are on it.

    Raises
    ------
    InputError
        Where CuPy or a GPU is missing.
    """

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise InputError(
                "kernels='cuda' needs CuPy: pip install 'markhood[cuda]', or leave it out."
            ) from None
        try:
            has_card = cupy.cuda.runtime.getDeviceCount() > 0
        except cupy.cuda.runtime.CUDARuntimeError:
            has_card = False
        if not has_card:
            raise InputError("There is no CUDA GPU here: leave kernels='cuda' out.")
        self._cupy = cupy
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.name = properties["name"].decode()
        self._multiprocessors = properties["multiProcessorCount"]
        capability = (properties["major"], properties["minor"])
        self._way = _way_of(capability, cupy.cuda.nvrtc.getVersion())
        program = _program(cupy, self._way)
        self._kernel = program.get_function(self._way.kernel)
        if self._way.shared_bytes:
            self._kernel.max_dynamic_shared_size_bytes = self._way.shared_bytes
        self._lay_out: Any = program.get_function("lay_out") if self._way is WGMMA else None
        self._lock = Lock()
        self._words: NDArray[np.uint64] | None = None
        self._blocks: OrderedDict[range, Any] = OrderedDict()
        self._test: tuple[float, tuple[Any, ...]] | None = None

    def __reduce__(self) -> tuple[type[Device], tuple[()]]:
        return Device, ()  # a card does not travel: every process has its own

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> NDArray[np.int32]:
        """Return i, j and the joint count of the tile's pairs at the bound or above, unordered."""
        cupy = self._cupy
        with cupy.cuda.Stream(non_blocking=True) as stream:
            with self._lock:
                on_card = self._tests(bits, ones, n_log_n, least_ratio)
                left, right = self._block(bits, rows), self._block(bits, columns)
                stream.synchronize()
            capacity = CAPACITY
            while True:
                triples = cupy.empty((capacity, 3), dtype=cupy.int32)
                n_found = cupy.zeros(1, dtype=cupy.uint64)
                self._launch(left, right, rows, columns, on_card, triples, n_found, bits.n_samples)
                n = int(n_found[0])
                if n <= capacity:
                    return np.asarray(triples[:n].get())
                capacity = n

    def _launch(
        self,
        left: Any,
        right: Any,
        rows: range,
        columns: range,
        on_card: tuple[Any, ...],
        triples: Any,
        n_found: Any,
        n_samples: int,
    ) -> None:
        way = self._way
        blocks = -(-len(rows) // way.rows) * -(-len(columns) // way.columns) * way.blocks_together
        if way.tours:
            most = self._multiprocessors // way.blocks_together * way.blocks_together
            blocks = min(blocks, most)
        small = (len(rows), len(columns), rows.start, columns.start, left.shape[1])
        ones, bounds, logs, least_ratio = on_card
        self._kernel(
            (blocks,),
            (way.threads,),
            (
                left,
                right,
                *map(np.uint32, small),
                ones,
                bounds,
                logs,
                np.float64(least_ratio),
                np.float32(slack(n_samples)),
                np.uint32(n_samples),
                triples,
                n_found,
                np.uint64(len(triples)),
            ),
            shared_mem=way.shared_bytes,
        )

    def _tests(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        least_ratio: float,
    ) -> tuple[Any, ...]:
        """Return what the tests need of every variable, on the card."""
        if self._words is not bits.words:
            self._words, self._test = bits.words, None
            self._blocks.clear()
        if self._test is None or self._test[0] != least_ratio:
            cupy, bounds = self._cupy, margins(ones, bits.n_samples, least_ratio)
            on_card = (
                cupy.asarray(ones.astype(np.int32)),
                cupy.asarray(bounds),
                cupy.asarray(n_log_n),
                least_ratio,
            )
            self._test = (least_ratio, on_card)
        return self._test[1]

    def _block(self, bits: Bits, variables: range) -> Any:
        """Return some variables on the card, padded with zeros to whole tiles and slices."""
        if variables in self._blocks:
            self._blocks.move_to_end(variables)
            return self._blocks[variables]
        cupy = self._cupy
        row_bytes = -(-bits.words.shape[1] * 8 // SLICE) * SLICE
        n_rows = -(-len(variables) // WHOLE_TILES) * WHOLE_TILES
        # A tile needs two blocks, so two always stay.
        while len(self._blocks) > 2 and self._is_full(n_rows * row_bytes):
            self._blocks.popitem(last=False)
        block = cupy.zeros((n_rows, row_bytes), dtype=cupy.uint8)
        part = bits.words[variables.start : variables.stop]
        block[: len(part), : part.shape[1] * 8] = cupy.asarray(part.view(np.uint8))
        if self._lay_out is not None:
            block = self._laid_out(block)
        self._blocks[variables] = block
        return block

    def _laid_out(self, block: Any) -> Any:
        units, n_pieces = self._cupy.empty_like(block), block.size // 16
        arguments = (block, units, np.uint32(block.shape[1]), np.uint64(n_pieces))
        self._lay_out((-(-n_pieces // 256),), (256,), arguments)
        return units

    def _is_full(self, wanted: int) -> bool:
        pool = self._cupy.get_default_memory_pool()
        _, total = self._cupy.cuda.runtime.memGetInfo()
        return bool(pool.used_bytes() + wanted > SHARE_OF_MEMORY * total)


def _way_of(capability: tuple[int, int], compiler: tuple[int, int]) -> Way:
    """Return the fastest way of counting that a card, and the compiler for it, know.

    Binary products came with compute capability 8.0 and are gone after 9.0, which has a faster one; a
    compiler before CUDA 13 takes no other target than the one that CuPy names.
    """
    if capability == (9, 0) and compiler >= (13, 0):
        return WGMMA
    return MMA if (8, 0) <= capability <= (9, 0) else POPCOUNT


def _program(cupy: Any, way: Way) -> Any:
    """Return the program with this way of counting in it, compiled when it is first asked."""
    folder = files("markhood.kernels.cuda")
    source, options = (folder / "associated_pairs.cu").read_text("utf-8"), ["-std=c++17"]
    if way is WGMMA:
        source += (folder / "wgmma.cu").read_text("utf-8")
        options.append("-arch=sm_90a")  # wgmma is no part of plain 9.0
    return cupy.RawModule(code=source, options=tuple(options))


@dataclass(frozen=True)
class CudaKernels(NativeKernels):
    """Kernels for a machine with an NVIDIA GPU.

    Parameters
    ----------
    device : Device, optional
        The card, with what is on it.
    """

    device: Device = field(default_factory=Device)

    @property
    def name(self) -> str:
        """What to call the backend."""
        return f"cuda ({self.device.name})"

    def tiling(self, bits: Bits) -> Tiling:
        """Say how large a tile is; tables of levels and weights are counted on the processor."""
        return Tiling(words=1e12, side=1 << 15) if bits.is_plain else super().tiling(bits)

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the pairs of the tile with a likelihood ratio at the bound or above."""
        if bits.n_samples > MOST_SAMPLES:
            return super().associated_pairs(bits, ones, n_log_n, rows, columns, least_ratio)
        found = self.device.associated_pairs(bits, ones, n_log_n, rows, columns, least_ratio)
        triples = found.astype(np.int64)
        order = np.argsort(triples[:, 0] << 32 | triples[:, 1])  # faster than by two keys
        triples = triples[order]
        return AssociatedPairs(triples[:, :2], triples[:, 2])
