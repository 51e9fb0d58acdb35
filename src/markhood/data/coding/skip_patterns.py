"""Find skip patterns: columns that are empty where another column has certain values.

Hours of work are not missing for the unemployed; they do not apply, and imputing them would invent
data. A column has a skip pattern if it is empty (up to 2 % of the rows) where another column, its
gate, has some values, and mostly filled elsewhere. The gate is a column of few values, or a number
with a threshold. A gate that is itself empty may continue the pattern. Ten or more rows must be
skipped: with at most a fifth missing elsewhere, chance leaves ten rows empty with a probability of
1e-7. Values that are missing elsewhere stay missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import are_numbers
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.coders import in_order
from markhood.data.coding.planes import MISSING

FEWEST_ROWS = 10  # skipped, and asked
SHARE_EMPTY = 0.98  # of the rows with a value of the gate that skips the column
MOST_ELSEWHERE = 0.2  # share of missing values in the other rows
FEW_VALUES = 12  # of a gate without a threshold
MOST_DISTINCT = 0.5  # share of distinct values above which a column is an identifier, not a gate
ROWS_LOOKED_AT = 4096  # to find gates; those found are checked on all rows

Counts = NDArray[np.float64]


class Skip(NamedTuple):
    """A skip pattern of a column."""

    gate: int  # the column that determines where the question is skipped
    where: str  # the values of the gate, such as "is 'no'" or "is below 18"
    # (n_rows,): the rows in which the column is empty because it was skipped.
    rows: NDArray[np.bool_]


class _Gate(NamedTuple):
    skips: NDArray[np.bool_]  # by code of the gate, the last one for missing
    where: str
    n_errors: float  # rows of the column that the gate does not explain


def skip_patterns(table: CodedTable) -> dict[int, Skip]:
    """Return the skip pattern of each column that has one."""
    values, n_rows = table.values, table.n_rows
    empty = {j: table.is_missing(j) for j in table.planes.columns(MISSING).tolist()}
    empty = {j: rows for j, rows in empty.items() if FEWEST_ROWS <= rows.sum() < n_rows}
    if not empty:
        return {}
    # Columns that were skipped together have the same rows.
    distinct: dict[bytes, int] = {}
    of_mask = {j: distinct.setdefault(mask.tobytes(), len(distinct)) for j, mask in empty.items()}
    first = {k: j for j, k in reversed(of_mask.items())}
    masks = np.array([empty[first[k]] for k in range(len(first))])
    best: list[tuple[tuple[float, bool, int], Skip] | None] = [None] * len(masks)
    for gate, codes, at in _candidates(table, masks):
        n_codes = len(values[gate]) + 1
        rows_of = np.bincount(codes, minlength=n_codes).astype(np.float64)
        for k in at:
            n_empty = np.bincount(codes[masks[k]], minlength=n_codes).astype(np.float64)
            found = _as_gate(values[gate], rows_of, n_empty)
            merit = None if found is None else (found.n_errors, bool(rows_of[-1]), gate)
            if merit is not None and (best[k] is None or merit < best[k][0]):  # type: ignore[index]
                assert found is not None
                best[k] = merit, Skip(gate, found.where, masks[k] & found.skips[codes])
    chosen = {j: best[k] for j, k in of_mask.items()}
    return {j: own[1] for j, own in chosen.items() if own is not None}


def _candidates(
    table: CodedTable, masks: NDArray[np.bool_]
) -> Iterator[tuple[int, NDArray[np.int64], list[int]]]:
    """Yield possible gates with their codes, and the masks that they may explain."""
    n_rows = table.n_rows
    looked_at = np.linspace(0, n_rows - 1, min(n_rows, ROWS_LOOKED_AT)).astype(np.int64)
    some = masks[:, looked_at].astype(np.float32)
    for gate, own in enumerate(table.values):
        is_few = len(own) <= FEW_VALUES
        if len(own) < 2 or not (is_few or are_numbers(own)) or len(own) > MOST_DISTINCT * n_rows:
            continue
        codes = table.codes(gate)
        codes[codes < 0] = len(own)
        levels = np.eye(len(own) + 1, dtype=np.float32)[codes[looked_at]]
        n_empty, rows_of = some @ levels, levels.sum(axis=0)
        # Where some value has no filled row, or the values below or above a threshold have few.
        skips = (n_empty >= 0.9 * rows_of) & (rows_of > 0)
        at = np.flatnonzero(skips[:, : len(own)].any(axis=1))
        if len(at):
            yield gate, codes, at.tolist()


def _as_gate(values: tuple[Any, ...], rows_of: Counts, n_empty: Counts) -> _Gate | None:
    """Return how a column determines where another is empty, None if it does not."""
    if len(values) <= FEW_VALUES:
        skips = (n_empty >= SHARE_EMPTY * rows_of) & (rows_of > 0)
        if not (rows_of[:-1][skips[:-1]] >= FEWEST_ROWS).any():
            return None
        shown = [repr(values[k]) for k in in_order(values) if skips[k]]
        shown += ["missing"] * bool(skips[-1])
        return _checked(skips, f"is {' or '.join(shown)}", rows_of, n_empty)
    numbers = np.array(values, np.float64)
    order = np.argsort(numbers)
    found = []
    for word, ranks in (("below", order), ("above", order[::-1])):
        within, missing = np.cumsum(rows_of[ranks]), np.cumsum(n_empty[ranks])
        fitting = np.flatnonzero((missing >= SHARE_EMPTY * within) & (within >= FEWEST_ROWS))
        if len(fitting) and fitting[-1] + 1 < len(ranks):
            last = int(fitting[-1])
            skips = np.zeros(len(rows_of), np.bool_)
            skips[ranks[: last + 1]] = True
            first_asked = values[int(ranks[last + 1])]
            found.append(_checked(skips, f"is {word} {first_asked}", rows_of, n_empty))
    return min(
        (one for one in found if one is not None), key=lambda one: one.n_errors, default=None
    )


def _checked(
    skips: NDArray[np.bool_], where: str, rows_of: Counts, n_empty: Counts
) -> _Gate | None:
    """Return a gate if the column is mostly filled where it is not skipped."""
    n_asked, n_lacking = rows_of[~skips].sum(), n_empty[~skips].sum()
    if n_asked < FEWEST_ROWS or n_lacking > MOST_ELSEWHERE * n_asked:
        return None
    return _Gate(skips, where, float(n_lacking + (rows_of - n_empty)[skips].sum()))
