"""Encode chunks of rows as packed samples, in one pass.

Every source of data feeds the same `Encoder`, which holds the packed bits and one chunk in memory.
Chunks begin on word boundaries, so that packing is `numpy.packbits` of a transposed tile straight
into its destination. Tiles fit in the cache and follow the memory order of the chunk: wide for
row-major arrays, tall for column-major ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.cells import CodedCells
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.coders import (
    ARRAY_KINDS,
    ArrayCoder,
    Codes,
    ValueCoder,
    is_missing,
    plain,
)
from markhood.data.coding.levels import samples_of
from markhood.data.coding.merged import known_levels
from markhood.data.coding.names import check_names
from markhood.data.coding.planes import MISSING, Planes
from markhood.data.coding.problems import MINIMUM, Problems, check_shape, row_number
from markhood.data.kinds import Category
from markhood.data.reading import Reading
from markhood.data.samples import BITS_PER_WORD, Samples
from markhood.errors import InputError, emit, emit_before_an_error

CHUNK_BYTES = 1 << 24
FINE_UNITS = ("us", "ns", "ps", "fs", "as", "generic")  # units of time up to a microsecond
TILE_CELLS = 1 << 19
LANE = 512  # rows in a vector register of bits

Column = NDArray[Any] | Sequence[Any] | CodedCells


def chunk_rows(row_bytes: int) -> int:
    """Return the number of rows per chunk: whole lanes where they fit, else whole words."""
    rows = CHUNK_BYTES // max(1, row_bytes)
    unit = LANE if rows >= LANE else BITS_PER_WORD
    return max(unit, rows // unit * unit)


class Encoder:
    """Pack rows chunk by chunk.

    Parameters
    ----------
    n_samples : int, optional
        Number of rows, if known: the bits are then allocated once.
    categories : mapping of int to Category, optional
        The columns that were declared to be categories.
    parse : callable, optional
        Converts a cell that is not in an array to a value (text files have text).
    locate : callable, optional
        Names a row in messages: "row 3", "line 4".
    reading : Reading, optional
        Codes for missing, maximum number of levels, weights and other options.
    is_table : bool, default=False
        Whether the columns have names of their own; those that are not variables are left out.

    Examples
    --------
    >>> import numpy as np
    >>> encoder = Encoder(["a", "b"])
    >>> encoder.add(np.array([[0, 5], [1, 3], [1, 3]]))
    >>> samples = encoder.finish()
    >>> samples.levels, samples.words[:, 0].tolist()
    (((0, 1), (3, 5)), [6, 1])
    """

    def __init__(
        self,
        names: Sequence[str],
        n_samples: int | None = None,
        *,
        categories: Mapping[int, Category] | None = None,
        parse: Callable[[Any], Any] = plain,
        locate: Callable[[int], str] = row_number,
        reading: Reading | None = None,
        is_table: bool = False,
    ) -> None:
        check_names(names)
        self._names = tuple(names)
        self._is_table = is_table
        self._categories = dict(categories or {})
        self._parse = parse
        self._rows = 0
        self._reading = reading or Reading()
        self._known = known_levels(names, self._reading.known)
        self._minimum = MINIMUM if self._known is None else 1
        self._problems = Problems(names, locate)
        self._coders: list[tuple[int, int, ArrayCoder | ValueCoder]] = []
        self._planes = Planes(len(names), self._reading.storage)
        self._weights: list[Any] = []
        if n_samples is not None:
            check_shape(n_samples, len(names), self._minimum, self._reading.min_columns)
            self._planes.reserve(n_samples)

    def add(self, chunk: NDArray[Any] | Sequence[Column]) -> None:
        """Add the next rows: an array of shape (rows, columns), or a list of columns.

        Every chunk except the last has a multiple of 64 rows.
        """
        assert self._rows % BITS_PER_WORD == 0, "only the last chunk may end within a word"
        n_rows = len(chunk) if isinstance(chunk, np.ndarray) else len(chunk[0]) if chunk else 0
        if n_rows == 0:
            return
        if isinstance(chunk, np.ndarray):
            for rows, columns in _tiles(chunk):
                self.place(chunk[rows, columns], self._rows + rows.start, columns.start)
        else:
            self._place_columns(chunk, self._rows)
        self._rows += n_rows

    def place(self, tile: NDArray[Any], row: int, column: int) -> None:
        """Add a tile at a row and column, for column-major sources; call `skip` afterwards."""
        if not self._coders:
            self._coders = [self._coder(0, len(self._names), tile.dtype)]
        if tile.dtype.kind in "mM":
            tile = _in_microseconds(tile)
        self._place_columns(tile.T, row, column)

    def skip(self, n_rows: int) -> None:
        """Advance past rows whose tiles have been added with `place`."""
        self._rows += n_rows

    def weigh(self, values: Sequence[Any]) -> None:
        """Add the weights of the next rows: numbers, or cells of text."""
        for row, value in enumerate(values, start=len(self._weights)):
            try:
                self._weights.append(float(value))
            except (TypeError, ValueError):
                raise InputError(
                    "weights",
                    "weights",
                    f"The weight at {self._problems.locate(row)} is {value!r}: use numbers.",
                ) from None

    @property
    def has_problems(self) -> bool:
        """Whether `finish` will raise for a value that has been added."""
        return bool(self._problems)

    def seen_among(self, cells: Mapping[str, Any]) -> Any | None:
        """Return the first cell whose value occurs in its column, by name; None without any."""
        for start, stop, coder in self._coders:
            for j in range(stop - start):
                cell = cells[self._names[start + j]]
                if self._parse(cell) in coder.levels(j):
                    return cell
        return None

    def finish(self) -> Samples:
        """Return the samples and emit the warnings of the log, or raise for the problems found."""
        log = self._reading.log
        try:
            samples = self._finished()
        except InputError:
            emit_before_an_error(log)
            raise
        emit(log)
        return samples

    def _finished(self) -> Samples:
        check_shape(self._rows, len(self._names), self._minimum, self._reading.min_columns)
        if self._problems:
            raise self._problems.error()
        self._planes.trim(self._rows)
        values = [
            coder.levels(j) for start, stop, coder in self._coders for j in range(stop - start)
        ]
        return samples_of(
            CodedTable(
                self._names,
                values,
                self._planes,
                self._rows,
                self._reading,
                self._problems,
                self._categories,
                self._known,
                self._is_table,
                given_weights=self._weights or None,
            )
        )

    def _place_columns(
        self, columns: NDArray[Any] | Sequence[Column], row: int, column: int = 0
    ) -> None:
        """Code columns, as an array of shape (columns, rows) or one by one, and pack the codes."""
        if not self._coders:
            self._coders = list(self._runs(list(columns)))
        for start, stop, coder in self._coders:
            first, last = max(start, column), min(stop, column + len(columns))
            if first >= last:
                continue
            part = columns[first - column : last - column]
            codes: Codes | None
            if isinstance(coder, ValueCoder):
                values = [c.tolist() if isinstance(c, np.ndarray) else c for c in part]
                codes = coder.codes(values, row, first, first - start)
            else:
                if not isinstance(part, np.ndarray):
                    part = np.stack([_comparable(values) for values in part])
                codes = coder.codes(part.T, row, first, first - start)
            if codes is not None:
                self._pack(codes, row, first)

    def _pack(self, coded: Codes, row: int, column: int) -> None:
        """Write the binary digits of codes, beyond the first only for columns that need them."""
        codes, absent = coded
        n_columns = codes.shape[1]
        n_digits = 1 if codes.dtype == np.bool_ else int(codes.max(initial=0)).bit_length()
        first = codes & 1 if n_digits > 1 else codes
        self._planes.put(0, first, row, slice(column, column + n_columns))
        for digit in range(1, n_digits):
            columns = np.flatnonzero(codes.max(axis=0) >> digit)
            bits = codes[:, columns] >> digit & 1
            self._planes.put(digit, bits, row, column + columns)
        if absent is not None:
            columns = np.flatnonzero(absent.any(axis=0))
            self._planes.put(MISSING, absent[:, columns], row, column + columns)

    def _runs(
        self, columns: Sequence[Column]
    ) -> Iterator[tuple[int, int, ArrayCoder | ValueCoder]]:
        """Yield a coder for every run of neighbouring columns of one dtype."""
        dtypes = [c.dtype if isinstance(c, np.ndarray) else np.dtype(object) for c in columns]
        start = 0
        for dtype, run in groupby(dtypes):
            stop = start + len(list(run))
            yield self._coder(start, stop, dtype)
            start = stop

    def _coder(
        self, start: int, stop: int, dtype: np.dtype[Any]
    ) -> tuple[int, int, ArrayCoder | ValueCoder]:
        coder: ArrayCoder | ValueCoder
        if dtype.kind in ARRAY_KINDS:
            coder = ArrayCoder(dtype, stop - start, self._problems, self._reading)
        else:
            coder = ValueCoder(
                stop - start, self._problems, self._reading, self._parse, self._categories
            )
        return start, stop, coder


def _comparable(values: Column) -> NDArray[Any]:
    """Return a column as an array; one that is not an array has missing values among numbers."""
    if isinstance(values, np.ndarray):
        return values
    return np.array([np.nan if is_missing(value) else value for value in values], np.float64)


def _tiles(chunk: NDArray[Any]) -> Iterator[tuple[slice, slice]]:
    """Yield the tiles of a chunk, in the order of its memory."""
    n_rows, n_columns = chunk.shape
    by_columns = chunk.strides[0] < chunk.strides[1]
    height = n_rows if by_columns else max(1, TILE_CELLS // n_columns)
    height = max(LANE, min(height, TILE_CELLS) // LANE * LANE)
    width = max(1, TILE_CELLS // height)
    rows = [slice(r, min(r + height, n_rows)) for r in range(0, n_rows, height)]
    columns = [slice(c, min(c + width, n_columns)) for c in range(0, n_columns, width)]
    if by_columns:
        yield from ((r, c) for c in columns for r in rows)
    else:
        yield from ((r, c) for r in rows for c in columns)


def _in_microseconds(times: NDArray[Any]) -> NDArray[Any]:
    """Return dates or durations in the resolution of Python's own.

    Out of range, some versions of NumPy raise an error and others wrap around silently.
    """
    unit = f"{times.dtype.kind}8[us]"
    if np.datetime_data(times.dtype)[0] in FINE_UNITS:  # they lose digits, and cannot overflow
        return times.astype(unit)
    try:
        found = times.astype(unit)
        is_same = found.astype(times.dtype) == times
    except OverflowError:
        is_same = np.zeros(1, np.bool_)
    if not (is_same | np.isnat(times)).all():
        raise InputError(
            "not-a-level",
            "",
            "A date or duration is out of the range of microseconds: leave it out, or use years as "
            "numbers.",
        )
    return found
