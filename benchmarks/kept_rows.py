"""Rows of a study in a CSV file: written as they are computed, and read again by a run that continues."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows below the heading; none where there is no file yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.reader(file))[1:]


def append_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows at the end, below a heading if they are the first."""
    is_new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(columns)
        writer.writerows(rows)
