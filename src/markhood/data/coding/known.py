"""Codes of new data as levels of known variables.

Coders give every distinct value a code. When all values of a column are known, each belongs to one of the
known levels or is an error; values of one level (those of a bin, rare ones that were merged) become one code. So new
data need no coder of their own, and every source can read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.coders import Levels
from markhood.data.coding.findings import Findings
from markhood.data.coding.merged import level_numbers
from markhood.data.coding.planes import Planes
from markhood.data.variables import Variables

Values = Sequence[tuple[Any, ...]]
REAL = (0,)  # the level of a column that is kept as numbers elsewhere


def known_levels(names: Sequence[str], known: Variables | None) -> Levels | None:
    """Return the levels of the columns of these names, None where no variables are known."""
    if known is None:
        return None
    levels = dict(zip(known.names, known.levels or (), strict=True))
    return tuple(levels.get(name, REAL) for name in names)


def known_numbers(
    planes: Planes, n_rows: int, values: Values, known: Levels | None, findings: Findings
) -> list[NDArray[np.int64]]:
    """Return the numbers of the known levels that values belong to; raise where one has none."""
    found = []
    done: dict[Any, NDArray[np.int64]] = {}  # most columns have the values of others
    for j, levels in enumerate(known or ()):
        numbers = done.get((values[j], levels))
        if levels is REAL:
            numbers = np.zeros(len(values[j]), np.int64)
        if numbers is None:
            numbers = done[values[j], levels] = level_numbers(values[j], levels)
        if (strange := np.flatnonzero(numbers < 0)).size:
            codes = planes.codes(j, len(numbers), n_rows)
            row = int(np.isin(codes, strange).argmax())
            raise findings.unknown_value(row, j, values[j][codes[row]], levels)
        found.append(numbers)
    return found


def known_values(
    planes: Planes,
    n_samples: int,
    values: Values,
    known: Levels | None,
    numbers: Sequence[NDArray[np.int64]],
) -> list[tuple[Any, ...]]:
    """Return the known level of each code, having made codes of one level one code."""
    found = list(values)
    for j, (own, levels) in enumerate(zip(numbers, known or (), strict=True)):
        distinct, codes = np.unique(own, return_inverse=True)
        if len(distinct) < len(own):
            planes.recode(j, codes, len(distinct), n_samples)
        shown = distinct if len(distinct) < len(own) else own
        found[j] = tuple([levels[k] for k in shown.tolist()])
    return found
