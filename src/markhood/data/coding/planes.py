"""Store the codes of columns as rows of bits: one row per binary digit, and one for missing values.

Most columns have two values: their codes have one digit, and the rows of first digits are one array
that can become the samples without a copy. Rows for further digits and for missing values are
added when a column first needs one.

Turn codes into indicator rows: sort the levels of each column, one row per level but the first.
Codes are in order of appearance. The row of a level has a one where all digits of the code are
those of the level's code; for two levels this is the only digit or its complement. Many columns are
processed at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints, Words
from markhood.data.coding.coders import Levels, in_order
from markhood.data.samples import words_per_row
from markhood.data.storage.backends import MEMORY, Storage
from markhood.kernels.words import unpacked

MISSING = -1  # the digit of the rows for missing values
BLOCK_BYTES = 1 << 22
PAGE_BYTES = 4096  # a write touches at least one page

Columns = Ints
ABSENT = -2  # code of a level that does not occur
ONE_DIGIT = ([0], [0, 1], [1, 0], [0, ABSENT], [ABSENT, 0])  # codes of one or two levels
ALL_BITS = np.uint64(2**64 - 1)


class Planes:
    """Packed bits of the codes of each column; initially zero."""

    def __init__(self, n_columns: int, storage: Storage = MEMORY) -> None:
        self.storage = storage
        self._first = np.zeros((n_columns, 0), np.uint8)
        self._further = np.zeros((0, 0), np.uint8)
        self._n_further = 0
        self._rows: dict[int, Columns] = {}  # digit -> row of each column, -1 for none

    def reserve(self, n_samples: int) -> None:
        """Allocate space for this many samples; at least double the space if it must grow."""
        n_columns, room = self._first.shape
        if n_samples <= room * 8:
            return
        if room:
            n_samples = max(n_samples, 2 * room * 8)
        self.storage.require(n_columns, n_samples, n_columns + len(self._further))
        n_bytes = words_per_row(n_samples) * 8
        self._first = self._resized(self._first, n_columns, n_bytes)
        self._further = self._resized(self._further, len(self._further), n_bytes)

    def put(self, digit: int, bits: NDArray[Any], row: int, columns: slice | Columns) -> None:
        """Write one digit of the codes of some columns, of shape (rows, columns), from `row`."""
        self.reserve(row + len(bits))
        packed = _packed_columns(bits)
        at = slice(row // 8, row // 8 + packed.shape[1])
        if digit == 0:
            self._first[columns, at] = packed
        else:
            assert not isinstance(columns, slice)
            rows = self._rows_of(digit, columns)
            self._further[rows, at] = packed
        self.storage.settle(len(packed) * max(PAGE_BYTES, packed.shape[1]))

    def columns(self, digit: int) -> Columns:
        """Return the columns that have a row for this digit, which is not the first."""
        rows = self._rows.get(digit)
        return np.empty(0, np.int64) if rows is None else np.flatnonzero(rows >= 0)

    @property
    def n_words(self) -> int:
        """Number of words in a row."""
        return self._first.shape[1] // 8

    def first_digits(self) -> Words:
        """Return the rows of first digits of all columns, without a copy."""
        return self._first.view("<u8").astype(np.uint64, copy=False)

    def words(self, digit: int, columns: Columns) -> Words:
        """Return one digit of some columns, of shape (columns, words); zero without a row."""
        if digit == 0:
            return self.first_digits()[columns]
        found = np.zeros((len(columns), self._first.shape[1]), np.uint8)
        if digit in self._rows:
            rows = self._rows[digit][columns]
            found[rows >= 0] = self._further[rows[rows >= 0]]
        return found.view("<u8").astype(np.uint64, copy=False)

    def codes(self, column: int, n_values: int, n_samples: int) -> Ints:
        """Return the code of every sample in a column, -1 for missing values."""
        at = np.array([column])
        codes = np.zeros(n_samples, np.int64)
        for digit in range(max(0, n_values - 1).bit_length()):
            codes |= unpacked(self.words(digit, at)[0], n_samples).astype(np.int64) << digit
        codes[unpacked(self.words(MISSING, at)[0], n_samples) == 1] = -1
        return codes

    def recode(self, column: int, new: Ints, n_new: int, n_samples: int) -> None:
        """Replace each code of a column by a new code."""
        self.write(column, np.append(new, -1)[self.codes(column, len(new), n_samples)], n_new)

    def write(self, column: int, codes: Ints, n_values: int) -> None:
        """Replace the codes of a column, -1 for missing values."""
        at, absent = np.array([column]), codes < 0
        if absent.any() or column in self.columns(MISSING):
            self.put(MISSING, absent[:, None], 0, at)
        for digit in range(max(1, (n_values - 1).bit_length())):
            bits = (codes >> digit & ~absent & 1)[:, None]
            self.put(digit, bits, 0, at if digit else slice(column, column + 1))

    def pick(self, columns: Columns) -> None:
        """Keep only some columns."""
        kept = self.storage.zeros(len(columns), self._first.shape[1])
        for block in blocks(range(len(columns)), self.n_words):
            kept[block] = self._first[columns[block]]
            self.storage.settle(2 * kept[block].nbytes)
        self._first = kept
        self._rows = {digit: rows[columns] for digit, rows in self._rows.items()}

    def trim(self, n_samples: int) -> None:
        """Release the space after the last sample."""
        n_bytes = words_per_row(n_samples) * 8
        if self._first.shape[1] != n_bytes:
            self._first = self._resized(self._first, len(self._first), n_bytes)
            self._further = self._resized(self._further, len(self._further), n_bytes)

    def missing_somewhere(self, n_samples: int) -> Bools:
        """Return whether each sample has a missing value, of shape (n_samples,)."""
        anywhere = np.zeros(self._first.shape[1], np.uint8)
        rows = self._rows.get(MISSING, np.empty(0, np.int64))
        for row in rows[rows >= 0]:
            anywhere |= self._further[row]
            self.storage.settle(anywhere.nbytes)
        bits = np.unpackbits(anywhere, count=n_samples, bitorder="little")
        return bits.astype(np.bool_)

    def keep(self, kept: Bools) -> None:
        """Keep only some samples, given by a mask of shape (n_samples,)."""
        n_bytes = words_per_row(int(kept.sum())) * 8
        self._first = self._kept(self._first, kept, n_bytes)
        self._further = self._kept(self._further[: self._n_further], kept, n_bytes)

    def _rows_of(self, digit: int, columns: Columns) -> Columns:
        """Return the rows of some columns, and add the rows that do not exist."""
        n_columns, n_bytes = self._first.shape
        rows = self._rows.setdefault(digit, np.full(n_columns, -1))
        new = columns[rows[columns] < 0]
        rows[new] = np.arange(self._n_further, self._n_further + len(new))
        self._n_further += len(new)
        if self._n_further > len(self._further):  # doubled, because columns are added in small sets
            n_rows = max(self._n_further, 2 * len(self._further))
            self.storage.require(n_columns, n_bytes * 8, n_columns + self._n_further)
            self._further = self._resized(self._further, n_rows, n_bytes)
        return rows[columns]

    def _resized(self, rows: NDArray[np.uint8], n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return the same bits in an array of another size."""
        resized = self.storage.zeros(n_rows, n_bytes)
        width = min(n_bytes, rows.shape[1])
        for block in blocks(range(len(rows)), max(1, width // 8)):
            resized[block, :width] = rows[block, :width]
            self.storage.settle(2 * len(block) * max(PAGE_BYTES, width))
        return resized

    def _kept(self, rows: NDArray[np.uint8], kept: Bools, n_bytes: int) -> NDArray[np.uint8]:
        """Return the bits of some samples."""
        shorter = self.storage.zeros(len(rows), n_bytes)
        for block in blocks(range(len(rows)), len(kept)):
            bits = np.unpackbits(rows[block], axis=1, count=len(kept), bitorder="little")
            packed = np.packbits(bits[:, kept], axis=1, bitorder="little")
            shorter[block, : packed.shape[1]] = packed
            self.storage.settle(2 * len(block) * max(PAGE_BYTES, rows.shape[1]))
        return shorter


def every_sample(n_samples: int) -> Words:
    """Return a row in which the bits of all samples are one and those of the padding are zero."""
    bits = np.zeros(words_per_row(n_samples) * 8, np.uint8)
    bits[: -(-n_samples // 8)] = np.packbits(np.ones(n_samples, np.uint8), bitorder="little")
    return bits.view("<u8").astype(np.uint64, copy=False)


def blocks(columns: Sequence[int] | Columns, n_words: int) -> list[Columns]:
    """Divide columns into blocks whose rows fit in the cache."""
    step = max(1, BLOCK_BYTES // (8 * n_words))
    whole = np.asarray(columns, np.int64)
    return [whole[start : start + step] for start in range(0, len(whole), step)]


def _packed_columns(bits: NDArray[Any]) -> NDArray[np.uint8]:
    """Pack every column of zeros and ones, eight rows to a byte, of shape (columns, bytes).

    Rows that are contiguous are shifted and joined, five times as fast as packing their transpose.
    """
    if not bits.flags.c_contiguous:
        return np.packbits(bits.T, axis=1, bitorder="little")
    found = np.zeros((-(-len(bits) // 8), bits.shape[1]), np.uint8)
    for k in range(min(8, len(bits))):
        rows = bits[k::8].astype(np.uint8, copy=False)
        found[: len(rows)] |= rows << np.uint8(k)
    return found.T


class Coded(NamedTuple):
    """Coded columns: bits, and the values of each column by code."""

    planes: Planes
    n_samples: int
    values: Sequence[tuple[Any, ...]]


class IndicatorTable(NamedTuple):
    """Indicator rows, sorted levels, and masks of missing values (see `Samples`)."""

    words: Words
    levels: Levels
    missing: dict[int, Words]


def tabulate(
    coded: Coded,
    orders: Mapping[int, Sequence[Any]],
    *,
    known: Levels | None = None,
    missing_is_level: bool = False,
    some_left_out: bool = False,
) -> IndicatorTable:
    """Return the indicator rows of all columns.

    Parameters
    ----------
    known : tuple of tuple, optional
        Levels to use, in this order, whether or not they occur. They include all values.
    missing_is_level : bool, default=False
        Whether missing is the last level of columns with missing values, instead of a mask.
    some_left_out : bool, default=False
        Whether samples were left out, so that some values may no longer occur.
    """
    planes, n_samples, values = coded
    absent = _with_missing(planes)
    codes = [list(range(len(v))) for v in values]
    if known is None:
        if some_left_out:
            codes = _occurring(coded, codes)
        codes = _ordered(values, codes, orders)
        shared: dict[str, tuple[Any, ...]] = {}  # by repr, because 0 == False == 0.0
        sorted_values = (tuple([v[c] for c in own]) for v, own in zip(values, codes, strict=True))
        levels = [shared.setdefault(repr(own), own) for own in sorted_values]
        if missing_is_level:
            for j in absent:
                codes[j].append(MISSING)
                levels[j] += (None,)
    else:
        levels = list(known)
        for j, (own, shown) in enumerate(zip(known, values, strict=True)):
            code_of = dict(zip(shown, codes[j], strict=True)) | {None: MISSING}
            codes[j] = [code_of.get(level, ABSENT) for level in own]
    if all(own in ONE_DIGIT for own in codes) and not len(absent):
        words = _flip(planes, n_samples, codes)
    else:
        words = _indicators(coded, codes)
    masks = {} if missing_is_level else {
        int(j): planes.words(MISSING, absent[k : k + 1])[0] for k, j in enumerate(absent)
    }  # fmt: skip
    return IndicatorTable(words, tuple(levels), masks)


def _with_missing(planes: Planes) -> Columns:
    """Return the columns with missing values."""
    noted = blocks(planes.columns(MISSING), planes.n_words)
    found = [block[planes.words(MISSING, block).any(axis=1)] for block in noted]
    return np.concatenate([np.empty(0, np.int64), *found])


def _ordered(
    values: Sequence[tuple[Any, ...]],
    codes: Sequence[list[int]],
    orders: Mapping[int, Sequence[Any]],
) -> list[list[int]]:
    """Return the codes of each column in the order of their values."""
    known: dict[tuple[Any, ...], list[int]] = {}  # many columns share their values
    found = []
    for j, (own, at) in enumerate(zip(values, codes, strict=True)):
        shown = own if len(own) == len(at) else tuple([own[c] for c in at])
        if j in orders:
            order = in_order(shown, orders[j])
        else:
            order = known.get(shown) or known.setdefault(shown, in_order(shown))
        found.append([at[k] for k in order])
    return found


def _flip(planes: Planes, n_samples: int, codes: Sequence[Sequence[int]]) -> Words:
    """Complement, in place, the rows of columns whose first value is the higher of two."""
    flipped = np.array([own[0] != 0 for own in codes])
    words, every = planes.first_digits(), every_sample(n_samples)
    for block in blocks(np.flatnonzero(flipped), len(every)):
        words[block] ^= every
        planes.storage.settle(len(block) * every.nbytes)
    return words


def _indicators(coded: Coded, codes: Sequence[Sequence[int]]) -> Words:
    """Return the rows of all levels except the first."""
    planes, n_samples, values = coded
    every = every_sample(n_samples)
    n_rows = np.array([max(1, len(own) - 1) for own in codes])
    starts = np.concatenate([[0], np.cumsum(n_rows)])
    planes.storage.require(len(codes), n_samples, int(starts[-1]))
    words = planes.storage.zeros(int(starts[-1]), every.nbytes).view(np.uint64)
    n_levels = np.array([len(own) for own in codes])
    n_digits = np.array([max(0, len(v) - 1).bit_length() for v in values])
    for several, digits in np.unique([n_levels, n_digits], axis=1).T:
        same_shape = np.flatnonzero((n_levels == several) & (n_digits == digits))
        for columns in blocks(same_shape, len(every)):
            present = every & ~planes.words(MISSING, columns)
            for k in range(1, several):
                wanted = np.array([codes[j][k] for j in columns])
                rows = _where(planes, columns, wanted, digits, present)
                words[starts[columns] + k - 1] = rows
                planes.storage.settle(rows.nbytes * (int(digits) + 2))
    return words


def _where(planes: Planes, columns: Columns, wanted: Columns, digits: int, present: Words) -> Words:
    """Return where each column has its wanted code, of shape (columns, words)."""
    found = present.copy()
    for digit in range(digits):
        zero = (wanted >> digit & 1) == 0
        found &= planes.words(digit, columns) ^ (zero * ALL_BITS)[:, None]
    if (wanted == MISSING).any():
        at = wanted == MISSING
        found[at] = planes.words(MISSING, columns[at])
    found[wanted == ABSENT] = 0
    return found


def _occurring(coded: Coded, codes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the codes that occur in each column."""
    planes, every = coded.planes, every_sample(coded.n_samples)
    found: list[list[int]] = [[] for _ in codes]
    n_codes = np.array([len(own) for own in codes])
    for several in np.unique(n_codes):
        digits = int(max(0, several - 1)).bit_length()
        for columns in blocks(np.flatnonzero(n_codes == several), len(every)):
            present = every & ~planes.words(MISSING, columns)
            for code in range(several):
                rows = _where(planes, columns, np.full(len(columns), code), digits, present)
                for j in columns[rows.any(axis=1)]:
                    found[j].append(code)
                planes.storage.settle(rows.nbytes * (digits + 1))
    return found
