"""Read small text files with named columns: pairs, groups, priors and positions of variables.

The first line may be a header with the expected names; other columns are then ignored, so that an
edge list written by markhood can be used. Any other first line is data, so that a misspelt header
is an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import MISSING
from markhood.data.reading import DELIMITERS
from markhood.errors import InputError, counted, file_error, unreadable
from markhood.input_files import check_regular

Row = tuple[str, Sequence[Any]]  # its line, and its values


def file_rows(path: Path, columns: tuple[str, ...]) -> list[Row]:
    """Read a text file with these columns, by name or by number."""
    lines = [(line, cells) for line, cells in file_lines(path, columns) if any(cells)]
    if not lines:
        raise file_error(path, f"is empty: use lines with {_listed(columns)}.")
    header, indices = lines[0][1], list(range(len(columns)))
    if set(columns) <= set(header):
        indices = [header.index(name) for name in columns]
        del lines[0]
    else:
        header = list(columns)
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(
                "file-damaged",
                path.name,
                f"Line {line} of {path} has {counted(len(cells), 'field')} instead of "
                f"{len(header)}: use {_listed(columns)} in every line.",
            )
    return [(f"line {line} of {path}", [cells[k] for k in indices]) for line, cells in lines]


def _listed(columns: Sequence[str]) -> str:
    return f"{', '.join(columns[:-1])} and {columns[-1]}"


def file_lines(path: Path, columns: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """Split a file into lines and cells, with the delimiter that fits its first line."""
    try:
        check_regular(path)
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise file_error(
            path, "is not UTF-8 text: save the file as UTF-8.", "file-encoding"
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error

    def split(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in rows:
                yield rows.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(
                "file-damaged",
                path.name,
                f"Line {rows.line_num} of {path} cannot be read as delimited text ({error}): "
                "check its quotes.",
            ) from error

    first = next((line for line in text.splitlines() if line.strip()), "")
    for delimiter in DELIMITERS:
        _, cells = next(split(first, delimiter), (0, []))
        if len(cells) == len(columns) or set(columns) <= set(cells):
            return list(split(text, delimiter))
    return list(split(text, DELIMITERS[0]))


def is_missing(label: Any) -> bool:
    """Return whether a label means missing, by the rules for data."""
    return label is None or str(label) in MISSING or str(label) == "<NA>"
