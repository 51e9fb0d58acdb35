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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import AssociatedPairs, Bits

SLICE = 128  # bytes that the kernel reads of a row at a time
TILE_ROWS, TILE_COLUMNS = 256, 128  # pairs that a block of threads counts with tensor cores
STAGES = 4  # slices on their way
PLAIN_SIDE = 64  # pairs a side that a block counts with plain popcounts
THREADS = 256
CAPACITY = 1 << 22  # pairs that a tile may return before it is run again with more room
SHARE_OF_MEMORY = 0.8


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
        # Binary products came with compute capability 8.0 and are gone after 9.0.
        self._has_binary_products = (8, 0) <= (properties["major"], properties["minor"]) <= (9, 0)
        source = (files("markhood.kernels.cuda") / "associated_pairs.cu").read_text("utf-8")
        program = cupy.RawModule(code=source, options=("-std=c++17",))
        which = "pairs_mma" if self._has_binary_products else "pairs_popcount"
        self._kernel = program.get_function(which)
        self._shared_bytes = 0
        if self._has_binary_products:
            self._shared_bytes = STAGES * (TILE_ROWS + TILE_COLUMNS) * SLICE + 16 * TILE_COLUMNS
            self._kernel.max_dynamic_shared_size_bytes = self._shared_bytes
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
        tall, wide = (TILE_ROWS, TILE_COLUMNS) if self._has_binary_products else (PLAIN_SIDE,) * 2
        blocks = -(-len(rows) // tall) * -(-len(columns) // wide)
        if self._has_binary_products:
            blocks = min(blocks, self._multiprocessors)  # each goes through many tiles
        small = (len(rows), len(columns), rows.start, columns.start, left.shape[1])
        ones, bounds, logs, least_ratio = on_card
        self._kernel(
            (blocks,),
            (THREADS,),
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
            shared_mem=self._shared_bytes,
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
        n_rows = -(-len(variables) // TILE_ROWS) * TILE_ROWS
        # A tile needs two blocks, so two always stay.
        while len(self._blocks) > 2 and self._is_full(n_rows * row_bytes):
            self._blocks.popitem(last=False)
        block = cupy.zeros((n_rows, row_bytes), dtype=cupy.uint8)
        part = bits.words[variables.start : variables.stop]
        block[: len(part), : part.shape[1] * 8] = cupy.asarray(part.view(np.uint8))
        self._blocks[variables] = block
        return block

    def _is_full(self, wanted: int) -> bool:
        pool = self._cupy.get_default_memory_pool()
        _, total = self._cupy.cuda.runtime.memGetInfo()
        return bool(pool.used_bytes() + wanted > SHARE_OF_MEMORY * total)


@dataclass(frozen=True)
class CudaKernels(NativeKernels):
    """Kernels for a machine with an NVIDIA GPU.

    Parameters
    ----------
    device : Device, optional
        The card, with what is on it.
    """

    words_per_tile: ClassVar[float] = 1e12
    largest_tile: ClassVar[int] = 1 << 15

    device: Device = field(default_factory=Device)

    @property
    def name(self) -> str:
        """What to call the backend."""
        return f"cuda ({self.device.name})"

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
        found = self.device.associated_pairs(bits, ones, n_log_n, rows, columns, least_ratio)
        found = found[np.lexsort((found[:, 1], found[:, 0]))]
        return AssociatedPairs(found[:, :2].astype(np.int64), found[:, 2].astype(np.int64))
