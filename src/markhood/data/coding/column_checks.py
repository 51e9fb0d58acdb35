"""Check columns for values that are probably not categories.

A column in which nearly all values differ is an identifier, a date or free text. The data are not
changed: a warning names the columns and the option to use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

from markhood.data.coding.cells import parse_cell
from markhood.errors import listed, option

if TYPE_CHECKING:
    from markhood.data.coding.coded_table import CodedTable

SHARE_DISTINCT = 0.9
FEWEST_DISTINCT = 8  # with fewer levels no column is suspicious
WORDS_OF_PROSE = 4
CHARACTERS_SHOWN = 24
NAMES_TYPED = 40  # in an option; for more, users write patterns

_DATE = re.compile(r"(?a)(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([ T].*)?")
_CLOCK = re.compile(r"(?a)\d{1,2}:\d{2}(:\d{2}.*)?")


def likeness(values: Sequence[Any], n_rows: int | None = None) -> str:
    """Name what the values of a column look like.

    Parameters
    ----------
    values : sequence
        In row order, with or without repetitions.
    n_rows : int, optional
        Number of values in the column, where only the distinct ones are passed.

    Examples
    --------
    >>> likeness([1, 2, 3]), likeness([2.5, 1.25, 2.5]), likeness(["ab1", "ab2"])
    ('running numbers', 'measurements', 'identifiers')
    >>> likeness(["2024-01-31", "2024-02-01"]), likeness(["red", "blue", "red"])
    ('dates', 'categories')
    """
    values = [parse_cell(value) if isinstance(value, str) else value for value in values]
    values = [v for v in values if not (isinstance(v, float) and not math.isfinite(v))]
    all_differ = len(set(values)) >= SHARE_DISTINCT * (n_rows or len(values))
    if all(isinstance(value, Real) for value in values):
        whole = all(value == int(value) for value in values)
        if whole and all_differ and all(b == a + 1 for a, b in pairwise(values)):
            return "running numbers"
        return "identifiers or measurements" if whole and all_differ else "measurements"
    if all(isinstance(value, (date, time, timedelta)) for value in values):
        return "dates"
    texts = [str(value) for value in values]
    if all(_DATE.fullmatch(text) or _CLOCK.fullmatch(text) for text in texts):
        return "dates"
    if sum(text.count(" ") for text in texts) >= (WORDS_OF_PROSE - 1) * len(texts):
        return "free text"
    return "identifiers" if all_differ else "categories"


def describe_column(name: str, values: Sequence[Any], like: str) -> str:
    """Describe a column by its name, what it looks like and two of its values."""
    shown = listed([_shorten(repr(value)) for value in dict.fromkeys(values)][:2])
    return f"{name!r} ({like}, such as {shown})"


def _shorten(text: str) -> str:
    return text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}..."


def how_to_leave_out(names: Sequence[str], likenesses: Sequence[str]) -> str:
    """Advise what to do about columns that have too many values."""
    them = "them" if len(names) > 1 else "it"
    exclude = option("exclude", list(names)) if len(names) <= NAMES_TYPED else option("exclude")
    advice = f"Leave {them} out with {exclude}"
    if "categories" in likenesses:
        advice += f", or raise {option('max_levels')} if they are categories"
    return f"{advice}."


def warn_about_distinct(
    table: CodedTable, levels: Sequence[tuple[Any, ...]], n_missing: Mapping[str, int]
) -> None:
    """Warn about columns in which nearly all values differ, and some are not numbers."""
    n_observed = [table.n_rows - n_missing.get(name, 0) for name in table.names]
    doubtful = [
        j
        for j, own in enumerate(levels)
        if len(own) >= max(FEWEST_DISTINCT, SHARE_DISTINCT * n_observed[j])
        and not all(isinstance(level, Real) for level in own)
    ]
    if not doubtful:
        return
    names, likenesses = [table.names[j] for j in doubtful], []
    columns = []
    for j in doubtful:
        likenesses.append(likeness(table.values[j], n_observed[j]))
        columns.append(describe_column(table.names[j], table.values[j], likenesses[-1]))
    many = len(doubtful) > 1
    table.log.add_warning(
        "distinct-column",
        names[0],
        f"{len(doubtful)} column{'s do' if many else ' does'} not look like categories: "
        f"{listed(columns)}. {how_to_leave_out(names, likenesses)}",
    )
