"""Collect the problems of a table while it is read, and report them in one error.

Missing values, infinite values and columns with too many levels are counted over the whole table
before an error is raised, which lists all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from markhood.errors import InputError, counted, listed, options

if TYPE_CHECKING:
    from markhood.data.reading import Reading

MINIMUM = 2  # samples and variables that a graph needs


def row_number(row: int) -> str:
    """Name a row by its number, for data that are not lines of a file."""
    return f"row {row + 1}"


def check_shape(
    n_samples: int, n_variables: int, minimum: int = MINIMUM, min_columns: int = MINIMUM
) -> None:
    """Raise where there are too few samples or variables; in the words of scikit-learn."""
    shape = f"(shape=({n_samples}, {n_variables}))"
    min_columns = min(minimum, min_columns)
    if n_variables < min_columns:
        raise InputError(
            "too-few-columns",
            "",
            f"Found {n_variables} feature(s) {shape} while a minimum of {min_columns} is required: "
            "pass a table with one column per variable.",
        )
    if n_samples < minimum:
        raise InputError(
            "too-few-rows",
            "",
            f"Found {n_samples} sample(s) {shape} while a minimum of {minimum} is required: "
            "pass a table with one row per sample.",
        )


def note_missing_values(reading: Reading) -> None:
    """Record the values that the user declared as missing."""
    if values := [repr(value) for value in reading.listed_missing]:
        many = len(values) > 1
        reading.log.add_note(
            "missing-codes",
            "missing_values",
            f"The value{'s' if many else ''} {listed(values)} {'were' if many else 'was'} treated "
            "as missing.",
        )


class TooManyLevels(NamedTuple):
    """A column with too many levels: the row that exceeds the limit, and values before it."""

    row: int
    limit: int
    values: Sequence[Any]


@dataclass
class Problems:
    """Problems of a table, collected while it is read; true where there are any."""

    names: Sequence[str]
    locate: Callable[[int], str] = row_number  # names a row in a message, such as "line 3"
    missing: Counter[int] = field(default_factory=Counter)  # number of missing values by column
    texts: set[str] = field(default_factory=set)  # texts that were read as missing
    too_many: dict[int, TooManyLevels] = field(default_factory=dict)  # columns with too many levels
    _first_missing: tuple[int, int] | None = None
    _infinite: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        """Return whether there are any problems."""
        return self._infinite is not None or bool(self.missing) or bool(self.too_many)

    def add_missing(self, row: int, column: int, counts: Mapping[int, int]) -> None:
        """Add numbers of missing values by column, the first one at this row and column."""
        self.missing.update(counts)
        self._first_missing = min((row, column), self._first_missing or (row, column))

    def add_infinite(self, row: int, column: int) -> None:
        """Add an infinite value; the error names the first one."""
        self._infinite = min((row, column), self._infinite or (row, column))

    def add_too_many(self, row: int, column: int, limit: int, values: Sequence[Any]) -> None:
        """Add a column with more levels than the limit, with some values in row order."""
        self.too_many.setdefault(column, TooManyLevels(row, limit, values))

    def error(self) -> InputError:
        """Return all problems as one error, with the code and place of the first."""
        found = [self._too_many_levels()] if self.too_many else []
        if self._first_missing is not None:
            found.append(self._missing_values(*self._first_missing))
        if self._infinite is not None:
            found.append(self._infinite_value(*self._infinite))
        return InputError(found[0].code, found[0].where, " ".join(map(str, found)))

    def _infinite_value(self, row: int, column: int) -> InputError:
        return InputError(
            "infinite-values",
            self.names[column],
            f"Column {self.names[column]!r} has an infinite value (inf) at {self.locate(row)}: "
            "replace it, or leave the column out.",
        )

    def not_a_level(self, row: int, column: int, value: Any) -> InputError:
        """Return the error for a value that cannot be looked up."""
        return InputError(
            "not-a-level",
            self.names[column],
            f"Column {self.names[column]!r} at {self.locate(row)} has a {type(value).__name__}, "
            "which cannot be a level: use numbers, text or other plain values.",
        )

    def unknown_level(self, row: int, column: int, value: Any, levels: Sequence[Any]) -> InputError:
        """Return the error for a value that is not a level of a fitted model."""
        known = listed([repr(level) for level in levels if level is not None]) or "missing values"
        return InputError(
            "unknown-level",
            self.names[column],
            f"Column {self.names[column]!r} has the value {value!r} at {self.locate(row)}, but its "
            f"levels in the model are {known}: pass data with the same levels.",
        )

    def _missing_values(self, row: int, column: int) -> InputError:
        columns = [f"{self.names[j]!r} ({self.missing[j]})" for j in sorted(self.missing)]
        texts = [repr(text) if text else "empty" for text in sorted(self.texts)]
        kinds = listed(texts) if texts else "NaN, null or empty"
        return InputError(
            "missing-values",
            self.names[column],
            f"The data have {counted(sum(self.missing.values()), 'missing value')} ({kinds}) in "
            f"column{'s'[: len(columns) > 1]} {listed(columns)}, the first at {self.locate(row)} "
            f"of column {self.names[column]!r}. Fill them in, or choose "
            f"{options('missing', 'impute', 'drop', 'level')}: impute them, leave out rows with "
            "missing values, or treat missing as a level.",
        )

    def _too_many_levels(self) -> InputError:
        from markhood.data.coding.column_kinds import (
            FEWEST_DISTINCT,
            describe_column,
            how_to_leave_out,
            likeness,
        )

        columns = sorted(self.too_many)
        likenesses = [
            likeness(values) if len(set(values)) >= FEWEST_DISTINCT else "categories"
            for values in (self.too_many[j].values for j in columns)
        ]
        shown = [
            describe_column(self.names[j], self.too_many[j].values, like)
            for j, like in zip(columns, likenesses, strict=True)
        ]
        first = self.too_many[columns[0]]
        many = len(columns) > 1
        place = "" if many else f" (value {first.limit + 1} is at {self.locate(first.row)})"
        advice = how_to_leave_out([self.names[j] for j in columns], likenesses)
        return InputError(
            "too-many-levels",
            self.names[columns[0]],
            f"{len(columns)} column{'s have' if many else ' has'} more than {first.limit} distinct "
            f"values{place}: {listed(shown)}. {advice}",
        )
