"""The codebook of a table: role, kind and levels of every column, and why.

Reading a table fills a codebook (`Account.codebook`), which `describe` shows. The same value is an
option of reading: `TableFormat.codebook` takes a codebook, a data frame or a CSV file with these
columns; only `column` is required. An empty cell leaves the decision to the reader.

========  ==========================================================================================
column    name of the column
role      node; covariate, weight, cluster, person (rows of one person are a cluster) or time, which
          are the options adjust_for, weights, clusters and time; or skip
kind      nominal, ordinal, measurement, count; as found also binary, constant, identifier, ...
levels    the levels in order, separated by ``|``; for measurements and counts the bins
missing   number of missing values
text      what was asked or measured: the text of an item, or a variable label
group     scale or group of variables that the column belongs to
why       reason of role and kind
========  ==========================================================================================

Describe how a table was read: rows, kinds of columns, missing values, findings. Samples keep an
`Account` of the table that they came from: what the packed values no longer show. `table_summary`
combines it with the variables, for the summary and the provenance.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markhood.data.variables import level_text
from markhood.errors import InputError, file_error, listed
from markhood.findings import Finding

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.data.variables import Variables

ROLES = ("node", "covariate", "weight", "cluster", "person", "time", "skip")
KINDS = ("nominal", "ordinal", "measurement", "count")  # that a user can choose
FOUND = ("binary", "constant", "empty", "identifier", "date", "free text")  # that can be found
SEPARATOR = "|"
LEVELS_WIDTH = 40  # characters of levels in a printed codebook


class Entry(NamedTuple):
    """Role, kind and levels of one column; see the module for the fields.

    A named tuple, because wide tables make several for each column.
    """

    column: str
    role: str = ""
    kind: str = ""
    levels: tuple[Any, ...] = ()
    missing: int = 0
    text: str = ""
    group: str = ""
    why: str = ""

    def row(self) -> dict[str, Any]:
        """Return the entry as cells of a table."""
        levels = f" {SEPARATOR} ".join(map(level_text, self.levels))
        return self._asdict() | {"levels": levels}


@dataclass(frozen=True)
class Codebook:
    """Entries of the columns of a table, in their order.

    Examples
    --------
    >>> book = Codebook((Entry(column="mood", kind="ordinal", levels=("low", "high")),))
    >>> book["mood"].kind, book["mood"].row()["levels"]
    ('ordinal', 'low | high')
    >>> print(book)
    column  role  kind     levels      missing  text  group  why
    mood          ordinal  low | high  0
    """

    entries: tuple[Entry, ...] = ()

    def __getitem__(self, column: str) -> Entry:
        """Return the entry of a column."""
        for entry in self.entries:
            if entry.column == column:
                return entry
        raise KeyError(column)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def by_column(self) -> dict[str, Entry]:
        """Return the entries by column."""
        return {entry.column: entry for entry in self.entries}

    def with_role(self, *roles: str) -> list[str]:
        """List the columns with one of these roles."""
        return [entry.column for entry in self.entries if entry.role in roles]

    def with_roles_used(self, used: Collection[str]) -> Codebook:
        """Clear the roles of columns that are used in them; other roles of rows become skip."""
        return Codebook(
            tuple(
                entry._replace(role="" if entry.column in used else "skip")
                if entry.role not in ("", "node", "skip")
                else entry
                for entry in self.entries
            )
        )

    def as_json(self) -> list[dict[str, Any]]:
        """Return the entries without their empty fields."""
        return [{name: v for name, v in e._asdict().items() if v} for e in self.entries]

    def to_frame(self, library: str | None = None) -> Any:
        """Return the codebook as a data frame of pandas or polars."""
        from markhood.data.to_frame import frame_of

        rows = [entry.row() for entry in self.entries]
        return frame_of({name: [row[name] for row in rows] for name in FIELDS}, library)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the codebook as a CSV file, to be edited and passed as ``codebook=``."""
        from markhood.drafts import draft_beside

        path = Path(path)
        with draft_beside(path) as draft:
            with draft.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(entry.row() for entry in self.entries)
            draft.replace(path)

    def __str__(self) -> str:
        rows = [entry.row() for entry in self.entries]
        for row in rows:
            if len(row["levels"]) > LEVELS_WIDTH:
                row["levels"] = row["levels"][: LEVELS_WIDTH - 3] + "..."
        rows.insert(0, dict(zip(FIELDS, FIELDS, strict=True)))
        widths = {name: max(len(str(row[name])) for row in rows) for name in FIELDS}
        lines = ("  ".join(str(row[name]).ljust(widths[name]) for name in FIELDS) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{name}</th>" for name in FIELDS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(v))}</td>" for v in entry.row().values()) + "</tr>"
            for entry in self.entries
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


FIELDS = Entry._fields


def codebook_of(given: Any) -> Codebook:
    """Return a codebook from a codebook, a CSV file, a data frame or rows; raise if it is invalid.

    Examples
    --------
    >>> codebook_of([{"column": "mood", "levels": "low | mid | high"}])["mood"].levels
    ('low', 'mid', 'high')
    """
    if isinstance(given, Codebook):
        return given
    if isinstance(given, (str, os.PathLike)):
        path = Path(given)
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows: Iterable[Mapping[str, Any]] = list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise file_error(
                path, f"cannot be read as a codebook ({error}): pass a CSV.", "codebook"
            ) from error
        where = path.name
    else:
        where = "codebook"
        to_dicts = getattr(given, "to_dicts", None)  # of polars
        if to_dicts is not None:
            rows = to_dicts()
        elif hasattr(given, "to_dict"):  # of pandas
            rows = given.fillna("").to_dict("records")
        else:
            rows = given if isinstance(given, Sequence) else [given]
    found = [_entry(row, where) for row in rows]
    names = [entry.column for entry in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            "codebook", where, f"The codebook has two rows for {twice[0]!r}: keep one of them."
        )
    return Codebook(tuple(found))


def _entry(row: Any, where: str) -> Entry:
    if not isinstance(row, Mapping) or "column" not in row:
        raise InputError(
            "codebook",
            where,
            f"A codebook needs the column 'column' and may have {listed(FIELDS[1:], 9)}: see "
            "markhood describe.",
        )
    cells = {name: row.get(name) for name in FIELDS}
    given = {name: "" if v is None else v for name, v in cells.items() if name != "missing"}
    levels = given.pop("levels")
    if isinstance(levels, str):
        levels = [text.strip() for text in levels.split(SEPARATOR)] if levels.strip() else []
    texts = {name: str(value).strip() for name, value in given.items()}
    for name, known in (("role", ROLES), ("kind", (*KINDS, *FOUND))):
        if texts[name] and texts[name] not in known:
            shown = ROLES if name == "role" else KINDS
            raise InputError(
                "codebook",
                texts["column"],
                f"The codebook gives column {texts['column']!r} the {name} {texts[name]!r}: choose "
                f"one of {', '.join(shown)}, or leave it empty.",
            )
    return Entry(levels=tuple(levels), **texts)  # type: ignore[arg-type]  # none is `missing`


@dataclass(frozen=True)
class Account:
    """Facts about a table that its samples no longer show."""

    n_rows: int  # number of rows in the table, including those that were left out
    # Number of missing values in each column that has any.
    missing: Mapping[str, int] = field(default_factory=dict)
    # Columns that are not variables, with the reason.
    left_out: Mapping[str, str] = field(default_factory=dict)
    # Number of rows that did not become samples, by reason.
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    # Warnings and notes: what the file contains, what was decided, what may be wrong.
    findings: tuple[Finding, ...] = ()
    # Role, kind and levels of every column, including those that were left out.
    codebook: Codebook | None = None


class Column(NamedTuple):
    """A variable as it was read: its name, kind and levels, and its number of missing values."""

    name: str
    kind: str
    levels: tuple[Any, ...]
    n_missing: int


@dataclass(frozen=True)
class TableSummary:
    """How a table was read.

    Attributes
    ----------
    n_samples : int
        Number of rows that became samples.
    variables : Variables
        The columns that are variables.
    column_kinds : tuple of str
        The kind of each variable.
    account : Account
        Facts that the samples no longer show.
    """

    n_samples: int
    variables: Variables
    column_kinds: tuple[str, ...]
    account: Account

    @property
    def n_rows(self) -> int:
        """Number of rows in the table."""
        return self.account.n_rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The variables, each with its kind, levels and number of missing values."""
        missing = map(self.account.missing.get, self.variables.names, repeat(0))
        levels = self.variables.levels or repeat(())
        return tuple(map(Column, self.variables.names, self.column_kinds, levels, missing))

    @property
    def left_out(self) -> Mapping[str, str]:
        """Columns that are not variables, with the reason."""
        return self.account.left_out

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings and notes about the table."""
        return self.account.findings

    @property
    def n_missing(self) -> int:
        """Number of missing values in the variables."""
        if not self.account.missing:
            return 0
        return sum(map(self.account.missing.get, self.variables.names, repeat(0)))

    @property
    def kinds(self) -> dict[str, int]:
        """Number of columns of each kind, the most frequent first."""
        return dict(Counter(self.column_kinds).most_common())

    def as_json(self) -> dict[str, Any]:
        """Return what samples and levels do not show, for the provenance."""
        return {
            "rows": self.n_rows,
            "kinds": self.kinds,
            "missing": self.n_missing,
            "left_out": dict(self.left_out),
            "findings": [finding.as_json() for finding in self.findings],
            **({"rows_left_out": dict(left)} if (left := self.account.rows_left_out) else {}),
        }


def kind_of(levels: Sequence[Any]) -> str:
    """Name the kind of a variable with these levels, where they are not ordered.

    Examples
    --------
    >>> kind_of([0, 1]), kind_of([1, 2, 3]), kind_of(["a", "b", "c"]), kind_of([7])
    ('binary', 'numbers', 'categories', 'constant')
    """
    known = [level for level in levels if level is not None]
    if len(levels) < 2:
        return "constant"
    if len(levels) == 2:
        return "binary"
    return "numbers" if all(isinstance(level, Real) for level in known) else "categories"


def table_summary(samples: Samples) -> TableSummary:
    """Describe how the table was read that samples came from.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> found = table_summary(encode([["a", 1], ["b", None], ["c", 2]], missing="level"))
    >>> found.columns[0], found.n_missing
    (Column(name='x0', kind='categories', levels=('a', 'b', 'c'), n_missing=0), 1)
    """
    account = samples.account or Account(samples.n_samples)
    kinds = {levels: kind_of(levels) for levels in set(samples.levels)}  # many columns share levels
    kind = [kinds[levels] for levels in samples.levels]
    if ordered := samples.variables.ordered:
        both = zip(ordered, kind, strict=True)
        kind = ["ordered" if is_ordered else own for is_ordered, own in both]
    return TableSummary(samples.n_samples, samples.variables, tuple(kind), account)
