"""Write small tables as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all


def as_csv_text(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    r"""Return rows as CSV text.

    Examples
    --------
    >>> as_csv_text([["a", "b,c"], [1, 2.5]])
    'a,"b,c"\n1,2.5\n'
    """
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_table(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows that all have the same keys, with a header."""
    check_table_writable(path)
    values = [list(row.values()) for row in rows]
    replace_all({path: as_csv_text([list(rows[0]), *values]).encode()})


def check_table_writable(path: Path) -> None:
    """Raise `InputError` if a table cannot be written to this file."""
    checked_suffix(path, [".csv"])
    check_writable_file(path)
