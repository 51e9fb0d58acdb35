"""Find codes for missing values: 999 among ages, -9 among answers, 'refused' among numbers.

A number is a code if it is one of the usual ones (9, 99, 999, -9, -88, ...) and stands apart from
all other values: below zero where no other value is, or above them by more than their range. A
heavy tail of counts can look the same, so a code among counts must occur more often than the
largest count. Values that are only suspicious are kept, and reported. Codes are found before
numbers are cut into bins, where they would disappear in the last bin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from markhood.data.coding.bins import INTERVAL, bin_like
from markhood.data.coding.cells import MISSING
from markhood.data.coding.coded_table import CodedTable
from markhood.data.option_values import AUTO
from markhood.errors import counted, listed, option

LOW_CODES = frozenset([-7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999])
HIGH_CODES = frozenset(
    [9, 77, 88, 99, 777, 888, 999, 7777, 8888, 9999, 77777, 88888, 99999, 999999]
)
REPEATED = -77  # codes up to here have repeated digits, which measurements rarely have
NEXT_TO_NINES = 3  # 96, 97 and 98 are codes if 99 is one
FAR = 4  # a single value is a code if it is this many ranges above the others
WIDE_GAP = 3  # a value is suspicious if the gap below it is this many times the largest other gap
SIGNS = frozenset([".", "..", "?", "??"])
DOUBTFUL_SIGNS = frozenset(["-", "--", "*"])  # results and gaps are written so too
SPELLINGS = frozenset(
    ["na", "n.a.", "nan", "#ref!", "#value!", "#div/0!", "#name?", "#num!", "refused", "refusal",
     "no answer", "no response", "not answered", "prefer not to say", "prefer not to answer",
     "missing"]
)  # fmt: skip
DOUBTFUL_SPELLINGS = frozenset(
    ["don't know", "dont know", "do not know", "dk", "unknown", "not sure", "unsure"]
)  # perhaps an answer among words, but a code among numbers
NONE = "none"  # an answer among words, but a code among numbers


class Suspects(NamedTuple):
    """Values of a column that mean missing, and values that may mean missing."""

    certain: list[Any]
    doubtful: list[Any]


def remove_codes(table: CodedTable) -> None:
    """Make codes for missing values missing, and record them."""
    reading, known = table.reading, table.known
    is_auto = reading.missing_values == AUTO
    if not is_auto and not reading.listed_missing:  # the user keeps all values
        return
    certain: dict[Any, dict[int, int]] = {}
    doubtful: dict[Any, dict[int, int]] = {}
    unsuspicious: set[Any] = set()  # many columns share their values
    for j, own in enumerate(table.values):
        levels = () if known is None else known[j]
        if levels and reading.missing != AUTO and bin_like((), levels) is None:
            continue  # a value that is not one of the levels is refused
        if (own, levels) in unsuspicious or not any(find_codes(_as_if_repeated(own, levels))):
            unsuspicious.add((own, levels))
            continue
        times = dict(zip(own, table.counts(j).tolist(), strict=True))
        suspects = find_codes(times if known is None else _as_if_repeated(own, levels))
        is_declared = j in table.categories
        is_treated = is_auto and not is_declared
        treated = [v for v in suspects.certain if is_treated and v in times and v not in levels]
        for code in treated:
            certain.setdefault(code, {})[j] = times[code]
        if known is None:
            for code in (*suspects.certain, *(() if is_declared else suspects.doubtful)):
                if code not in treated:
                    doubtful.setdefault(code, {})[j] = times[code]
        if treated:
            _remove(table, j, treated)
    _record(table, certain, are_missing=True)
    _record(table, doubtful, are_missing=False)


def _remove(table: CodedTable, column: int, gone: Sequence[Any]) -> None:
    """Make some values of a column missing."""
    values, codes = table.values[column], table.codes(column)
    kept = [k for k, value in enumerate(values) if value not in gone]
    numbers = np.full(len(values) + 1, -1)
    numbers[kept] = np.arange(len(kept))
    table.write(column, numbers[codes], [values[k] for k in kept])
    if table.reading.missing == "error":
        is_gone = (codes >= 0) & (numbers[codes] < 0)
        counts = {column: int(is_gone.sum())}
        table.problems.add_missing(int(is_gone.argmax()), column, counts)
        table.problems.texts.update(map(str, gone))


def _as_if_repeated(values: Sequence[Any], known: Sequence[Any]) -> dict[Any, int]:
    """Return values with counts of 2, together with known levels and the ends of known bins."""
    found = [INTERVAL.fullmatch(level) for level in known if isinstance(level, str)]
    ends = [float(end) for match in found if match for end in match.groups()]
    return dict.fromkeys((*values, *(level for level in known if level is not None), *ends), 2)


def find_codes(counts: Mapping[Any, int]) -> Suspects:
    """Return the codes for missing among the values of a column, with their numbers of samples.

    Examples
    --------
    >>> find_codes({1: 40, 2: 50, -99: 3}), find_codes({age: 9 for age in range(18, 100)})
    (Suspects(certain=[-99], doubtful=[]), Suspects(certain=[], doubtful=[]))
    >>> find_codes({"y": 5, "n": 5, "?": 1}), find_codes({"y": 5, "n": 5, "unknown": 1})
    (Suspects(certain=['?'], doubtful=[]), Suspects(certain=[], doubtful=['unknown']))
    """
    numbers = {v: n for v, n in counts.items() if isinstance(v, (int, float))}
    numbers = {v: n for v, n in numbers.items() if not isinstance(v, bool)}
    texts = [v for v in counts if isinstance(v, str)]
    certain, doubtful = _texts(texts, has_numbers=len(numbers) > 1)
    low, high = _low(numbers), _high(numbers)
    certain = [*low.certain, *high.certain, *certain]
    doubtful = [*low.doubtful, *high.doubtful, *doubtful]
    if len(counts) - len(certain) < 2:  # without them, the column would be constant
        certain, doubtful = [], [*certain, *doubtful]
    return Suspects(certain, doubtful if len(certain) + len(doubtful) < len(counts) else [])


def _texts(texts: Sequence[str], *, has_numbers: bool) -> Suspects:
    """Return the texts that are codes; where only texts differ, some are probably answers."""
    texts = [text for text in texts if text.strip() not in MISSING]  # levels by declaration
    said = {text: text.strip().casefold().replace("\u2019", "'") for text in texts}
    sure = [text for text in texts if said[text] in SIGNS | SPELLINGS]
    others = [text for text in texts if said[text] in DOUBTFUL_SIGNS | DOUBTFUL_SPELLINGS]
    if has_numbers:
        others += [text for text in texts if said[text] == NONE]
    rest = [text for text in texts if text not in sure and text not in others]
    if _are_letters(rest) and not has_numbers:
        return Suspects([], [])  # an alignment, in which signs are gaps
    if has_numbers and not rest:
        return Suspects([*sure, *others], [])
    return Suspects(sure, [] if "+" in rest else others)


def _are_letters(levels: Sequence[str]) -> bool:
    return all(len(level) == 1 and level.isalpha() and level.isupper() for level in levels)


def _low(counts: Mapping[float, int]) -> Suspects:
    """Return the codes below all other numbers."""
    codes = sorted(v for v in counts if v in LOW_CODES)
    others = [v for v in counts if v not in LOW_CODES]
    if not others or not codes:
        return Suspects([], [])
    first, span = min(others), max(others) - min(others)
    if first < 0:
        return Suspects([v for v in codes if v <= REPEATED and first - v > span], [])
    are_whole = all(v == int(v) for v in others)
    sure = [v for v in codes if v <= REPEATED or (are_whole and counts[v] > 1)]
    if len(others) < 2:
        sure = []
    return Suspects(sure, [v for v in codes if v not in sure])


def _high(counts: Mapping[float, int]) -> Suspects:
    """Return the codes above all other numbers."""
    ordered = sorted(v for v in counts if v not in LOW_CODES)
    first = next(
        (k for k in range(2, len(ordered)) if all(_is_high(v, ordered) for v in ordered[k:])), None
    )
    if first is None:
        return Suspects([], [])
    for k in range(first, len(ordered)):
        others, codes = ordered[:k], ordered[k:]
        span, gap = others[-1] - others[0], codes[0] - others[-1]
        times, is_scale = max(counts[v] for v in codes), others == list(range(1, k + 1))
        is_tail = _are_counts(counts, others) and (codes[0] < 77 or times <= counts[others[-1]])
        if gap > span or (is_scale and gap == span):
            is_sure = not is_tail and (times > 1 or gap > FAR * span)
            return Suspects(codes, []) if is_sure else Suspects([], codes)
        widest = max(b - a for a, b in pairwise(others))
        if gap >= max(WIDE_GAP * widest, span / 5) and times > 1 and not is_tail:
            return Suspects([], codes)
    return Suspects([], [])


def _is_high(value: float, values: Sequence[float]) -> bool:
    """Return whether a number is a code, or just below a code of nines that occurs."""
    if value in HIGH_CODES:
        return True
    if not 7 <= value < 1e15 or value != int(value):
        return False
    nines = 10 ** len(str(int(value))) - 1
    return nines - value <= min(NEXT_TO_NINES, nines // 4) and nines in values


def _are_counts(counts: Mapping[float, int], others: Sequence[float]) -> bool:
    """Return whether numbers look like counts: from 0 on, with 0 the most frequent."""
    return len(others) > 2 and others[0] == 0 and counts[0] == max(counts[v] for v in others)


def _record(
    table: CodedTable, found: Mapping[Any, Mapping[int, int]], *, are_missing: bool
) -> None:
    """Record codes: for each, the columns in which it occurs and how often."""
    if not found:
        return
    names, shown = table.names, []
    for code, uses in found.items():
        columns = listed([repr(names[j]) for j in uses])
        times = counted(sum(uses.values()), "time")
        shown.append(f"{code!r} ({times} in column{'s'[: len(uses) > 1]} {columns})")
    one = len(found) == 1
    first = names[next(iter(next(iter(found.values()))))]
    if are_missing:
        table.log.add_warning(
            "missing-codes",
            first,
            f"{listed(shown)} {'was' if one else 'were'} read as "
            f"{'a code' if one else 'codes'} for missing. Use {option('missing_values', [])} to "
            f"keep {'it' if one else 'them'} as {'a value' if one else 'values'}.",
        )
    else:
        table.log.add_warning(
            "missing-codes",
            first,
            f"{listed(shown)} {'looks like a code' if one else 'look like codes'} for missing, but "
            f"{'is' if one else 'are'} treated as {'a level' if one else 'levels'}. If missing is "
            f"meant, use {option('missing_values', list(found))}.",
        )
