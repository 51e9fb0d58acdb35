"""Cut numeric columns into equal-frequency bins: ordered levels that are named by their interval.

Coders give every distinct number a code; when a column is complete, its codes are replaced by those
of the bins. So every source of data is read and cut in one pass. Equal numbers are always in the
same bin. A bin is named by its interval, `[18, 25)`, the last one `[60, 77]`; a boundary is the
shortest decimal number between two neighbouring values. New numbers are assigned to bins by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.coding.names import covariates_among
from markhood.errors import InputError, option

if TYPE_CHECKING:
    from markhood.data.reading import Reading

AUTO = "auto"
MOST_STEPS = 12  # distinct numbers of a column that is not cut unless it is named
SAMPLES_PER_BIN = 50  # at least, for an automatic number of bins,
FEWEST, MOST = 3, 7  # which is in this range
DIGITS_OF_ENDS = 3  # at least, of the lowest and the highest value

Bins = int | str | Mapping[str, int | str]

_INTERVAL = re.compile(r"(?a)\[(-?[\d.]+(?:e[+-]?\d+)?), (-?[\d.]+(?:e[+-]?\d+)?)[)\]]")


def checked_bins(bins: Any) -> Bins | None:
    """Check the option `bins`.

    Examples
    --------
    >>> checked_bins(4), checked_bins({"age": 5})
    (4, {'age': 5})
    >>> checked_bins(1)
    Traceback (most recent call last):
    markhood.errors.InputError: bins must be a whole number from 2 up, or auto, not 1.
    """
    if bins is None:
        return None
    chosen = dict(bins) if isinstance(bins, Mapping) else bins
    for number in chosen.values() if isinstance(chosen, dict) else [chosen]:
        is_count = (
            isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 2
        )
        if not is_count and not (isinstance(number, str) and number == AUTO):
            raise InputError(
                "option-value",
                "bins",
                f"{option('bins')} must be a whole number from 2 up, or auto, not {number!r}.",
            )
    return chosen


def columns_to_cut(
    bins: Bins,
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    declared: Collection[int] = (),
) -> dict[int, int | str]:
    """Return the columns to cut, each with its number of bins.

    Named columns are cut if they have more values than bins. Without names, columns with more than
    12 distinct numbers are cut, except declared categories.
    """
    if not isinstance(bins, Mapping):
        return {
            j: bins
            for j, own in enumerate(values)
            if j not in declared
            and len(own) > max(MOST_STEPS, bins if isinstance(bins, int) else 0)
            and are_numbers(own)
        }
    for name in bins:
        if name not in names:
            raise InputError(
                "unknown-column",
                name,
                f"{option('bins')} names the column {name!r}, which does not exist: check the "
                "spelling.",
            )
        if not are_numbers(values[names.index(name)]):
            raise InputError(
                "binned-columns",
                name,
                f"Column {name!r} has values that are not numbers and cannot be cut into bins: "
                f"leave it out of {option('bins')}.",
            )
    wanted = {names.index(name): number for name, number in bins.items()}
    return {
        j: number
        for j, number in wanted.items()
        if len(values[j]) > (number if isinstance(number, int) else FEWEST)
    }


def columns_of_reals(
    reading: Reading,
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    declared: Collection[int] = (),
) -> list[int]:
    """Return the covariates to use as numbers: over 12 distinct ones, no bins or kind requested.

    When new data are matched to known variables, they are the other columns.
    """
    if reading.known is not None:
        return [j for j, name in enumerate(names) if name not in reading.known.names]
    kinds = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    to_cut = {} if reading.bins is None else columns_to_cut(reading.bins, names, values, declared)
    return [
        j
        for j in covariates_among(names, reading.adjust_for)
        if j not in declared
        and j not in to_cut
        and kinds.get(names[j], AUTO) == AUTO
        and len(values[j]) > MOST_STEPS
        and are_numbers(values[j])
    ]


def cut(
    values: Sequence[float], counts: NDArray[np.float64], number: int | str
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the bin of each value, and the names of the bins.

    ``counts`` has the total weight of the samples with each value.

    Examples
    --------
    >>> cut([1, 5, 2, 9], np.array([2.0, 2.0, 2.0, 2.0]), 2)
    (array([0, 1, 0, 1]), ('[1, 5)', '[5, 9]'))
    """
    occurring = np.flatnonzero(counts)
    numbers = np.array([float(value) for value in values])
    order = occurring[np.argsort(numbers[occurring])]
    below = np.concatenate([[0], np.cumsum(counts[order])])  # samples below each value, in order
    n_bins = _number_of(int(below[-1])) if isinstance(number, str) else int(number)
    targets = below[-1] * np.arange(1, n_bins) / n_bins
    # The boundary between two values that is nearest to each quantile.
    nearest = np.abs(below[1:-1, None] - targets).argmin(axis=0) + 1 if len(order) > 1 else []
    firsts = [0, *sorted({int(k) for k in nearest})]
    sizes = numbers[order]
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
    """
    found = [_INTERVAL.fullmatch(level) if isinstance(level, str) else None for level in levels]
    intervals = [match for match in found if match]
    if len(intervals) < len(levels) - sum(v in (None, NOT_APPLICABLE) for v in levels):
        return None
    if not intervals:
        return None
    cuts = np.array([float(match[1]) for match in intervals[1:]])
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
    found = [_INTERVAL.fullmatch(level) if isinstance(level, str) else None for level in levels]
    if None in found:
        return None
    return f"{str(levels[0]).partition(',')[0]},{str(levels[-1]).partition(',')[2]}"


def _number_of(n_samples: int) -> int:
    return min(MOST, max(FEWEST, n_samples // SAMPLES_PER_BIN))


def are_numbers(values: Sequence[Any]) -> bool:
    """Return whether all values are numbers and not booleans."""
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


def _round(value: float, above: float | None = None, *, upwards: bool = False) -> float:
    """Return the shortest decimal that does not exceed a value and is above another one, if any."""
    for digits in range(1 if above is not None else DIGITS_OF_ENDS, 17):
        shorter = float(f"{value:.{digits}g}")
        if (
            (shorter >= value)
            if upwards
            else (shorter <= value and (above is None or shorter > above))
        ):
            return shorter
    return float(value)


def _text(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)
