"""Read sheets of Excel and LibreOffice (.xlsx, .xls, .xlsb, .ods) through python-calamine.

Cells are converted to text and read like those of a text file, so that names, row labels and codes
for missing are detected by the same rules. The first of several sheets is read, with a warning.

python-calamine allocates all cells up to the last one, wherever a file says that it is. So it runs
in a separate process, with memory for a multiple of the size of the file, and returns lines of
JSON: the names of the sheets, then the cells of each row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import parse_cell
from markhood.data.formats.rows import Transposed, read_rows
from markhood.data.formats.separate_process import REFUSED, output_of
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.errors import InputError, file_error, listed

# Memory of the process that reads a sheet: a cell of the most compressible sheets takes about a
# byte in the file and 100 in memory.
MEMORY, MEMORY_A_BYTE = 1_000_000_000, 300

# Cells become text as in a text file; sheets store whole numbers as floats.
READ = f"""
import json, sys
from datetime import date, time
from python_calamine import CalamineError, CalamineWorkbook

def text(cell):
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, (date, time)):
        return cell.isoformat()
    return str(cell).strip()

try:
    book = CalamineWorkbook.from_path(sys.argv[1])
    names = book.sheet_names
    rows = book.get_sheet_by_index(0).to_python(skip_empty_area=True) if names else []
except (CalamineError, ValueError) as error:
    print((str(error).splitlines() or ["damaged"])[0], file=sys.stderr)
    sys.exit({REFUSED})
print(json.dumps(names))
for row in rows:
    print(json.dumps(list(map(text, row))))
"""


def read_sheet(path: Path, reading: Reading) -> Samples:
    """Read the first sheet of a workbook."""
    if find_spec("python_calamine") is None:
        raise InputError(
            "library-missing",
            "python-calamine",
            f"Reading {path} needs python-calamine: pip install 'markhood[sheets]'.",
        )
    memory = MEMORY + MEMORY_A_BYTE * path.stat().st_size
    why = "it is damaged, or has a cell far below or to the right of the others"
    lines = output_of(READ, path, memory=memory, otherwise=why).splitlines()
    names, *cells = map(json.loads, lines)
    if len(names) > 1:
        others = listed([repr(name) for name in names[1:]])
        reading.log.add_warning(
            "file-part", path.name, f"Only the sheet {names[0]!r} was read, not {others}."
        )
    sheet = _Sheet(path, cells)
    if not any(True for _ in sheet.rows()):
        raise file_error(path, "is empty: pass a sheet with one row per sample.", "too-few-rows")
    return read_rows(Transposed(sheet) if reading.transpose else sheet, reading)


@dataclass
class _Sheet:
    """The rows of a sheet."""

    path: Path
    cells: Sequence[Sequence[str]]

    @property
    def likely_rows(self) -> int:
        return len(self.cells)

    @property
    def parse(self) -> Callable[[str], Any]:
        return parse_cell

    def rows(self) -> Iterator[Sequence[str]]:
        return filter(any, self.cells)

    def locate(self, row: int) -> str:
        filled = (k for k, cells in enumerate(self.cells) if any(cells))
        return f"row {next(islice(filled, row, None), row) + 1}"
