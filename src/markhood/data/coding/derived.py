"""Find columns that describe other columns: age groups, totals, and numbers of equal rows.

**Groups**: a column with a related name, such as `ageGroup` or `agecat` next to `age`, whose levels
are intervals of the numbers: along the sorted numbers every level is one run.

**Totals**: a column that equals the sum of two or more others, or a multiple of it such as their
mean, in all complete rows. A least-squares fit on all other numeric columns finds the summands.

A graph of both a column and its groups or total would show arithmetic, so these are left out.

Check whether other columns confirm the order of numbers that may be codes of categories. Codes of
regions have an arbitrary order; a scale does not, whatever its name: along the steps of party
identification, attitudes change steadily. For every other column y, the sum of squares of y between
the numbers is divided into the part of a straight line over the steps and the rest. If the codes
were in random order, the line would have one (k - 1)-th of the sum. The order is confirmed if it
has `SHARE` of the sum over all columns that differ between the numbers. With fewer than five
numbers that share occurs by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.bins import are_numbers
from markhood.data.coding.coded_table import CodedTable
from markhood.data.lexicon import words_of
from markhood.data.weights import COUNT_NAMES, COVERED
from markhood.errors import listed

MOST_ROWS, MOST_COLUMNS = 2000, 200  # of the least-squares fit
FEWEST_ROWS = 20
FEWEST_CELLS = 8  # rows of a table of counts
TOLERANCE = 1e-6
EQUAL = 1e-3  # relative difference of equal coefficients
LETTERS = 3  # of a name within another name, at least

Codes = Callable[[int], Ints]
FEWEST = 5  # numbers
SHARE = 0.8
LARGE = 3.0  # standard errors by which a sum of squares exceeds its expectation


def derived_columns(table: CodedTable) -> dict[int, str]:
    """Return the columns that were computed from others, each with the reason."""
    entries, values, codes = table.entries, table.values, table.codes
    nodes = [j for j, entry in enumerate(entries) if entry.role == "node"]
    numeric = [j for j in nodes if len(values[j]) > 1 and are_numbers(values[j])]
    sources = [j for j in numeric if entries[j].kind in ("measurement", "count")]
    if not sources:
        return {}
    found = {}
    for j in nodes:
        if entries[j].kind not in ("nominal", "ordinal"):
            continue
        for source in sources:
            if _are_related(entries[source].column, entries[j].column) and _are_groups(
                codes(j), np.array(values[source], np.float64), codes(source)
            ):
                found[j] = f"groups of {entries[source].column!r}"
                break
    totals = _totals([j for j in numeric if j not in found], sources, values, codes)
    for j, parts in totals.items():
        found[j] = f"the total of {listed([repr(entries[k].column) for k in parts], 3)}"
    return found


def column_of_counts(table: CodedTable) -> int | None:
    """Return the column that counts equal rows, if the table lists combinations of levels once.

    The rows without it are different, and a tenth or more of all that are possible.
    """
    nodes = [j for j, entry in enumerate(table.entries) if entry.role == "node"]
    counts = [j for j in nodes if table.names[j].lower() in COUNT_NAMES]
    others = [j for j in nodes if j not in counts]
    are_levels = all(table.entries[j].kind in ("binary", "nominal", "ordinal") for j in others)
    if len(counts) != 1 or len(others) < 2 or table.n_rows < FEWEST_CELLS or not are_levels:
        return None
    values = table.values[counts[0]]
    if not are_numbers(values) or min(values) < 0 or not all(v == int(v) for v in values):
        return None
    possible = math.prod(len(table.values[j]) for j in others)
    if table.names[counts[0]] in table.n_missing or table.n_rows < COVERED * possible:
        return None
    rows = np.column_stack([table.codes(j) for j in others])
    return counts[0] if len(np.unique(rows, axis=0)) == table.n_rows else None


def _are_related(name: str, other: str) -> bool:
    """Return whether a name contains another one, or begins with the same word."""
    short, long = name.lower(), other.lower()
    first, second = words_of(name), words_of(other)
    is_within = len(short) >= LETTERS and short in long
    return is_within or bool(first and second and first[0] == second[0] and len(first[0]) > 2)


def _are_groups(groups: Ints, numbers: Floats, codes: Ints) -> bool:
    """Return whether every group is one run along the sorted numbers."""
    seen = (groups >= 0) & (codes >= 0)
    if seen.sum() < FEWEST_ROWS:
        return False
    order = np.lexsort((groups[seen], numbers[codes[seen]]))
    sorted_groups, sorted_codes = groups[seen][order], codes[seen][order]
    changes = sorted_groups[1:] != sorted_groups[:-1]
    is_tie = sorted_codes[1:] == sorted_codes[:-1]
    n_groups = len(np.unique(sorted_groups))
    return bool(n_groups > 1 and changes.sum() == n_groups - 1 and not (changes & is_tie).any())


def _totals(
    numeric: Sequence[int],
    sources: Sequence[int],
    values: Sequence[tuple[Any, ...]],
    codes: Codes,
) -> dict[int, list[int]]:
    """Return the columns that are multiples of a sum of others, with the summands."""
    if not 3 <= len(numeric) <= MOST_COLUMNS:
        return {}
    table = np.column_stack([_numbers(values[j], codes(j)[:MOST_ROWS]) for j in numeric])
    table = table[~np.isnan(table).any(axis=1)]
    scale = np.abs(table).max(axis=0, initial=0)
    if len(table) < len(numeric) + FEWEST_ROWS or (scale == 0).any():
        return {}
    table = table / scale
    if np.linalg.matrix_rank(table, tol=TOLERANCE * np.sqrt(table.size)) == len(numeric):
        return {}
    found: dict[int, list[int]] = {}
    basis: list[int] = []
    for k in sorted(range(len(numeric)), key=lambda k: numeric[k] in sources):
        if not basis:
            basis.append(k)
            continue
        fitted, *_ = np.linalg.lstsq(table[:, basis], table[:, k], rcond=None)
        if np.abs(table[:, basis] @ fitted - table[:, k]).max() > TOLERANCE:
            basis.append(k)
            continue
        used = np.abs(fitted) > TOLERANCE
        members = [*np.array(basis)[used].tolist(), k]
        relation = np.append(fitted[used], -1.0) / scale[members]
        total = _total_of(relation)
        if total is not None and numeric[members[total]] in sources:
            parts = [numeric[i] for at, i in enumerate(members) if at != total]
            found[numeric[members[total]]] = sorted(parts)
    return found


def _total_of(relation: Floats) -> int | None:
    """Return the term of a linear relation that is a multiple of the sum of all others."""
    for sign in (1, -1):
        alone = np.flatnonzero(sign * relation > 0)
        others = relation[sign * relation < 0]
        if len(alone) == 1 and len(others) > 1 and np.ptp(others) < EQUAL * np.abs(others).min():
            return int(alone[0])
    return None


def _numbers(values: tuple[Any, ...], codes: Ints) -> Floats:
    return np.append(np.array(values, np.float64), np.nan)[codes]


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


def _ranks(table: CodedTable, column: int) -> Floats:
    """Return the rank of each value among the distinct ones, NaN for missing values."""
    values, codes = table.values[column], table.codes(column)[:MOST_ROWS]
    ranks = np.arange(len(values), dtype=np.float64)
    if are_numbers(values):
        ranks = np.argsort(np.argsort(values)).astype(np.float64)
    return np.append(ranks, np.nan)[codes]
