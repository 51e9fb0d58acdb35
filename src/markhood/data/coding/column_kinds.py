"""Decide what a column is by its values: its role, its kind, and the order of its levels.

The decision uses the values first and the name of the column where they leave a choice:

=====================================================  ===========  ===============
values                                                 kind         role
=====================================================  ===========  ===============
a single one                                           constant     skip
two                                                    binary       node
3 to 12 numbers                                        ordinal      node
the same, with a name such as race or region, unless   nominal      node
other columns confirm their order
more than 12 numbers                                   measurement  node
the same, whole, from 0 up with many zeros             count        node
whole numbers that count the rows or groups of rows,   identifier   skip
or have a name such as id
dates and times                                        date         skip
texts of a scale (`markhood.data.scales`)              ordinal      node
other texts                                            nominal      node
the same, nearly all different                         identifier   skip
several words each                                     free text    skip
=====================================================  ===========  ===============

A declaration of the user comes before all of this (`understanding`).

Check columns for values that are probably not categories. A column in which nearly all values
differ is an identifier, a date or free text. The data are not changed: a warning names the columns
and the option to use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time, timedelta
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from markhood.arrays import Ints
from markhood.data.codebook import Entry
from markhood.data.coding.bins import MOST_STEPS, are_numbers, is_count
from markhood.data.coding.cells import parse_cell
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
ROWS_PER_TEXT = 2  # rows per distinct text, at least: else the texts do not repeat
ROWS_PER_GROUP = 10  # at most, on average, of fewer than
MANY_GROUPS = 100  # groups that are numbered in the order of the rows
DENSE = 0.8  # share of the numbers between the first and last group that occur
UNEQUAL = 5  # times the mean size, at most, of such a group
LONG_NUMBER = 10**8  # from here up, different numbers are identifiers
CODES = "named like codes of categories"


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
    many_levels = [j for j, own in enumerate(levels) if len(own) >= FEWEST_DISTINCT]
    n_observed = {j: table.n_rows - n_missing.get(table.names[j], 0) for j in many_levels}
    doubtful = [
        j
        for j in many_levels
        if len(levels[j]) >= SHARE_DISTINCT * n_observed[j]
        and not all(isinstance(level, Real) for level in levels[j])
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


REPEATED, GROUPED = "repeated identifiers", "numbers of groups of rows"

Codes = Callable[[], Ints]


class Facts(NamedTuple):
    """A column as it was read: its values by order of appearance, and the code of each row."""

    name: str
    values: tuple[Any, ...]
    codes: Codes
    n_missing: int = 0
    declared: Category | None = None


def kind_by_values(facts: Facts, found: Entry, missing_is_level: bool) -> Entry:
    """Return an entry with the role and kind that the values of the column suggest."""
    name, values, codes, _, declared = facts
    if len(values) < 2 and not (values and missing_is_level and facts.n_missing):
        if not values:  # left to the treatment of missing values
            return found._replace(kind="empty", why="all values are missing")
        return found._replace(role="skip", kind="constant", levels=values, why="a single value")
    if names_weights(name) and are_numbers(values) and not all(v == int(v) for v in values):
        return found._replace(role="skip", kind="measurement", why="named like weights")
    if names_design(name):
        return found._replace(role="skip", kind="nominal", why="named like survey design")
    if len(values) <= 2:
        return found._replace(
            kind="binary", levels=() if declared is None else tuple(declared.order)
        )
    if declared is not None:
        by_text = found if declared.is_ordered else _of_texts(found, values, codes)
        kind = "ordinal" if declared.is_ordered else "nominal"
        if by_text.role != "node":
            return by_text
        return found._replace(kind=kind, levels=tuple(declared.order), why="a declared category")
    if are_numbers(values):
        return _of_numbers(found, values, codes)
    return _of_texts(found, values, codes)


def _of_numbers(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    name = found.column
    whole = all(value == int(value) for value in values)
    if len(values) <= MOST_STEPS:
        if whole and (names_codes(name, values) or names_units(name)):
            return found._replace(kind="nominal", why=CODES)
        return found._replace(kind="ordinal", why="numbers")
    if whole:
        return _of_whole_numbers(found, values, codes)
    return found._replace(kind="measurement", why=f"{len(values)} numbers")


def _of_whole_numbers(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    seen = codes()
    seen = seen[seen >= 0]
    are_different = len(values) >= SHARE_DISTINCT * len(seen)
    identifier = found._replace(role="skip", kind="identifier")
    if len(values) == len(seen) and all(b > a for a, b in pairwise(values)):
        return identifier._replace(why="numbers of the rows")
    if are_different and (
        names_identifiers(found.column)
        or names_codes(found.column, many=True)
        or min(values) >= LONG_NUMBER
    ):
        return identifier._replace(why="an identifier")
    if names_identifiers(found.column):
        return identifier._replace(why=REPEATED)
    sizes = np.bincount(seen, minlength=len(values))
    if (np.diff(seen) >= 0).all() and _are_groups(values, sizes):
        return identifier._replace(why=GROUPED)
    if names_codes(found.column, many=True) and len(seen) >= ROWS_PER_TEXT * len(values):
        return found._replace(kind="nominal", why=CODES)
    if is_count(values, sizes.astype(np.float64)):
        return found._replace(kind="count", why="whole numbers with many zeros")
    return found._replace(kind="measurement", why=f"{len(values)} numbers")


def _are_groups(values: Sequence[Any], sizes: Ints) -> bool:
    """Return whether numbers, one after the other in the rows, count groups of similar size."""
    is_rising = all(b > a for a, b in pairwise(values))
    is_dense = len(values) >= DENSE * (values[-1] - values[0] + 1)
    are_small = sizes.mean() <= ROWS_PER_GROUP or len(values) >= MANY_GROUPS
    return is_rising and is_dense and are_small and bool(sizes.max() <= UNEQUAL * sizes.mean())


def _of_texts(found: Entry, values: tuple[Any, ...], codes: Codes) -> Entry:
    if all(isinstance(value, (date, time, timedelta)) for value in values):
        return found._replace(role="skip", kind="date", why="dates")
    if (scale := recognised_scale(values)) is not None:
        return found._replace(kind="ordinal", levels=scale, why="a recognised scale")
    if len(values) < FEWEST_DISTINCT:
        return found._replace(kind="nominal", why="text")
    n_observed = int((codes() >= 0).sum())
    like = likeness([level_text(value) for value in values], n_observed)
    if like == "dates":
        return found._replace(role="skip", kind="date", why="dates")
    if like == "free text":
        return found._replace(role="skip", kind="free text", why="free text")
    if like == "identifiers":
        return found._replace(role="skip", kind="identifier", why="an identifier")
    if len(values) > MOST_STEPS and names_identifiers(found.column):
        return found._replace(role="skip", kind="identifier", why=REPEATED)
    if len(values) > MOST_STEPS and n_observed < ROWS_PER_TEXT * len(values):
        return found._replace(role="skip", kind="identifier", why="texts that rarely repeat")
    return found._replace(kind="nominal", why="text")
