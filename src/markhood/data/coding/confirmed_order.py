"""Check whether other columns confirm the order of numbers that may be codes of categories.

Codes of regions have an arbitrary order; a scale does not, whatever its name: along the steps of
party identification, attitudes change steadily. For every other column y, the sum of squares of y
between the numbers is divided into the part of a straight line over the steps and the rest. If the
codes were in random order, the line would have one (k - 1)-th of the sum. The order is confirmed if
it has `SHARE` of the sum over all columns that differ between the numbers. With fewer than five
numbers that share occurs by chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import are_numbers
from markhood.data.coding.coded_table import CodedTable

FEWEST = 5  # numbers
SHARE = 0.8
LARGE = 3.0  # standard errors by which a sum of squares exceeds its expectation
MOST_ROWS, MOST_COLUMNS = 5000, 50


def is_order_confirmed(table: CodedTable, column: int) -> bool:
    """Return whether the numbers of a column are steps, by the other columns."""
    n_steps = len(table.values[column])
    if n_steps < FEWEST:
        return False
    steps = _ranks(table, column)
    straight = total = 0.0
    others = [j for j in range(len(table.names)) if j != column and _is_ordered(table, j)]
    for j in others[:MOST_COLUMNS]:
        scores = _ranks(table, j)
        seen = ~np.isnan(steps) & ~np.isnan(scores)
        x, y = steps[seen].astype(np.int64), scores[seen] - scores[seen].mean()
        sizes = np.bincount(x, minlength=n_steps)
        if not y.any() or np.count_nonzero(sizes) < FEWEST:
            continue
        between = (np.bincount(x, y, n_steps) ** 2 / np.maximum(sizes, 1)).sum() / y.var()
        if between > n_steps - 1 + LARGE * np.sqrt(2 * (n_steps - 1)):
            total += between
            straight += (x @ y) ** 2 / (len(x) * x.var() * y.var())
    return straight > SHARE * total > 0


def _is_ordered(table: CodedTable, column: int) -> bool:
    entry, values = table.entries[column], table.values[column]
    return entry.role != "skip" and (len(values) == 2 or (are_numbers(values) and len(values) > 1))


def _ranks(table: CodedTable, column: int) -> NDArray[np.float64]:
    """Return the rank of each value among the distinct ones, NaN for missing values."""
    values, codes = table.values[column], table.codes(column)[:MOST_ROWS]
    ranks = np.arange(len(values), dtype=np.float64)
    if are_numbers(values):
        ranks = np.argsort(np.argsort(values)).astype(np.float64)
    return np.append(ranks, np.nan)[codes]
