"""Decide what every column of a table is: its role, its kind, and the order of its levels.

The decision uses the values first and the name of the column where they leave a choice:

=====================================================  ===========  ===============
values                                                 kind         role
=====================================================  ===========  ===============
a single one                                           constant     skip
two                                                    binary       node
3 to 12 numbers                                        ordinal      node
the same, with a name such as race or region           nominal      node
more than 12 numbers                                   measurement  node
the same, whole, from 0 up with many zeros             count        node
whole numbers that count the rows or groups of rows,   identifier   skip or person
or have a name such as id
dates and times                                        date         time
texts of a scale (`markhood.data.scales`)              ordinal      node
other texts                                            nominal      node
the same, nearly all different                         identifier   skip
several words each                                     free text    skip
=====================================================  ===========  ===============

A declaration of the user comes before all of this: an option, a codebook, or a category of a data
frame. Columns of arrays have no names of their own and are never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.codebook import Entry
from markhood.data.coding.bins import MOST_STEPS, are_numbers, is_count
from markhood.data.coding.column_checks import FEWEST_DISTINCT, SHARE_DISTINCT, likeness
from markhood.data.coding.names import covariates_among
from markhood.data.kinds import Category
from markhood.data.lexicon import (
    names_codes,
    names_design,
    names_identifiers,
    names_units,
    names_weights,
)
from markhood.data.scales import recognised_scale
from markhood.data.variables import level_text
from markhood.errors import InputError, listed, option
from markhood.findings import FindingLog

if TYPE_CHECKING:
    from markhood.data.reading import Reading

ROWS_PER_TEXT = 2  # rows per distinct text, at least: else the texts do not repeat
ROWS_PER_GROUP = 10  # at most, on average, of groups that are numbered in the order of the rows
UNEQUAL = 5  # times the mean size, at most, of such a group
LONG_NUMBER = 10**8  # from here up, different numbers are identifiers
COLUMNS_SHOWN = 12
NOT_NODES = ("weight", "cluster", "person", "time", "skip")

Codes = Callable[[], NDArray[np.int64]]


class Facts(NamedTuple):
    """A column as it was read: its values by order of appearance, and the code of each row."""

    name: str
    values: tuple[Any, ...]
    codes: Codes
    n_missing: int = 0
    declared: Category | None = None


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
            found[name] = replace(entry, role=role)
    kinds = reading.kinds if isinstance(reading.kinds, Mapping) else {}
    for name, kind in kinds.items():
        if name in found and not isinstance(kind, str):
            found[name] = replace(found[name], kind="ordinal", levels=tuple(kind))
        elif name in found and kind != "auto":
            found[name] = replace(found[name], kind=kind, levels=())
    return found


def understood(
    facts: Facts, wanted: Entry | None, may_leave_out: bool, missing_is_level: bool = False
) -> Entry:
    """Return what a column is.

    Examples
    --------
    >>> codes = lambda: np.arange(30) % 3
    >>> understood(Facts("race", (1, 3, 2), codes), None, True).kind
    'nominal'
    >>> found = understood(Facts("mood", ("high", "low", "mid"), codes), None, True)
    >>> found.kind, found.levels
    ('ordinal', ('low', 'mid', 'high'))
    """
    given = wanted or Entry(column=facts.name)
    entry = _by_values(facts, missing_is_level)
    entry = replace(entry, missing=facts.n_missing, text=given.text, group=given.group)
    if not may_leave_out and entry.role != "node":
        entry = replace(entry, role="node", why="")
    if given.role:
        why = f"declared as {given.role}" if given.role in NOT_NODES else entry.why
        entry = replace(entry, role=given.role, why=why)
    if given.kind in ("nominal", "ordinal", "measurement", "count"):
        why = entry.why if entry.role in NOT_NODES else "as declared"
        entry = replace(entry, kind=_declared_kind(facts, given), why=why)
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
    return replace(entry, levels=tuple(by_text[text] for text in texts if text in by_text))


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


def _by_values(facts: Facts, missing_is_level: bool) -> Entry:
    name, values, codes, _, declared = facts
    found = Entry(column=name, role="node")
    if len(values) < 2 and not (values and missing_is_level and facts.n_missing):
        if not values:  # left to the treatment of missing values
            return replace(found, kind="empty", why="all values are missing")
        return replace(found, role="skip", kind="constant", levels=values, why="a single value")
    if names_weights(name) and are_numbers(values) and not all(v == int(v) for v in values):
        return replace(found, role="skip", kind="measurement", why="named like weights")
    if names_design(name):
        return replace(found, role="skip", kind="nominal", why="named like survey design")
    if len(values) <= 2:
        return replace(
            found, kind="binary", levels=() if declared is None else tuple(declared.order)
        )
    if declared is not None:
        by_text = found if declared.is_ordered else _of_texts(found, values, codes)
        kind = "ordinal" if declared.is_ordered else "nominal"
        if by_text.role != "node":
            return by_text
        return replace(found, kind=kind, levels=tuple(declared.order), why="a declared category")
    if are_numbers(values):
        return _of_numbers(found, values, codes)
    return _of_texts(found, values, codes)


def _of_numbers(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    name = found.column
    whole = all(value == int(value) for value in values)
    if len(values) <= MOST_STEPS:
        if whole and (names_codes(name, values) or names_units(name)):
            return replace(found, kind="nominal", why="named like codes of categories")
        return replace(found, kind="ordinal", why="numbers")
    if whole:
        return _of_whole_numbers(found, values, codes)
    return replace(found, kind="measurement", why=f"{len(values)} numbers")


def _of_whole_numbers(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    seen = codes()
    seen = seen[seen >= 0]
    are_different = len(values) >= SHARE_DISTINCT * len(seen)
    identifier = replace(found, role="skip", kind="identifier")
    if len(values) == len(seen) and all(b > a for a, b in pairwise(values)):
        return replace(identifier, why="numbers of the rows")
    if are_different and (
        names_identifiers(found.column)
        or names_codes(found.column, many=True)
        or min(values) >= LONG_NUMBER
    ):
        return replace(identifier, why="an identifier")
    if names_identifiers(found.column):
        return replace(identifier, role="person", why="repeated identifiers")
    sizes = np.bincount(seen, minlength=len(values))
    are_groups = sizes.mean() <= ROWS_PER_GROUP and sizes.max() <= UNEQUAL * sizes.mean()
    if are_groups and (np.diff(seen) >= 0).all() and _is_running(values):
        return replace(identifier, role="person", why="numbers of groups of rows")
    if names_codes(found.column, many=True) and len(seen) >= ROWS_PER_TEXT * len(values):
        return replace(found, kind="nominal", why="named like codes of categories")
    if is_count(values, sizes.astype(np.float64)):
        return replace(found, kind="count", why="whole numbers with many zeros")
    return replace(found, kind="measurement", why=f"{len(values)} numbers")


def _is_running(values: Sequence[Any]) -> bool:
    return all(b == a + 1 for a, b in pairwise(values))


def _of_texts(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    if all(isinstance(value, (date, time, timedelta)) for value in values):
        return replace(found, role="time", kind="date", why="dates")
    if (scale := recognised_scale(values)) is not None:
        return replace(found, kind="ordinal", levels=scale, why="a recognised scale")
    if len(values) < FEWEST_DISTINCT:
        return replace(found, kind="nominal", why="text")
    n_observed = int((codes() >= 0).sum())
    like = likeness([level_text(value) for value in values], n_observed)
    if like == "dates":
        return replace(found, role="time", kind="date", why="dates")
    if like == "free text":
        return replace(found, role="skip", kind="free text", why="free text")
    if like == "identifiers":
        return replace(found, role="skip", kind="identifier", why="an identifier")
    if len(values) > MOST_STEPS and names_identifiers(found.column):
        return replace(found, role="person", kind="identifier", why="repeated identifiers")
    if len(values) > MOST_STEPS and n_observed < ROWS_PER_TEXT * len(values):
        return replace(found, role="skip", kind="identifier", why="texts that rarely repeat")
    return replace(found, kind="nominal", why="text")


def note_decisions(log: FindingLog, entries: Sequence[Entry], reading: Reading) -> None:
    """Record the columns that are left out, and the kinds that were guessed."""
    outside = [entry for entry in entries if entry.role in NOT_NODES]
    for entry in outside:
        log.leave_out(entry.column, entry.why)
    guessed = [entry for entry in outside if not entry.why.startswith("declared")]
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
            f"{option('exclude')}.",
        )
    if not isinstance(reading.kinds, str) or reading.kinds == "auto":
        _note_kinds(log, [e for e in entries if e.role not in NOT_NODES and e.why != "as declared"])


def _note_kinds(log: FindingLog, entries: Sequence[Entry]) -> None:
    numbers = [e.column for e in entries if e.kind == "ordinal" and e.why == "numbers"]
    scales = [e for e in entries if e.kind == "ordinal" and e.why == "a recognised scale"]
    codes = [e.column for e in entries if e.why == "named like codes of categories"]
    if numbers:
        many = len(numbers) > 1
        log.add_note(
            "level-kinds",
            numbers[0],
            f"{len(numbers)} column{'s' if many else ''} of numbers {'are' if many else 'is'} "
            f"ordered: {_names(numbers)} ({option('kinds', {numbers[0]: 'nominal'})} for "
            "categories).",
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
        many = len(codes) > 1
        log.add_note(
            "level-kinds",
            codes[0],
            f"{len(codes)} column{'s' if many else ''} of numbers {'are' if many else 'is'} read "
            f"as categories because of the name: {_names(codes)} "
            f"({option('kinds', {codes[0]: 'ordinal'})} for ordered levels).",
        )


def note_bins(log: FindingLog, levels: Mapping[str, Sequence[Any]]) -> None:
    """Record the columns that were cut into bins."""
    if not levels:
        return
    many = len(levels) > 1
    columns = [f"{name!r} ({len(own)} bins)" for name, own in levels.items()]
    counts = [name for name, own in levels.items() if own[0] == 0]
    advice = f" ({option('bins')} sets the number)"
    log.add_note(
        "binned-columns",
        next(iter(levels)),
        f"{len(levels)} numeric column{'s were' if many else ' was'} cut into equal-frequency "
        f"bins: {listed(columns)}{advice}.",
    )
    if counts:
        log.add_note(
            "binned-columns",
            counts[0],
            f"Zero is the first level of {_names(counts)} "
            f"({option('bins', 'presence')} for absent and present).",
        )


def no_variables_left(entries: Sequence[Entry]) -> InputError:
    """Return the error for a table without enough variables."""
    shown = [f"{e.column!r} ({e.why})" for e in entries if e.role in NOT_NODES]
    return InputError(
        "too-few-columns",
        "",
        f"Only {len(entries) - len(shown)} of {len(entries)} columns can be variables, and a graph "
        f"needs two or more. Not used: {listed(shown, COLUMNS_SHOWN)}. Name columns in "
        f"{option('columns')} to use them all the same.",
    )


def _names(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names])
