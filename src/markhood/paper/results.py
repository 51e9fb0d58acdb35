"""Results of replicates in a CSV file that is appended line by line.

Every line is flushed to the disk. If a run is killed in the middle of a line, the line is removed
and the replicate is run again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from markhood.drafts import reason
from markhood.errors import InputError, option

Key = tuple[Any, ...]


class Results:
    """Measured numbers by key (a cell and a replicate), stored in a file.

    Parameters
    ----------
    settings : str
        First line of the file, after a ``#``; two runs with different settings cannot share a file.
    """

    def __init__(
        self, path: Path, settings: str, keys: Sequence[str], measures: Sequence[str]
    ) -> None:
        self.measures = list(measures)
        self._path = path
        self._head = f"# {settings}\n{','.join([*keys, *measures])}\n"
        self._n_keys = len(keys)
        self._rows: dict[Key, list[float]] = {}
        self._lock = Lock()
        self._load()

    def __contains__(self, key: Key) -> bool:
        return key in self._rows

    def append(self, key: Key, measured: Mapping[str, float]) -> None:
        """Append the result of one replicate."""
        values = [float(measured[name]) for name in self.measures]
        line = ",".join(map(str, [*key, *(repr(v) for v in values)])) + "\n"
        with self._lock:
            with _as_input_error(self._path), self._path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._rows[key] = values

    def of(self, cell: Key, measure: str, replicates: int) -> list[float]:
        """Return one measure of the first replicates of a cell."""
        at = self.measures.index(measure)
        found = (self._rows.get((*cell, replicate)) for replicate in range(replicates))
        return [row[at] for row in found if row is not None]

    def _load(self) -> None:
        with _as_input_error(self._path):
            if not os.path.lexists(self._path):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.write_text(self._head, encoding="utf-8")
                return
            if not self._path.is_file():
                raise InputError(
                    "file-unreadable",
                    str(self._path),
                    f"{self._path} is not a regular file: choose another folder.",
                )
            content = self._path.read_bytes()
            if not content.startswith(self._head.encode()):
                raise InputError(
                    "file-exists",
                    str(self._path),
                    f"{self._path} has results of other settings: choose another folder with "
                    f"{option('output')}, or move that file away.",
                )
            whole, _, cut_off = content.rpartition(b"\n")
            if cut_off:
                os.truncate(self._path, len(whole) + 1)
        lines = whole.decode("utf-8", "replace").split("\n")
        for number, line in enumerate(lines[2:], start=3):
            key, values = self._parsed(line, number)
            self._rows[key] = values

    def _parsed(self, line: str, number: int) -> tuple[Key, list[float]]:
        fields = line.split(",")
        network, *numbers = fields[: self._n_keys]
        try:
            values = [float(field) for field in fields[self._n_keys :]]
            key = (network, *map(int, numbers))
        except ValueError:
            values, key = [], ()
        if len(key) != self._n_keys or len(values) != len(self.measures):
            raise InputError(
                "file-damaged",
                str(self._path),
                f"Line {number} of {self._path} is damaged: remove it, and the replicate is run "
                "again.",
            )
        return key, values


@contextmanager
def _as_input_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            "file-not-writable",
            str(path),
            f"Results cannot be stored in {path} ({reason(error)}): choose another folder.",
        ) from None
