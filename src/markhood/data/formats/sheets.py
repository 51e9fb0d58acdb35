"""Sheets of Excel and LibreOffice (.xlsx, .xls, .xlsb, .ods), read through python-calamine.

A sheet is a table of cells like a text file, so cells are written as text and go the same way:
names, an index and codes for missing are found alike in both. Of several sheets the first is read,
which is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import parse_cell
from markhood.data.coding.findings import listed
from markhood.data.formats.rows import Transposed, read_rows
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import InputError


def read_sheet(path: Path, reading: Reading) -> Samples:
    """Read the first sheet of a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError(
            f"Reading {path} needs python-calamine: pip install 'markhood[sheets]'."
        ) from error
    try:
        book = CalamineWorkbook.from_path(str(path))
        names = book.sheet_names
        cells = book.get_sheet_by_index(0).to_python(skip_empty_area=True) if names else []
    except (CalamineError, ValueError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".")
        raise InputError(f"{path} cannot be read as a sheet ({reason}): save it again.") from error
    if len(names) > 1:
        others = listed([repr(name) for name in names[1:]])
        reading.notes.say(f"The sheet {names[0]!r} was read, and {others} not.")
    sheet = _Sheet(path, cells)
    if not any(True for _ in sheet.rows()):
        raise InputError(f"{path} is empty: give a sheet with one row a sample.")
    return read_rows(Transposed(sheet) if reading.transpose else sheet, reading)


@dataclass
class _Sheet:
    """The rows of a sheet."""

    path: Path
    cells: Sequence[Sequence[Any]]

    @property
    def label(self) -> str:
        return str(self.path)

    @property
    def likely_rows(self) -> int:
        return len(self.cells)

    @property
    def parse(self) -> Callable[[str], Any]:
        return parse_cell

    def rows(self) -> Iterator[Sequence[str]]:
        for row in self.cells:
            texts = [_as_text(cell) for cell in row]
            if any(texts):
                yield texts

    def place(self, row: int) -> str:
        filled = (k for k, cells in enumerate(self.cells) if any(map(_as_text, cells)))
        for seen, k in enumerate(filled):
            if seen == row:
                return f"row {k + 1}"
        return f"row {row + 1}"


def _as_text(cell: Any) -> str:
    """Write a cell as a text file would have it; a sheet has no whole numbers of its own."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, (date, datetime, time)):
        return cell.isoformat()
    return str(cell).strip()
