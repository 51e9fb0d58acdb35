"""Decide what every column of a table is, leave out those that are not variables, and record it.

A declaration of the user comes first: an option, a codebook, or a category of a data frame. Other
columns are what their values and names suggest (`column_kinds`). Then columns are compared with
each other: groups and totals of other columns (`derived`), and numbers of equal rows. Columns of
arrays have no names of their own and are never left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from markhood.data.codebook import Entry
from markhood.data.coding.bins import AUTO, are_numbers
from markhood.data.coding.coded_table import CodedTable
from markhood.data.coding.column_kinds import CODES, GROUPED, REPEATED, Facts, kind_by_values
from markhood.data.coding.derived import column_of_counts, derived_columns, is_order_confirmed
from markhood.data.coding.names import covariates_among
from markhood.data.coding.problems import MINIMUM
from markhood.data.kinds import Category
from markhood.data.variables import level_text
from markhood.errors import InputError, listed, option

if TYPE_CHECKING:
    from markhood.data.reading import Reading
    from markhood.findings import FindingLog

COLUMNS_SHOWN = 12
UNDECLARED = Entry(column="")
CONFIRMED = "numbers in an order that other columns confirm"


def understand(table: CodedTable) -> None:
    """Decide what every column is, leave out those that are not variables, and record both."""
    if table.known is not None:
        return
    reading, values = table.reading, table.values
    wanted = wanted_entries(reading, table.names)
    all_nominal = reading.kinds == "nominal" and reading.bins == AUTO
    missing_is_level = reading.missing in ("level", AUTO)
    for j, name in enumerate(table.names):
        n_missing, declared = table.n_missing.get(name, 0), table.categories.get(j)
        if len(values[j]) == 2 and not table.is_table and name not in wanted and declared is None:
            table.entries.append(Entry(name, "node", "binary", (), n_missing))
            continue  # there is nothing to decide about the columns of most arrays
        facts = Facts(name, values[j], partial(table.codes, j), n_missing, declared)
        entry = understood(facts, wanted.get(name), table.is_table, missing_is_level)
        is_measured = entry.kind in ("measurement", "count")
        if is_measured and all_nominal and len(values[j]) <= reading.max_levels:
            entry = entry._replace(kind="nominal")
        if not entry.text and name in table.log.texts:
            entry = entry._replace(text=table.log.texts[name])
        table.entries.append(entry)
    for j, entry in enumerate(table.entries):
        if entry.why == CODES and is_order_confirmed(table, j):
            table.entries[j] = entry._replace(kind="ordinal", why=CONFIRMED)
    if table.is_table:
        for j, why in derived_columns(table).items():
            if table.names[j] not in wanted:
                table.entries[j] = table.entries[j]._replace(role="skip", why=why)
        _take_counts(table, wanted)
    n_nodes = sum(entry.role != "skip" for entry in table.entries)
    if n_nodes < min(MINIMUM, reading.min_columns):
        raise _too_few_variables(table.entries)
    _record(table)
    _leave_out(table)


def _take_counts(table: CodedTable, wanted: Mapping[str, Entry]) -> None:
    """Use a column with numbers of equal rows as the weights."""
    j = column_of_counts(table)
    if j is None or table.reading.weights is not None or table.names[j] in wanted:
        return
    name, numbers = table.names[j], table.values[j]
    table.given_weights = [numbers[code] for code in table.codes(j).tolist()]
    table.entries[j] = table.entries[j]._replace(role="skip", why="the weights")
    table.log.add_warning(
        "weights-read",
        name,
        f"Every row is listed once, and {name!r} is read as the number of times that it occurs. If "
        f"it is a variable, use {option('kinds', {name: 'ordinal'})}.",
    )


def _leave_out(table: CodedTable) -> None:
    """Keep the columns that are variables, with their kinds and orders."""
    kept = [j for j, entry in enumerate(table.entries) if entry.role != "skip"]
    table.pick(kept)
    for k, j in enumerate(kept):
        entry = table.entries[j]
        is_number = entry.why == "numbers"  # which may still be cut, and are ordered by size
        if (entry.kind in ("ordinal", "nominal") or entry.levels) and not is_number:
            table.categories[k] = Category(entry.levels, entry.kind == "ordinal")


def wanted_entries(reading: Reading, names: Sequence[str]) -> dict[str, Entry]:
    """Return what the user declared about columns, by name.

    A column that an option names is a node, whatever its values look like.
    """
    found = {} if reading.codebook is None else reading.codebook.by_column()
    named = [*(reading.columns or ())]
    for options in (reading.kinds, reading.bins):
        named += [*options] if isinstance(options, Mapping) else []
    covariates = [names[j] for j in covariates_among(names, reading.adjust_for)]
    for name in names:
        if name in named or name in covariates:
            entry = found.get(name, Entry(column=name))
            role = "covariate" if name in covariates else entry.role or "node"
            found[name] = entry._replace(role=role)
    kinds = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    for name, kind in kinds.items():
        if name in found and not isinstance(kind, str):
            found[name] = found[name]._replace(kind="ordinal", levels=tuple(kind))
        elif name in found and kind != "auto":
            found[name] = found[name]._replace(kind=kind, levels=())
    return found


def understood(
    facts: Facts, wanted: Entry | None, may_leave_out: bool, missing_is_level: bool = False
) -> Entry:
    """Return what a column is.

    Examples
    --------
    >>> import numpy as np
    >>> codes = lambda: np.arange(30) % 3
    >>> understood(Facts("race", (1, 3, 2), codes), None, True).kind
    'nominal'
    >>> found = understood(Facts("mood", ("high", "low", "mid"), codes), None, True)
    >>> found.kind, found.levels
    ('ordinal', ('low', 'mid', 'high'))
    """
    given = wanted or UNDECLARED
    column = Entry(
        column=facts.name,
        role="node",
        missing=facts.n_missing,
        text=given.text,
        group=given.group,
    )
    entry = kind_by_values(facts, column, missing_is_level)
    if not may_leave_out and entry.role != "node":
        entry = entry._replace(role="node", why="")
    if given.role:
        why = "declared as skip" if given.role == "skip" else entry.why
        entry = entry._replace(role=given.role, why=why)
    if given.kind in ("nominal", "ordinal", "measurement", "count"):
        why = entry.why if entry.role == "skip" else "as declared"
        entry = entry._replace(kind=_declared_kind(facts, given), why=why)
    if entry.kind not in ("binary", "nominal", "ordinal") or not given.levels:
        return entry
    by_text = {level_text(value): value for value in facts.values}
    texts = [level_text(level) for level in given.levels]
    unlisted = [text for text in by_text if text not in texts]
    if unlisted and entry.kind != "ordinal":  # rare levels were merged
        return entry
    if unlisted:
        raise InputError(
            "unknown-level",
            facts.name,
            f"Column {facts.name!r} has the value {unlisted[0]!r}, which is not among its listed "
            f"levels ({', '.join(texts)}): add it, or name it in {option('missing_values')}.",
        )
    return entry._replace(levels=tuple(by_text[text] for text in texts if text in by_text))


def _declared_kind(facts: Facts, given: Entry) -> str:
    if len(facts.values) < 3 or given.kind in ("nominal", "ordinal"):
        return given.kind if len(facts.values) > 2 else "binary"
    if not are_numbers(facts.values):
        raise InputError(
            "codebook",
            facts.name,
            f"The codebook gives column {facts.name!r} the kind {given.kind!r}, but it has values "
            "that are not numbers: correct one of them.",
        )
    return given.kind


def _record(table: CodedTable) -> None:
    """Record the columns that are left out, and the kinds that were guessed."""
    log, entries, kinds = table.log, table.entries, table.reading.kinds
    outside = [entry for entry in entries if entry.role == "skip"]
    for entry in outside:
        log.leave_out(entry.column, entry.why)
    guessed = [e for e in outside if not e.why.startswith("declared") and e.why != "the weights"]
    if guessed:
        shown = [f"{entry.column!r} ({entry.why})" for entry in guessed]
        many = len(guessed) > 1
        kept = option("kinds", {guessed[0].column: "nominal"})
        log.add_warning(
            "left-out",
            guessed[0].column,
            f"{len(guessed)} column{'s are' if many else ' is'} not used as "
            f"{'variables' if many else 'a variable'}: {listed(shown, COLUMNS_SHOWN)}. Keep "
            f"{'one' if many else 'it'} with {kept}, or leave {'them' if many else 'it'} out with "
            f"{option('exclude')}." + _advice_about_rows(guessed),
        )
    if not isinstance(kinds, str) or kinds == "auto":
        _note_kinds(log, [e for e in entries if e.role != "skip" and e.why != "as declared"])


def _advice_about_rows(outside: Sequence[Entry]) -> str:
    """Advise to declare rows that depend on each other, by columns that are left out."""
    for entry in outside:
        if entry.why in (REPEATED, GROUPED):
            return (
                f" If rows with the same {entry.column!r} depend on each other, use "
                f"{option('clusters', entry.column)}."
            )
    return ""


def _note_kinds(log: FindingLog, entries: Sequence[Entry]) -> None:
    numbers = [e.column for e in entries if e.why in ("numbers", CONFIRMED)]
    scales = [e for e in entries if e.kind == "ordinal" and e.why == "a recognised scale"]
    codes = [e.column for e in entries if e.why == CODES]
    if numbers:
        log.add_note(
            "level-kinds",
            numbers[0],
            f"{_are_columns(numbers)} ordered: {_names(numbers)} "
            f"({option('kinds', {numbers[0]: 'nominal'})} for categories).",
        )
    if scales:
        shown = [f"{e.column!r} ({' < '.join(map(level_text, e.levels))})" for e in scales]
        log.add_note(
            "level-kinds",
            scales[0].column,
            f"Text is ordered as follows: {listed(shown)} "
            f"({option('kinds', {scales[0].column: 'nominal'})} for categories).",
        )
    if codes:
        log.add_note(
            "level-kinds",
            codes[0],
            f"{_are_columns(codes)} read as categories because of the name: {_names(codes)} "
            f"({option('kinds', {codes[0]: 'ordinal'})} for ordered levels).",
        )


def _are_columns(names: Sequence[str]) -> str:
    return f"{len(names)} column{'s' if len(names) > 1 else ''} of numbers " + (
        "are" if len(names) > 1 else "is"
    )


def _too_few_variables(entries: Sequence[Entry]) -> InputError:
    """Return the error for a table without enough variables."""
    shown = [f"{e.column!r} ({e.why})" for e in entries if e.role == "skip"]
    return InputError(
        "too-few-columns",
        "",
        f"Only {len(entries) - len(shown)} of {len(entries)} columns can be variables, and a graph "
        f"needs two or more. Not used: {listed(shown, COLUMNS_SHOWN)}. Name columns in "
        f"{option('columns')} to use them all the same.",
    )


def _names(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names])
