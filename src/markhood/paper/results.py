"""Results of replicates, in a CSV file that grows line by line and survives a kill.

A line is written whole, flushed to the disk, and only then counts. A file that was cut off in
the middle of a line loses that line, which is run again.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from markhood.errors import InputError

Key = tuple[Any, ...]


class Results:
    """A table from keys (a cell and a replicate) to measured numbers, kept in a file.

    Parameters
    ----------
    path : Path
        Read if it exists.
    settings : str
        What must be the same for two runs to share a file; its first line, after a ``#``.
    keys, measures : sequence of str
        Names of the columns.
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
        """Keep the result of one replicate."""
        values = [float(measured[name]) for name in self.measures]
        line = ",".join(map(str, [*key, *(repr(v) for v in values)])) + "\n"
        with self._lock:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._rows[key] = values

    def of(self, cell: Key, measure: str, replicates: int) -> list[float]:
        """Return one measure of a cell's first replicates, in their order."""
        at = self.measures.index(measure)
        found = (self._rows.get((*cell, replicate)) for replicate in range(replicates))
        return [row[at] for row in found if row is not None]

    def _load(self) -> None:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(self._head, encoding="utf-8")
            return
        text = self._path.read_text(encoding="utf-8")
        if not text.startswith(self._head):
            raise InputError(
                f"{self._path} holds results of other settings: name another folder with "
                "--output, or move that file away."
            )
        whole, _, cut_off = text.rpartition("\n")
        if cut_off:
            self._path.write_text(whole + "\n", encoding="utf-8")
        for key, values in self._parse(whole[len(self._head) :].splitlines()):
            self._rows[key] = values

    def _parse(self, lines: Sequence[str]) -> Iterator[tuple[Key, list[float]]]:
        for row in csv.reader(lines):
            network, *numbers = row[: self._n_keys]
            yield (network, *map(int, numbers)), [float(v) for v in row[self._n_keys :]]
