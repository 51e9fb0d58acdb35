"""Tables for a terminal: headings in one piece, and as many columns as fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markhood.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAMES = ("source", "target", "first", "second", "method", "graph")  # columns of text
_NAME_WIDTH = 24
_AS_WIDE_AS_NEEDED = 10_000


def texts_of(
    rows: Iterable[Mapping[str, Any]], hidden: Collection[str] = ()
) -> list[dict[str, str]]:
    """Return rows as texts, with some columns left out."""
    return [
        {
            name.replace("_", " "): f"{value:.3g}" if isinstance(value, float) else str(value)
            for name, value in row.items()
            if name not in hidden
        }
        for row in rows
    ]


def print_table(rows: Sequence[Mapping[str, str]], console: Console, title: str = "") -> None:
    """Print rows with the same headings; the last columns are left out where they do not fit.

    Long names are shortened. Nothing is printed for no rows.
    """
    for shown in range(len(rows[0]) if rows else 0, 0, -1):
        part = [dict(list(row.items())[:shown]) for row in rows]
        table = as_table(part, title, name_width=_NAME_WIDTH)
        if shown == 1 or fits(table, console):
            console.print(table)
            return


def as_table(
    rows: Sequence[Mapping[str, str]], title: str = "", name_width: int | None = None
) -> Table:
    """Return rows with the same headings as a table; headings may have several lines."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in rows[0]:
        if heading in NAMES:
            table.add_column(heading, no_wrap=True, max_width=name_width)
        else:
            lines = "\n".join(map(printable, heading.split("\n")))
            table.add_column(lines, no_wrap=True, justify="right")
    for row in rows:
        table.add_row(*map(printable, row.values()))
    return table


def fits(table: Table, console: Console) -> bool:
    """Return whether a table is not wider than the terminal."""
    unlimited = console.options.update_width(_AS_WIDE_AS_NEEDED)
    return console.measure(table, options=unlimited).maximum <= console.width
