"""Turn codes into indicator rows: sort the levels of each column, one row per level but the first.

Codes are in order of appearance. The row of a level has a one where all digits of the code are
those of the level's code; for two levels this is the only digit or its complement. Many columns are
processed at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Words
from markhood.data.coding.coders import Levels, in_order
from markhood.data.coding.planes import MISSING, Columns, Planes, blocks, every_sample

ABSENT = -2  # code of a level that does not occur
ONE_DIGIT = ([0], [0, 1], [1, 0], [0, ABSENT], [ABSENT, 0])  # codes of one or two levels
ALL_BITS = np.uint64(2**64 - 1)


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
