"""Describe how a table was read: rows, kinds of columns, missing values, findings.

Samples keep an `Account` of the table that they came from: what the packed values no longer show.
`table_summary` combines it with the variables, for the summary and the provenance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from markhood.data.codebook import Codebook
from markhood.findings import Finding

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.data.variables import Variables


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
