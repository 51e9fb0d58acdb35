"""Find the rows of a table of cells that are not data: titles, the header, and rows of units.

Titles above the header have another number of cells than the table, or one filled cell. Whether
the first row is a header is decided by a likelihood ratio over its cells: names rarely occur again
below, and a value of a column occurs again as often as the other values of that column do. A row
below the header is a second header or has units if it has text where all columns of numbers have
numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from markhood.data.coding.cells import CodedCells, means_missing
from markhood.data.formats.fast_cells import NotPlainError
from markhood.data.reading import Reading
from markhood.errors import counted, listed, option

MOST_TITLES = 20
MOST_SUBHEADERS = 2
ROWS_TO_COMPARE = 20  # at least, to decide that the first row differs from the others
NAME_AGAIN = 0.02  # probability that a column has its own name as a value
SHARE_NUMBERS = 0.9  # of the values of a column of numbers
WIDE = 3  # in a table of this many columns, a row with one filled cell is a title

Cells = Sequence[str]


class Source(Protocol):
    """A table of cells that can be read more than once."""

    @property
    def path(self) -> Path:
        """Path of the file."""

    @property
    def likely_rows(self) -> int:
        """Approximate number of rows, from the size of the file."""

    @property
    def parse(self) -> Callable[[str], Any]:
        """Converts a cell to a value."""

    def rows(self) -> Iterator[Cells]:
        """Yield the cells of each row that is not blank."""

    def locate(self, row: int) -> str:
        """Name a row that has been read, such as "line 3"."""


@runtime_checkable
class FastSource(Source, Protocol):
    """A source with a fast reader."""

    def coded_columns(self, n_skipped: int, width: int, step: int) -> Iterator[list[CodedCells]]:
        """Yield the columns of blocks of rows after some rows, or raise `NotPlainError`."""


@dataclass
class Changed:
    """A table that shows another one differently."""

    of: Source

    @property
    def path(self) -> Path:
        return self.of.path

    @property
    def likely_rows(self) -> int:
        return self.of.likely_rows

    @property
    def parse(self) -> Callable[[str], Any]:
        return self.of.parse


@dataclass
class Trimmed(Changed):
    """A table without some of its first rows, and perhaps with other names."""

    n_titles: int
    n_below: int = 0  # rows below the header that are not data
    header: Cells | None = None

    def rows(self) -> Iterator[Cells]:
        """Yield the other rows."""
        for k, row in enumerate(self.of.rows()):
            at = k - self.n_titles
            if at == 0:
                yield row if self.header is None else self.header
            elif at > self.n_below:
                yield row

    def coded_columns(self, n_skipped: int, width: int, step: int) -> Iterator[list[CodedCells]]:
        """Yield the columns of blocks of rows after some rows, or raise `NotPlainError`."""
        if not isinstance(self.of, FastSource):
            raise NotPlainError
        n_before = self.n_titles + (self.n_below if n_skipped else 0)
        return self.of.coded_columns(n_before + n_skipped, width, step)

    def locate(self, row: int) -> str:
        return self.of.locate(row + self.n_titles + (self.n_below if row else 0))


def trimmed(source: Source, looked_at: Sequence[Cells], reading: Reading) -> Source:
    """Return a table without titles and rows of units, which are recorded as a finding."""
    n_titles = reading.skip_rows
    if n_titles is None:
        n_titles = _number_of_titles(looked_at)
    rows = looked_at[n_titles:]
    n_below = 0 if reading.header is False else _number_of_subheaders(rows, source.parse)
    if not n_titles and not n_below:
        return source
    header = None
    where, shown = source.path.name, []
    if n_titles and reading.skip_rows is None:
        shown = [" ".join(filter(None, row)).strip() for row in looked_at[:n_titles]]
        reading.log.add_warning(
            "file-header",
            where,
            f"{counted(n_titles, 'line')} above the header {'were' if n_titles > 1 else 'was'} "
            f"skipped ({listed([repr(one) for one in shown], 2)}). If this is wrong, set "
            f"{option('skip_rows')}.",
        )
    if n_below:
        header = _joined(rows[: n_below + 1])
        shown = [repr(cell) for cell in rows[1] if cell.strip()]
        what = "was skipped" if header is None else "was added to the names"
        reading.log.add_warning(
            "file-header",
            where,
            f"The row below the header ({listed(shown)}) {what}, because it has text where "
            "columns have numbers. If it is data, use "
            f"{option('header', True)} and {option('skip_rows', n_titles)}.",
        )
    return Trimmed(source, n_titles, n_below, header)


def _number_of_titles(rows: Sequence[Cells]) -> int:
    """Return how many of the first rows are above the table."""
    if len(rows) < 3:
        return 0
    width = Counter(len(row) for row in rows).most_common(1)[0][0]

    def is_title(row: Cells) -> bool:
        n_filled = sum(bool(cell.strip()) for cell in row)
        if width >= WIDE and n_filled <= 1:
            return True
        return len(row) < width - 1 and n_filled < width - 1

    n_titles = len(list(takewhile(is_title, rows[:MOST_TITLES])))
    return n_titles if n_titles < min(MOST_TITLES, len(rows) - 1) else 0


def _number_of_subheaders(rows: Sequence[Cells], parse: Callable[[str], Any]) -> int:
    """Return how many rows below the header have text in the columns of numbers."""
    if len(rows) < MOST_SUBHEADERS + 3 or any(len(row) != len(rows[0]) for row in rows):
        return 0
    columns = list(zip(*rows[MOST_SUBHEADERS + 1 :], strict=True))
    numeric = [
        j
        for j, column in enumerate(columns)
        if (known := [parse(cell) for cell in column if not means_missing(cell)])
        and sum(isinstance(v, (int, float)) for v in known) >= SHARE_NUMBERS * len(known)
    ]
    if len(numeric) < 2:
        return 0

    def has_units(row: Cells) -> bool:
        texts = [row[j] for j in numeric if not means_missing(row[j])]
        are_texts = all(isinstance(parse(cell), str) for cell in texts)
        # A code for missing, such as '?', is repeated below.
        is_new = not any(row[j] in columns[j] for j in numeric)
        return are_texts and is_new and 2 * len(texts) >= len(numeric)

    if not has_units(rows[0]):  # without a header there is no row below it
        return 0
    return len(list(takewhile(has_units, rows[1 : MOST_SUBHEADERS + 1])))


def _joined(rows: Sequence[Cells]) -> list[str] | None:
    """Return names of both rows if those of the first are not unique; a blank repeats its left."""
    names = [cell.strip() for cell in rows[0]]
    if all(names) and len(set(names)) == len(names):
        return None
    for j, name in enumerate(names):
        names[j] = name or (names[j - 1] if j else "")
    below = [cell.strip() for cell in rows[1]]
    return [" ".join(filter(None, both)) for both in zip(names, below, strict=True)]


def evidence_of_names(columns: Sequence[Cells], parse: Callable[[str], Any]) -> float:
    """Return the log-likelihood ratio of the first cells being names rather than data.

    Minus infinity where they cannot be names, or too few rows are known.

    Examples
    --------
    >>> rows = [("a", "b")] * 20 + [("c", "d")] * 20
    >>> columns = [("name", *(row[0] for row in rows)), ("b", *(row[1] for row in rows))]
    >>> evidence_of_names(columns, str) > 0 > evidence_of_names([c[1:] for c in columns], str)
    True
    """
    names = [column[0].strip() for column in columns]
    values = [parse(name) for name in names]
    n_others = len(columns[0]) - 1
    if (
        n_others < ROWS_TO_COMPARE
        or len(set(names)) < len(names)
        or not all(isinstance(value, str) for value in values)
    ):
        return -math.inf
    total = 0.0
    for name, column in zip(names, columns, strict=True):
        times = Counter(cell.strip() for cell in column[1:])
        once = sum(n == 1 for n in times.values())
        share = (once + 0.5) / (n_others + 1)  # of the values that occur once
        if name in times:
            total += math.log(NAME_AGAIN / max(1 - share, 0.5 / n_others))
        else:
            total += math.log((1 - NAME_AGAIN) / share)
    return total
