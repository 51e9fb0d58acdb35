"""Save finished tiles in a folder, so that an interrupted run can continue.

    FOLDER/run.json         identity of the run: version, data, method and options
    FOLDER/1-screen.tiles   the tiles of its first phase, and so on

A file of tiles contains one record per tile (length, hash, content), written to disk about every
second. An interruption truncates at most the last record, which the hash detects; truncated and
damaged records are dropped and their tiles are run again. Tiles are not kept in memory, neither
when saving nor when continuing. The content is plain data (`tile_codec`): a folder from an
untrusted source can contain wrong numbers, but it cannot run code.

Only the run's own files are written: a link or hard link in place of a file of tiles is removed
from the folder, and its target is not changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, BinaryIO, Self

from markhood.content import content_hash
from markhood.drafts import draft_beside, is_draft, reason
from markhood.errors import InputError
from markhood.execution.tile_codec import DamagedError, decode_result, encode_result

MANIFEST = "run.json"
MOST_BYTES = 1 << 24  # of a manifest, which usually has a few hundred
MOST_LETTERS = 60  # shown of a value that differs
SECONDS_TO_DISK = 1.0
HEAD = struct.Struct("<Q16s")  # of a record: length and hash of the content


class Checkpoint:
    """A folder with the finished tiles of a run.

    Parameters
    ----------
    folder : path-like
        Created if it does not exist.
    run : mapping of str to JSON values
        Identity of the run; tiles are reused only if it is the same.
    records : sequence of type, default=()
        Named tuples and dataclasses in results, in addition to plain values and arrays.

    Raises
    ------
    InputError
        If the folder cannot be written, or contains other files.
    """

    def __init__(
        self, folder: str | os.PathLike[str], run: Mapping[str, Any], records: Sequence[type] = ()
    ) -> None:
        self._folder = Path(folder)
        self._records = tuple(records)
        self._n_phases = 0
        self._has_used_tiles = False
        with _in_a_sentence(self._folder):
            self._enter(json.loads(json.dumps(run)))

    def _enter(self, run: dict[str, Any]) -> None:
        manifest = self._folder / MANIFEST
        if not os.path.lexists(manifest):
            # A draft may be left by a concurrent or interrupted run.
            ours = {f"{MANIFEST}.new"}
            if self._folder.exists() and any(
                not is_draft(path.name) and path.name not in ours for path in self._folder.iterdir()
            ):
                raise InputError(
                    "checkpoint",
                    str(self._folder),
                    f"{self._folder} contains files that are not tiles: use an empty or new "
                    "folder.",
                )
            self._folder.mkdir(parents=True, exist_ok=True)
            with draft_beside(manifest) as draft:
                draft.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
                draft.replace(manifest)
            return
        saved = _read_manifest(manifest)
        differences = [
            f"{name} was {_short(saved, name)}, now {_short(run, name)}"
            for name in {**run, **saved}
            if saved.get(name) != run.get(name)
        ]
        if differences:
            raise InputError(
                "checkpoint",
                str(self._folder),
                f"{self._folder} contains tiles of another run ({'; '.join(differences[:5])}): use "
                "another folder, or remove it.",
            )

    def phase(self, name: str, tiles: Sequence[Any], data: str = "") -> SavedPhase:
        """Return the saved tiles of the next phase; phases have the same order in every run.

        Parameters
        ----------
        data : str, default=""
            Fingerprint of the data of this phase, if they differ from the run's. A run that
            searches several imputed data sets reuses tiles only for the data set they were computed
            from.
        """
        self._n_phases += 1
        path = self._folder / f"{self._n_phases}-{name}.tiles"
        digest = bytes.fromhex(content_hash([data, *tiles]))
        with _in_a_sentence(self._folder):
            saved = SavedPhase(path, digest, len(tiles), self._records)
        self._has_used_tiles |= saved.has_tiles
        return saved

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Report errors of work that continues from saved tiles.

        A hash detects damage, not manipulation: complete records with wrong content are detected
        only when they are used, if ever.
        """
        try:
            yield
        except (InputError, OSError, MemoryError):
            raise
        except Exception as error:
            if not self._has_used_tiles:
                raise
            raise InputError(
                "checkpoint",
                str(self._folder),
                f"The tiles in {self._folder} are not consistent ({type(error).__name__}: "
                f"{error}): remove the folder and start again.",
            ) from error


class SavedPhase:
    """The file of finished tiles of one phase: read existing tiles first, then add new ones.

    Parameters
    ----------
    tiles : bytes
        Hash of all tiles; tiles cut differently cannot be reused.

    Attributes
    ----------
    has_tiles : bool
        Whether the file had tiles when it was opened.
    """

    def __init__(
        self, path: Path, tiles: bytes, n_tiles: int, records: Sequence[type] = ()
    ) -> None:
        self.has_tiles = False
        self._path, self._n_tiles, self._records = path, n_tiles, records
        self._last = monotonic()
        _remove_links(path)
        size = self._size_of_whole(tiles) if path.exists() else 0
        # Never follow a link, even one created a moment ago; binary mode matters on Windows.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        self._file: BinaryIO = os.fdopen(os.open(path, flags, 0o666), "r+b")
        try:
            self._file.truncate(size)
            self._file.seek(size)
            if not size:
                self._write(tiles)
                self._sync()
        except BaseException:
            self._close()
            raise

    def _size_of_whole(self, tiles: bytes) -> int:
        """Return the end of the complete records; 0 if they belong to other tiles."""
        with self._path.open("rb") as file:
            records = _records(file)
            first, end = next(records, (b"", 0))
            if first != tiles:
                return 0
            for _, at in records:
                self.has_tiles, end = True, at
        return end

    def results(self) -> Generator[tuple[int, Any]]:
        """Yield numbers and results of finished tiles, one record at a time to save memory.

        Exhaust this before adding tiles. Unusable records are cut off.
        """
        self._file.seek(0)
        records = _records(self._file)
        _, end = next(records)
        try:
            for content, at in records:
                yield from self._tiles_of(content).items()
                end = at
        except DamagedError:
            self._file.truncate(end)
        finally:
            self._file.seek(0, os.SEEK_END)

    def _tiles_of(self, content: bytes) -> dict[int, Any]:
        found = decode_result(content, self._records)
        try:
            numbered = {number: result for number, result in found}
        except (TypeError, ValueError) as error:
            raise DamagedError("no numbered tiles") from error
        if not all(type(k) is int and 0 <= k < self._n_tiles for k in numbered):
            raise DamagedError("no numbers of tiles")
        return numbered

    def add(self, number: int, result: Any) -> None:
        """Save the result of a tile; it is on disk within about a second."""
        self._write(encode_result([(number, result)], self._records))
        if monotonic() - self._last > SECONDS_TO_DISK:
            self._sync()

    def _write(self, content: bytes) -> None:
        with _in_a_sentence(self._path.parent):
            self._file.write(HEAD.pack(len(content), _hash(content)) + content)

    def _sync(self) -> None:
        with _in_a_sentence(self._path.parent):
            self._file.flush()
            os.fsync(self._file.fileno())
        self._last = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            # A full disk must not hide the error that ended the work.
            with suppress(*([InputError] if kind is not None else [])):
                self._sync()
        finally:
            self._close()

    def _close(self) -> None:
        with suppress(OSError):  # unwritten data stay buffered and fail again
            self._file.close()


@contextmanager
def _in_a_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            "file-not-writable",
            str(folder),
            f"Tiles cannot be saved in {folder} ({reason(error)}): use a writable folder, or free "
            "disk space.",
        ) from error


def _read_manifest(path: Path) -> dict[str, Any]:
    """Return the identity of the saved run; empty if it cannot be read."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return {}
    try:
        saved = json.loads(path.read_bytes())
    except (RecursionError, ValueError):
        return {}
    return saved if isinstance(saved, dict) else {}


def _short(run: Mapping[str, Any], name: str) -> str:
    value = str(run.get(name, "not set"))
    return value if len(value) <= MOST_LETTERS else value[:MOST_LETTERS] + "..."


def _remove_links(path: Path) -> None:
    """Remove a link, or a second name of a file elsewhere."""
    with suppress(FileNotFoundError):
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            path.unlink()
        elif not stat.S_ISREG(found.st_mode):
            raise InputError(
                "checkpoint",
                str(path),
                f"{path} is not a file of tiles: remove it, or use another folder.",
            )


def _records(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the complete records of a file, and the end position of each."""
    size = os.fstat(file.fileno()).st_size
    while len(head := file.read(HEAD.size)) == HEAD.size:
        length, digest = HEAD.unpack(head)
        if length > size - file.tell() or _hash(content := file.read(length)) != digest:
            return
        yield content, file.tell()


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
