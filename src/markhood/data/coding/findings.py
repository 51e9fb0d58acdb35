"""What is wrong with data, gathered while they are read and said in one sentence.

Missing values are counted over the whole data before anything is raised: "3 missing values in
columns 'a' and 'b'" is repaired once, "a missing value at row 7" three times. So trouble is
noted here and raised at the end; of several kinds, missing values are named first, because
a column with them often also has a third value that is only a code for "missing".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markhood.errors import InputError

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


def check_shape(n_samples: int, n_variables: int, min_samples: int = MINIMUM) -> None:
    """Raise where there are too few samples or variables; worded as scikit-learn does."""
    shape = f"(shape=({n_samples}, {n_variables}))"
    if n_variables < MINIMUM:
        raise InputError(
            f"Found {n_variables} feature(s) {shape} while a minimum of {MINIMUM} is required: "
            "a graph needs two columns or more, one a variable"
        )
    if n_samples < min_samples:
        raise InputError(
            f"Found {n_samples} sample(s) {shape} while a minimum of {min_samples} is required: "
            "give one row a sample"
        )


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
    """

    names: Sequence[str]
    locate: Callable[[int], str] = row_number
    missing: Counter[int] = field(default_factory=Counter)
    _first_missing: tuple[int, int] | None = None
    _infinite: tuple[int, int] | None = None
    _surplus: tuple[int, int, tuple[Any, ...], bool] | None = None

    def __bool__(self) -> bool:
        """Return whether anything was noted."""
        return self._infinite is not None or self._surplus is not None or bool(self.missing)

    def note_missing(self, row: int, column: int, counts: Mapping[int, int]) -> None:
        """Note missing values: so many by column, the first at this row and column."""
        self.missing.update(counts)
        self._first_missing = min((row, column), self._first_missing or (row, column))

    def note_infinite(self, row: int, column: int) -> None:
        """Note an infinity; only the first is named."""
        self._infinite = min((row, column), self._infinite or (row, column))

    def note_surplus(self, row: int, column: int, values: Sequence[Any], fixed: bool) -> None:
        """Note a value, the last of `values`, that comes on top of a column's levels."""
        if self._surplus is None:
            self._surplus = (row, column, tuple(values), fixed)

    def no_level(self, row: int, column: int, value: Any) -> InputError:
        """Return the error for a value that cannot be looked up."""
        return InputError(
            f"Column {self.names[column]!r} at {self.locate(row)} has a {type(value).__name__}, "
            "which cannot be a level: give numbers, text or other plain values"
        )

    def error(self) -> InputError:
        """Return the worst of what was noted as one sentence."""
        if self._first_missing is not None:
            return self._missing_values(*self._first_missing)
        if self._infinite is not None:
            row, column = self._infinite
            return InputError(
                f"Column {self.names[column]!r} has an infinite value (inf) at "
                f"{self.locate(row)}: replace it, or leave the column out"
            )
        assert self._surplus is not None
        return self._surplus_value(*self._surplus)

    def _missing_values(self, row: int, column: int) -> InputError:
        total = sum(self.missing.values())
        columns = [f"{self.names[j]!r} ({self.missing[j]})" for j in sorted(self.missing)]
        return InputError(
            f"The data have {total} missing value{'s'[: total > 1]} (NaN, null or empty) in "
            f"column{'s'[: len(columns) > 1]} {listed(columns)}, the first in column "
            f"{self.names[column]!r} at {self.locate(row)}: fill them, or choose missing='drop' "
            "(leave out rows with any), 'level' (a level of its own) or 'impute'"
        )

    def _surplus_value(
        self, row: int, column: int, values: tuple[Any, ...], fixed: bool
    ) -> InputError:
        shown = [repr(value) for value in values]
        name, where = self.names[column], self.locate(row)
        if fixed:
            known = listed(shown[:-1]) or "missing values"
            return InputError(
                f"Column {name!r} has the value {shown[-1]} at {where}, but the "
                f"model knows only {known} in it: give data with the same levels"
            )
        advice = "recode it to fewer"
        if any(isinstance(v, float) and not v.is_integer() for v in values):
            advice = "it looks continuous, so cut it into classes"
        return InputError(
            f"Column {name!r} has more than {len(values) - 1} values, {listed(shown)} (number "
            f"{len(values)} at {where}): {advice}, leave it out, or raise max_levels"
        )
