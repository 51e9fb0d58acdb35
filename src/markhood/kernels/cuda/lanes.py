"""GPU streams, each for one thread at a time, with buffers for their results.

Streams are reused: creating a stream for every tile costs more than a small tile, and the memory
that CuPy keeps for a stream is not available to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

CAPACITY = 1 << 22  # pairs that a tile may return before it is repeated with a larger buffer


class Lane:
    """A GPU stream, and buffers for its results."""

    def __init__(self, cupy: Any) -> None:
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self._cupy = cupy
        self._rooms: dict[str, Any] = {}

    def room(self, what: str, n_rows: int, n_columns: int, dtype: type = np.int32) -> Any:
        """Return an uninitialised array."""
        n, had = n_rows * n_columns, self._rooms.pop(what, None)
        if had is None or had.size < n:
            del had  # free it before allocating more
            had = self._cupy.empty(n, dtype=dtype)
        self._rooms[what] = had
        return had[:n].reshape(n_rows, n_columns)

    def found(
        self, n_columns: int, find: Callable[[Any, Any, np.uint64], None]
    ) -> NDArray[np.int32]:
        """Run a kernel that finds rows of numbers; repeat it if they exceed the buffer."""
        capacity, n_found = CAPACITY, self.room("n_found", 1, 1, np.uint64)
        while True:
            rows = self.room("found", capacity, n_columns)
            n_found.fill(0)
            find(rows, n_found, np.uint64(capacity))
            n = int(n_found[0, 0])
            if n <= capacity:
                return np.asarray(rows[:n].get())
            capacity = n


class Lanes:
    """A pool of lanes, one for each tile that may run at the same time."""

    def __init__(self, cupy: Any, n: int) -> None:
        self._free: SimpleQueue[Lane] = SimpleQueue()
        for _ in range(n):
            self._free.put(Lane(cupy))

    @contextmanager
    def taken(self) -> Iterator[Lane]:
        """Wait for a free lane and use it; its work is complete on exit."""
        lane = self._free.get()
        try:
            with lane.stream:
                yield lane
                lane.stream.synchronize()
        finally:
            self._free.put(lane)
