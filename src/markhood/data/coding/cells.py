"""Parse cells of text as numbers, text or missing values.

One list has the texts that mean missing, in files and in data frames: the list of pandas without
'None', which is an answer among words, and with `#NULL!` of SPSS. Texts that only sometimes mean
missing (a dot, 'refused', 'None' among numbers) are found by `missing_codes`.

`CodedCells`: a column of text cells as numbers of its distinct texts. Text files have few distinct
cells per column. A fast reader returns the number of each cell and the distinct texts, and only
these are parsed, so that every cell has the meaning that `parse_cell` gives it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "#NULL!", "NULL", "null",
     "NaN", "nan", "-NaN", "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
)  # fmt: skip

NOT_APPLICABLE = "not applicable"  # the level of questions that were skipped

_NUMBER = re.compile(r"(?ai)[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)")
DECIMAL_COMMA = re.compile(r"(?a)[+-]?\d+,\d+")


def parse_cell(text: str) -> str | int | float | None:
    """Return the number in a cell, None for a missing value, else the text.

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


def is_infinite(text: str) -> bool:
    """Return whether a text is an infinite number, such as -Inf."""
    value = parse_cell(text)
    return isinstance(value, float) and math.isinf(value)


def parse_comma_cell(text: str) -> str | int | float | None:
    """Parse a cell like `parse_cell`, with a decimal comma in numbers.

    Examples
    --------
    >>> [parse_comma_cell(cell) for cell in ("1", "2,50", "yes, but")]
    [1, 2.5, 'yes, but']
    """
    if DECIMAL_COMMA.fullmatch(text.strip()):
        text = text.replace(",", ".")
    return parse_cell(text)


def means_missing(value: Any) -> bool:
    """Return whether a value is a text that `parse_cell` reads as missing.

    Examples
    --------
    >>> [means_missing(value) for value in ("NA", " ", "no", 0)]
    [True, True, False, False]
    """
    if isinstance(value, bytes):
        value = value.decode("ascii", "replace")
    return isinstance(value, str) and value.strip() in MISSING


@dataclass(frozen=True)
class CodedCells:
    """Cells of a column.

    Examples
    --------
    >>> import numpy as np
    >>> list(CodedCells(np.array([0, 1, 0]), ["yes", "no"]))
    ['yes', 'no', 'yes']
    """

    numbers: NDArray[Any]  # (n_rows,): index of the text of each cell
    texts: Sequence[str]  # in order of first appearance; a text may occur twice

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        """Yield the texts of all cells."""
        return (self.texts[k] for k in self.numbers.tolist())
