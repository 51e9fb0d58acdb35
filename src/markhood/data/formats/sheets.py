"""Read sheets of Excel and LibreOffice (.xlsx, .xls, .xlsb, .ods) through python-calamine.

Cells are converted to text and read like those of a text file, so that names, row labels and codes
for missing are detected by the same rules. The first of several sheets is read, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import parse_cell
from markhood.data.formats.rows import Transposed, read_rows
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import InputError, listed


def read_sheet(path: Path, reading: Reading) -> Samples:
    """Read the first sheet of a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError(
            "library-missing",
            "python-calamine",
            f"Reading {path} needs python-calamine: pip install 'markhood[sheets]'.",
        ) from error
    try:
        book = CalamineWorkbook.from_path(str(path))
        names = book.sheet_names
        cells = book.get_sheet_by_index(0).to_python(skip_empty_area=True) if names else []
    except (CalamineError, ValueError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".")
        raise InputError(
            "file-damaged",
            path.name,
            f"{path} cannot be read as a sheet ({reason}): save it again.",
        ) from error
    if len(names) > 1:
        others = listed([repr(name) for name in names[1:]])
        reading.log.add_warning(
            "file-part", path.name, f"Only the sheet {names[0]!r} was read, not {others}."
        )
    sheet = _Sheet(path, cells)
    if not any(True for _ in sheet.rows()):
        raise InputError(
            "too-few-rows", path.name, f"{path} is empty: pass a sheet with one row per sample."
        )
    return read_rows(Transposed(sheet) if reading.transpose else sheet, reading)


@dataclass
class _Sheet:
    """The rows of a sheet."""

    path: Path
    cells: Sequence[Sequence[Any]]

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

    def locate(self, row: int) -> str:
        filled = (k for k, cells in enumerate(self.cells) if any(map(_as_text, cells)))
        for seen, k in enumerate(filled):
            if seen == row:
                return f"row {k + 1}"
        return f"row {row + 1}"


def _as_text(cell: Any) -> str:
    """Return a cell as in a text file; sheets store whole numbers as floats."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, (date, datetime, time)):
        return cell.isoformat()
    return str(cell).strip()
