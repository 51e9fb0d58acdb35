"""Treat the missing values of a table when all rows have been read.

1. With ``missing="auto"``, questions that were skipped (`skip_patterns`) get the level
   `NOT_APPLICABLE`. It has no position in an order, so such a column is nominal.
2. Columns that are more than half empty are left out.
3. If fewer than 1 % of the rows have other missing values, these rows are dropped. Otherwise the
   values are marked as missing, and learning imputes them.

Every step records what was done, and the option that changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.coders import in_order
from markhood.data.coding.covariates import columns_of_reals
from markhood.data.coding.skip_patterns import Skip, skip_patterns
from markhood.data.kinds import Category
from markhood.data.option_values import AUTO
from markhood.errors import counted, listed, option, options

MOST_EMPTY = 0.5  # share of missing values above which a column is left out
FEW_ROWS = 0.01  # share of rows with missing values below which they are dropped
MOST_COLUMNS = 2000  # imputation takes several times as long as the search

Masks = Mapping[int, NDArray[np.bool_]]  # rows in which columns are missing


@dataclass(frozen=True)
class Treatment:
    """How missing values are treated."""

    # Columns in which some values are missing because the question was skipped.
    skips: Mapping[int, Skip] = field(default_factory=dict)
    left_out: Sequence[int] = ()  # columns that are left out
    dropped: NDArray[np.bool_] | None = None  # (n_rows,): rows that are left out


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


def _rows_to_drop(
    table: CodedTable, lacking: Masks, reals: Sequence[int]
) -> NDArray[np.bool_] | None:
    """Return the rows with missing values if they are few, else those that lack a covariate.

    Covariates that are used as numbers are not imputed.
    """

    def any_of(masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
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


def add_not_applicable(
    table: CodedTable, skips: Mapping[int, Skip], kept: NDArray[np.bool_]
) -> None:
    """Add the level of skipped questions, in the rows that are kept, after numbers are cut."""
    for j, skip in skips.items():
        table.n_missing[table.names[j]] -= int(skip.rows.sum())
        codes, values = table.codes(j), table.values[j]
        codes[skip.rows[kept]] = len(values)
        table.write(j, codes, (*values, NOT_APPLICABLE))
        order = table.categories[j].order if j in table.categories else ()
        ordered = [values[k] for k in in_order(values, order)]
        table.categories[j] = Category((*ordered, NOT_APPLICABLE), is_ordered=False)
