"""Finished tiles in a folder, so that a run that was killed goes on where it was.

    FOLDER/run.json         what the run is: version, data, method and options
    FOLDER/1-screen.tiles   the tiles of its first phase, and so on

A file of tiles is records, one a tile, which reach the disk about every second: length, hash, content. A kill leaves at most
the last one cut off, which its hash tells; it is dropped and its tile is run again, and so is
everything else that is damaged. No tile stays in memory, neither when it is saved nor when a run goes on. The content is data (`tile_codec`): a folder from elsewhere can give
wrong numbers, but run no code.

Only files of our own are written to: what stands in place of a file of tiles and is a link, or has a second name
elsewhere, is taken away from the folder, and the file that it leads to is left alone.
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
MOST_BYTES = 1 << 24  # of a manifest; ours have a few hundred
MOST_LETTERS = 60  # of a value that differs, in a sentence
SECONDS_TO_DISK = 1.0
HEAD = struct.Struct("<Q16s")  # of a record: length of the content, and its hash


class Checkpoint:
    """A folder with the finished tiles of a run.

    Parameters
    ----------
    folder : path-like
        Made if it is not there.
    run : mapping of str to JSON values
        What must be the same for tiles to be used again.
    records : sequence of type, default=()
        The named tuples and dataclasses that results consist of, besides plain values and arrays.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds something else.
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
            # A run that begins here at the same time, or was killed when it did, left a draft.
            ours = {f"{MANIFEST}.new"}
            if self._folder.exists() and any(
                not is_draft(path.name) and path.name not in ours for path in self._folder.iterdir()
            ):
                raise InputError(
                    "checkpoint",
                    str(self._folder),
                    f"{self._folder} holds other things than tiles: name an empty or a new folder.",
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
                f"{self._folder} holds tiles of another run ({'; '.join(differences[:5])}): name "
                "another folder, or remove it.",
            )

    def phase(self, name: str, tiles: Sequence[Any], data: str = "") -> SavedPhase:
        """Return what is saved of the next phase; phases come in the same order in every run.

        Parameters
        ----------
        name : str
        tiles : sequence
        data : str, default=""
            Fingerprint of the data of this phase, where they are not the run's. A run that searches in
            several completed data sets uses saved tiles only of the set that they were computed from.
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
        """Answer for errors of work that goes on from saved tiles.

        A hash tells damage, not intent: whole records with nonsense in them are noticed when
        they are used, if at all.
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
                f"The tiles in {self._folder} do not fit together ({type(error).__name__}: "
                f"{error}): remove that folder, and start again.",
            ) from error


class SavedPhase:
    """The finished tiles of one phase, in a file that grows; enter it to read those that are there, and then to add some.

    Parameters
    ----------
    path : Path
    tiles : bytes
        Hash of all tiles: those cut in another way are of no use.
    n_tiles : int
    records : sequence of type, default=()
        As of `Checkpoint`.

    Attributes
    ----------
    has_tiles : bool
        Whether the file had any when it was opened.
    """

    def __init__(
        self, path: Path, tiles: bytes, n_tiles: int, records: Sequence[type] = ()
    ) -> None:
        self.has_tiles = False
        self._path, self._n_tiles, self._records = path, n_tiles, records
        self._last = monotonic()
        _remove_links(path)
        size = self._size_of_whole(tiles) if path.exists() else 0
        # Never through a link, even one that was put there a moment ago; and on Windows as bytes.
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
        """Return where the whole records end; 0 for none of these tiles."""
        with self._path.open("rb") as file:
            records = _records(file)
            first, end = next(records, (b"", 0))
            if first != tiles:
                return 0
            for _, at in records:
                self.has_tiles, end = True, at
        return end

    def results(self) -> Generator[tuple[int, Any]]:
        """Yield the numbers and results of the tiles that were finished, a record at a time: all together may be large.

        To be gone through before any is added. What cannot be used is cut off.
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
        """Save the result of a tile; on the disk it is in a second."""
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
            # What ended the work is not to be hidden by a disk that is full.
            with suppress(*([InputError] if kind is not None else [])):
                self._sync()
        finally:
            self._close()

    def _close(self) -> None:
        with suppress(OSError):  # what could not be written is held back, and fails again
            self._file.close()


@contextmanager
def _in_a_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            "file-not-writable",
            str(folder),
            f"Tiles cannot be saved in {folder} ({reason(error)}): name a folder that can be "
            "written, or make room.",
        ) from error


def _read_manifest(path: Path) -> dict[str, Any]:
    """Return what the run was; nothing where that cannot be told."""
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
    """Take away a link, or a second name of a file that is elsewhere too."""
    with suppress(FileNotFoundError):
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            path.unlink()
        elif not stat.S_ISREG(found.st_mode):
            raise InputError(
                "checkpoint",
                str(path),
                f"{path} is no file of tiles: remove it, or name another folder.",
            )


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
