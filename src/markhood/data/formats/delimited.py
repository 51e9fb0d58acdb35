"""CSV, TSV and their like, read with Python's own parser in one pass.

Whether the first row is a header is a property of the whole file (no cell of it may occur again in
its column), but nearly always known after a few rows. So it is guessed from the first rows, and
checked at the end against the values found; only where the guess was wrong is the file read twice.
"""

from __future__ import annotations

import csv
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import parse_cell
from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.coding.names import pick_columns
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.variables import default_names
from markhood.data.weights import find_weights
from markhood.errors import InputError

DELIMITERS = ",\t;|"
LINES_LOOKED_AT = 20  # to find the delimiter
ROWS_LOOKED_AT = 200  # to guess whether there is a header


def read_delimited(
    path: Path,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    reading: Reading | None = None,
) -> Samples:
    """Read a text file of cells between delimiters.

    Parameters
    ----------
    path : Path
        A file in UTF-8, with or without a byte order mark.
    columns : sequence of str, optional
        Columns to keep, in this order; by default all.
    header : bool, optional
        Whether the first row has the names; by default it does where none of its cells occurs
        again in its column.
    reading : Reading, optional
        What is missing, how many levels there may be, what samples weigh.
    """
    reading = reading or Reading()
    try:
        text = _Text(path, *_look(path))
        if header is not None:
            return _encode(text, columns, header, reading).finish()
        first, *others = islice(text.rows(), ROWS_LOOKED_AT)
        if any(cell in seen for cell, *seen in zip(first, *others, strict=True)):
            return _encode(text, columns, False, reading).finish()
        encoder = _encode(text, columns, True, reading)
        if encoder.has_seen(dict(zip(_header_names(first), first, strict=True))):
            encoder = _encode(text, columns, False, reading)
        return encoder.finish()
    except UnicodeDecodeError as error:
        raise _undecodable(path) from error


@dataclass
class _Text:
    """The rows of a file, and the lines that they were on."""

    path: Path
    delimiter: str
    line_bytes: float
    width: int = 0
    # (row, lines before it), only for rows at which the difference of the two changes.
    _offsets: list[tuple[int, int]] = field(default_factory=list)

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row that is not blank."""
        self._offsets = []
        with self.path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(
                handle, delimiter=self.delimiter, skipinitialspace=True, strict=True
            )
            row = line = 0
            try:
                for cells in reader:
                    if len(cells) > 1 or (cells and cells[0].strip()):
                        self._note(row, line, len(cells))
                        yield cells
                        row += 1
                    line = reader.line_num
            except csv.Error as error:
                raise InputError(
                    f"{self.path} cannot be read as delimited text at line {line + 1} ({error}): "
                    "check its quotes"
                ) from error
            if row == 0:
                raise _empty(self.path)

    def _note(self, row: int, line: int, width: int) -> None:
        if row == 0:
            self.width = width
        elif width != self.width:
            raise InputError(
                f"Line {line + 1} of {self.path} has {width} field{'s'[: width > 1]} where "
                f"{self.width} were expected: give all lines the same number of fields"
            )
        if not self._offsets or line - row != self._offsets[-1][1]:
            self._offsets.append((row, line - row))

    def line(self, row: int) -> str:
        """Say on which line a row was."""
        at = bisect_right(self._offsets, row, key=lambda pair: pair[0]) - 1
        return f"line {row + self._offsets[at][1] + 1}"


def _encode(text: _Text, columns: Sequence[str] | None, header: bool, reading: Reading) -> Encoder:
    """Feed an encoder the rows, from the second where the first is a header."""
    rows = text.rows()
    first = next(rows)
    if not header:
        rows = text.rows()
    names = _header_names(first) if header else default_names(len(first))
    advice = "rename them, or say that there is no header if the first row is data"
    picked = pick_columns(names, columns, advice)
    picked, weights, reading = find_weights(names, picked, reading)
    reading.storage.require(len(picked), int(os.path.getsize(text.path) / text.line_bytes))
    skipped = int(header)
    encoder = Encoder(
        [names[j] for j in picked],
        parse=parse_cell,
        locate=lambda row: text.line(row + skipped),
        reading=reading,
    )
    step = chunk_rows(len(first) * 8)
    while chunk := list(islice(rows, step)):
        by_column = list(zip(*chunk, strict=True))
        encoder.add([by_column[j] for j in picked])
        if weights is not None:
            encoder.weigh(by_column[weights])
    return encoder


def _header_names(cells: Sequence[str]) -> list[str]:
    """Return the cells of a header; those left empty get the names of nameless columns."""
    return [cell.strip() or f"x{j}" for j, cell in enumerate(cells)]


def _look(path: Path) -> tuple[str, float]:
    """Return the delimiter and the bytes of a line, from the first lines.

    The delimiter is the one that gives these lines the same number of fields, more than one;
    of several, the one that gives most.
    """
    with path.open(encoding="utf-8-sig", newline="") as handle:
        lines = [line for line in islice(handle, LINES_LOOKED_AT) if line.strip()]
    if not lines:
        raise _empty(path)

    def merit(delimiter: str) -> tuple[Any, ...]:
        with suppress(csv.Error):
            counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter)]
            by_name = delimiter == "\t" and path.suffix.lower() == ".tsv"
            return len(set(counts)) == 1 < counts[0], by_name and counts[0] > 1, counts[0]
        return False, False, 0

    line_bytes = sum(len(line.encode()) for line in lines) / len(lines)
    return max(DELIMITERS, key=merit), line_bytes


def _empty(path: Path) -> InputError:
    return InputError(f"{path} is empty: give a file with one row a sample")


def _undecodable(path: Path) -> InputError:
    with path.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return InputError(
                    f"Line {number} of {path} is not UTF-8 text (byte 0x{line[error.start]:02x}): "
                    "save the file as UTF-8"
                )
    return InputError(f"{path} is not UTF-8 text: save the file as UTF-8")
