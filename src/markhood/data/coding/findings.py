"""What is wrong with data, gathered while they are read and said in one sentence.

Missing values are counted over the whole data before anything is raised: "3 missing values in
columns 'a' and 'b'" is repaired once, "a missing value at row 7" three times; and so it is with
columns that have too many values. So trouble is noted here and raised at the end. Of several
kinds, columns with too many values come first: they will be left out, and with them what they miss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from markhood.errors import InputError, option

if TYPE_CHECKING:
    from markhood.data.reading import Reading

NAMES_SHOWN = 5
MINIMUM = 2  # samples, and variables: fewer have no graph


def row_number(row: int) -> str:
    """Say where a row is, for data that have rows and no lines."""
    return f"row {row + 1}"


def listed(items: Sequence[str], shown: int = NAMES_SHOWN) -> str:
    """Join items as in prose, the first few of them: 'a, b and 3 more'."""
    head = list(items[:shown])
    if len(items) > shown:
        head.append(f"{len(items) - shown} more")
    return " and ".join(filter(None, [", ".join(head[:-1]), *head[-1:]]))


def check_shape(
    n_samples: int, n_variables: int, minimum: int = MINIMUM, min_columns: int = MINIMUM
) -> None:
    """Raise where there are too few samples or variables; worded as scikit-learn does."""
    shape = f"(shape=({n_samples}, {n_variables}))"
    min_columns = min(minimum, min_columns)
    if n_variables < min_columns:
        raise InputError(
            f"Found {n_variables} feature(s) {shape} while a minimum of {min_columns} is required: "
            "a graph needs two columns or more, one a variable."
        )
    if n_samples < minimum:
        raise InputError(
            f"Found {n_samples} sample(s) {shape} while a minimum of {minimum} is required: "
            "give one row a sample."
        )


def say_what_is_missing(reading: Reading) -> None:
    """Note the values that the user called missing."""
    if values := [repr(value) for value in reading.missing_values]:
        many = len(values) > 1
        reading.notes.treat(
            f"The value{'s' if many else ''} {listed(values)} {'were' if many else 'was'} treated as "
            "missing."
        )


class Surplus(NamedTuple):
    """A column with too many values: where that was seen, and values from about there."""

    row: int
    limit: int
    values: Sequence[Any]


@dataclass
class Findings:
    """Trouble noted while data are read; true where there is any.

    Attributes
    ----------
    names : sequence of str
        The columns' names.
    locate : callable
        Says where a row is.
    missing : Counter
        Missing values by column.
    texts : set
        What stood in the place of missing values, where that was text.
    surplus : dict
        Columns with too many values.
    """

    names: Sequence[str]
    locate: Callable[[int], str] = row_number
    missing: Counter[int] = field(default_factory=Counter)
    texts: set[str] = field(default_factory=set)
    surplus: dict[int, Surplus] = field(default_factory=dict)
    _first_missing: tuple[int, int] | None = None
    _infinite: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        """Return whether anything was noted."""
        return self._infinite is not None or bool(self.missing) or bool(self.surplus)

    def note_missing(self, row: int, column: int, counts: Mapping[int, int]) -> None:
        """Note missing values: so many by column, the first at this row and column."""
        self.missing.update(counts)
        self._first_missing = min((row, column), self._first_missing or (row, column))

    def note_infinite(self, row: int, column: int) -> None:
        """Note an infinity; only the first is named."""
        self._infinite = min((row, column), self._infinite or (row, column))

    def note_surplus(self, row: int, column: int, limit: int, values: Sequence[Any]) -> None:
        """Note a column that has more values than the limit, with values of rows in their order."""
        self.surplus.setdefault(column, Surplus(row, limit, values))

    def no_level(self, row: int, column: int, value: Any) -> InputError:
        """Return the error for a value that cannot be looked up."""
        return InputError(
            f"Column {self.names[column]!r} at {self.locate(row)} has a {type(value).__name__}, "
            "which cannot be a level: give numbers, text or other plain values."
        )

    def error(self) -> InputError:
        """Return the worst of what was noted as one sentence."""
        if self.surplus:
            return self._surplus_values()
        if self._first_missing is not None:
            return self._missing_values(*self._first_missing)
        assert self._infinite is not None
        row, column = self._infinite
        return InputError(
            f"Column {self.names[column]!r} has an infinite value (inf) at "
            f"{self.locate(row)}: replace it, or leave the column out."
        )

    def _missing_values(self, row: int, column: int) -> InputError:
        total = sum(self.missing.values())
        columns = [f"{self.names[j]!r} ({self.missing[j]})" for j in sorted(self.missing)]
        texts = [repr(text) if text else "empty" for text in sorted(self.texts)]
        kinds = listed(texts) if texts else "NaN, null or empty"
        return InputError(
            f"The data have {total} missing value{'s'[: total > 1]} ({kinds}) in "
            f"column{'s'[: len(columns) > 1]} {listed(columns)}, the first in column "
            f"{self.names[column]!r} at {self.locate(row)}: fill them, or choose "
            f"{option('missing', 'drop')} (leave out rows with any), 'level' (a level of its own) or "
            "'impute'."
        )

    def unknown_value(self, row: int, column: int, value: Any, levels: Sequence[Any]) -> InputError:
        """Return the error for a value that a fitted model does not know."""
        known = listed([repr(level) for level in levels if level is not None]) or "missing values"
        return InputError(
            f"Column {self.names[column]!r} has the value {value!r} at {self.locate(row)}, but the "
            f"model knows only {known} in it: give data with the same levels."
        )

    def _surplus_values(self) -> InputError:
        from markhood.data.coding.doubts import (
            FEWEST_DISTINCT,
            described,
            how_to_leave_out,
            likeness,
        )

        columns = sorted(self.surplus)
        likenesses = [
            likeness(values) if len(set(values)) >= FEWEST_DISTINCT else "categories"
            for values in (self.surplus[j].values for j in columns)
        ]
        shown = [
            described(self.names[j], self.surplus[j].values, like)
            for j, like in zip(columns, likenesses, strict=True)
        ]
        first = self.surplus[columns[0]]
        many = len(columns) > 1
        place = "" if many else f" (number {first.limit + 1} at {self.locate(first.row)})"
        advice = how_to_leave_out([self.names[j] for j in columns], likenesses)
        return InputError(
            f"{len(columns)} column{'s have' if many else ' has'} more than {first.limit} values"
            f"{place}: {listed(shown)}; {advice}."
        )
