"""What levels are called that were merged, and which of them a value of new data belongs to.

Levels are all that a model keeps of the table it was fitted to, so the name of a merged one says what went
into it: neighbouring steps are `4 or 5`, more of them `3 to 5` where they are numbers, bins that were merged
are one longer bin, and categories are `other`, to which then also belong those that had never been seen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from numbers import Real
from typing import Any

from markhood.data.coding.bins import joined_bin
from markhood.data.variables import level_text

OTHER = "other"
_OR = " or "
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
_FROM_TO = re.compile(f"(?a){_NUMBER} to {_NUMBER}")


def merged_name(levels: Sequence[Any]) -> str:
    """Name neighbouring steps that are one from now on.

    Examples
    --------
    >>> merged_name([4, 5.0]), merged_name([3, 4, 6]), merged_name(["[1, 5)", "[5, 9)", "[9, 12]"])
    ('4 or 5', '3 to 6', '[1, 12]')
    """
    if len(levels) > 2 and all(isinstance(level, Real) for level in levels):
        return f"{level_text(levels[0])} to {level_text(levels[-1])}"
    return joined_bin(levels) or _OR.join(map(level_text, levels))


def are_merged(levels: Collection[Any]) -> bool:
    """Whether some of the levels may have been merged.

    Examples
    --------
    >>> are_merged([1, 2, "3 or 4"]), are_merged(["a", "other"]), are_merged([1, 2, 3])
    (True, True, False)
    """
    return any(
        isinstance(level, str) and (level == OTHER or _OR in level or _FROM_TO.fullmatch(level))
        for level in levels
    )


def home_of(value: Any, levels: Collection[Any]) -> Any | None:
    """Return the merged level that a value which is none itself belongs to; None without any.

    Examples
    --------
    >>> home_of(4.0, [1, 2, "3 or 4"]), home_of(6, [1, "3 to 8"]), home_of(9, [1, 2, "3 or 4"])
    ('3 or 4', '3 to 8', None)
    >>> home_of("z", ["a", "b", "other"])
    'other'
    """
    text = level_text(value)
    for level in levels:
        if not isinstance(level, str):
            continue
        run = _FROM_TO.fullmatch(level) if isinstance(value, Real) else None
        if text in level.split(_OR) or (run and float(run[1]) <= value <= float(run[2])):
            return level
    return OTHER if OTHER in levels else None
