"""From coded values to samples: the steps that a table takes when all its rows have been read.

1. `missing_codes`: codes for missing values, such as 999, become missing.
2. `understanding`: the role and kind of every column; columns that are not variables are left out.
3. `missing`: skipped questions, empty columns and rows to drop.
4. `choose_rows`: rows to leave out, and weights.
5. `composition`: counts of parts become log-ratios.
6. `take_numbers`: numeric covariates stay numbers.
7. `bins`: other numbers are cut.
8. `merged`: the rarest of very many categories become one level.
9. `planes`: levels are sorted, and every level but the first becomes a row of bits.

New data of known variables skip the decisions: `merged` gives every value its level instead.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from markhood.data.codebook import Account, Codebook, Entry
from markhood.data.coding.bins import are_numbers, cut_columns
from markhood.data.coding.cells import is_infinite
from markhood.data.coding.coded_table import REAL, CodedTable
from markhood.data.coding.column_kinds import warn_about_distinct
from markhood.data.coding.composition import compose, take_numbers
from markhood.data.coding.merged import known_numbers, known_values, merge_rarest
from markhood.data.coding.missing import (
    add_not_applicable,
    choose_rows,
    treat_missing,
)
from markhood.data.coding.missing_codes import remove_codes
from markhood.data.coding.planes import MISSING, Coded, IndicatorTable, tabulate
from markhood.data.coding.understanding import understand
from markhood.data.kinds import with_kinds
from markhood.data.reading import SIMILARITY
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.data.weights import recognised, similarity_weights
from markhood.errors import InputError, listed

ROLES_OF_REASONS = {"the weights": "weight", "the clusters": "cluster", "the time": "time"}


def samples_of(table: CodedTable) -> Samples:
    """Return the samples of a table; raise for the problems found."""
    reading, n_read = table.reading, table.n_rows
    _check_infinite(table)
    remove_codes(table)
    table.count_missing()
    understand(table)
    treatment = treat_missing(table)
    if table.problems:
        raise table.problems.error()
    left_out = {table.names[j] for j in treatment.left_out}
    for j in treatment.left_out:
        table.clear(j)
    numbers = known_numbers(table) if not reading.compositional else []
    kept, rows_left_out = choose_rows(table, treatment)
    compose(table)
    take_numbers(table)
    cut_columns(table)
    merge_rarest(table)
    known_values(table, known_numbers(table) if reading.compositional else numbers)
    add_not_applicable(table, treatment.skips, kept)
    indicators = tabulate(
        Coded(table.planes, table.n_rows, table.values),
        {j: own.order for j, own in table.categories.items() if own.order},
        known=table.known,
        missing_is_level=reading.missing == "level",
        some_left_out=table.n_rows < n_read,
    )
    outside = {*table.reals, *left_out}
    _check_levels(table, indicators, outside)
    samples = Samples(
        indicators.words,
        table.n_rows,
        _variables(table, indicators),
        indicators.missing,
        table.weights,
        rows=np.flatnonzero(kept) if table.n_rows < n_read else None,
        reals=table.reals,
    )
    if isinstance(reading.weights, str) and reading.weights == SIMILARITY:
        samples = replace(
            samples, weights=similarity_weights(samples, reading.similarity_threshold)
        )
    else:
        samples = recognised(samples, reading)
    missing = {name: n for name, n in table.n_missing.items() if name not in left_out}
    if table.known is None:
        warn_about_distinct(table, samples.levels, missing)
    account = Account(
        n_read,
        missing,
        dict(table.log.left_out),
        rows_left_out,
        tuple(table.log.findings),
        _codebook(table, samples.variables),
    )
    if outside:
        nodes = [j for j, name in enumerate(table.names) if name not in outside]
        samples = samples.pick(np.array(nodes, np.int64))
    return replace(samples, account=account)


def _check_infinite(table: CodedTable) -> None:
    """Raise for columns of numbers in which an infinite number is written as a text."""
    of_numbers: set[tuple[Any, ...]] = set()  # many columns share their values
    for j, values in enumerate(table.values):
        if values in of_numbers:
            continue
        texts = {k for k, value in enumerate(values) if isinstance(value, str)}
        if not texts:
            of_numbers.add(values)
            continue
        others = [value for k, value in enumerate(values) if k not in texts]
        if are_numbers(others) and all(map(is_infinite, (values[k] for k in texts))):
            rows = np.isin(table.codes(j), list(texts))
            table.problems.add_infinite(int(rows.argmax()), j)
    if table.problems:
        raise table.problems.error()


def _variables(table: CodedTable, indicators: IndicatorTable) -> Variables:
    """Return the variables with their kinds, copied from known variables if there are any."""
    known = table.reading.known
    variables = Variables(table.names, indicators.levels, columns=_descriptions(table))
    if known is None:
        return with_kinds(variables, table.reading.kinds, table.categories)
    steps = dict(zip(known.names, known.is_ordered, strict=True))
    return replace(variables, ordered=tuple(steps.get(name, False) for name in table.names))


def _descriptions(table: CodedTable) -> dict[str, tuple[str, ...]]:
    """Return the texts and groups of the columns, if any has one."""
    found = {}
    for name in ("text", "group"):
        of = {entry.column: getattr(entry, name) for entry in table.entries}
        if any(of.values()):
            found[name] = tuple(of.get(column, "") for column in table.names)
    return found


def _codebook(table: CodedTable, variables: Variables) -> Codebook | None:
    """Return what was decided about all columns, including those that are left out."""
    if table.known is not None:
        return None
    levels = dict(zip(variables.names, variables.levels or (), strict=True))
    reasons, entries = table.log.left_out, []
    for entry in table.entries:
        own = levels.get(entry.column, entry.levels)
        why = reasons.get(entry.column, entry.why)
        if why != entry.why or why in ROLES_OF_REASONS:  # mostly missing, or counts of rows
            role = ROLES_OF_REASONS.get(why, "skip")
            found = entry._replace(role=role, levels=(), why=why)
        else:
            name, role, kind, _, missing, text, group, _ = entry  # `_replace` takes twice as long
            own = () if own is REAL else own
            found = Entry(name, role, kind, own, missing, text, group, why)
        entries.append(found)
    listed_ones = {entry.column for entry in entries}
    given = {} if table.reading.codebook is None else table.reading.codebook.by_column()
    outside = [
        given.get(name, Entry(column=name))._replace(
            role=ROLES_OF_REASONS.get(why, "skip"), why=why
        )
        for name, why in reasons.items()
        if name not in listed_ones
    ]
    return Codebook((*outside, *entries))


def _check_levels(table: CodedTable, found: IndicatorTable, outside: Collection[str]) -> None:
    """Raise for columns without values, and warn about constant columns."""
    if table.known is not None:
        for j in table.planes.columns(MISSING):
            if table.reading.missing == "level" and None not in table.known[j]:
                raise InputError(
                    "missing-values",
                    table.names[j],
                    f"Column {table.names[j]!r} has missing values, but had none in the data that "
                    "the model was fitted to: fill them in, or leave the rows out.",
                )
        return
    by_name = list(zip(table.names, found.levels, strict=True))
    if empty := [name for name, own in by_name if not own]:
        many = len(empty) > 1
        raise InputError(
            "empty-column",
            empty[0],
            f"All values are missing in column{'s'[:many]} {listed(list(map(repr, empty)))}: "
            f"leave {'them' if many else 'it'} out.",
        )
    if constant := [name for name, own in by_name if len(own) == 1 and name not in outside]:
        table.log.add_warning(
            "constant-column",
            constant[0],
            f"{len(constant)} column{'s have' if len(constant) > 1 else ' has'} a single value "
            f"and cannot have edges: {listed(list(map(repr, constant)))}.",
        )
