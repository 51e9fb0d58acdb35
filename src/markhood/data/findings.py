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
    return " and ".join(filter(None, [", ".join(head[:-1]), head[-1]]))


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

    def error(self) -> InputError:
        """Return the worst of what was noted as one sentence."""
        names, locate = self.names, self.locate
        if self._first_missing is not None:
            row, column = self._first_missing
            total = sum(self.missing.values())
            columns = [repr(names[j]) for j in sorted(self.missing)]
            return InputError(
                f"The data have {total} missing value{'s'[: total > 1]} (NaN, null or empty) in "
                f"column{'s'[: len(columns) > 1]} {listed(columns)}, the first in column "
                f"{names[column]!r} at {locate(row)}: drop or fill the rows or columns with them"
            )
        if self._infinite is not None:
            row, column = self._infinite
            return InputError(
                f"Column {names[column]!r} has an infinite value (inf) at {locate(row)}: "
                "replace it, or leave the column out"
            )
        assert self._surplus is not None
        row, column, values, fixed = self._surplus
        shown = [repr(value) for value in values]
        if fixed:
            return InputError(
                f"Column {names[column]!r} has the value {shown[-1]} at {locate(row)}, but the "
                f"model knows only {listed(shown[:-1])} in it: give data with the same levels"
            )
        return InputError(
            f"Column {names[column]!r} has more than two values, {listed(shown)} (the third at "
            f"{locate(row)}): recode it to two values, or leave it out"
        )
