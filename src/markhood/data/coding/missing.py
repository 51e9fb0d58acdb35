"""Treat the missing values of a table when all rows have been read.

1. With ``missing="auto"``, questions that were skipped (`skip_patterns`) get the level
   `NOT_APPLICABLE`. It has no position in an order, so such a column is nominal.
2. Columns that are more than half empty are left out.
3. If fewer than 1 % of the rows have other missing values, these rows are dropped. Otherwise the
   values are marked as missing, and learning imputes them.

Every step records what was done, and the option that changes it.

Find skip patterns: columns that are empty where another column has certain values. Hours of work
are not missing for the unemployed; they do not apply, and imputing them would invent data. A column
has a skip pattern if it is empty (up to 2 % of the rows) where another column, its gate, has some
values, and mostly filled elsewhere. The gate is a column of few values, or a number with a
threshold. A gate that is itself empty may continue the pattern. Ten or more rows must be skipped:
with at most a fifth missing elsewhere, chance leaves ten rows empty with a probability of 1e-7.
Values that are missing elsewhere stay missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.coding.bins import are_numbers
from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.coders import in_order
from markhood.data.coding.composition import columns_of_reals
from markhood.data.coding.planes import MISSING
from markhood.data.coding.problems import MINIMUM
from markhood.data.kinds import Category
from markhood.data.option_values import AUTO
from markhood.data.reading import SIMILARITY
from markhood.data.samples import Weights
from markhood.data.weights import as_weights, check_weights
from markhood.errors import InputError, counted, listed, option, options

FEWEST_ROWS = 10  # skipped, and asked
SHARE_EMPTY = 0.98  # of the rows with a value of the gate that skips the column
MOST_ELSEWHERE = 0.2  # share of missing values in the other rows
FEW_VALUES = 12  # of a gate without a threshold
MOST_DISTINCT = 0.5  # share of distinct values above which a column is an identifier, not a gate
ROWS_LOOKED_AT = 4096  # to find gates; those found are checked on all rows

Counts = Floats
MOST_EMPTY = 0.5  # share of missing values above which a column is left out
FEW_ROWS = 0.01  # share of rows with missing values below which they are dropped
MOST_COLUMNS = 2000  # imputation takes several times as long as the search
FEWEST_KEPT = 30  # rows without missing values, and at least one per column


class Skip(NamedTuple):
    """A skip pattern of a column."""

    gate: int  # the column that determines where the question is skipped
    where: str  # the values of the gate, such as "is 'no'" or "is below 18"
    # (n_rows,): the rows in which the column is empty because it was skipped.
    rows: Bools


class _Gate(NamedTuple):
    skips: Bools  # by code of the gate, the last one for missing
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


def _candidates(table: CodedTable, masks: Bools) -> Iterator[tuple[int, Ints, list[int]]]:
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


def _checked(skips: Bools, where: str, rows_of: Counts, n_empty: Counts) -> _Gate | None:
    """Return a gate if the column is mostly filled where it is not skipped."""
    n_asked, n_lacking = rows_of[~skips].sum(), n_empty[~skips].sum()
    if n_asked < FEWEST_ROWS or n_lacking > MOST_ELSEWHERE * n_asked:
        return None
    return _Gate(skips, where, float(n_lacking + (rows_of - n_empty)[skips].sum()))


Masks = Mapping[int, Bools]  # rows in which columns are missing


@dataclass(frozen=True)
class Treatment:
    """How missing values are treated."""

    # Columns in which some values are missing because the question was skipped.
    skips: Mapping[int, Skip] = field(default_factory=dict)
    left_out: Sequence[int] = ()  # columns that are left out
    dropped: Bools | None = None  # (n_rows,): rows that are left out


def treat_missing(table: CodedTable) -> Treatment:
    """Decide how missing values are treated, and record it."""
    n_missing = table.n_missing
    if table.known is not None:
        of_known = [j for j, own in enumerate(table.known) if NOT_APPLICABLE in own]
        skips = skip_patterns(table) if of_known else {}
        return Treatment({j: own for j, own in skips.items() if j in of_known})
    if table.reading.missing != AUTO or not n_missing:
        return Treatment()
    lacking = {j: table.is_missing(j) for j, name in enumerate(table.names) if name in n_missing}
    if len(table.names) > MOST_COLUMNS:
        first = min(lacking)
        counts = {j: n_missing[table.names[j]] for j in lacking}
        table.problems.add_missing(int(lacking[first].argmax()), first, counts)
        return Treatment()
    reals = columns_of_reals(table)
    fixed = {*reals, *_ordinal_by_request(table)}
    skips = {j: own for j, own in skip_patterns(table).items() if j not in fixed}
    for j, skip in skips.items():
        lacking[j] = lacking[j] & ~skip.rows
    left_out = _mostly_empty(table, lacking)
    skips = {j: own for j, own in skips.items() if j not in left_out}
    lacking = {j: rows for j, rows in lacking.items() if j not in left_out}
    dropped = _rows_to_drop(table, lacking, reals)
    _record_skips(table, skips)
    if dropped is not None:
        lacking = {j: rows & ~dropped for j, rows in lacking.items()}
    _record_imputed(table, {j: int(rows.sum()) for j, rows in lacking.items() if rows.any()})
    return Treatment(skips, left_out, dropped)


def _ordinal_by_request(table: CodedTable) -> list[int]:
    kinds = table.reading.kinds
    wanted = kinds if isinstance(kinds, Mapping) else dict.fromkeys(table.names, kinds)
    return [j for j, name in enumerate(table.names) if wanted.get(name) == "ordinal"]


def _mostly_empty(table: CodedTable, lacking: Masks) -> list[int]:
    """Return the columns to leave out, unless the user chose them or too few would remain."""
    reading, names = table.reading, table.names
    if reading.columns is not None:
        return []
    empty = [j for j, rows in lacking.items() if rows.sum() > MOST_EMPTY * table.n_rows]
    empty = [j for j in empty if names[j] not in reading.adjust_for]
    if not empty or len(names) - len(empty) < max(2, reading.min_columns):
        return []
    for j in empty:
        table.log.leave_out(names[j], "mostly missing")
    many = len(empty) > 1
    columns = [f"{names[j]!r} ({lacking[j].mean():.0%})" for j in empty]
    table.log.add_warning(
        "empty-column",
        names[empty[0]],
        f"{counted(len(empty), 'column')} with more than half of the values missing "
        f"{'were' if many else 'was'} left out: {listed(columns)}. To keep "
        f"{'them' if many else 'it'}, use {option('missing', 'impute')}.",
    )
    return empty


def _rows_to_drop(table: CodedTable, lacking: Masks, reals: Sequence[int]) -> Bools | None:
    """Return the rows with missing values if they are few, else those that lack a covariate.

    Covariates that are used as numbers are not imputed.
    """

    def any_of(masks: Iterable[Bools]) -> Bools:
        return np.asarray(np.any([np.zeros(table.n_rows, np.bool_), *masks], axis=0))

    dropped, what = any_of(lacking.values()), "values"
    if dropped.sum() >= FEW_ROWS * table.n_rows:
        dropped = any_of(rows for j, rows in lacking.items() if j in reals)
        what = "numeric covariates"
    if not dropped.any():
        return None
    n_dropped = int(dropped.sum())
    table.log.add_warning(
        "rows-dropped",
        "missing",
        f"{n_dropped} of {table.n_rows} rows have missing {what} and are dropped; "
        f"{table.n_rows - n_dropped} remain.",
    )
    return dropped


def _record_skips(table: CodedTable, skips: Mapping[int, Skip]) -> None:
    if not skips:
        return
    names = table.names
    columns = [
        f"{names[j]!r} where {names[own.gate]!r} {own.where} ({int(own.rows.sum())})"
        for j, own in skips.items()
    ]
    many = len(columns) > 1
    table.log.add_warning(
        "skip-pattern",
        names[next(iter(skips))],
        f"{counted(len(columns), 'column')} {'are' if many else 'is'} empty because of another "
        f"column: {listed(columns)}. The empty values became the level {NOT_APPLICABLE!r}, and the "
        f"{'columns are' if many else 'column is'} not ordered. To impute them, use "
        f"{option('missing', 'impute')}.",
    )


def _record_imputed(table: CodedTable, counts: Mapping[int, int]) -> None:
    if not counts:
        return
    by_size = sorted(counts.items(), key=lambda one: -one[1])
    columns = [f"{table.names[j]!r} ({n})" for j, n in by_size]
    table.log.add_warning(
        "missing-values",
        table.names[by_size[0][0]],
        f"{counted(sum(counts.values()), 'missing value')} in {counted(len(counts), 'column')} "
        f"will be imputed: {listed(columns)}. Other choices are "
        f"{options('missing', 'drop', 'level', 'error')}.",
    )


def add_not_applicable(table: CodedTable, skips: Mapping[int, Skip], kept: Bools) -> None:
    """Add the level of skipped questions, in the rows that are kept, after numbers are cut."""
    for j, skip in skips.items():
        table.n_missing[table.names[j]] -= int(skip.rows.sum())
        codes, values = table.codes(j), table.values[j]
        codes[skip.rows[kept]] = len(values)
        table.write(j, codes, (*values, NOT_APPLICABLE))
        order = table.categories[j].order if j in table.categories else ()
        ordered = [values[k] for k in in_order(values, order)]
        table.categories[j] = Category((*ordered, NOT_APPLICABLE), is_ordered=False)


def choose_rows(table: CodedTable, treatment: Treatment) -> tuple[Bools, Counter[str]]:
    """Leave out rows with missing values, if requested, and rows of weight zero.

    Return which rows are kept, and the number of others by reason.
    """
    kept = np.ones(table.n_rows, np.bool_)
    left_out: Counter[str] = Counter()
    if table.reading.missing == "drop":
        kept = ~table.planes.missing_somewhere(table.n_rows)
        _check_dropped(table, int(kept.sum()))
    elif treatment.dropped is not None:
        kept = ~treatment.dropped
    left_out["missing values"] = table.n_rows - int(kept.sum())
    given = table.reading.weights if table.given_weights is None else table.given_weights
    if given is not None and not (isinstance(given, str) and given == SIMILARITY):
        numbers = check_weights(given, table.n_rows)[kept]
        counts, unit = as_weights(numbers, len(numbers), table.reading.weights_are)
        kept[kept] = counts > 0
        check_weighted(int(kept.sum()), 1 if table.known is not None else MINIMUM)
        left_out["weight zero"] = int((counts == 0).sum())
        counts = counts[counts > 0]
        table.weights = None if unit == 1 and (counts == 1).all() else Weights(counts, unit)
    table.keep(kept)
    return kept, +left_out


def check_weighted(n_kept: int, minimum: int) -> None:
    """Raise if too few samples have a weight above zero."""
    if n_kept < minimum:
        raise InputError(
            "too-few-rows",
            "weights",
            f"{n_kept} sample(s) have a weight above zero while a minimum of {minimum} is "
            "required: give more samples a weight above zero.",
        )


def _check_dropped(table: CodedTable, n_kept: int) -> None:
    """Warn about rows that are dropped; raise where too few are left."""
    n_rows, is_known = table.n_rows, table.known is not None
    if n_kept == n_rows:
        return
    dropped = f"{n_rows - n_kept} of {n_rows} rows have missing values"
    fewest = min(max(FEWEST_KEPT, len(table.names)), n_rows / 2)
    if n_kept < (1 if is_known else max(MINIMUM, fewest)):
        raise InputError(
            "too-few-rows",
            "missing",
            f"{dropped}, and the {n_kept} others are too few to learn from: leave out the columns "
            f"with the most missing values, or use {option('missing', 'auto')}, which imputes the "
            "values.",
        )
    table.log.add_warning("rows-dropped", "missing", f"{dropped} and are dropped; {n_kept} remain.")
