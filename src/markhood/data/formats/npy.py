"""Read NumPy files (NPY, NPZ) in blocks, in the order on disk.

The files are read instead of memory-mapped: the pages of a map count as memory of the process until
another process needs them, and members of an NPZ file cannot be mapped. Both formats use the same
code, with one block in memory for files of any size.
"""

from __future__ import annotations

import lzma
import math
import struct
import sys
import warnings
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from markhood.data.coding import encoder
from markhood.data.coding.encode import check_table
from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.storage.memory import available_memory, readable
from markhood.data.variables import default_names
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, file_error, listed, option

# Exceptions of zipfile for archives that are damaged, encrypted or in an unknown compression.
DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, KeyError,
           OverflowError, RuntimeError, ValueError, struct.error)  # fmt: skip
MOST_HEADER_BYTES = 1 << 16


class _Source(NamedTuple):
    """An array in a file: the path, and the array as messages call it."""

    path: Path
    label: str


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]

    def check_size(self, n_bytes: int, source: _Source) -> None:
        """Raise if the file has fewer bytes than the values need, before memory is allocated."""
        if math.prod(self.shape) * self.dtype.itemsize > n_bytes:
            raise _truncated(source)

    def seen(self, transposed: bool) -> _Header:
        """Return the header, or that of the transposed array."""
        if not transposed:
            return self
        return replace(self, shape=self.shape[::-1], by_columns=not self.by_columns)


def read_npy(path: Path, reading: Reading) -> Samples:
    """Read an array of shape (n_samples, n_variables), or the transpose, from an NPY file."""
    source = _Source(path, str(path))
    with path.open("rb") as handle:
        header = _read_header(handle, source)
        if path.is_file():
            header.check_size(path.stat().st_size - handle.tell(), source)
        return _read_array(handle, header.seen(reading.transpose), source, reading)


def read_npz(path: Path, reading: Reading) -> Samples:
    """Read one array of an NPZ file: `reading.array`, else "data", else the only 2-D array.

    The unpacked size, which may be a thousand times that of the file, is checked first.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            headers = {}
            for member in archive.namelist():
                if member.endswith(".npy"):
                    with archive.open(member) as handle:
                        source = _Source(path, f"{member} in {path}")
                        headers[member[:-4]] = _read_header(handle, source)
            name = _choose(headers, reading.array, path)
            with archive.open(f"{name}.npy") as handle:
                source = _Source(path, f"The array {name!r} in {path}")
                header = _read_header(handle, source)
                size = archive.getinfo(f"{name}.npy").file_size
                header.check_size(size - handle.tell(), source)
                _check_unpacked(size, source)
                return _read_array(handle, header.seen(reading.transpose), source, reading)
    except InputError:
        raise
    except DAMAGES as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise file_error(path, f"is damaged ({reason}): save it again.") from error


def _check_unpacked(size: int, source: _Source) -> None:
    available = available_memory()
    if available is not None and size > available:
        raise InputError(
            "memory",
            source.path.name,
            f"{source.label} unpacks to {readable(size)}, but only {readable(available)} of memory "
            "is available: save it as .npy, which is read in blocks.",
        )


def _choose(headers: dict[str, _Header], wanted: str | None, path: Path) -> str:
    tables = [name for name, header in headers.items() if len(header.shape) == 2]
    if wanted is None and "data" in headers:
        wanted = "data"
    elif wanted is None and len(tables) == 1:
        wanted = tables[0]
    if wanted is not None and wanted in headers:
        return wanted
    shapes = [f"{name!r} ({' x '.join(map(str, h.shape))})" for name, h in headers.items()]
    has = f"it has {listed(shapes, 8)}" if shapes else "it has no arrays"
    problem = f"no array {wanted!r}"
    if wanted is None:
        problem = f"no array 'data' and {len(tables)} two-dimensional ones"
    raise file_error(
        path,
        f"has {problem}: name a two-dimensional one with {option('array')} ({has}).",
        "file-part",
    )


def _read_header(handle: IO[bytes], source: _Source) -> _Header:
    """Read the header of an array; raise for an array of objects."""
    try:
        version = npy_format.read_magic(handle)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"format {version} has records")
        _check_header_length(handle, version)
        parse = getattr(npy_format, f"read_array_header_{version[0]}_0")
        with warnings.catch_warnings(action="ignore"):  # about files of an old Python
            header = _Header(*parse(handle))
    except Exception as error:  # the header is Python source, which can fail in many ways
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise _damaged(source, f"cannot be read as NPY ({reason})") from error
    if header.dtype.hasobject:
        raise InputError(
            "file-format",
            source.path.name,
            f"{source.label} has pickled Python objects, which are not read because they can run "
            "code: save an array of numbers or text.",
        )
    return header


def _check_header_length(handle: IO[bytes], version: tuple[int, int]) -> None:
    """Raise if the stated length of a header is too large, because NumPy would read all of it."""
    at = handle.tell()
    length = int.from_bytes(handle.read(2 if version == (1, 0) else 4), "little")
    handle.seek(at)
    if length > MOST_HEADER_BYTES:
        raise ValueError(f"a header of {readable(length)}")


def _read_array(
    handle: IO[bytes],
    header: _Header,
    source: _Source,
    reading: Reading,
) -> Samples:
    """Pack the array after its header."""
    check_table(header.shape, header.dtype)
    n_samples, n_variables = header.shape
    wanted = wanted_columns(default_names(n_variables), reading)
    picked, names, weights, reading = wanted
    packing = Encoder(names, n_samples, reading=reading)
    is_whole = wanted.are_all(n_variables)
    itemsize = header.dtype.itemsize
    if header.by_columns:
        step = max(1, encoder.CHUNK_BYTES // (n_samples * itemsize))
        for start in range(0, n_variables, step):
            shape = (min(step, n_variables - start), n_samples)
            block = _read_block(handle, shape, header.dtype, source)
            if weights is not None and start <= weights < start + step:
                packing.weigh(block[weights - start].tolist())
            if is_whole:
                packing.place(block.T, 0, start)
                continue
            for at, j in enumerate(picked):
                if start <= j < start + step:
                    packing.place(block[j - start : j - start + 1].T, 0, at)
        packing.skip(n_samples)
    else:
        step = chunk_rows(n_variables * itemsize)
        for start in range(0, n_samples, step):
            shape = (min(step, n_samples - start), n_variables)
            block = _read_block(handle, shape, header.dtype, source)
            packing.add(block if is_whole else block[:, picked])
            if weights is not None:
                packing.weigh(block[:, weights].tolist())
    return packing.finish()


def _damaged(source: _Source, problem: str) -> InputError:
    return InputError("file-damaged", source.path.name, f"{source.label} {problem}: save it again.")


def _truncated(source: _Source) -> InputError:
    return _damaged(source, "is truncated")


def _read_block(
    handle: IO[bytes], shape: tuple[int, int], dtype: np.dtype[Any], source: _Source
) -> NDArray[Any]:
    size = shape[0] * shape[1] * dtype.itemsize
    content = handle.read(size)
    if len(content) < size:
        raise _truncated(source)
    if dtype.kind == "U" and np.frombuffer(content, f"{dtype.byteorder}u4").max() > sys.maxunicode:
        raise _damaged(source, "contains bytes that are not valid text")
    if dtype.kind == "b":  # bytes other than 0 and 1 are not valid booleans
        return np.asarray(np.frombuffer(content, np.uint8).reshape(shape) != 0)
    return np.frombuffer(content, dtype).reshape(shape)
