"""What a careful reader would ask about a table: columns that are no variables, values that are codes.

Nothing is changed here. A column in which nearly every value is another is an identifier, a date,
free text or a measurement, and says nothing as categories; -99 among ages, or a dot among words,
is probably a code for missing. The owner is asked, by name, with what to type if so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from itertools import pairwise
from numbers import Real
from typing import Any

from markhood.data.coding.cells import parse_cell
from markhood.data.coding.findings import listed
from markhood.errors import option

SHARE_DISTINCT = 0.9
MOST_NUMBERS = 30  # more of them are hardly categories,
MOST_DECIMALS = 9  # and still less so where they are not whole
FEWEST_DISTINCT = 8  # in fewer rows anything may differ
WORDS_OF_PROSE = 4
CHARACTERS_SHOWN = 24
NAMES_TYPED = 40  # in an option; more are for the user to write as patterns
TEXT_CODES = frozenset(
    [".", "..", "?", "-", "--", "*", "na", "n.a.", "N.A.", "NAN", "Nan", "#REF!", "#VALUE!",
     "#DIV/0!", "#NAME?", "#NUM!"]
)  # fmt: skip
LOW_CODES = frozenset([-7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999])
HIGH_CODES = frozenset([9, 77, 88, 99, 777, 888, 999, 7777, 8888, 9999, 99999])

_DATE = re.compile(r"(?a)(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([ T].*)?")
_CLOCK = re.compile(r"(?a)\d{1,2}:\d{2}(:\d{2}.*)?")


def likeness(values: Sequence[Any], n_rows: int | None = None) -> str:
    """Say what values of a column look like, in the order of their rows.

    Where only the different ones are given, `n_rows` says of how many rows they are.

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


def described(name: str, values: Sequence[Any], like: str) -> str:
    """Name a column with what it looks like and two of its values."""
    shown = listed([shorten(repr(value)) for value in dict.fromkeys(values)][:2])
    return f"{name!r} ({like}, such as {shown})"


def shorten(text: str) -> str:
    """Return a text that is long by its beginning."""
    return text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}..."


def how_to_leave_out(names: Sequence[str], likenesses: Sequence[str]) -> str:
    """Say what can be done about columns that have too many values."""
    them = "them" if len(names) > 1 else "it"
    exclude = option("exclude", list(names)) if len(names) <= NAMES_TYPED else option("exclude")
    said = f"leave {them} out with {exclude}"
    if any("measurements" in like for like in likenesses):
        said += f", or cut measurements into bins with {option('bins', 4)}"
    if "categories" in likenesses:
        said += f", or allow for more with {option('max_levels')} if they are categories"
    return said


def ask_about_distinct(
    names: Sequence[str],
    levels: Sequence[tuple[Any, ...]],
    n_observed: Callable[[int], int],
    shown: Sequence[tuple[Any, ...]],
) -> str | None:
    """Return a sentence about columns that do not look like categories, None without any.

    They have another value in nearly every row, or very many numbers.

    Parameters
    ----------
    names : sequence of str
    levels : sequence of tuple
        The levels of each column.
    n_observed : callable
        How many values of a column are not missing.
    shown : sequence of tuple
        The values of each column in the order in which they turned up.
    """
    known: dict[tuple[Any, ...], bool] = {}  # most columns have the levels of others
    doubtful = []
    for j, own in enumerate(levels):
        if len(own) < FEWEST_DISTINCT:
            continue
        if own not in known:
            known[own] = _are_measured(own)
        if known[own] or len(own) >= SHARE_DISTINCT * n_observed(j):
            doubtful.append(j)
    if not doubtful:
        return None
    likenesses = [likeness(shown[j], n_observed(j)) for j in doubtful]
    columns = [
        described(names[j], shown[j], like) for j, like in zip(doubtful, likenesses, strict=True)
    ]
    many = len(doubtful) > 1
    advice = how_to_leave_out([names[j] for j in doubtful], [*likenesses, ""])
    return (
        f"{len(doubtful)} column{'s are' if many else ' is'} taken value by value and "
        f"{'do' if many else 'does'} not look so: {listed(columns)}; {advice}."
    )


def _are_measured(levels: Sequence[Any]) -> bool:
    """Return whether levels are so many numbers that they are measurements rather than categories."""
    numbers = [level for level in levels if level is not None]
    if len(numbers) <= MOST_DECIMALS or not all(isinstance(level, Real) for level in numbers):
        return False
    return len(numbers) > MOST_NUMBERS or any(level != int(level) for level in numbers)


def suspected_codes(levels: Sequence[Any]) -> list[Any]:
    """Return the levels of a column that look like codes for missing.

    A number does where it is one of the usual codes and far from all others: below them all where
    none is negative, or above them by more than they span.

    Examples
    --------
    >>> suspected_codes([-99, 1, 2, 3]), suspected_codes([0, 1, 9]), suspected_codes([-1, 0, 1])
    ([-99], [9], [])
    >>> suspected_codes(["?", "n", "y"]), suspected_codes(list(range(18, 100)))
    (['?'], [])
    """
    texts = [level for level in levels if isinstance(level, str) and level.strip() in TEXT_CODES]
    if _are_letters(level for level in levels if level not in texts):
        texts = []
    numbers = [level for level in levels if isinstance(level, (int, float))]
    low = [level for level in numbers if level in LOW_CODES]
    others = [level for level in numbers if level not in LOW_CODES]
    if any(level < 0 for level in others):
        low = []
    high = [level for level in others if level in HIGH_CODES]
    others = [level for level in others if level not in HIGH_CODES]
    if len(others) > 1:
        top, span = max(others), max(others) - min(others)
        high = [level for level in high if level - top > span]
    else:
        high = []
    found = [*low, *high, *texts]
    return found if len(found) < len(levels) - (None in levels) else []


def _are_letters(levels: Iterable[Any]) -> bool:
    """Return whether levels are those of a position of an alignment, where a dash is a gap."""
    return all(isinstance(v, str) and len(v) == 1 and v.isalpha() and v.isupper() for v in levels)


def ask_about_codes(
    names: Sequence[str],
    levels: Sequence[tuple[Any, ...]],
    count: Callable[[int, int], int],
) -> str | None:
    """Return a sentence about values that look like codes for missing, None without any.

    `count` says how many values of a column have a level, by the numbers of both.
    """
    suspects: Mapping[tuple[Any, ...], list[Any]] = {
        own: codes for own in set(levels) if (codes := suspected_codes(own))
    }
    if not suspects:
        return None
    found: dict[Any, list[tuple[int, int]]] = {}
    for j, own in enumerate(levels):
        for code in suspects.get(own, ()):
            found.setdefault(code, []).append((j, count(j, own.index(code))))
    said = []
    for code, places in found.items():
        columns = listed([repr(names[j]) for j, _ in places])
        times = sum(n for _, n in places)
        said.append(
            f"{code!r} ({times} time{'s'[: times != 1]} in column{'s'[: len(places) > 1]} "
            f"{columns})"
        )
    one = len(found) == 1
    return (
        f"{listed(said)} {'looks like a code' if one else 'look like codes'} for missing, and "
        f"{'is' if one else 'are'} taken as {'a level' if one else 'levels'}: say "
        f"{option('missing_values', list(found))} if missing is what {'it means' if one else 'they mean'}."
    )
