"""Encode chunks of rows as packed samples, in one pass.

Every source of data feeds the same `Encoder`, which holds the packed bits and one chunk in memory.
Chunks begin on word boundaries, so that packing is `numpy.packbits` of a transposed tile straight
into its destination. Tiles fit in the cache and follow the memory order of the chunk: wide for
row-major arrays, tall for column-major ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.account import Account
from markhood.data.codebook import Codebook, Entry
from markhood.data.coding.bins import (
    ABSENT,
    AUTO,
    PRESENT,
    are_numbers,
    columns_of_reals,
    columns_to_cut,
    cut,
    cut_positive,
)
from markhood.data.coding.coded_cells import CodedCells
from markhood.data.coding.coders import (
    ARRAY_KINDS,
    ArrayCoder,
    Codes,
    Levels,
    ValueCoder,
    is_missing,
    plain,
)
from markhood.data.coding.column_checks import warn_about_distinct
from markhood.data.coding.composition import DEPTH, FEWEST_ROWS, is_part, log_ratios
from markhood.data.coding.derived import derived_columns
from markhood.data.coding.indicators import Coded, IndicatorTable, tabulate
from markhood.data.coding.known import REAL, known_levels, known_numbers, known_values
from markhood.data.coding.merged import OTHER
from markhood.data.coding.missing import MissingValues, Treatment
from markhood.data.coding.names import check_names
from markhood.data.coding.planes import MISSING, Planes
from markhood.data.coding.problems import MINIMUM, Problems, check_shape, row_number
from markhood.data.coding.understanding import (
    NOT_NODES,
    Facts,
    no_variables_left,
    note_bins,
    note_decisions,
    understood,
    wanted_entries,
)
from markhood.data.kinds import Category, with_kinds
from markhood.data.reading import SIMILARITY, Reading
from markhood.data.samples import BITS_PER_WORD, RealColumn, Samples, Weights
from markhood.data.variables import Variables
from markhood.data.weights import as_weights, check_weights, recognised, similarity_weights
from markhood.errors import InputError, emit, emit_before_an_error, listed, option

CHUNK_BYTES = 1 << 24
FINE_UNITS = ("us", "ns", "ps", "fs", "as", "generic")  # units of time up to a microsecond
TILE_CELLS = 1 << 19
ROWS_PER_LEVEL = 5  # of a column with too many categories, for a level to be kept
FEWEST_KEPT = 30  # rows without missing values, and at least one per column
LANE = 512  # rows in a vector register of bits

Column = NDArray[Any] | Sequence[Any] | CodedCells


def chunk_rows(row_bytes: int) -> int:
    """Return the number of rows per chunk: whole lanes where they fit, else whole words."""
    rows = CHUNK_BYTES // max(1, row_bytes)
    unit = LANE if rows >= LANE else BITS_PER_WORD
    return max(unit, rows // unit * unit)


class Encoder:
    """Pack rows chunk by chunk.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    n_samples : int, optional
        Number of rows, if known: the bits are then allocated once.
    categories : mapping of int to Category, optional
        The columns that were declared to be categories.
    parse : callable, optional
        Converts a cell that is not in an array to a value (text files have text).
    locate : callable, optional
        Names a row in messages: "row 3", "line 4".
    reading : Reading, optional
        Codes for missing, maximum number of levels, weights and other options.
    is_table : bool, default=False
        Whether the columns have names of their own; those that are not variables are left out.

    Examples
    --------
    >>> import numpy as np
    >>> encoder = Encoder(["a", "b"])
    >>> encoder.add(np.array([[0, 5], [1, 3], [1, 3]]))
    >>> samples = encoder.finish()
    >>> samples.levels, samples.words[:, 0].tolist()
    (((0, 1), (3, 5)), [6, 1])
    """

    def __init__(
        self,
        names: Sequence[str],
        n_samples: int | None = None,
        *,
        categories: Mapping[int, Category] | None = None,
        parse: Callable[[Any], Any] = plain,
        locate: Callable[[int], str] = row_number,
        reading: Reading | None = None,
        is_table: bool = False,
    ) -> None:
        check_names(names)
        self._names = tuple(names)
        self._is_table = is_table
        self._entries: list[Entry] = []
        self._categories = dict(categories or {})
        self._parse = parse
        self._rows = 0
        self._reading = reading or Reading()
        self._known = known_levels(names, self._reading.known)
        self._minimum = MINIMUM if self._known is None else 1
        self._problems = Problems(names, locate)
        self._coders: list[tuple[int, int, ArrayCoder | ValueCoder]] = []
        self._planes = Planes(len(names), self._reading.storage)
        self._weights: list[Any] = []
        if n_samples is not None:
            check_shape(n_samples, len(names), self._minimum, self._reading.min_columns)
            self._planes.reserve(n_samples)

    def add(self, chunk: NDArray[Any] | Sequence[Column]) -> None:
        """Add the next rows: an array of shape (rows, columns), or a list of columns.

        Every chunk except the last has a multiple of 64 rows.
        """
        assert self._rows % BITS_PER_WORD == 0, "only the last chunk may end within a word"
        n_rows = len(chunk) if isinstance(chunk, np.ndarray) else len(chunk[0]) if chunk else 0
        if n_rows == 0:
            return
        if isinstance(chunk, np.ndarray):
            for rows, columns in _tiles(chunk):
                self.place(chunk[rows, columns], self._rows + rows.start, columns.start)
        else:
            self._place_columns(chunk, self._rows)
        self._rows += n_rows

    def place(self, tile: NDArray[Any], row: int, column: int) -> None:
        """Add a tile at a row and column, for column-major sources; call `skip` afterwards."""
        if not self._coders:
            self._coders = [self._coder(0, len(self._names), tile.dtype)]
        if tile.dtype.kind in "mM":
            tile = _in_microseconds(tile)
        self._place_columns(tile.T, row, column)

    def skip(self, n_rows: int) -> None:
        """Advance past rows whose tiles have been added with `place`."""
        self._rows += n_rows

    def weigh(self, values: Sequence[Any]) -> None:
        """Add the weights of the next rows: numbers, or cells of text."""
        for row, value in enumerate(values, start=len(self._weights)):
            try:
                self._weights.append(float(value))
            except (TypeError, ValueError):
                raise InputError(
                    "weights",
                    "weights",
                    f"The weight at {self._problems.locate(row)} is {value!r}: use numbers.",
                ) from None

    @property
    def has_problems(self) -> bool:
        """Whether `finish` will raise for a value that has been added."""
        return bool(self._problems)

    def seen_among(self, cells: Mapping[str, Any]) -> Any | None:
        """Return the first cell whose value occurs in its column, by name; None without any."""
        for start, stop, coder in self._coders:
            for j in range(stop - start):
                cell = cells[self._names[start + j]]
                if self._parse(cell) in coder.levels(j):
                    return cell
        return None

    def finish(self) -> Samples:
        """Return the samples and emit the warnings of the log, or raise for the problems found."""
        log = self._reading.log
        try:
            samples = self._finished()
        except InputError:
            emit_before_an_error(log)
            raise
        emit(log)
        return samples

    def _finished(self) -> Samples:
        check_shape(self._rows, len(self._names), self._minimum, self._reading.min_columns)
        if self._problems:
            raise self._problems.error()
        self._planes.trim(self._rows)
        values = [
            coder.levels(j) for start, stop, coder in self._coders for j in range(stop - start)
        ]
        missing = MissingValues(
            self._planes, self._rows, self._reading, self._problems, self._known, self._categories
        )
        values = missing.without_codes(values)
        n_missing = self._count_missing()
        values = self._understand(values, n_missing)
        treatment = missing.treatment(values, n_missing)
        if self._problems:
            raise self._problems.error()
        left_out = {self._names[j] for j in treatment.left_out}
        for j in treatment.left_out:
            self._planes.write(j, np.zeros(self._rows, np.int64), 1)
            values[j] = REAL
        numbers = []
        if self._known is not None and not self._reading.compositional:
            numbers = known_numbers(self._planes, self._rows, values, self._known, self._problems)
        kept, weights, rows_left_out = self._choose_rows(treatment)
        n_samples = int(kept.sum())
        if n_samples < self._rows:
            self._planes.keep(kept)
        values, depths = self._compose(values, n_samples, weights)
        values, reals = self._take_reals(values, n_samples)
        reals |= depths
        values = self._cut(values, n_samples, weights)
        values = self._merge(values, n_samples)
        if self._known is not None and self._reading.compositional:
            numbers = known_numbers(self._planes, n_samples, values, self._known, self._problems)
        values = known_values(self._planes, n_samples, values, self._known, numbers)
        missing.with_not_applicable(values, treatment.skips, kept)
        n_missing = {name: n for name, n in n_missing.items() if name not in left_out}
        for j, skip in treatment.skips.items():
            n_missing[self._names[j]] -= int(skip.rows.sum())
        table = tabulate(
            Coded(self._planes, n_samples, values),
            {j: own.order for j, own in self._categories.items() if own.order},
            known=self._known,
            missing_is_level=self._reading.missing == "level",
            some_left_out=n_samples < self._rows,
        )
        self._check_levels(table, {*reals, *left_out})
        samples = Samples(
            table.words,
            n_samples,
            self._variables(table.levels),
            table.missing,
            weights,
            rows=np.flatnonzero(kept) if n_samples < self._rows else None,
        )
        if isinstance(self._reading.weights, str) and self._reading.weights == SIMILARITY:
            by_similarity = similarity_weights(samples, self._reading.similarity_threshold)
            samples = replace(samples, weights=by_similarity)
        else:
            samples = recognised(samples, self._reading)
        if self._known is None:
            self._warn_about_columns(samples, values, n_missing)
        variables = samples.variables
        if reals or left_out:
            nodes = [
                j
                for j, name in enumerate(self._names)
                if name not in reals and name not in left_out
            ]
            samples = replace(samples.pick(np.array(nodes, np.int64)), reals=reals)
        log = self._reading.log
        account = Account(
            self._rows,
            n_missing,
            dict(log.left_out),
            rows_left_out,
            tuple(log.findings),
            self._codebook(variables),
        )
        return replace(samples, account=account)

    def _variables(self, levels: Levels) -> Variables:
        """Return the variables with their kinds, copied from known variables if there are any."""
        variables = Variables(tuple(self._names), levels)
        if (known := self._reading.known) is not None:
            steps = dict(zip(known.names, known.is_ordered, strict=True))
            return replace(variables, ordered=tuple(steps.get(name, False) for name in self._names))
        return with_kinds(variables, self._reading.kinds, self._categories)

    def _understand(
        self, values: list[tuple[Any, ...]], n_missing: Mapping[str, int]
    ) -> list[tuple[Any, ...]]:
        """Decide what every column is, leave out those that are not variables, and note both."""
        if self._known is not None:
            return values
        wanted = wanted_entries(self._reading, self._names)
        texts = self._reading.log.texts
        all_nominal = self._reading.kinds == "nominal" and self._reading.bins == AUTO

        def codes(j: int) -> NDArray[np.int64]:
            return self._planes.codes(j, len(values[j]), self._rows)

        for j, name in enumerate(self._names):
            facts = Facts(
                name, values[j], partial(codes, j), n_missing.get(name, 0), self._categories.get(j)
            )
            missing_is_level = self._reading.missing in ("level", AUTO)
            entry = understood(facts, wanted.get(name), self._is_table, missing_is_level)
            is_measured = entry.kind in ("measurement", "count")
            if is_measured and all_nominal and len(values[j]) <= self._reading.max_levels:
                entry = replace(entry, kind="nominal")
            self._entries.append(replace(entry, text=entry.text or texts.get(name, "")))
        if self._is_table:
            for j, why in derived_columns(self._entries, values, codes).items():
                if self._names[j] not in wanted:
                    self._entries[j] = replace(self._entries[j], role="skip", why=why)
        n_nodes = sum(entry.role not in NOT_NODES for entry in self._entries)
        if n_nodes < min(self._minimum, self._reading.min_columns):
            raise no_variables_left(self._entries)
        note_decisions(self._reading.log, self._entries, self._reading)
        return self._leave_out(values)

    def _leave_out(self, values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Keep the columns that are variables, with their kinds and orders."""
        kept = [j for j, entry in enumerate(self._entries) if entry.role not in NOT_NODES]
        if len(kept) < len(values):
            self._planes.pick(np.array(kept, np.int64))
        self._names = tuple(self._names[j] for j in kept)
        self._problems.names = self._names
        self._categories.clear()  # in place, as the treatment of missing values refers to it
        for k, j in enumerate(kept):
            entry = self._entries[j]
            is_number = entry.why == "numbers"  # which may still be cut, and are ordered by size
            if (entry.kind in ("ordinal", "nominal") or entry.levels) and not is_number:
                self._categories[k] = Category(entry.levels, entry.kind == "ordinal")
        return [values[j] for j in kept]

    def _merge(self, values: Sequence[tuple[Any, ...]], n_samples: int) -> list[tuple[Any, ...]]:
        """Merge the rarest levels of columns with too many categories; return all values."""
        found, limit = list(values), self._reading.max_levels
        merged = []
        for j in self._many_categories(values):
            codes = self._planes.codes(j, len(values[j]), n_samples)
            counts = np.bincount(codes[codes >= 0], minlength=len(values[j]))
            order = np.argsort(-counts, kind="stable")[: limit - 1]
            kept = np.sort(order[counts[order] >= ROWS_PER_LEVEL])
            if len(kept) < 2:
                kept = np.sort(order[counts[order] > 1])
            if len(kept) < 2:
                row = int((codes == limit).argmax())
                self._problems.add_too_many(row, j, limit, values[j])
                continue
            new = np.full(len(values[j]), len(kept))
            new[kept] = np.arange(len(kept))
            self._planes.recode(j, new, len(kept) + 1, n_samples)
            found[j] = (*(values[j][k] for k in kept.tolist()), OTHER)
            self._categories.setdefault(j, Category())
            merged.append(f"{self._names[j]!r} ({len(values[j])} levels to {len(found[j])})")
        if self._problems.too_many:
            raise self._problems.error()
        if merged:
            self._reading.log.add_note(
                "merged-levels",
                merged[0].split("'")[1],
                f"The rarest levels were merged into {OTHER!r} in {len(merged)} "
                f"column{'s'[: len(merged) > 1]}: {listed(merged)} ({option('max_levels')} keeps "
                "more).",
            )
        return found

    def _many_categories(self, values: Sequence[tuple[Any, ...]]) -> list[int]:
        """Return the unordered columns with more levels than allowed."""
        if self._known is not None:
            return []
        return [
            j
            for j, own in enumerate(values)
            if len(own) > self._reading.max_levels
            and not (self._categories[j].is_ordered if j in self._categories else are_numbers(own))
        ]

    def _codebook(self, variables: Variables) -> Codebook | None:
        """Return what was decided about all columns, including those that are left out."""
        if self._known is not None:
            return None
        levels = dict(zip(variables.names, variables.levels or (), strict=True))
        entries = [replace(e, levels=levels.get(e.column, e.levels)) for e in self._entries]
        for j, entry in enumerate(entries):
            why = self._reading.log.left_out.get(entry.column, entry.why)
            if why != entry.why:  # mostly missing
                entries[j] = replace(entry, role="skip", why=why)
        listed_ones = {entry.column for entry in entries}
        outside = [
            Entry(column=name, role="weight" if why == "the weights" else "skip", why=why)
            for name, why in self._reading.log.left_out.items()
            if name not in listed_ones
        ]
        return Codebook((*outside, *entries))

    def _compose(
        self, values: Sequence[tuple[Any, ...]], n_samples: int, weights: Weights | None
    ) -> tuple[list[tuple[Any, ...]], dict[str, RealColumn]]:
        """Replace counts of parts by levels of their log-ratios; return values, and the depth."""
        found = list(values)
        if not self._reading.compositional:
            return found, {}
        parts = [j for j, own in enumerate(values) if j not in self._categories and is_part(own)]
        if self._known is not None:
            parts = [j for j, own in enumerate(self._known) if own[0] == ABSENT]
        if not parts:
            raise InputError(
                "option-conflict",
                "compositional",
                f"{option('compositional')} needs columns of counts with zeros, but there are "
                "none: leave it out.",
            )
        if n_samples < FEWEST_ROWS:
            raise InputError(
                "not-supported",
                "compositional",
                f"{option('compositional')} compares rows with each other, and {n_samples} are too "
                f"few: pass {FEWEST_ROWS} or more.",
            )
        columns = [self._planes.codes(j, len(values[j]), n_samples) for j in parts]
        table = [np.append(values[j], np.nan)[own] for j, own in zip(parts, columns, strict=True)]
        counts = np.column_stack(table).astype(np.float64)
        counted = np.ones(n_samples) if weights is None else weights.counts * weights.unit
        number = self._reading.bins if isinstance(self._reading.bins, (int, str)) else AUTO
        all_ratios, depths = log_ratios(counts)
        for j, own, ratios in zip(parts, counts.T, all_ratios.T, strict=True):
            if self._known is not None:
                numbers, codes = np.unique(ratios[own > 0], return_inverse=True)
                labels: tuple[Any, ...] = (ABSENT, *numbers.tolist())
            else:
                labels, codes = (ABSENT, PRESENT), np.zeros(int((own > 0).sum()), np.int64)
                if len(values[j]) > 2:
                    numbers, at = np.unique(ratios[own > 0], return_inverse=True)
                    sizes = np.bincount(at, counted[own > 0]).astype(np.float64)
                    bins, names = cut_positive(numbers, sizes, number, n_samples)
                    labels, codes = (ABSENT, *names), bins[at]
                self._categories[j] = Category(labels, True)
            new = np.zeros(n_samples, np.int64)
            new[own > 0] = codes + 1
            new[np.isnan(own)] = -1
            self._planes.write(j, new, len(labels))
            found[j] = labels
        if self._known is None:
            self._reading.log.add_note(
                "compositional",
                self._names[parts[0]],
                f"{len(parts)} columns are parts of a whole: centred log-ratios were cut into bins "
                f"with zero as the first level, and edges are adjusted for {DEPTH}.",
            )
        return found, {DEPTH: RealColumn.of(depths)}

    def _take_reals(
        self, values: Sequence[tuple[Any, ...]], n_samples: int
    ) -> tuple[list[tuple[Any, ...]], dict[str, RealColumn]]:
        """Extract the covariates that stay numbers, by name; their columns become constant."""
        found, reals = list(values), {}
        for j in columns_of_reals(self._reading, self._names, values, self._categories):
            name, codes = self._names[j], self._planes.codes(j, len(values[j]), n_samples)
            if not are_numbers(values[j]):
                raise InputError(
                    "covariates",
                    name,
                    f"The covariate {name!r} has values that are not numbers, but was numeric in "
                    "the data of the graph: pass numbers.",
                )
            if (codes < 0).any():
                raise InputError(
                    "covariates",
                    name,
                    f"The numeric covariate {name!r} has missing values, which cannot be imputed "
                    f"or treated as a level: choose {option('missing', 'drop')}, or cut it into "
                    f"bins with {option('bins')}.",
                )
            reals[name] = RealColumn.of(np.array(values[j], np.float64)[codes])
            self._planes.recode(j, np.zeros(len(values[j]), np.int64), 1, n_samples)
            found[j] = REAL
        if reals and self._known is None:
            many, columns = len(reals) > 1, listed([repr(name) for name in reals])
            self._reading.log.add_note(
                "covariates",
                next(iter(reals)),
                f"{len(reals)} covariate{'s are' if many else ' is'} used as numbers: {columns} "
                f"(cut into levels with {option('bins')}).",
            )
        return found, reals

    def _cut(
        self, values: Sequence[tuple[Any, ...]], n_samples: int, weights: Weights | None
    ) -> list[tuple[Any, ...]]:
        """Cut numeric columns into bins; return the values of all columns."""
        found = list(values)
        if self._known is not None:
            return found
        to_cut = columns_to_cut(self._reading.bins, self._names, values, self._categories)
        for j, number in to_cut.items():
            codes = self._planes.codes(j, len(values[j]), n_samples)
            counted = np.ones(n_samples) if weights is None else weights.counts * weights.unit
            seen = codes >= 0
            counts = np.bincount(codes[seen], counted[seen], len(values[j])).astype(np.float64)
            if not counts.any():
                continue
            bins, labels = cut(values[j], counts, number)
            self._planes.recode(j, bins, len(labels), n_samples)
            found[j] = labels
            self._categories[j] = Category(labels, True)
        note_bins(self._reading.log, {self._names[j]: found[j] for j in to_cut})
        return found

    def _count_missing(self) -> dict[str, int]:
        """Return the number of missing values in each column that has any."""
        columns = self._planes.columns(MISSING)
        return {
            self._names[j]: int(
                np.bitwise_count(self._planes.words(MISSING, columns[k : k + 1])).sum()
            )
            for k, j in enumerate(columns.tolist())
        }

    def _warn_about_columns(
        self, samples: Samples, shown: Sequence[tuple[Any, ...]], n_missing: Mapping[str, int]
    ) -> None:
        """Warn about columns that are probably not meant as they are read."""

        def n_observed(variable: int) -> int:
            return samples.n_samples - n_missing.get(self._names[variable], 0)

        warn_about_distinct(self._reading.log, self._names, samples.levels, n_observed, shown)

    def _choose_rows(
        self, treatment: Treatment
    ) -> tuple[NDArray[np.bool_], Weights | None, Counter[str]]:
        """Return which rows are kept, their weights, and the number of others by reason."""
        kept = np.ones(self._rows, np.bool_)
        left_out: Counter[str] = Counter()
        if self._reading.missing == "drop":
            kept = ~self._planes.missing_somewhere(self._rows)
            self._check_dropped(int(kept.sum()))
        elif treatment.dropped is not None:
            kept = ~treatment.dropped
        left_out["missing values"] = self._rows - int(kept.sum())
        given = self._weights if self._weights else self._reading.weights
        if given is None or (isinstance(given, str) and given == SIMILARITY):
            return kept, None, +left_out
        numbers = check_weights(given, self._rows)[kept]
        counts, unit = as_weights(numbers, len(numbers), self._reading.weights_are)
        kept[kept] = counts > 0
        if kept.sum() < self._minimum:
            raise InputError(
                "too-few-rows",
                "weights",
                f"{int(kept.sum())} sample(s) have a weight above zero while a minimum of "
                f"{self._minimum} is required: give more samples a weight above zero.",
            )
        left_out["weight zero"] = int((counts == 0).sum())
        counts = counts[counts > 0]
        weights = None if unit == 1 and (counts == 1).all() else Weights(counts, unit)
        return kept, weights, +left_out

    def _check_dropped(self, n_kept: int) -> None:
        """Warn about rows that are dropped; raise where too few are left."""
        if n_kept == self._rows:
            return
        dropped = f"{self._rows - n_kept} of {self._rows} rows have missing values"
        enough = max(FEWEST_KEPT, len(self._names))
        is_too_few = self._known is None and n_kept < min(enough, self._rows / 2)
        if n_kept < self._minimum or is_too_few:
            raise InputError(
                "too-few-rows",
                "missing",
                f"{dropped}, and the {n_kept} others are too few to learn from: leave out the "
                f"columns with the most missing values, or use {option('missing', 'auto')}, which "
                "imputes the values.",
            )
        self._reading.log.add_warning(
            "rows-dropped", "missing", f"{dropped} and are dropped; {n_kept} remain."
        )

    def _check_levels(self, table: IndicatorTable, reals: Collection[str]) -> None:
        """Raise for columns without values, and warn about constant columns."""
        if self._known is not None:
            for j in self._planes.columns(MISSING):
                if self._reading.missing == "level" and None not in self._known[j]:
                    raise InputError(
                        "missing-values",
                        self._names[j],
                        f"Column {self._names[j]!r} has missing values, but had none in the data "
                        "that the model was fitted to: fill them in, or leave the rows out.",
                    )
            return
        empty = [name for name, own in zip(self._names, table.levels, strict=True) if not own]
        if empty:
            many = len(empty) > 1
            raise InputError(
                "empty-column",
                empty[0],
                f"All values are missing in column{'s'[:many]} {listed(list(map(repr, empty)))}: "
                f"leave {'them' if many else 'it'} out.",
            )
        constant = [
            name
            for name, values in zip(self._names, table.levels, strict=True)
            if len(values) == 1 and name not in reals
        ]
        if constant:
            self._reading.log.add_warning(
                "constant-column",
                constant[0],
                f"{len(constant)} column{'s have' if len(constant) > 1 else ' has'} a single value "
                f"and cannot have edges: {listed(list(map(repr, constant)))}.",
            )

    def _place_columns(
        self, columns: NDArray[Any] | Sequence[Column], row: int, column: int = 0
    ) -> None:
        """Code columns, as an array of shape (columns, rows) or one by one, and pack the codes."""
        if not self._coders:
            self._coders = list(self._runs(list(columns)))
        for start, stop, coder in self._coders:
            first, last = max(start, column), min(stop, column + len(columns))
            if first >= last:
                continue
            part = columns[first - column : last - column]
            codes: Codes | None
            if isinstance(coder, ValueCoder):
                values = [c.tolist() if isinstance(c, np.ndarray) else c for c in part]
                codes = coder.codes(values, row, first, first - start)
            else:
                if not isinstance(part, np.ndarray):
                    part = np.stack([_comparable(values) for values in part])
                codes = coder.codes(part.T, row, first, first - start)
            if codes is not None:
                self._pack(codes, row, first)

    def _pack(self, coded: Codes, row: int, column: int) -> None:
        """Write the binary digits of codes, beyond the first only for columns that need them."""
        codes, absent = coded
        n_columns = codes.shape[1]
        n_digits = 1 if codes.dtype == np.bool_ else int(codes.max(initial=0)).bit_length()
        first = codes & 1 if n_digits > 1 else codes
        self._planes.put(0, first, row, slice(column, column + n_columns))
        for digit in range(1, n_digits):
            columns = np.flatnonzero(codes.max(axis=0) >> digit)
            bits = codes[:, columns] >> digit & 1
            self._planes.put(digit, bits, row, column + columns)
        if absent is not None:
            columns = np.flatnonzero(absent.any(axis=0))
            self._planes.put(MISSING, absent[:, columns], row, column + columns)

    def _runs(
        self, columns: Sequence[Column]
    ) -> Iterator[tuple[int, int, ArrayCoder | ValueCoder]]:
        """Yield a coder for every run of neighbouring columns of one dtype."""
        dtypes = [c.dtype if isinstance(c, np.ndarray) else np.dtype(object) for c in columns]
        start = 0
        for dtype, run in groupby(dtypes):
            stop = start + len(list(run))
            yield self._coder(start, stop, dtype)
            start = stop

    def _coder(
        self, start: int, stop: int, dtype: np.dtype[Any]
    ) -> tuple[int, int, ArrayCoder | ValueCoder]:
        coder: ArrayCoder | ValueCoder
        if dtype.kind in ARRAY_KINDS:
            coder = ArrayCoder(dtype, stop - start, self._problems, self._reading)
        else:
            coder = ValueCoder(
                stop - start, self._problems, self._reading, self._parse, self._categories
            )
        return start, stop, coder


def _comparable(values: Column) -> NDArray[Any]:
    """Return a column as an array; one that is not an array has missing values among numbers."""
    if isinstance(values, np.ndarray):
        return values
    return np.array([np.nan if is_missing(value) else value for value in values], np.float64)


def _tiles(chunk: NDArray[Any]) -> Iterator[tuple[slice, slice]]:
    """Yield the tiles of a chunk, in the order of its memory."""
    n_rows, n_columns = chunk.shape
    by_columns = chunk.strides[0] < chunk.strides[1]
    height = n_rows if by_columns else max(1, TILE_CELLS // n_columns)
    height = max(LANE, min(height, TILE_CELLS) // LANE * LANE)
    width = max(1, TILE_CELLS // height)
    rows = [slice(r, min(r + height, n_rows)) for r in range(0, n_rows, height)]
    columns = [slice(c, min(c + width, n_columns)) for c in range(0, n_columns, width)]
    if by_columns:
        yield from ((r, c) for c in columns for r in rows)
    else:
        yield from ((r, c) for r in rows for c in columns)


def _in_microseconds(times: NDArray[Any]) -> NDArray[Any]:
    """Return dates or durations in the resolution of Python's own.

    Out of range, some versions of NumPy raise an error and others wrap around silently.
    """
    unit = f"{times.dtype.kind}8[us]"
    if np.datetime_data(times.dtype)[0] in FINE_UNITS:  # they lose digits, and cannot overflow
        return times.astype(unit)
    try:
        found = times.astype(unit)
        is_same = found.astype(times.dtype) == times
    except OverflowError:
        is_same = np.zeros(1, np.bool_)
    if not (is_same | np.isnat(times)).all():
        raise InputError(
            "not-a-level",
            "",
            "A date or duration is out of the range of microseconds: leave it out, or use years as "
            "numbers.",
        )
    return found
