"""Translate the codes of new data to the levels of known variables.

Coders give every distinct value a code. When a column is complete, each value must belong to one of
the known levels; values of the same level (a bin, a merged level) then share a code. So new data
use the same coders as other data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.coded_table import REAL, CodedTable
from markhood.data.coding.coders import Levels
from markhood.data.coding.merged import level_numbers
from markhood.data.variables import Variables


def known_levels(names: Sequence[str], known: Variables | None) -> Levels | None:
    """Return the levels of the columns with these names, None if no variables are known."""
    if known is None:
        return None
    levels = dict(zip(known.names, known.levels or (), strict=True))
    return tuple(levels.get(name, REAL) for name in names)


def known_numbers(table: CodedTable) -> list[NDArray[np.int64]]:
    """Return the indices of the known levels of values; raise for a value without a level."""
    found = []
    done: dict[Any, NDArray[np.int64]] = {}  # many columns share their values
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


def known_values(table: CodedTable, numbers: Sequence[NDArray[np.int64]]) -> None:
    """Merge codes that have the same known level, and give each code its level as its value."""
    for j, (own, levels) in enumerate(zip(numbers, table.known or (), strict=True)):
        distinct, codes = np.unique(own, return_inverse=True)
        if len(distinct) < len(own):
            table.recode(j, codes, [levels[k] for k in distinct.tolist()])
        else:
            table.values[j] = tuple([levels[k] for k in own.tolist()])
