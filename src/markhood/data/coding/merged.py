"""Name merged levels, and find the level of a value in new data.

A model keeps only the levels of the table that it was fitted to, so the name of a merged level
states its members: two ordered levels are `4 or 5`, more numbers `3 to 5`, merged bins are a longer
bin, letters are their class, and rare categories are `other`, which also includes categories that
did not occur in the training data.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import bin_like, joined_bin
from markhood.data.genome.alphabets import class_among
from markhood.data.variables import level_text

OTHER = "other"
UNSEEN = "(not in the training data)"  # the last level, for values without another level
_OR = " or "
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
_FROM_TO = re.compile(f"(?a){_NUMBER} to {_NUMBER}")


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


def level_numbers(values: Sequence[Any], levels: Sequence[Any]) -> NDArray[np.int64]:
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
