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
"""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from markhood.data.variables import level_text
from markhood.errors import InputError, file_error, listed

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
