"""`Device`: an NVIDIA GPU through CuPy, and the screen's tiles on it.

A tile is counted on a lane: a stream, with the room that its results need. There are two, so that with two threads one
copies while the other's tile is counted, and what waits for a lane takes no room. Rows of bits, and what is said
once of all variables, stay on the card from tile to tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.kernels.cuda.bounds import margins, slack
from markhood.kernels.cuda.levels import levels_of, n_units, rows_of, variables_of
from markhood.kernels.cuda.memory import Memory
from markhood.kernels.cuda.ways import Program, way_of
from markhood.kernels.protocol import Bits, Costs

CAPACITY = 1 << 22  # pairs that a tile may return before it is run again with more room
LANES = 2
THREADS = (32, 8)  # of a block that tests tables: columns and rows


class Lane:
    """A stream of work on the card, and room for its results."""

    def __init__(self, cupy: Any) -> None:
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self._cupy, self._rooms = cupy, dict[str, Any]()
        self._n_found = cupy.zeros(1, dtype=cupy.uint64)

    def room(self, what: str, n_rows: int, n_columns: int) -> Any:
        """Return an array of integers in which anything may be."""
        n, had = n_rows * n_columns, self._rooms.pop(what, None)
        if had is None or had.size < n:
            del had  # before more is asked for
            had = self._cupy.empty(n, dtype=self._cupy.int32)
        self._rooms[what] = had
        return had[:n].reshape(n_rows, n_columns)

    def found(
        self, n_columns: int, find: Callable[[Any, Any, np.uint64], None]
    ) -> NDArray[np.int32]:
        """Let a kernel find rows of numbers, once more with more room where they were too many."""
        capacity = CAPACITY
        while True:
            rows = self.room("found", capacity, n_columns)
            self._n_found.fill(0)
            find(rows, self._n_found, np.uint64(capacity))
            n = int(self._n_found[0])
            if n <= capacity:
                return np.asarray(rows[:n].get())
            capacity = n


class Side(NamedTuple):
    """Variables with levels on the card: their rows, also masked with each digit of the weights, the highest first."""

    rows: Any
    masked: list[Any]
    known: tuple[Any, ...]  # of the variables: `Levels`


class Device:
    """The card: its programs, and the variables that are on it.

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
        self.n_bytes = int(properties["totalGlobalMem"])
        self._n_multiprocessors = properties["multiProcessorCount"]
        capability = (properties["major"], properties["minor"])
        self._way = way_of(capability, cupy.cuda.nvrtc.getVersion())
        self._lock = Lock()
        self._lanes: SimpleQueue[Lane] = SimpleQueue()
        for _ in range(LANES):
            self._lanes.put(Lane(cupy))
        self._data: Bits | None = None

    def __reduce__(self) -> tuple[type[Device], tuple[()]]:
        return Device, ()  # a card does not travel: every process has its own

    @cached_property
    def _pairs(self) -> Program:
        return Program(self._cupy, self._way, "pairs", self._n_multiprocessors)

    @cached_property
    def _tables(self) -> Program:
        return Program(self._cupy, self._way, "tables", self._n_multiprocessors)

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
        with self._lane() as lane:
            with self._lock:
                self._forget_other_than(bits)
                test = self._test_of(bits, ones, n_log_n, least_ratio)
                left, right = (self._rows.block(bits.words, part) for part in (rows, columns))
                lane.stream.synchronize()

            def find(*found: Any) -> None:
                self._pairs.count(left, right, rows, columns, *test, *found)

            return lane.found(3, find)

    def likely_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> NDArray[np.int32]:
        """Return the pairs of a tile that may pass: all that do, and hardly another; unordered."""
        numbers = (rows_of(bits, rows), rows_of(bits, columns))
        with self._lane() as lane:
            with self._lock:
                self._forget_other_than(bits)
                left, right = (self._sides.block(bits.words, part) for part in numbers)
                lane.stream.synchronize()
            counts = lane.room("counts", len(left.rows), len(right.rows))
            stride = np.uint64(counts.shape[1])
            for k, masked in enumerate(left.masked):
                self._tables.count(masked, right.rows, *numbers, counts, stride, np.uint32(k > 0))
            unit = 1.0 if bits.weighting is None else bits.weighting.unit
            prices = (costs.parameter / unit, costs.variable / unit, n_units(bits))
            sides = (*left.known, *_extent(rows), *right.known, *_extent(columns))
            blocks = (-(-len(columns) // THREADS[0]), -(-len(rows) // THREADS[1]))
            kernel = self._tables.kernel("find_tables")

            def find(*found: Any) -> None:
                kernel(blocks, THREADS, (counts, stride, *sides, *map(np.float64, prices), *found))

            return lane.found(2, find)

    @contextmanager
    def _lane(self) -> Iterator[Lane]:
        lane = self._lanes.get()
        try:
            with lane.stream:
                yield lane
        finally:
            self._lanes.put(lane)

    def _forget_other_than(self, bits: Bits) -> None:
        """Make room on the card where these are other data than the last."""
        if self._data is not None and _are_same(self._data, bits):
            return
        self._data = bits
        self._test: tuple[float, tuple[Any, ...]] | None = None
        self._rows: Memory[Any] = Memory(self._cupy, lambda _, block: self._pairs.laid_out(block))
        n_planes = 1 if bits.weighting is None else len(bits.weighting.planes)
        self._sides: Memory[Side] = Memory(self._cupy, self._side, 1 + n_planes)

    def _test_of(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        least_ratio: float,
    ) -> tuple[Any, ...]:
        """Return what the tests of pairs need of every variable, on the card."""
        if self._test is None or self._test[0] != least_ratio:
            copied, n = self._cupy.asarray, bits.n_samples
            on_card = (
                copied(ones.astype(np.int32)),
                copied(margins(ones, n, least_ratio)),
                copied(n_log_n),
            )
            numbers = (np.float64(least_ratio), np.float32(slack(n)), np.uint32(n))
            self._test = (least_ratio, (*on_card, *numbers))
        return self._test[1]

    def _side(self, rows: range, block: Any) -> Side:
        """Make a side of tiles of tables of some rows that are on the card."""
        bits, cupy = cast("Bits", self._data), self._cupy
        n_rows, n_words = block.shape
        planes = [None] if bits.weighting is None else bits.weighting.planes[::-1]
        ones, add = cupy.empty(n_rows, dtype=cupy.int32), self._tables.kernel("add_ones")
        masked = []
        for k, plane in enumerate(planes):
            part = block
            if plane is not None:
                part = block.copy()
                part[:, : len(plane)] &= cupy.asarray(plane)
            numbers = (np.uint32(n_words), np.uint32(n_rows))
            add((-(-n_rows // 8),), (256,), (part, *numbers, ones, np.uint32(k > 0)))
            masked.append(self._tables.laid_out(part))
        known = levels_of(bits, variables_of(bits, rows), ones[: len(rows)].get())
        plain = masked[0] if bits.weighting is None else self._tables.laid_out(block)
        return Side(plain, masked, tuple(map(cupy.asarray, known)))


def _are_same(one: Bits, other: Bits) -> bool:
    """Say whether these are the same arrays; what they hold is too much to compare."""
    return all(a is b for a, b in zip(one[:1] + one[2:], other[:1] + other[2:], strict=True))


def _extent(variables: range) -> tuple[np.uint32, np.uint32]:
    return np.uint32(variables.start), np.uint32(len(variables))
