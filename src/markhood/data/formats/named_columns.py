"""Small text files of named columns: pairs, groups, priors and positions of variables.

The first line may be a header with the expected names; the file may then have other columns, which are
ignored, so an edge list that markhood wrote can be used. Any other first line is taken as data, so that a
misspelt header is not skipped in silence.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markhood.data.coding.cells import MISSING
from markhood.data.reading import DELIMITERS
from markhood.errors import InputError

Row = tuple[str, Sequence[Any]]  # where it is, and its values


def file_rows(path: Path, columns: tuple[str, ...]) -> list[Row]:
    """Read a text file with this many columns, or the columns of these names."""
    lines = [(line, cells) for line, cells in file_lines(path, columns) if any(cells)]
    if not lines:
        raise InputError(f"{path} is empty: give lines of {_listed(columns)}.")
    header, places = lines[0][1], list(range(len(columns)))
    if set(columns) <= set(header):
        places = [header.index(name) for name in columns]
        del lines[0]
    else:
        header = list(columns)
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(
                f"Line {line} of {path} has {len(cells)} field{'s'[: len(cells) > 1]} where "
                f"{len(header)} were expected: give {_listed(columns)} on every line."
            )
    return [(f"line {line} of {path}", [cells[k] for k in places]) for line, cells in lines]


def _listed(columns: Sequence[str]) -> str:
    return f"{', '.join(columns[:-1])} and {columns[-1]}"


def file_lines(path: Path, columns: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """Split a file into lines and cells, by the delimiter that gives its first line enough cells."""
    if path.exists() and not path.is_file():  # a pipe would be waited for, perhaps for ever
        raise InputError(
            f"{path} is not a regular file: give a text file of {len(columns)} columns."
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: save the file as UTF-8.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check the path.") from error

    def split(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in rows:
                yield rows.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(
                f"Line {rows.line_num} of {path} cannot be read as delimited text ({error}): "
                "check its quotes."
            ) from error

    first = next((line for line in text.splitlines() if line.strip()), "")
    for delimiter in DELIMITERS:
        _, cells = next(split(first, delimiter), (0, []))
        if len(cells) == len(columns) or set(columns) <= set(cells):
            return list(split(text, delimiter))
    return list(split(text, DELIMITERS[0]))


def is_missing(label: Any) -> bool:
    """Whether a label stands for none, as it would in data."""
    return label is None or str(label) in MISSING or str(label) == "<NA>"
