"""Code the values of columns by order of appearance: 0 for the first distinct value, then 1, ...

The sort order of the values is known only when all have been read, so levels are sorted at the end
(`planes`) and one pass over the data suffices. `ArrayCoder` compares whole blocks of an array
with the values of each column; `ValueCoder` looks each value up in a dictionary. Most columns have
two values, which two comparisons of a block recognise; only the other columns are processed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints
from markhood.data.coding.cells import MISSING, CodedCells, means_missing
from markhood.data.coding.problems import Problems
from markhood.data.reading import Reading
from markhood.errors import InputError

ARRAY_KINDS = "biufUS"  # dtypes that NumPy compares fast; others are coded value by value
FEW = 32  # levels that blocks are compared with one by one; further levels are searched


class ManyLevels:
    """Sorted values and their codes, which are in order of appearance and begin at `first`."""

    def __init__(self, dtype: np.dtype[Any], first: int) -> None:
        self._values = np.empty(0, dtype)
        self._codes = np.empty(0, np.uint32)
        self._next = first

    def codes(self, values: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the codes of values; new values get the next codes."""
        distinct, first_at, which = np.unique(values, return_index=True, return_inverse=True)
        at = np.searchsorted(self._values, distinct)
        near = np.minimum(at, max(0, len(self._values) - 1))
        is_new = self._values[near] != distinct if len(self._values) else np.ones(len(at), np.bool_)
        codes = np.empty(len(distinct), np.uint32)
        codes[~is_new] = self._codes[at[~is_new]]
        n_new = int(is_new.sum())
        if n_new:
            by_appearance = np.argsort(np.argsort(first_at[is_new]))
            codes[is_new] = self._next + by_appearance
            self._values = np.insert(self._values, at[is_new], distinct[is_new])
            self._codes = np.insert(self._codes, at[is_new], codes[is_new])
            self._next += n_new
        return codes[which]

    def values(self) -> list[Any]:
        """Return all values in order of appearance."""
        found: list[Any] = self._values[np.argsort(self._codes)].tolist()
        return found


Levels = tuple[tuple[Any, ...], ...]


class Codes(NamedTuple):
    """Codes of shape (rows, columns), 0 where a value is missing, and a mask of missing values."""

    codes: NDArray[Any]
    absent: Bools | None


def reject_complex(dtype: object) -> InputError:
    """Return the error for complex numbers, in the words of scikit-learn."""
    return InputError(
        "not-a-level", "", f"Complex data not supported ({dtype}): use real numbers or labels."
    )


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python value, other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA (which cannot be compared)."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  (what NaN does)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def in_order(values: Sequence[Any], order: Sequence[Any] = ()) -> list[int]:
    """Return the indices that sort values.

    The order is that of their categories, if any; else numbers by size, then text.

    Examples
    --------
    >>> in_order([10, "b", 9, "a"]), in_order(["low", "high"], order=["low", "high"])
    ([2, 0, 3, 1], [0, 1])
    """
    indices = range(len(values))
    if order and all(value in order for value in values):
        return sorted(indices, key=lambda k: order.index(values[k]))
    # int and float first, because isinstance of Real is slow.
    numbers = [k for k in indices if isinstance(values[k], (int, float, Real))]
    others = sorted(set(indices) - set(numbers))
    try:
        others.sort(key=lambda k: values[k])
    except TypeError:
        others.sort(key=lambda k: str(values[k]))
    return sorted(numbers, key=lambda k: values[k]) + others


def _first_of(bits: Bools) -> tuple[int, int]:
    row, column = divmod(int(bits.argmax()), bits.shape[1])
    return row, column


class ArrayCoder:
    """Code columns of one dtype, all columns of a block at once."""

    def __init__(
        self, dtype: np.dtype[Any], width: int, problems: Problems, reading: Reading
    ) -> None:
        self._problems = problems
        self._reading = reading
        self._missing = _codes_in(dtype, reading)
        # One row per level. Unused entries repeat the first level of the column, so that one test
        # finds the new values of all columns.
        self._levels = np.zeros((2, width), dtype)
        self._n_levels = np.zeros(width, np.int64)
        self._many: dict[int, ManyLevels] = {}

    def codes(self, tile: NDArray[Any], row: int, column: int, offset: int) -> Codes | None:
        """Return the codes of a tile; None if there are problems.

        The tile begins at `row` and `column` of the data, and at column `offset` of this coder.
        """
        absent = self._find_missing(tile, row, column)
        at = slice(offset, offset + tile.shape[1])
        if row == 0:
            self._levels[:, at] = tile[0]
            self._n_levels[at] = 1 if absent is None else ~absent[0]
        codes = np.asarray(tile != self._levels[0, at])
        unknown = tile != self._levels[1, at]
        unknown &= codes
        if absent is not None:
            unknown &= ~absent
            codes &= ~absent
        if unknown.any():
            columns = self._meet_second(tile, unknown, offset)
            if len(columns):
                codes = self._code_more(tile, absent, codes, columns, offset)
        return None if self._problems else Codes(codes, absent)

    def _meet_second(self, tile: NDArray[Any], unknown: Bools, offset: int) -> Ints:
        """Record the second values of columns, and return the columns with further values."""
        columns = np.flatnonzero(unknown.any(axis=0))
        has_one = self._n_levels[columns + offset] == 1
        fresh, others = columns[has_one], columns[~has_one]
        seen, unknown = tile[:, fresh], unknown[:, fresh]
        values = seen[unknown.argmax(axis=0), np.arange(len(fresh))]
        self._levels[1, fresh + offset] = values
        self._n_levels[fresh + offset] = 2
        unknown &= seen != values
        return np.sort(np.concatenate([others, fresh[unknown.any(axis=0)]]))

    def _code_more(
        self,
        tile: NDArray[Any],
        absent: Bools | None,
        codes: NDArray[Any],
        columns: Ints,
        offset: int,
    ) -> NDArray[Any]:
        """Return the codes of a tile in which these columns have more than two values."""
        at = columns + offset
        all_of_it = len(columns) == tile.shape[1]
        seen = tile if all_of_it else tile[:, columns]
        left = np.ones(seen.shape, np.bool_) if absent is None else ~absent[:, columns]
        found: NDArray[Any] = np.zeros(seen.shape, np.uint8)
        for code in range(FEW):
            self._meet(code, seen, left, at)
            if code == len(self._levels):
                break
            same = seen == self._levels[code, at]
            same &= left
            left ^= same
            found += same.view(np.uint8) * np.uint8(code)
            if code and not left.any():
                break
        if left.any():
            found = self._search(seen, left, found.astype(np.uint32), at)
        if all_of_it:
            return found
        merged = codes.astype(found.dtype)
        merged[:, columns] = found
        return merged

    def _meet(self, code: int, seen: NDArray[Any], left: Bools, at: Ints) -> None:
        """Assign this code, in every column where it is free, to the first value without a code."""
        fresh = np.flatnonzero(self._n_levels[at] == code)
        fresh = fresh[left[:, fresh].any(axis=0)]
        if not len(fresh):
            return
        if code == len(self._levels):
            self._levels = np.vstack([self._levels, self._levels[:1]])
        values = seen[left[:, fresh].argmax(axis=0), fresh]
        self._levels[code if code else slice(None), at[fresh]] = values
        self._n_levels[at[fresh]] += 1

    def _search(
        self, seen: NDArray[Any], left: Bools, found: NDArray[np.uint32], at: Ints
    ) -> NDArray[np.uint32]:
        """Find the remaining codes of columns with many levels, one column at a time."""
        for c in np.flatnonzero(left.any(axis=0)):
            rows = np.flatnonzero(left[:, c])
            values = seen[rows, c]
            many = self._many.setdefault(int(at[c]), ManyLevels(values.dtype, FEW))
            found[rows, c] = many.codes(values)
        return found

    def _find_missing(self, tile: NDArray[Any], row: int, column: int) -> Bools | None:
        """Return a mask of missing values, None without any; record values that are not allowed."""
        unusual = tile.dtype.kind == "f" and not np.isfinite(tile).all()
        if not unusual and not self._missing:
            return None
        absent: Bools = np.isnan(tile) if unusual else np.zeros(tile.shape, np.bool_)
        for code in self._missing:
            absent |= tile == code
        infinite: Bools = np.isinf(tile) & ~absent if unusual else absent[:0]
        if infinite.any():
            r, c = _first_of(infinite)
            self._problems.add_infinite(row + r, column + c)
        if not absent.any():
            return None
        if self._reading.missing == "error":
            r, c = _first_of(absent)
            counts = absent.sum(axis=0)
            by_column = {column + int(j): int(counts[j]) for j in np.flatnonzero(counts)}
            self._problems.add_missing(row + r, column + c, by_column)
        return absent

    def levels(self, offset: int) -> tuple[Any, ...]:
        """Return the values of one column by order of appearance."""
        few = self._levels[: self._n_levels[offset], offset].tolist()
        many = self._many.get(offset)
        return tuple(few if many is None else few + many.values())


def _codes_in(dtype: np.dtype[Any], reading: Reading) -> list[Any]:
    """Return the codes for missing that can occur in an array of this dtype."""
    if dtype.kind not in "US":
        return list(reading.numbers())
    texts = {code for code in reading.missing_codes if isinstance(code, str)} | MISSING
    room = dtype.itemsize // (4 if dtype.kind == "U" else 1)
    fitting = sorted(text for text in texts if len(text) <= room)
    return fitting if dtype.kind == "U" else [t.encode("utf-8", "surrogateescape") for t in fitting]


class ValueCoder:
    """Code columns of any values with a dictionary per column.

    In columns that are `declared` to be categories, texts such as "NA" are levels.
    """

    def __init__(
        self,
        width: int,
        problems: Problems,
        reading: Reading,
        parse: Callable[[Any], Any] = plain,
        declared: Collection[int] = (),
    ) -> None:
        self._problems = problems
        self._reading = reading
        self._parse = parse
        self._declared = declared
        # Codes by level; and by raw value, plus one, because 0 is missing.
        self._levels: list[dict[Any, int]] = [{} for _ in range(width)]
        self._stored: list[dict[Any, int]] = [{} for _ in range(width)]

    def codes(
        self, columns: Sequence[Sequence[Any] | CodedCells], row: int, column: int, offset: int
    ) -> Codes | None:
        """Return the codes of some columns; None if there are problems.

        They begin at `row` and `column` of the data, and at column `offset` of this coder.
        """
        coded: list[Any] = []
        for j, values in enumerate(columns, start=offset):
            if isinstance(values, CodedCells):
                coded.append(self._look_up_cells(values, row, column + j - offset, j))
                continue
            lookup = self._stored[j].__getitem__
            try:
                coded.append(bytes(map(lookup, values)))
            except (KeyError, TypeError, ValueError):
                # A new value, one that cannot be a key, or a code above 255.
                self._meet(values, row, column + j - offset, j)
                coded.append(self._look_up(values, j))
        if self._problems:
            return None
        stored: NDArray[Any]
        if all(isinstance(column, bytes) for column in coded):
            stored = np.frombuffer(b"".join(coded), np.uint8).reshape(len(columns), -1)
        else:
            stored = np.array([np.frombuffer(c, np.uint8) if isinstance(c, bytes) else c
                               for c in coded])  # fmt: skip
        if stored.all():
            return Codes((stored - stored.dtype.type(1)).T, None)
        return Codes((stored - (stored != 0)).T, (stored == 0).T)

    def _look_up_cells(
        self, cells: CodedCells, row: int, column: int, offset: int
    ) -> NDArray[np.uint8 | np.uint32]:
        """Return the stored codes of cells; only their distinct texts are parsed."""
        stored = self._stored[offset]
        if not all(text in stored for text in cells.texts):
            self._meet(cells.texts, row, column, offset)
        codes = np.array([stored.get(text, 0) for text in cells.texts], np.uint32)
        small = codes.astype(np.uint8) if codes.max(initial=0) < 256 else codes
        return np.asarray(small[cells.numbers])

    def _look_up(self, values: Sequence[Any], offset: int) -> bytes | NDArray[np.uint32]:
        """Return the stored codes of values; values without a code are missing."""
        stored = self._stored[offset]
        try:
            return bytes(map(stored.__getitem__, values))
        except (KeyError, ValueError):
            return np.array([stored.get(value, 0) for value in values], np.uint32)

    def _meet(self, values: Sequence[Any], row: int, column: int, offset: int) -> None:
        """Assign codes to the new values of a column."""
        stored, levels = self._stored[offset], self._levels[offset]
        texts_are_levels = column in self._declared
        missing = []
        for r, raw in enumerate(values, start=row):
            try:
                if raw in stored:
                    continue
            except TypeError:
                raise self._problems.not_a_level(r, column, raw) from None
            value = self._parse(raw)
            if isinstance(raw, str) and isinstance(value, float) and math.isinf(value):
                value = raw.strip()  # a text, unless all other values are numbers: see `levels`
            if self._is_missing(value, texts_are_levels):
                missing.append(r)
                if isinstance(raw, str):
                    self._problems.texts.add(raw.strip())
                if self._reading.missing != "error" and not isinstance(raw, float):
                    stored[raw] = 0  # except NaN, which is not equal to itself
            elif isinstance(value, complex):
                raise reject_complex(value)
            elif isinstance(value, float) and math.isinf(value) and not isinstance(raw, str):
                self._problems.add_infinite(r, column)
            elif value in levels:
                stored[raw] = levels[value] + 1
            else:
                levels[value] = len(levels)
                stored[raw] = len(levels)
        if missing and self._reading.missing == "error":
            self._problems.add_missing(missing[0], column, {column: len(missing)})

    def _is_missing(self, value: Any, texts_are_levels: bool) -> bool:
        if is_missing(value) or value in self._reading.missing_codes:
            return True
        return not texts_are_levels and means_missing(value)

    def levels(self, offset: int) -> tuple[Any, ...]:
        """Return the values of one column by order of appearance."""
        return tuple(self._levels[offset])
