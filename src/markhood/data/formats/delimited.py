"""Read CSV, TSV and similar text files, compressed or not, with Python's csv parser.

The encoding is that of the byte order mark, else UTF-8. Text that is not UTF-8 was most likely
written on Windows and is read as Windows-1252, with a warning. The delimiter is the one that
divides the first lines into equal numbers of fields. With another delimiter, a comma in numbers is
a decimal comma unless all such numbers could have thousands separators. `rows` interprets the rows.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import os
import re
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

from markhood.data.coding.cells import DECIMAL_COMMA, CodedCells, parse_cell, parse_comma_cell
from markhood.data.formats.fast_cells import NotPlainError, coded_columns
from markhood.data.formats.rows import Transposed, read_rows
from markhood.data.reading import DELIMITERS, Reading
from markhood.data.samples import Samples
from markhood.errors import InputError, file_error, option
from markhood.input_files import looks_binary, named_by_content

LINES_LOOKED_AT = 20  # to detect the delimiter
BYTES_LOOKED_AT = 1 << 16
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WESTERN = ("cp1252", "latin-1")  # the second one can decode every byte
DAMAGES = (EOFError, gzip.BadGzipFile, zlib.error)

_THOUSANDS = re.compile(r"(?a)[+-]?\d{1,3},\d{3}")
_DECIMAL_POINT = re.compile(r"(?a)[+-]?\d*\.\d+")


def read_delimited(path: Path, reading: Reading) -> Samples:
    """Read a delimited text file, which is compressed if its name ends in .gz."""
    encoding = reading.encoding
    try:
        for name in [_known_encoding(encoding)] if encoding else _encodings(path):
            log = reading.log.copy()  # findings of an attempt that fails are discarded
            if name in WESTERN and encoding is None:
                log.add_warning(
                    "file-encoding",
                    path.name,
                    f"The file is not UTF-8 text and was read as {name}. If it has another "
                    f"encoding, pass {option('encoding')}.",
                )
            with suppress(UnicodeError):
                text = _Text.of(path, name)
                if text.decimal_comma is not None:
                    log.add_warning(
                        "decimal-comma",
                        path.name,
                        f"Numbers such as {text.decimal_comma} were read with a decimal comma, as "
                        f"{parse_comma_cell(text.decimal_comma)}.",
                    )
                source = Transposed(text) if reading.transpose else text
                return read_rows(source, replace(reading, log=log))
    except DAMAGES as error:
        raise file_error(path, f"is damaged ({error}): compress it again.") from error
    raise file_error(
        path,
        f"is not text in the encoding {name}: pass the right one as {option('encoding')}.",
        "file-encoding",
    )


def _encodings(path: Path) -> Sequence[str]:
    """Return the encodings to try, by the first bytes of a file."""
    with _open_bytes(path) as handle:
        start = handle.read(BYTES_LOOKED_AT)
    for mark, name in MARKS:
        if start.startswith(mark):
            return [name]
    has_zeros = start.count(0) * 3 > len(start)  # every second byte of western text in UTF-16
    if has_zeros and not named_by_content(start):
        return ["utf-16-le" if start[1:2] == b"\0" else "utf-16-be"]
    if looks_binary(start):
        what = named_by_content(start) or ": pass a text file, or use the ending of its format"
        raise file_error(path, f"is not text{what}.", "file-format")
    return ["utf-8", *WESTERN]


def _known_encoding(name: str) -> str:
    try:
        "".encode(name)  # which also refuses codecs that are not of text, such as zlib
        return codecs.lookup(name).name
    except (LookupError, ValueError) as error:
        raise InputError(
            "option-value",
            "encoding",
            f"Unknown {option('encoding')} {name!r}: use a name such as utf-8, cp1252 or latin-1.",
        ) from error


def _open_bytes(path: Path) -> IO[bytes]:
    is_compressed = path.suffix.lower() == ".gz"
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


@dataclass
class _Text:
    """The rows of a file, with their line numbers."""

    path: Path
    encoding: str
    delimiter: str
    line_bytes: float
    decimal_comma: str | None = None  # a number that has one
    # (row, lines minus rows before it), for rows at which this difference changes.
    _offsets: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, encoding: str) -> _Text:
        """Detect the delimiter and decimal comma from the first lines of a file."""
        text = cls(path, encoding, ",", 1.0)
        with text._open() as handle:
            lines = [line for line in islice(handle, LINES_LOOKED_AT) if line.strip()]
        if not lines:
            raise file_error(path, "is empty: pass a file with one row per sample.", "too-few-rows")
        text.delimiter = _delimiter(lines, is_tsv=".tsv" in path.suffixes)
        text.line_bytes = sum(len(line.encode("utf-8", "replace")) for line in lines) / len(lines)
        text.decimal_comma = _decimal_comma(lines, text.delimiter)
        return text

    @property
    def likely_rows(self) -> int:
        return int(os.path.getsize(self.path) / self.line_bytes)

    @property
    def parse(self) -> Callable[[str], Any]:
        return parse_cell if self.decimal_comma is None else parse_comma_cell

    def rows(self) -> Iterator[Sequence[str]]:
        self._offsets = [(0, 0)]
        with self._open() as handle:
            reader = _strict_reader(handle, self.delimiter)
            row = line = offset = 0
            try:
                for cells in reader:
                    if len(cells) > 1 or (cells and cells[0].strip()):
                        if line - row != offset:
                            offset = line - row
                            self._offsets.append((row, offset))
                        yield cells
                        row += 1
                    line = reader.line_num
            except csv.Error as error:
                raise file_error(
                    self.path,
                    f"cannot be read as delimited text at line {line + 1} ({error}): "
                    "check its quotes.",
                ) from error

    def coded_columns(self, n_skipped: int, width: int, step: int) -> Iterator[list[CodedCells]]:
        """Yield the columns of blocks of rows after some rows, or raise `NotPlainError`."""
        is_plain = self.encoding == "utf-8" and self.path.suffix.lower() != ".gz"
        if not is_plain or self._offsets[-1][1]:  # blank lines, or lines within cells
            raise NotPlainError
        return coded_columns(self.path, self.delimiter, n_skipped, width, step)

    def locate(self, row: int) -> str:
        """Name a row by its line number."""
        at = bisect_right(self._offsets, row, key=lambda pair: pair[0]) - 1
        return f"line {row + self._offsets[at][1] + 1}"

    def _open(self) -> IO[str]:
        is_compressed = self.path.suffix.lower() == ".gz"
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        if is_compressed:
            return gzip.open(self.path, "rt", encoding=encoding, newline="")
        return self.path.open(encoding=encoding, newline="")


def _strict_reader(lines: Iterable[str], delimiter: str) -> Any:
    """Return a reader of cells that raises where text follows the end of a quote."""
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _delimiter(lines: Sequence[str], is_tsv: bool) -> str:
    """Return the delimiter that gives all lines the same number of fields, else the most fields."""

    def merit(delimiter: str) -> tuple[Any, ...]:
        with suppress(csv.Error):
            counts = _below_titles([len(c) for c in csv.reader(lines, delimiter=delimiter)])
            # A header may have one cell more or fewer than the rows below it.
            is_even = len(set(counts[1:] or counts)) == 1 < counts[-1]
            is_even = is_even and abs(counts[0] - counts[-1]) <= 1 < counts[0]
            is_even = is_even and _fits_quotes(lines, delimiter)
            by_name = delimiter == "\t" and is_tsv
            is_decimal = delimiter == "," and _separates_decimals(lines)
            is_whole = counts[0] == counts[-1] > 1
            return is_even and not is_decimal, by_name and counts[0] > 1, is_whole, counts[0]
        return False, False, False, 0

    return max(DELIMITERS, key=merit)


def _fits_quotes(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether quotes end only before a delimiter; the last may end in a later line."""
    try:
        deque(_strict_reader(lines, delimiter), maxlen=0)
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return True


def _below_titles(counts: list[int]) -> list[int]:
    """Return the numbers of fields without those of titles above the table."""
    usual = max(counts, key=counts.count)
    first = next(k for k, count in enumerate(counts) if count >= usual - 1)
    return counts[first:]


def _separates_decimals(lines: Sequence[str]) -> bool:
    """Return whether commas occur only within numbers, between other delimiters."""
    for delimiter in DELIMITERS[1:]:
        rows = list(csv.reader(lines, delimiter=delimiter))
        if len({len(row) for row in rows}) == 1 < len(rows[0]):
            cells = [cell.strip() for row in rows for cell in row if "," in cell]
            return bool(cells) and all(map(DECIMAL_COMMA.fullmatch, cells))
    return False


def _decimal_comma(lines: Sequence[str], delimiter: str) -> str | None:
    """Return a number with a decimal comma as an example, None if commas are not decimal."""
    if delimiter == ",":
        return None
    cells = [cell.strip() for row in csv.reader(lines, delimiter=delimiter) for cell in row]
    with_comma = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    if all(map(_THOUSANDS.fullmatch, with_comma)) or any(map(_DECIMAL_POINT.fullmatch, cells)):
        return None
    return with_comma[0]
