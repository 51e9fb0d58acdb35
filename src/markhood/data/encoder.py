"""Chunks of rows to packed samples, in one pass.

Sources differ in how they hand out rows; all feed the same `Encoder`, which needs the packed bits
and one chunk in memory and nothing else. Chunks begin on word boundaries, so that packing is
`numpy.packbits` of a transposed tile straight into place. Tiles are small enough for the cache
and follow the memory order of the chunk: wide for arrays that go by rows, tall for columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coders import (
    ARRAY_KINDS,
    ArrayCoder,
    Levels,
    ValueCoder,
    fits_array,
    is_descending,
    is_missing,
    plain,
)
from markhood.data.findings import MINIMUM, Findings, check_shape, listed, row_number
from markhood.data.memory import require_memory
from markhood.data.names import check_names
from markhood.data.samples import BITS_PER_WORD, Samples, words_per_row
from markhood.errors import DataWarning

CHUNK_BYTES = 1 << 24
TILE_CELLS = 1 << 19
LANE = 512  # rows of a whole vector register of bits

Column = NDArray[Any] | Sequence[Any]


def chunk_rows(row_bytes: int) -> int:
    """Return how many rows a source should hand out at a time: whole words, better whole lanes."""
    rows = CHUNK_BYTES // max(1, row_bytes)
    unit = LANE if rows >= LANE else BITS_PER_WORD
    return max(unit, rows // unit * unit)


class Encoder:
    """Packs rows as they come.

    Parameters
    ----------
    names : sequence of str
        One a column.
    n_samples : int, optional
        How many rows will come, where that is known: the bits are then allocated once.
    levels : tuple of tuple, optional
        Levels that a fitted model knows; any other value is then an error.
    orders : mapping of int to sequence, optional
        Categories, in order, of the columns that have them.
    parse : callable, optional
        What makes a value of a cell that is not in an array (text files give text).
    locate : callable, optional
        Says where a row is: "row 3", "line 4".

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
        levels: Levels | None = None,
        orders: Mapping[int, Sequence[Any]] | None = None,
        parse: Callable[[Any], Any] = plain,
        locate: Callable[[int], str] = row_number,
    ) -> None:
        check_names(names)
        self._names = tuple(names)
        self._fixed = levels
        self._min_samples = MINIMUM if levels is None else 1
        self._orders = orders or {}
        self._parse = parse
        self._rows = 0
        self._findings = Findings(names, locate)
        self._coders: list[tuple[int, int, ArrayCoder | ValueCoder]] = []
        self._bytes = np.zeros((len(names), 0), np.uint8)
        if n_samples is not None:
            check_shape(n_samples, len(names), self._min_samples)
            self._reserve(n_samples)

    def add(self, chunk: NDArray[Any] | Sequence[Column]) -> None:
        """Take the next rows: an array of shape (rows, columns), or a list of columns.

        All chunks but the last have a multiple of 64 rows.
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
        """Put a tile where it belongs, for sources that go by columns; call `skip` after them."""
        if not self._coders:
            self._coders = [self._coder(0, len(self._names), tile.dtype)]
        if tile.dtype.kind in "mM":
            tile = tile.astype(f"{tile.dtype.kind}8[us]")  # what Python's own dates can say
        self._place_columns(tile.T, row, column)

    def skip(self, n_rows: int) -> None:
        """Go on past rows whose tiles have been placed."""
        self._rows += n_rows

    def has_seen(self, cells: Mapping[str, Any]) -> bool:
        """Return whether any column has had the value of the cell given for its name."""
        return any(
            self._parse(cells[self._names[start + j]]) in coder.levels(j)
            for start, stop, coder in self._coders
            for j in range(stop - start)
        )

    def finish(self) -> Samples:
        """Return the samples, or raise for what was wrong with them.

        Returns
        -------
        Samples
            With a `DataWarning` for columns that have one value only.
        """
        n_samples, n_variables = self._rows, len(self._names)
        check_shape(n_samples, n_variables, self._min_samples)
        if self._findings:
            raise self._findings.error()
        if self._bytes.shape[1] != words_per_row(n_samples) * 8:
            self._bytes = self._bytes[:, : words_per_row(n_samples) * 8].copy()
        words = self._bytes.view("<u8").astype(np.uint64, copy=False)
        levels = self._fixed or self._order_levels(words)
        return Samples(words, n_samples, self._names, levels)

    def _order_levels(self, words: NDArray[np.uint64]) -> Levels:
        """Flip the variables whose first value is the larger, and return all levels in order."""
        levels = [
            coder.levels(j) for start, stop, coder in self._coders for j in range(stop - start)
        ]
        flipped = np.zeros(len(levels), np.bool_)
        for j, values in enumerate(levels):
            if len(values) == 2 and is_descending(*values, self._orders.get(j, ())):
                flipped[j] = True
                levels[j] = values[::-1]
        every = np.zeros(words.shape[1] * 8, np.uint8)  # padding stays zero
        every[: -(-self._rows // 8)] = np.packbits(np.ones(self._rows, np.uint8), bitorder="little")
        step = max(1, TILE_CELLS // words.shape[1])
        for block in range(0, len(words), step):
            at = slice(block, block + step)
            words[at] ^= flipped[at, None] * every.view("<u8")
        constant = [repr(self._names[j]) for j, values in enumerate(levels) if len(values) == 1]
        if constant:
            many = len(constant) > 1
            warnings.warn(
                f"{len(constant)} column{'s have' if many else ' has'} one value only and will "
                f"be isolated: {listed(constant)}",
                DataWarning,
                stacklevel=2,
            )
        return tuple(levels)

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
            codes: NDArray[Any] | None
            if isinstance(coder, ValueCoder):
                values = [c.tolist() if isinstance(c, np.ndarray) else c for c in part]
                codes = coder.codes(values, row, first, first - start)
            else:
                if not isinstance(part, np.ndarray):
                    part = np.stack([_comparable(values) for values in part])
                codes = coder.codes(part.T, row, first, first - start)
            if codes is not None:
                self._pack(codes, row, first)

    def _pack(self, codes: NDArray[Any], row: int, column: int) -> None:
        self._reserve(row + len(codes))
        packed = np.packbits(codes.T, axis=1, bitorder="little")
        n_columns, n_bytes = packed.shape
        self._bytes[column : column + n_columns, row // 8 : row // 8 + n_bytes] = packed

    def _reserve(self, n_samples: int) -> None:
        """Make room for so many samples; twice as many where nobody said how many will come."""
        n_variables, room = self._bytes.shape
        if n_samples <= room * 8:
            return
        if room:
            n_samples = max(n_samples, 2 * room * 8)
        require_memory(n_variables, n_samples)
        grown = np.zeros((n_variables, words_per_row(n_samples) * 8), np.uint8)
        grown[:, :room] = self._bytes
        self._bytes = grown

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
        fixed = self._fixed and self._fixed[start:stop]
        if dtype.kind in ARRAY_KINDS and (fixed is None or fits_array(fixed, dtype.kind)):
            coder = ArrayCoder(dtype, stop - start, self._findings)
        else:
            coder = ValueCoder(stop - start, self._findings, self._parse)
        if fixed is not None:
            coder.fix(fixed)
        return start, stop, coder


def _comparable(values: Column) -> NDArray[Any]:
    """Return a column as an array; one that turned to objects on the way has missing values."""
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
