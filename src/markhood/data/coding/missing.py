"""Treat the missing values of a table when all rows have been read.

1. Codes for missing (`missing_codes`) become missing values.
2. With ``missing="auto"``, questions that were skipped (`skip_patterns`) get the level
   `NOT_APPLICABLE`. It has no position in an order, so such a column is nominal.
3. Columns that are more than half empty are left out.
4. If fewer than 1 % of the rows have other missing values, these rows are dropped. Otherwise the
   values are marked as missing, and learning imputes them.

Every step records what was done, and the option that changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import bin_like, columns_of_reals
from markhood.data.coding.cells import NOT_APPLICABLE
from markhood.data.coding.coders import Levels, in_order
from markhood.data.coding.missing_codes import find_codes, report_codes
from markhood.data.coding.planes import MISSING, Planes
from markhood.data.coding.problems import Problems
from markhood.data.coding.skip_patterns import Skip, skip_patterns
from markhood.data.kinds import Category
from markhood.data.reading import AUTO, Reading
from markhood.errors import counted, listed, option
from markhood.kernels.words import unpacked

MOST_EMPTY = 0.5  # share of missing values above which a column is left out
FEW_ROWS = 0.01  # share of rows with missing values below which they are dropped
MOST_COLUMNS = 2000  # imputation takes several times as long as the search

_ENDS = re.compile(r"(?a)[\[(](-?[\d.]+(?:e[+-]?\d+)?), (-?[\d.]+(?:e[+-]?\d+)?)[)\]]")

Values = Sequence[tuple[Any, ...]]


@dataclass(frozen=True)
class Treatment:
    """How missing values are treated.

    Attributes
    ----------
    skips : mapping of int to Skip
        Columns in which some values are missing because the question was skipped.
    left_out : sequence of int
        Columns that are left out.
    dropped : ndarray of bool, shape (n_rows,), optional
        Rows that are left out.
    """

    skips: Mapping[int, Skip] = field(default_factory=dict)
    left_out: Sequence[int] = ()
    dropped: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class MissingValues:
    """The coded columns of a table, before levels are sorted."""

    planes: Planes
    n_rows: int
    reading: Reading
    problems: Problems
    known: Levels | None
    categories: MutableMapping[int, Category]

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns."""
        return self.problems.names

    def without_codes(self, values: Values) -> list[tuple[Any, ...]]:
        """Make codes for missing values missing, and return the other values of each column."""
        found = list(values)
        is_auto = self.reading.missing_values == AUTO
        if not is_auto and not self.reading.listed_missing:  # the user keeps all values
            return found
        certain: dict[Any, dict[int, int]] = {}
        doubtful: dict[Any, dict[int, int]] = {}
        unsuspicious: set[Any] = set()  # many columns share their values
        for j, own in enumerate(values):
            levels = () if self.known is None else self.known[j]
            if levels and self.reading.missing != AUTO and bin_like((), levels) is None:
                continue  # a value that is not one of the levels is refused
            if (own, levels) in unsuspicious or not any(find_codes(_as_if_repeated(own, levels))):
                unsuspicious.add((own, levels))
                continue
            codes = self.planes.codes(j, len(own), self.n_rows)
            n_rows = np.bincount(codes[codes >= 0], minlength=len(own)).tolist()
            times = dict(zip(own, n_rows, strict=True))
            suspects = find_codes(times if self.known is None else _as_if_repeated(own, levels))
            is_declared = j in self.categories
            is_treated = is_auto and not is_declared
            treated = [v for v in suspects.certain if is_treated and v in times and v not in levels]
            for code in treated:
                certain.setdefault(code, {})[j] = times[code]
            if self.known is None:
                for code in (*suspects.certain, *(() if is_declared else suspects.doubtful)):
                    if code not in treated:
                        doubtful.setdefault(code, {})[j] = times[code]
            if treated:
                found[j] = self._remove(j, own, codes, treated)
        report_codes(self.reading.log, self.names, certain, are_missing=True)
        report_codes(self.reading.log, self.names, doubtful, are_missing=False)
        return found

    def _remove(
        self, column: int, values: tuple[Any, ...], codes: NDArray[np.int64], gone: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Make some values of a column missing, and return the others."""
        kept = [k for k, value in enumerate(values) if value not in gone]
        numbers = np.full(len(values) + 1, -1)
        numbers[kept] = np.arange(len(kept))
        self.planes.write(column, numbers[codes], len(kept))
        if self.reading.missing == "error":
            is_gone = (codes >= 0) & (numbers[codes] < 0)
            counts = {column: int(is_gone.sum())}
            self.problems.add_missing(int(is_gone.argmax()), column, counts)
            self.problems.texts.update(map(str, gone))
        return tuple([values[k] for k in kept])

    def treatment(self, values: Values, n_missing: Mapping[str, int]) -> Treatment:
        """Decide how missing values are treated, and record it."""
        if self.known is not None:
            of_known = [j for j, own in enumerate(self.known) if NOT_APPLICABLE in own]
            skips = skip_patterns(self.planes, values, self.n_rows) if of_known else {}
            return Treatment({j: own for j, own in skips.items() if j in of_known})
        if self.reading.missing != AUTO or not n_missing:
            return Treatment()
        if len(self.names) > MOST_COLUMNS:
            self._refuse(n_missing)
            return Treatment()
        reals = columns_of_reals(self.reading, self.names, values, self.categories)
        fixed = {*reals, *self._ordinal_by_request()}
        skips = skip_patterns(self.planes, values, self.n_rows)
        skips = {j: own for j, own in skips.items() if j not in fixed}
        lacking = {j: self._is_missing(j) for j, name in enumerate(self.names) if name in n_missing}
        for j, skip in skips.items():
            lacking[j] = lacking[j] & ~skip.rows
        left_out = self._mostly_empty(lacking)
        skips = {j: own for j, own in skips.items() if j not in left_out}
        lacking = {j: rows for j, rows in lacking.items() if j not in left_out}
        dropped = self._rows_to_drop(lacking, reals)
        self._record_skips(skips)
        if dropped is not None:
            lacking = {j: rows & ~dropped for j, rows in lacking.items()}
        self._record_imputed({j: int(rows.sum()) for j, rows in lacking.items() if rows.any()})
        return Treatment(skips, left_out, dropped)

    def _is_missing(self, column: int) -> NDArray[np.bool_]:
        row = self.planes.words(MISSING, np.array([column]))[0]
        return unpacked(row, self.n_rows).astype(np.bool_)

    def _refuse(self, n_missing: Mapping[str, int]) -> None:
        """Add the missing values of a table with very many columns to its problems."""
        counts = {j: n_missing[name] for j, name in enumerate(self.names) if name in n_missing}
        first = min(counts)
        self.problems.add_missing(int(self._is_missing(first).argmax()), first, counts)

    def _ordinal_by_request(self) -> list[int]:
        kinds = self.reading.kinds
        wanted = kinds if isinstance(kinds, Mapping) else dict.fromkeys(self.names, kinds)
        return [j for j, name in enumerate(self.names) if wanted.get(name) == "ordinal"]

    def _mostly_empty(self, lacking: Mapping[int, NDArray[np.bool_]]) -> list[int]:
        """Return the columns to leave out, unless the user chose them or too few would remain."""
        reading, n_rows = self.reading, self.n_rows
        if reading.columns is not None:
            return []
        empty = [j for j, rows in lacking.items() if rows.sum() > MOST_EMPTY * n_rows]
        empty = [j for j in empty if self.names[j] not in reading.adjust_for]
        if not empty or len(self.names) - len(empty) < max(2, reading.min_columns):
            return []
        for j in empty:
            reading.log.leave_out(self.names[j], "mostly missing")
        many = len(empty) > 1
        columns = [f"{self.names[j]!r} ({lacking[j].mean():.0%})" for j in empty]
        reading.log.add_warning(
            "empty-column",
            self.names[empty[0]],
            f"{counted(len(empty), 'column')} with more than half of the values missing "
            f"{'were' if many else 'was'} left out: {listed(columns)}. To keep "
            f"{'them' if many else 'it'}, use {option('missing', 'impute')}.",
        )
        return empty

    def _rows_to_drop(
        self, lacking: Mapping[int, NDArray[np.bool_]], reals: Sequence[int]
    ) -> NDArray[np.bool_] | None:
        """Return the rows with missing values if they are few, else those that lack a covariate.

        Covariates that are used as numbers are not imputed.
        """
        dropped, what = self._any_of(lacking.values()), "values"
        if dropped.sum() >= FEW_ROWS * self.n_rows:
            of_reals = [rows for j, rows in lacking.items() if j in reals]
            dropped, what = self._any_of(of_reals), "numeric covariates"
        if not dropped.any():
            return None
        n_dropped = int(dropped.sum())
        self.reading.log.add_warning(
            "rows-dropped",
            "missing",
            f"{n_dropped} of {self.n_rows} rows have missing {what} and are dropped; "
            f"{self.n_rows - n_dropped} remain.",
        )
        return dropped

    def _any_of(self, masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        found = np.zeros(self.n_rows, np.bool_)
        for mask in masks:
            found |= mask
        return found

    def _record_skips(self, skips: Mapping[int, Skip]) -> None:
        if not skips:
            return
        columns = [
            f"{self.names[j]!r} where {self.names[own.gate]!r} {own.where} ({int(own.rows.sum())})"
            for j, own in skips.items()
        ]
        many = len(columns) > 1
        self.reading.log.add_warning(
            "skip-pattern",
            self.names[next(iter(skips))],
            f"{counted(len(columns), 'column')} {'are' if many else 'is'} empty because of another "
            f"column: {listed(columns)}. The empty values became the level {NOT_APPLICABLE!r}, and "
            f"the {'columns are' if many else 'column is'} not ordered. To impute them, use "
            f"{option('missing', 'impute')}.",
        )

    def _record_imputed(self, counts: Mapping[int, int]) -> None:
        if not counts:
            return
        by_size = sorted(counts.items(), key=lambda one: -one[1])
        columns = [f"{self.names[j]!r} ({n})" for j, n in by_size]
        self.reading.log.add_warning(
            "missing-values",
            self.names[by_size[0][0]],
            f"{counted(sum(counts.values()), 'missing value')} in "
            f"{counted(len(counts), 'column')} will be imputed: {listed(columns)}. Other choices "
            f"are {option('missing', 'drop')}, 'level' and 'error'.",
        )

    def with_not_applicable(
        self, values: list[tuple[Any, ...]], skips: Mapping[int, Skip], kept: NDArray[np.bool_]
    ) -> None:
        """Add the level of skipped questions, in the rows that are kept, after numbers are cut."""
        n_samples = int(kept.sum())
        for j, skip in skips.items():
            codes = self.planes.codes(j, len(values[j]), n_samples)
            codes[skip.rows[kept]] = len(values[j])
            self.planes.write(j, codes, len(values[j]) + 1)
            order = self.categories[j].order if j in self.categories else ()
            ordered = [values[j][k] for k in in_order(values[j], order)]
            self.categories[j] = Category((*ordered, NOT_APPLICABLE), is_ordered=False)
            values[j] = (*values[j], NOT_APPLICABLE)


def _as_if_repeated(values: Sequence[Any], known: Sequence[Any]) -> dict[Any, int]:
    """Return values with counts of 2, together with known levels and the ends of known bins."""
    found = [_ENDS.fullmatch(level) for level in known if isinstance(level, str)]
    ends = [float(end) for match in found if match for end in match.groups()]
    return dict.fromkeys((*values, *(level for level in known if level is not None), *ends), 2)
