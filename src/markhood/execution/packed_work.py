"""Serialise work for other processes: a small pickle, with large arrays sent separately.

The work of every phase contains the same samples, and there are many tiles, so large arrays are
sent separately from the pickle and only once; they are identified by a hash of their content. An
array that is memory-mapped from a file that workers can open too is sent as its path. A worker
unpacks the work once per phase and keeps it for later tiles.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import pickle
import traceback
import uuid
from collections.abc import Callable, Sequence
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from markhood.execution.executor import Failure

LARGE = 1 << 20  # bytes; smaller arrays stay in the pickle

Array = NDArray[Any]


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
