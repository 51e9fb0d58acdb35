"""Values to codes: 0 for the first value that a column shows, 1 for the second.

Which of two values is the larger is known only when both have been seen, so codes go by order of
appearance and columns whose first value is the larger are flipped at the end: one pass, no
dictionary of values built beforehand. Two coders do this: one compares whole blocks of an array
with the two values of each column, the other looks each value up in a dictionary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.findings import Findings
from markhood.errors import InputError

Levels = tuple[tuple[Any, ...], ...]
ARRAY_KINDS = "biufUS"  # dtypes in which NumPy compares fast; all others go value by value


def reject_complex(dtype: object) -> InputError:
    """Return the error for complex numbers, worded as scikit-learn does."""
    return InputError(
        f"Complex data not supported ({dtype}): give real numbers or labels, two a column"
    )


def plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python value that it stands for, others as they are."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA (which cannot even say)."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  (what NaN does)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def is_descending(first: Any, second: Any, order: Sequence[Any] = ()) -> bool:
    """Return whether the first of two levels comes after the second.

    By the order of their categories where there is one, else by size; numbers come before text.
    """
    if first in order and second in order:
        return order.index(first) > order.index(second)
    if isinstance(first, Real) != isinstance(second, Real):
        return isinstance(second, Real)
    try:
        return bool(first > second)
    except TypeError:
        return str(first) > str(second)


def fits_array(levels: Levels, kind: str) -> bool:
    """Return whether fixed levels can be compared with an array of this kind by NumPy."""
    wanted: Any = {"U": str, "S": bytes}.get(kind, (bool, int, float))
    return kind in ARRAY_KINDS and all(isinstance(v, wanted) for values in levels for v in values)


class ArrayCoder:
    """Codes of columns that share a dtype, for all columns of a block at once."""

    def __init__(self, dtype: np.dtype[Any], width: int, findings: Findings) -> None:
        self._findings = findings
        self._fixed = False
        # Equal until a second value appears: "differs from both" is then one test for all.
        self._first = np.zeros(width, dtype)
        self._second = np.zeros(width, dtype)

    def fix(self, levels: Levels) -> None:
        """Take the levels as given: any other value is an error."""
        self._fixed = True
        self._first = np.array([values[0] for values in levels])
        self._second = np.array([values[-1] for values in levels])

    def codes(
        self, tile: NDArray[Any], row: int, column: int, offset: int
    ) -> NDArray[np.bool_] | None:
        """Return codes of a tile, shape as given; None where there is trouble.

        The tile begins at `row` and `column` of the data, and at column `offset` of this coder.
        """
        if tile.dtype.kind == "f":
            self._note_not_finite(tile, row, column)
        if self._findings:
            return None
        at = slice(offset, offset + tile.shape[1])
        if row == 0 and not self._fixed:
            self._first[at] = self._second[at] = tile[0]
        codes = np.asarray(tile != self._first[at])
        unknown = tile != self._second[at]
        unknown &= codes
        if unknown.any():
            self._meet(tile, unknown, row, column, offset)
        return None if self._findings else codes

    def _meet(
        self, tile: NDArray[Any], unknown: NDArray[np.bool_], row: int, column: int, offset: int
    ) -> None:
        """Learn the second values in a tile; what then still is unknown is a third."""
        columns = np.flatnonzero(unknown.any(axis=0))
        at = columns + offset
        seen, unknown = tile[:, columns], unknown[:, columns]
        if not self._fixed:
            fresh = self._first[at] == self._second[at]
            values = seen[unknown.argmax(axis=0), np.arange(len(columns))]
            self._second[at[fresh]] = values[fresh]
            unknown &= seen != self._second[at]
        if unknown.any():
            r, c = divmod(int(unknown.argmax()), len(columns))
            known = self.levels(int(at[c]))
            values = (*known, plain(seen[r, c]))
            self._findings.note_surplus(row + r, column + int(columns[c]), values, self._fixed)

    def _note_not_finite(self, tile: NDArray[Any], row: int, column: int) -> None:
        finite = np.isfinite(tile)
        if finite.all():
            return
        rows, columns = np.nonzero(~finite)
        missing = np.isnan(tile[rows, columns])
        rows, columns = rows + row, columns + column
        if missing.any():
            row, column = int(rows[missing][0]), int(columns[missing][0])
            found, counts = np.unique(columns[missing], return_counts=True)
            by_column = dict(zip(found.tolist(), counts.tolist(), strict=True))
            self._findings.note_missing(row, column, by_column)
        if not missing.all():
            self._findings.note_infinite(int(rows[~missing][0]), int(columns[~missing][0]))

    def levels(self, offset: int) -> tuple[Any, ...]:
        """Return the values of one column by order of appearance."""
        first, second = plain(self._first[offset]), plain(self._second[offset])
        return (first,) if first == second else (first, second)


class ValueCoder:
    """Codes of columns of any values, each looked up in its column's dictionary."""

    def __init__(self, width: int, findings: Findings, parse: Callable[[Any], Any] = plain) -> None:
        self._findings = findings
        self._parse = parse
        self._fixed = False
        self._levels: list[list[Any]] = [[] for _ in range(width)]
        self._codes: list[dict[Any, int]] = [{} for _ in range(width)]

    def fix(self, levels: Levels) -> None:
        """Take the levels as given: any other value is an error."""
        self._fixed = True
        self._levels = [list(values) for values in levels]
        self._codes = [{v: code for code, v in enumerate(values)} for values in levels]

    def codes(
        self, columns: Sequence[Sequence[Any]], row: int, column: int, offset: int
    ) -> NDArray[np.uint8] | None:
        """Return codes of some columns, of shape (rows, columns); None where there is trouble.

        They begin at `row` and `column` of the data, and at column `offset` of this coder.
        """
        coded = []
        for j, values in enumerate(columns, start=offset):
            lookup = self._codes[j].__getitem__
            try:
                coded.append(bytes(map(lookup, values)))
            except (KeyError, TypeError):  # a value not seen before, or one that cannot be a key
                self._meet(values, row, column + j - offset, j)
                if not self._findings:
                    coded.append(bytes(map(lookup, values)))
        if self._findings:
            return None
        return np.frombuffer(b"".join(coded), np.uint8).reshape(len(columns), -1).T

    def _meet(self, values: Sequence[Any], row: int, column: int, offset: int) -> None:
        """Learn the values of a column that have no code yet."""
        codes, levels = self._codes[offset], self._levels[offset]
        missing = []
        for r, raw in enumerate(values, start=row):
            try:
                if raw in codes:
                    continue
            except TypeError:
                where = f"{self._findings.names[column]!r} at {self._findings.locate(r)}"
                raise InputError(
                    f"Column {where} has a {type(raw).__name__}, which cannot be a level: "
                    "give numbers, text or other plain values"
                ) from None
            value = self._parse(raw)
            if is_missing(value):
                missing.append(r)
            elif isinstance(value, complex):
                raise reject_complex(value)
            elif isinstance(value, float) and math.isinf(value):
                self._findings.note_infinite(r, column)
            elif value in levels:
                codes[raw] = levels.index(value)
            elif self._fixed or len(levels) == 2:
                self._findings.note_surplus(r, column, [*levels, value], self._fixed)
            else:
                codes[raw] = len(levels)
                levels.append(value)
        if missing:
            self._findings.note_missing(missing[0], column, {column: len(missing)})

    def levels(self, offset: int) -> tuple[Any, ...]:
        """Return the values of one column by order of appearance."""
        return tuple(self._levels[offset])
