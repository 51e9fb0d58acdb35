"""Work as it travels to other processes: a small pickle, and the large arrays beside it.

The work of every phase holds the same samples, and there are many tiles, so large arrays
travel apart from the pickle that mentions them, each once; they are known by a hash of their
content. An array that is mapped from a file which the workers can open too does not travel at all: its path
does. A worker puts the two together once a phase, and keeps the work for the tiles to come.
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
    """Work, packed: ``content`` is the pickle, ``arrays`` by their hashes what it lacks."""

    key: str
    content: bytes
    arrays: dict[str, Array]


def pack(work: Callable[..., Any], opens: Callable[[str, int], bool]) -> PackedWork:
    """Pack work; ``opens`` says whether all workers have a file of that path and size."""
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
        """Name a large array instead of writing it; None for all else."""
        if type(value) not in (np.ndarray, np.memmap):
            return None
        if value.nbytes < LARGE or value.dtype.hasobject:
            return None
        if id(value) not in self._seen:
            self._seen[id(value)] = self._mapped(value) or self._hashed(value)
        return self._seen[id(value)]

    def _mapped(self, array: Array) -> tuple[Any, ...] | None:
        # A slice of a map says where the whole begins, so only wholes can be named.
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
        # What came over a network need not lie where a processor likes it.
        return np.require(self._arrays[where[0]], requirements="A")


class _Unpacked:
    """The work that this process did last; phases follow each other, so one is enough."""

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
    """Let go of work that has been done, and of its arrays."""
    _unpacked.forget(key)


def has_file(path: str, size: int) -> bool:
    """Return whether this machine has a file of that path and size."""
    try:
        return os.path.getsize(path) == size
    except OSError:
        return False
