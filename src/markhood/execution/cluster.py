"""Run tiles on the workers of a cluster, with any engine.

A tile takes milliseconds, and a remote call costs about one, so several tiles are sent together;
the number is chosen from their duration. Only as many calls are in flight as keep the workers busy.
`Engine` lists what an engine must provide: it runs tiles of a dead worker again, and reports data
that were lost with it, which are then sent again.

Serialise work for other processes: a small pickle, with large arrays sent separately. The work of
every phase contains the same samples, and there are many tiles, so large arrays are sent separately
from the pickle and only once; they are identified by a hash of their content. An array that is
memory-mapped from a file that workers can open too is sent as its path. A worker unpacks the work
once per phase and keeps it for later tiles.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import pickle
import traceback
import uuid
from collections import deque
from collections.abc import Callable, Generator, Hashable, Sequence
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from markhood.execution.executors import Failure

LARGE = 1 << 20  # bytes; smaller arrays stay in the pickle

Array = NDArray[Any]
T = TypeVar("T")
R = TypeVar("R")
SECONDS_PER_CALL = 0.25
CALLS_PER_SLOT = 2  # one running and one waiting
MOST_LOSSES = 3  # consecutive losses of data without a finished call


class PackedWork(NamedTuple):
    """Packed work: ``content`` is the pickle, ``arrays`` the large arrays by hash."""

    key: str
    content: bytes
    arrays: dict[str, Array]


def pack(work: Callable[..., Any], opens: Callable[[str, int], bool]) -> PackedWork:
    """Pack work; ``opens`` tells whether all workers have a file of that path and size."""
    file = io.BytesIO()
    packer = _Packer(file, opens)
    packer.dump(work)
    return PackedWork(uuid.uuid4().hex, file.getvalue(), packer.arrays)


class _Packer(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO, opens: Callable[[str, int], bool]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.arrays: dict[str, Array] = {}
        self._opens = opens
        self._seen: dict[int, Any] = {}

    def persistent_id(self, value: Any) -> Any:
        """Return the name of a large array; None for all other values."""
        if type(value) not in (np.ndarray, np.memmap):
            return None
        if value.nbytes < LARGE or value.dtype.hasobject:
            return None
        if id(value) not in self._seen:
            self._seen[id(value)] = self._mapped(value) or self._hashed(value)
        return self._seen[id(value)]

    def _mapped(self, array: Array) -> tuple[Any, ...] | None:
        # A slice of a map has the offset of the whole map, so only whole maps can be named.
        if not isinstance(array, np.memmap) or not isinstance(array.base, mmap.mmap):
            return None
        if not array.filename or "w" in str(array.mode):
            return None
        path = os.path.abspath(array.filename)
        if not self._opens(path, os.path.getsize(path)):
            return None
        order = "C" if array.flags.c_contiguous else "F"
        return "file", path, array.dtype, "r", array.offset, array.shape, order

    def _hashed(self, array: Array) -> tuple[Any, ...]:
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((array.dtype.str, array.shape, array.strides)).encode())
        digest.update(np.ascontiguousarray(array).data)
        key = digest.hexdigest()
        self.arrays[key] = array
        return "array", list(self.arrays).index(key)


class _Unpacker(pickle.Unpickler):
    def __init__(self, content: bytes, arrays: Sequence[Array]) -> None:
        super().__init__(io.BytesIO(content))
        self._arrays = arrays

    def persistent_load(self, name: Any) -> Array:
        """Return the array of that name."""
        kind, *where = name
        if kind == "file":
            return np.memmap(*where)
        # Arrays received over a network may be misaligned.
        return np.require(self._arrays[where[0]], requirements="A")


class _Unpacked:
    """The last work of this process; phases are sequential, so one is enough."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._key = ""
        self._work: Callable[..., Any] | None = None

    def get(self, key: str, content: bytes, arrays: Sequence[Array]) -> Callable[..., Any]:
        with self._lock:
            if self._work is None or key != self._key:
                self._key, self._work = key, _Unpacker(content, arrays).load()
            return self._work

    def forget(self, key: str) -> None:
        with self._lock:
            if key == self._key:
                self._work = None


_unpacked = _Unpacked()


def run_tiles(
    key: str, content: bytes, tiles: Sequence[Any], *arrays: Array
) -> tuple[float, list[Any]]:
    """Run tiles on a worker; return the seconds and the results, up to the first `Failure`."""
    start = perf_counter()
    results: list[Any] = []
    try:
        work = _unpacked.get(key, content, arrays)
        start = perf_counter()
        for tile in tiles:
            results.append(work(tile))
    except Exception as error:  # noqa: BLE001 - raised where its result would come
        error.add_note(f"On a worker:\n{traceback.format_exc()}")
        results.append(Failure(error))
    return perf_counter() - start, results


def forget(key: str) -> None:
    """Release finished work and its arrays."""
    _unpacked.forget(key)


def has_file(path: str, size: int) -> bool:
    """Return whether this machine has a file of that path and size."""
    try:
        return os.path.getsize(path) == size
    except OSError:
        return False


Handle = Hashable


class DataLostError(Exception):
    """The workers that held the data of a call died."""


class Engine(Protocol):
    """The interface of a cluster engine."""

    def slots(self) -> int:
        """Return the number of concurrent calls."""

    def opens(self, path: str, size: int) -> bool:
        """Return whether all workers have a file of that path and size."""

    def send(self, value: Any) -> Handle:
        """Send a value to the workers."""

    def call(self, key: str, content: Handle, tiles: Sequence[Any], arrays: list[Handle]) -> Handle:
        """Start a call of `markhood.execution.cluster.run_tiles`."""

    def finished(self, calls: Sequence[Handle]) -> Sequence[Handle]:
        """Wait until at least one call is done, and return the finished ones."""

    def result(self, call: Handle) -> tuple[float, list[Any]]:
        """Return the result of a call, or raise `DataLostError`."""

    def end(self, calls: Sequence[Handle], key: str) -> None:
        """Cancel calls, and let the workers forget the work of that key."""


class Cluster:
    """The executor for an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sent: dict[str, Handle] = {}  # arrays of the previous phase, by hash

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number and outcome of each tile, in any order."""
        if not tiles:
            return
        engine, bundles = self._engine, _Bundles(len(tiles))
        packed = pack(work, engine.opens)
        content, arrays = self._send(packed)
        calls: dict[Handle, range] = {}
        losses = 0
        try:
            while calls or bundles.n_left:
                slots = engine.slots()
                while bundles.n_left and len(calls) < slots * CALLS_PER_SLOT:
                    bundle = bundles.take(slots)
                    some = tiles[bundle.start : bundle.stop]
                    calls[engine.call(packed.key, content, some, arrays)] = bundle
                for call in engine.finished(list(calls)):
                    bundle = calls.pop(call)
                    try:
                        seconds, results = engine.result(call)
                    except DataLostError:
                        losses += 1
                        if losses > MOST_LOSSES:
                            raise
                        bundles.put_back(bundle, *calls.values())
                        engine.end(list(calls), packed.key)
                        calls.clear()
                        self._sent.clear()
                        content, arrays = self._send(packed)
                        break
                    losses = 0
                    bundles.note(len(results), seconds)
                    yield from zip(bundle, results, strict=False)  # short after a failure
        finally:
            engine.end(list(calls), packed.key)

    def _send(self, packed: PackedWork) -> tuple[Handle, list[Handle]]:
        """Send the work to the workers, except arrays that they already have."""
        self._sent = {
            key: self._sent[key] if key in self._sent else self._engine.send(array)
            for key, array in packed.arrays.items()
        }
        return self._engine.send(packed.content), list(self._sent.values())


class _Bundles:
    """The numbers of tiles, cut into bundles on request."""

    def __init__(self, n_tiles: int) -> None:
        self.n_left = n_tiles
        self._left = deque([range(n_tiles)])
        self._n_done = 0
        self._seconds = 0.0

    def note(self, n_tiles: int, seconds: float) -> None:
        """Record the duration of some tiles."""
        self._n_done += n_tiles
        self._seconds += seconds

    def take(self, slots: int) -> range:
        """Return the next bundle: single tiles until some are done, at most a fair share."""
        size = 1
        if self._n_done:
            fitting = SECONDS_PER_CALL * self._n_done / max(self._seconds, 1e-9)
            size = max(1, int(min(fitting, self.n_left / (slots * CALLS_PER_SLOT))))
        first = self._left.popleft()
        bundle, rest = first[:size], first[size:]
        if rest:
            self._left.appendleft(rest)
        self.n_left -= len(bundle)
        return bundle

    def put_back(self, *bundles: range) -> None:
        """Return bundles that were not run."""
        self._left.extendleft(bundles)
        self.n_left += sum(map(len, bundles))
