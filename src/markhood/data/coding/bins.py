"""Cut numeric columns into equal-frequency bins: ordered levels that are named by their interval.

Coders give every distinct number a code; when a column is complete, its codes are replaced by those
of the bins. So every source of data is read and cut in one pass. Equal numbers are always in the
same bin. A bin is named by its interval, `[18, 25)`, the last one `[60, 77]`; a boundary is the
shortest decimal number between two neighbouring values. New numbers are assigned to bins by name.

**Counts**: whole numbers from 0 up with many zeros. Zero is the first level, and the others are
bins of the positive numbers: nothing and little differ in kind.

**Number of bins**: 12 where there are 5 samples or more per bin. An ordered variable has one
coupling per edge however many bins it has, so fine bins lose less than they cost
(``benchmarks/number_of_bins.py``). Columns of up to 12 numbers are not cut, so that there is no
jump between 12 and 13 numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.kinds import Category
from markhood.errors import InputError, listed, option, option_error

if TYPE_CHECKING:
    from markhood.data.coding.coded_table import CodedTable

AUTO, PRESENCE = "auto", "presence"
MOST_STEPS = 12  # distinct numbers of a column that is not cut unless it is named
SAMPLES_PER_BIN = 5  # at least, for an automatic number of bins,
FEWEST, MOST = 3, 12  # which is in this range
ABSENT, PRESENT = "absent", "present"
DIGITS_OF_ENDS = 3  # at least, of the lowest and the highest value

Bins = int | str | Mapping[str, int | str]

INTERVAL = re.compile(r"(?a)\[(-?[\d.]+(?:e[+-]?\d+)?), (-?[\d.]+(?:e[+-]?\d+)?)[)\]]")


def checked_bins(bins: Any) -> Bins | None:
    """Check the option `bins`.

    Examples
    --------
    >>> checked_bins(4), checked_bins({"age": 5})
    (4, {'age': 5})
    >>> checked_bins(1)
    Traceback (most recent call last):
    markhood.errors.InputError: bins must be a whole number from 2 up, auto or presence, not 1.
    """
    if bins is None:
        return None
    chosen = dict(bins) if isinstance(bins, Mapping) else bins
    for number in chosen.values() if isinstance(chosen, dict) else [chosen]:
        is_count = (
            isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 2
        )
        if not is_count and not (isinstance(number, str) and number in (AUTO, PRESENCE)):
            raise option_error(
                "bins", f"must be a whole number from 2 up, auto or presence, not {number!r}."
            )
    return chosen


def columns_to_cut(
    bins: Bins | None,
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    declared: Collection[int] = (),
    others: int | str | None = AUTO,
) -> dict[int, int | str]:
    """Return the columns to cut, each with its number of bins.

    Named columns are cut if they have more values than bins, and the `others` as if no column was
    named. Without names, columns with more than 12 distinct numbers are cut, except declared
    categories. For presence, columns of non-negative numbers with zeros are cut.
    """
    named = bins if isinstance(bins, Mapping) else {}
    number = others if isinstance(bins, Mapping) else bins
    found: dict[int, int | str] = {}
    if number is not None:
        fewest = max(MOST_STEPS, number if isinstance(number, int) else 0)
        found = {
            j: number
            for j, own in enumerate(values)
            if j not in declared
            and (_have_zeros(own) if number == PRESENCE else len(own) > fewest)
            and are_numbers(own)
        }
    for name, wanted in named.items():
        if name not in names:
            raise InputError(
                "unknown-column",
                name,
                f"{option('bins')} names the column {name!r}, which does not exist: check the "
                "spelling.",
            )
        j = names.index(name)
        if not are_numbers(values[j]):
            raise InputError(
                "binned-columns",
                name,
                f"Column {name!r} has values that are not numbers and cannot be cut into bins: "
                + (
                    f"it was cut before, so pass {option('bins')} when it is read first."
                    if bin_like((), values[j]) is not None
                    else f"leave it out of {option('bins')}."
                ),
            )
        found.pop(j, None)
        if len(values[j]) > (
            wanted if isinstance(wanted, int) else 2 if wanted == PRESENCE else FEWEST
        ):
            found[j] = wanted
    return found


def _have_zeros(values: Sequence[Any]) -> bool:
    return len(values) > 2 and are_numbers(values) and min(values) == 0


def is_count(values: Sequence[Any], counts: Floats, n_bins: int = MOST) -> bool:
    """Return whether numbers are counts in which zeros fill half a bin or more.

    Examples
    --------
    >>> is_count([0, 1, 2], np.array([5, 3, 1])), is_count([0, 1, 2], np.array([1, 50, 50]))
    (True, False)
    """
    if not are_numbers(values) or 0 not in values or min(values) < 0:
        return False
    if not all(value == int(value) for value in values):
        return False
    return bool(counts[values.index(0)] * 2 * n_bins >= counts.sum())


def cut_columns(table: CodedTable) -> None:
    """Cut the numeric columns of a table into bins, and record it."""
    if table.known is not None:
        return
    found = {}
    to_cut = columns_to_cut(table.reading.bins, table.names, table.values, table.categories)
    for j, number in to_cut.items():
        codes, values = table.codes(j), table.values[j]
        seen = codes >= 0
        weights = np.bincount(codes[seen], table.row_weights[seen], len(values))
        if weights.any():
            bins, labels = cut(values, weights.astype(np.float64), number)
            table.recode(j, bins, labels)
            table.categories[j] = Category(labels, True)
            found[table.names[j]] = labels
    if not found:
        return
    many = len(found) > 1
    columns = [f"{name!r} ({len(own)} bins)" for name, own in found.items()]
    table.log.add_note(
        "binned-columns",
        next(iter(found)),
        f"{len(found)} numeric column{'s were' if many else ' was'} cut into equal-frequency bins: "
        f"{listed(columns)} ({option('bins')} sets the number).",
    )
    if counts := [name for name, own in found.items() if own[0] == 0]:
        table.log.add_note(
            "binned-columns",
            counts[0],
            f"Zero is the first level of {listed(list(map(repr, counts)))} "
            f"({option('bins', 'presence')} for absent and present).",
        )


def cut(values: Sequence[float], counts: Floats, number: int | str) -> tuple[Ints, tuple[Any, ...]]:
    """Return the bin of each value, and the names of the bins.

    ``counts`` has the total weight of the samples with each value.

    Examples
    --------
    >>> cut([1, 5, 2, 9], np.array([2.0, 2.0, 2.0, 2.0]), 2)
    (array([0, 1, 0, 1]), ('[1, 5)', '[5, 9]'))
    >>> cut([0, 5, 2, 9], np.array([9.0, 2.0, 2.0, 2.0]), 3)
    (array([0, 2, 1, 2]), (0, '[2, 5)', '[5, 9]'))
    """
    numbers = np.array([float(value) for value in values])
    if number == PRESENCE:
        return (numbers > 0).astype(np.int64), (ABSENT, PRESENT)
    n_bins = _number_of(int(counts.sum())) if isinstance(number, str) else int(number)
    if not is_count(values, counts, n_bins):
        return _cut(numbers, counts, n_bins)
    positive = np.where(numbers > 0, counts, 0.0)
    if not positive.any():
        return np.zeros(len(numbers), np.int64), (0,)
    bins, labels = _cut(numbers, positive, max(1, n_bins - 1))
    return np.where(numbers > 0, bins + 1, 0), (0, *labels)


def cut_positive(
    numbers: Floats, counts: Floats, number: int | str, n_samples: int
) -> tuple[Ints, tuple[str, ...]]:
    """Cut the numbers of samples that are not zero, where zero is a level of its own."""
    n_bins = _number_of(n_samples) if isinstance(number, str) else int(number)
    return _cut(numbers, counts, max(1, n_bins - 1))


def _cut(numbers: Floats, counts: Floats, n_bins: int) -> tuple[Ints, tuple[str, ...]]:
    occurring = np.flatnonzero(counts)
    order = occurring[np.argsort(numbers[occurring])]
    below = np.concatenate([[0], np.cumsum(counts[order])])  # samples below each value, in order
    targets = below[-1] * np.arange(1, n_bins) / n_bins
    # The boundary between two values that is nearest to each quantile.
    nearest = np.abs(below[1:-1, None] - targets).argmin(axis=0) + 1 if len(order) > 1 else []
    sizes = numbers[order]  # which may be equal, being floats: 2**61 and 2**61 + 1
    firsts = [0, *sorted({int(k) for k in nearest if sizes[k] > sizes[k - 1]})]
    cuts = [_round(sizes[k], sizes[k - 1]) for k in firsts[1:]]
    ends = [_round(sizes[0]), *cuts, _round(sizes[-1], upwards=True)]
    labels = [f"[{_text(low)}, {_text(high)})" for low, high in pairwise(ends)]
    labels[-1] = labels[-1][:-1] + "]"
    return np.searchsorted(cuts, numbers, side="right"), tuple(labels)


def bin_like(values: Sequence[Any], levels: Sequence[Any]) -> list[Any] | None:
    """Return the bins of new numbers, None if the levels are not bins.

    Numbers below all bins are in the first bin, numbers above in the last.

    Examples
    --------
    >>> bin_like([3, None, 70], ("[1, 5)", "[5, 9]"))
    ['[1, 5)', None, '[5, 9]']
    >>> bin_like([0, 3], (0, "[1, 5)", "[5, 9]")), bin_like([2], ("absent", "present"))
    ([0, '[1, 5)'], ['present'])
    """
    if tuple(level for level in levels if level is not None) == (ABSENT, PRESENT):
        return [
            levels[int(float(value) > 0)] if isinstance(value, Real) and value == value else value  # noqa: PLR0124
            for value in values
        ]
    has_zero = bool(levels) and isinstance(levels[0], Real) and levels[0] == 0
    if len(levels) > 1 and levels[0] == ABSENT:
        binned = bin_like(values, levels[1:])
        return binned and [
            ABSENT if v == ABSENT else b for v, b in zip(values, binned, strict=True)
        ]
    found = [INTERVAL.fullmatch(level) if isinstance(level, str) else None for level in levels]
    intervals = [match for match in found if match]
    others = sum(level in (None, NOT_APPLICABLE) for level in levels)
    if len(intervals) < len(levels) - others - has_zero or not intervals:
        return None
    cuts = np.array([float(match[1]) for match in intervals[1:]])
    if has_zero:
        cuts = np.concatenate([[np.nextafter(0, 1)], cuts])
    return [
        levels[int(np.searchsorted(cuts, float(value), side="right"))]
        if isinstance(value, Real) and value == value  # noqa: PLR0124  (NaN is not)
        else value
        for value in values
    ]


def joined_bin(levels: Sequence[Any]) -> str | None:
    """Name the union of neighbouring bins, None if the levels are not bins.

    Examples
    --------
    >>> joined_bin(["[1, 5)", "[5, 9]"])
    '[1, 9]'
    """
    has_zero = isinstance(levels[0], Real) and levels[0] == 0
    found = [INTERVAL.fullmatch(x) if isinstance(x, str) else None for x in levels[has_zero:]]
    if None in found or not found:
        return None
    low = "[0" if has_zero else str(levels[0]).partition(",")[0]
    return f"{low},{str(levels[-1]).partition(',')[2]}"


def _number_of(n_samples: int) -> int:
    return min(MOST, max(FEWEST, n_samples // SAMPLES_PER_BIN))


def are_numbers(values: Sequence[Any]) -> bool:
    """Return whether all values are numbers and not booleans."""
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


def _round(value: float, above: float | None = None, *, upwards: bool = False) -> float:
    """Return the shortest decimal that does not exceed a value and is above another one, if any."""
    for digits in range(1 if above is not None else DIGITS_OF_ENDS, 17):
        shorter = float(f"{value:.{digits}g}")  # infinite just below the largest number
        is_beyond = shorter >= value if upwards else shorter <= value
        if is_beyond and math.isfinite(shorter) and (above is None or shorter > above):
            return shorter
    return float(value)


def _text(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)
