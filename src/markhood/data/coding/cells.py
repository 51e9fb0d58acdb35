"""What the cells of a text file mean: numbers, text, or nothing."""

from __future__ import annotations

import re
from contextlib import suppress

MISSING = frozenset(["", "NA", "NaN", "nan", "null", "NULL"])

_NUMBER = re.compile(r"(?ai)[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)")


def parse_cell(text: str) -> str | int | float | None:
    """Return the number that a cell holds, None where it holds nothing, else its text.

    Examples
    --------
    >>> [parse_cell(cell) for cell in ("1", " 2.50", "yes", "NA")]
    [1, 2.5, 'yes', None]
    """
    text = text.strip()
    if text in MISSING:
        return None
    if _NUMBER.fullmatch(text):
        with suppress(ValueError):
            return int(text)
        return float(text)
    return text
