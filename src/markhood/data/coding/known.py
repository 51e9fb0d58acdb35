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

from markhood.data.coding.coders import Levels
from markhood.data.coding.merged import level_numbers
from markhood.data.coding.planes import Planes
from markhood.data.coding.problems import Problems
from markhood.data.variables import Variables

Values = Sequence[tuple[Any, ...]]
REAL = (0,)  # level of a column whose numbers are kept in `Samples.reals`


def known_levels(names: Sequence[str], known: Variables | None) -> Levels | None:
    """Return the levels of the columns with these names, None if no variables are known."""
    if known is None:
        return None
    levels = dict(zip(known.names, known.levels or (), strict=True))
    return tuple(levels.get(name, REAL) for name in names)


def known_numbers(
    planes: Planes, n_rows: int, values: Values, known: Levels | None, problems: Problems
) -> list[NDArray[np.int64]]:
    """Return the indices of the known levels of values; raise for a value without a level."""
    found = []
    done: dict[Any, NDArray[np.int64]] = {}  # many columns share their values
    for j, levels in enumerate(known or ()):
        numbers = done.get((values[j], levels))
        if levels is REAL:
            numbers = np.zeros(len(values[j]), np.int64)
        if numbers is None:
            numbers = done[values[j], levels] = level_numbers(values[j], levels)
        if (strange := np.flatnonzero(numbers < 0)).size:
            codes = planes.codes(j, len(numbers), n_rows)
            row = int(np.isin(codes, strange).argmax())
            raise problems.unknown_level(row, j, values[j][codes[row]], levels)
        found.append(numbers)
    return found


def known_values(
    planes: Planes,
    n_samples: int,
    values: Values,
    known: Levels | None,
    numbers: Sequence[NDArray[np.int64]],
) -> list[tuple[Any, ...]]:
    """Merge codes that have the same level, and return the level of each code."""
    found = list(values)
    for j, (own, levels) in enumerate(zip(numbers, known or (), strict=True)):
        distinct, codes = np.unique(own, return_inverse=True)
        if len(distinct) < len(own):
            planes.recode(j, codes, len(distinct), n_samples)
        shown = distinct if len(distinct) < len(own) else own
        found[j] = tuple([levels[k] for k in shown.tolist()])
    return found
