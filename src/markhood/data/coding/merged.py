"""Name merged levels, and find the level of a value in new data.

A model keeps only the levels of the table that it was fitted to, so the name of a merged level
states its members: two ordered levels are `4 or 5`, more numbers `3 to 5`, merged bins are a longer
bin, letters are their class, and rare categories are `other`, which also includes categories that
did not occur in the training data.

Translate the codes of new data to the levels of known variables. Coders give every distinct value a
code. When a column is complete, each value must belong to one of the known levels; values of the
same level (a bin, a merged level) then share a code. So new data use the same coders as other data.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from numbers import Real
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.data.coding.bins import are_numbers, bin_like, joined_bin
from markhood.data.coding.coded_table import REAL, CodedTable
from markhood.data.coding.coders import Levels
from markhood.data.genome.alphabets import class_among
from markhood.data.kinds import Category
from markhood.data.variables import Variables, level_text
from markhood.errors import counted, listed, option

OTHER = "other"
ROWS_PER_LEVEL = 5  # of a column with too many categories, for a level to be kept
UNSEEN = "(not in the training data)"  # the last level, for values without another level
_OR = " or "
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
_FROM_TO = re.compile(f"(?a){_NUMBER} to {_NUMBER}")


def merge_rarest(table: CodedTable) -> None:
    """Merge the rarest levels of unordered columns with more levels than allowed."""
    limit, merged = table.reading.max_levels, []
    for j, values in enumerate(table.values):
        is_ordered = table.categories[j].is_ordered if j in table.categories else None
        if table.known is not None or len(values) <= limit or is_ordered:
            continue
        if is_ordered is None and are_numbers(values):
            continue
        counts = table.counts(j)
        order = np.argsort(-counts, kind="stable")[: limit - 1]
        kept = np.sort(order[counts[order] >= ROWS_PER_LEVEL])
        if len(kept) < 2:
            kept = np.sort(order[counts[order] > 1])
        if len(kept) < 2:
            row = int((table.codes(j) == limit).argmax())
            table.problems.add_too_many(row, j, limit, values)
            continue
        new = np.full(len(values), len(kept))
        new[kept] = np.arange(len(kept))
        table.recode(j, new, (*(values[k] for k in kept.tolist()), OTHER))
        table.categories.setdefault(j, Category())
        merged.append((table.names[j], f"({len(values)} levels to {len(kept) + 1})"))
    if table.problems.too_many:
        raise table.problems.error()
    if merged:
        shown = [f"{name!r} {levels}" for name, levels in merged]
        table.log.add_note(
            "merged-levels",
            merged[0][0],
            f"The rarest levels were merged into {OTHER!r} in {counted(len(merged), 'column')}: "
            f"{listed(shown)} ({option('max_levels')} keeps more).",
        )


def merged_name(levels: Sequence[Any]) -> str:
    """Name a level that merges neighbouring ordered levels.

    Examples
    --------
    >>> merged_name([4, 5.0]), merged_name([3, 4, 6]), merged_name(["[1, 5)", "[5, 9)", "[9, 12]"])
    ('4 or 5', '3 to 6', '[1, 12]')
    """
    if len(levels) > 2 and all(isinstance(level, Real) for level in levels):
        return f"{level_text(levels[0])} to {level_text(levels[-1])}"
    return joined_bin(levels) or _OR.join(map(level_text, levels))


def are_merged(levels: Collection[Any]) -> bool:
    """Return whether some of the levels may have been merged.

    Examples
    --------
    >>> are_merged([1, 2, "3 or 4"]), are_merged(["a", "other"]), are_merged([1, 2, 3])
    (True, True, False)
    """
    return any(
        isinstance(level, str) and (level == OTHER or _OR in level or _FROM_TO.fullmatch(level))
        for level in levels
    )


def level_numbers(values: Sequence[Any], levels: Sequence[Any]) -> Ints:
    """Return the index of the level of each value, -1 for a value without a level.

    A value is a level, has the same text as one (1 and "1"), or is in a bin or a merged level.

    Examples
    --------
    >>> level_numbers([4, 1.0, "2", 7], [1, 2, "3 or 4"]).tolist()
    [2, 0, 1, -1]
    >>> level_numbers([33, 80], ["[18, 25)", "[25, 60]"]).tolist()
    [1, 1]
    """
    if levels[-1:] and levels[-1] == UNSEEN:
        found = level_numbers(values, levels[:-1])
        found[found < 0] = len(levels) - 1
        return found
    exact = {level: k for k, level in enumerate(levels)}
    texts = {level_text(level): k for level, k in exact.items() if level is not None}
    found = np.full(len(values), -1)
    for at, value in enumerate(bin_like(values, levels) or values):
        if value in exact:
            found[at] = exact[value]
        elif value is not None:
            text = level_text(value)
            merged = merged_level_of(value, levels) if text not in texts else None
            found[at] = texts.get(text, -1) if merged is None else exact[merged]
    return found


def merged_level_of(value: Any, levels: Collection[Any]) -> Any | None:
    """Return the merged level of a value that is not a level itself, or None.

    Examples
    --------
    >>> [merged_level_of(value, [1, 2, "3 or 4", "5 to 8"]) for value in (4.0, 6, 9)]
    ['3 or 4', '5 to 8', None]
    >>> merged_level_of("z", ["a", "b", "other"]), merged_level_of("I", ["-", "AG", "LVIMC"])
    ('other', 'LVIMC')
    """
    text = level_text(value)
    for level in levels:
        if not isinstance(level, str):
            continue
        run = _FROM_TO.fullmatch(level) if isinstance(value, Real) else None
        if text in level.split(_OR) or (run and float(run[1]) <= value <= float(run[2])):
            return level
    return class_among(value, levels) or (OTHER if OTHER in levels else None)


def known_levels(names: Sequence[str], known: Variables | None) -> Levels | None:
    """Return the levels of the columns with these names, None if no variables are known."""
    if known is None:
        return None
    levels = dict(zip(known.names, known.levels or (), strict=True))
    return tuple(levels.get(name, REAL) for name in names)


def known_numbers(table: CodedTable) -> list[Ints]:
    """Return the indices of the known levels of values; raise for a value without a level."""
    found = []
    done: dict[Any, Ints] = {}  # many columns share their values
    for j, (values, levels) in enumerate(zip(table.values, table.known or (), strict=False)):
        if levels is REAL:
            numbers = np.zeros(len(values), np.int64)
        else:
            if (values, levels) not in done:
                done[values, levels] = level_numbers(values, levels)
            numbers = done[values, levels]
        if (strange := np.flatnonzero(numbers < 0)).size:
            codes = table.codes(j)
            row = int(np.isin(codes, strange).argmax())
            raise table.problems.unknown_level(row, j, values[codes[row]], levels)
        found.append(numbers)
    return found


def known_values(table: CodedTable, numbers: Sequence[Ints]) -> None:
    """Merge codes that have the same known level, and give each code its level as its value."""
    for j, (own, levels) in enumerate(zip(numbers, table.known or (), strict=True)):
        distinct, codes = np.unique(own, return_inverse=True)
        if len(distinct) < len(own):
            table.recode(j, codes, [levels[k] for k in distinct.tolist()])
        else:
            table.values[j] = tuple([levels[k] for k in own.tolist()])
