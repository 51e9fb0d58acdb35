"""Rows of the report, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

HEADINGS = ("What", "Ours", "Yardstick", "Ratio", "Target", "Met")


@dataclass(frozen=True)
class Row:
    """One measurement and the yardstick from the same run.

    A row without a target is there to explain another one.
    """

    what: str
    ours: str
    yardstick: str
    ratio: str
    target: str = ""
    met: bool | None = None


def as_table(rows: Iterable[Row]) -> str:
    """Lay rows out as a Markdown table, aligned so that it is also readable as it is."""
    words = {None: "", True: "yes", False: "NO"}
    cells = [(*astuple(row)[:-1], words[row.met]) for row in rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    lines = [HEADINGS, tuple("-" * width for width in widths), *cells]
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    )
