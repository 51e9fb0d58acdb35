"""Finished tiles in a folder, so that a run that was killed goes on where it was.

    FOLDER/run.json         what the run is: version, data, method and options
    FOLDER/1-screen.tiles   the tiles of its first phase, and so on

A file of tiles is records, one about every second: length, hash, content. A kill leaves at most
the last one cut off, which its hash tells; it is dropped and its tiles are run again. The content
is a pickle, because results are small objects of the rooms above, whose names this room must not
know; but it is read by an unpickler that knows arrays and markhood's own records and
nothing else, so that a folder from elsewhere cannot run code.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
import pickle
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, BinaryIO, Self

from markhood.errors import InputError

MANIFEST = "run.json"
SECONDS_PER_RECORD = 1.0
HEAD = struct.Struct("<Q16s")  # of a record: length of the content, and its hash


class Checkpoint:
    """A folder with the finished tiles of a run.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.
    run : mapping of str to JSON values
        What must be the same for tiles to be used again.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds something else.
    """

    def __init__(self, folder: str | os.PathLike[str], run: Mapping[str, Any]) -> None:
        self._folder = Path(folder)
        self._n_phases = 0
        try:
            self._enter(json.loads(json.dumps(run)))
        except OSError as error:
            raise InputError(
                f"Tiles cannot be saved in {folder} ({error.strerror or error}): name a folder "
                "that can be written."
            ) from error

    def _enter(self, run: dict[str, Any]) -> None:
        manifest = self._folder / MANIFEST
        if not manifest.exists():
            if self._folder.exists() and any(self._folder.iterdir()):
                raise InputError(
                    f"{self._folder} holds other things than tiles: name an empty or a new folder."
                )
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f"{MANIFEST}.new"
            draft.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
            draft.replace(manifest)
            return
        try:
            saved = json.loads(manifest.read_text(encoding="utf-8"))
        except ValueError:
            saved = {}
        differences = [
            f"{name} was {saved.get(name, 'not set')}, now {run.get(name, 'not set')}"
            for name in {**run, **saved}
            if saved.get(name) != run.get(name)
        ]
        if differences:
            raise InputError(
                f"{self._folder} holds tiles of another run ({'; '.join(differences)}): name "
                "another folder, or remove it."
            )

    def phase(self, name: str, tiles: Sequence[Any]) -> SavedPhase:
        """Return what is saved of the next phase; phases come in the same order in every run."""
        self._n_phases += 1
        digest = hashlib.blake2b(repr(list(tiles)).encode(), digest_size=16).digest()
        return SavedPhase(self._folder / f"{self._n_phases}-{name}.tiles", digest)


class SavedPhase:
    """The finished tiles of one phase, in a file that grows; enter it to add some.

    Parameters
    ----------
    path : Path
    tiles : bytes
        Hash of all tiles: those cut in another way are of no use.

    Attributes
    ----------
    finished : dict of int to result
        By the number of the tile; what the file had when it was opened.
    """

    def __init__(self, path: Path, tiles: bytes) -> None:
        self.finished: dict[int, Any] = {}
        self._new: list[tuple[int, Any]] = []
        self._last = monotonic()
        size = self._load(path, tiles) if path.exists() else 0
        self._file: BinaryIO = path.open("r+b" if size else "wb")
        self._file.truncate(size)
        self._file.seek(size)
        if not size:
            self._write(tiles)

    def _load(self, path: Path, tiles: bytes) -> int:
        """Take in all whole records, and return where they end; 0 for none of these tiles."""
        with path.open("rb") as file:
            records = _records(file)
            first, end = next(records, (b"", 0))
            if first != tiles:
                return 0
            for content, at in records:
                self.finished.update(_SafeUnpickler(io.BytesIO(content)).load())
                end = at
        return end

    def add(self, number: int, result: Any) -> None:
        """Save the result of a tile, now or in a second."""
        self._new.append((number, result))
        if monotonic() - self._last > SECONDS_PER_RECORD:
            self._flush()

    def _flush(self) -> None:
        if self._new:
            self._write(pickle.dumps(self._new, protocol=5))
        self._new = []
        self._last = monotonic()

    def _write(self, content: bytes) -> None:
        self._file.write(HEAD.pack(len(content), _hash(content)) + content)
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._flush()
        finally:
            self._file.close()


def _records(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the whole records of a file, and where each ends."""
    size = os.fstat(file.fileno()).st_size
    while len(head := file.read(HEAD.size)) == HEAD.size:
        length, digest = HEAD.unpack(head)
        if length > size - file.tell() or _hash(content := file.read(length)) != digest:
            return
        yield content, file.tell()


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


class _SafeUnpickler(pickle.Unpickler):
    ARRAYS = frozenset({"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"})

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes an array, or a record of markhood's; refuse all else."""
        if module.partition(".")[0] == "numpy" and name in self.ARRAYS:
            return super().find_class(module, name)
        if module.partition(".")[0] == "markhood":
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and (is_dataclass(found) or hasattr(found, "_fields")):
                return found
        raise InputError(f"The saved tiles mention {module}.{name}: remove their folder.")
