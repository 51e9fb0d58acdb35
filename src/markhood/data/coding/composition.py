"""Counts that are parts of a whole, such as sequencing reads: centred log-ratios and depth.

The total of a row depends on the instrument. The depth of a row is estimated from all parts that
are present: the mean difference between the logarithm of a count and the mean logarithm of that
part over all rows in which it is present. A part is then measured by its centred log-ratio, the
logarithm of the count minus the depth. Subtracting the mean of each part first matters: deeper rows
contain more rare parts, which lower the plain mean of the logarithms.

Zeros have no logarithm: they are the first level of every part, and the ratios are cut into the
other levels. The depth still decides which rare parts are zero, so it is a covariate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from markhood.arrays import Floats
from markhood.data.coding.bins import (
    ABSENT,
    AUTO,
    MOST_STEPS,
    PRESENT,
    are_numbers,
    columns_to_cut,
    cut_positive,
)
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.names import covariates_among
from markhood.data.kinds import Category
from markhood.data.reading import DEPTH
from markhood.data.samples import RealColumn
from markhood.errors import InputError, listed, option, option_error

FEWEST_ROWS = 20  # to estimate the mean of each part


def columns_of_reals(table: CodedTable) -> list[int]:
    """Return the covariates to use as numbers: over 12 distinct ones, no bins or kind requested.

    When new data are matched to known variables, they are the other columns.
    """
    reading, names = table.reading, table.names
    if reading.known is not None:
        return [j for j, name in enumerate(names) if name not in reading.known.names]
    kinds = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    to_cut = {}
    if reading.bins not in (None, AUTO):
        to_cut = columns_to_cut(reading.bins, names, table.values, table.categories, None)
    return [
        j
        for j in covariates_among(names, reading.adjust_for)
        if j not in table.categories
        and j not in to_cut
        and kinds.get(names[j], AUTO) == AUTO
        and len(table.values[j]) > MOST_STEPS
        and are_numbers(table.values[j])
    ]


def take_numbers(table: CodedTable) -> None:
    """Move the covariates that stay numbers to `reals`; their columns become constant."""
    found = {}
    for j in columns_of_reals(table):
        name, codes = table.names[j], table.codes(j)
        if not are_numbers(table.values[j]):
            raise InputError(
                "covariates",
                name,
                f"The covariate {name!r} has values that are not numbers, but was numeric in the "
                "data of the graph: pass numbers.",
            )
        if (codes < 0).any():
            raise InputError(
                "covariates",
                name,
                f"The numeric covariate {name!r} has missing values, which cannot be imputed or "
                f"treated as a level: choose {option('missing', 'drop')}, or cut it into bins with "
                f"{option('bins')}.",
            )
        found[name] = RealColumn.of(np.array(table.values[j], np.float64)[codes])
        table.clear(j)
    if found and table.known is None:
        many, columns = len(found) > 1, listed([repr(name) for name in found])
        table.log.add_note(
            "covariates",
            next(iter(found)),
            f"{len(found)} covariate{'s are' if many else ' is'} used as numbers: {columns} "
            f"(cut into levels with {option('bins')}).",
        )
    table.reals = found | table.reals


def compose(table: CodedTable) -> None:
    """Replace the counts of parts by levels of their log-ratios, and add the depth to `reals`."""
    reading, known = table.reading, table.known
    if not reading.compositional:
        return
    columns = enumerate(table.values)
    parts = [j for j, own in columns if j not in table.categories and is_part(own)]
    if known is not None:
        parts = [j for j, own in enumerate(known) if own[0] == ABSENT]
    if not parts:
        raise option_error(
            "compositional",
            "needs columns of counts with zeros, but there are none: leave it out.",
            "option-conflict",
        )
    if table.n_rows < FEWEST_ROWS:
        raise option_error(
            "compositional",
            f"compares rows with each other, and {table.n_rows} are too few: pass {FEWEST_ROWS} or "
            "more.",
            "not-supported",
        )
    counts = np.column_stack([np.append(table.values[j], np.nan)[table.codes(j)] for j in parts])
    all_ratios, depths = log_ratios(counts.astype(np.float64))
    for j, own, ratios in zip(parts, counts.T, all_ratios.T, strict=True):
        is_present = own > 0
        numbers, codes = np.unique(ratios[is_present], return_inverse=True)
        labels: tuple[Any, ...] = tuple(numbers.tolist())
        if known is None and len(table.values[j]) > 2:
            sizes = np.bincount(codes, table.row_weights[is_present]).astype(np.float64)
            number = reading.bins if isinstance(reading.bins, (int, str)) else AUTO
            bins, labels = cut_positive(numbers, sizes, number, table.n_rows)
            codes = bins[codes]
        elif known is None:
            labels, codes = (PRESENT,), np.zeros(len(codes), np.int64)
        new = np.zeros(table.n_rows, np.int64)
        new[is_present] = codes + 1
        new[np.isnan(own)] = -1
        table.write(j, new, (ABSENT, *labels))
        if known is None:
            table.categories[j] = Category((ABSENT, *labels), True)
    table.reals[DEPTH] = RealColumn.of(depths)
    if known is None:
        table.log.add_note(
            "compositional",
            table.names[parts[0]],
            f"{len(parts)} columns are parts of a whole: centred log-ratios were cut into bins "
            f"with zero as the first level, and edges are adjusted for {DEPTH}.",
        )


def is_part(values: tuple[Any, ...]) -> bool:
    """Return whether the numbers of a column can be counts of a part."""
    return len(values) > 1 and are_numbers(values) and min(values) == 0


def log_ratios(counts: Floats) -> tuple[Floats, Floats]:
    """Return centred log-ratios and depths of counts of shape (n_samples, n_parts).

    Ratios of zeros and of missing counts are NaN.

    Examples
    --------
    >>> ratios, depths = log_ratios(np.array([[0.0, 10, 1000], [5, 1, 100]]))
    >>> ratios.round(1).tolist()
    [[nan, 1.2, 5.8], [2.4, 0.8, 5.4]]
    >>> (depths[0] - depths[1]).round(1)
    np.float64(1.9)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, np.log(counts), np.nan)
    deviations = logs - _means(logs, axis=0)
    depths = _means(deviations, axis=1)
    return logs - depths[:, np.newaxis], depths


def _means(numbers: Floats, axis: int) -> Floats:
    """Return the mean of the numbers that are not NaN, 0 without any."""
    n_known = np.maximum(1, (~np.isnan(numbers)).sum(axis=axis))
    return np.asarray(np.nansum(numbers, axis=axis) / n_known)
