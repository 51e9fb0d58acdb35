"""Recognise ordered scales in the texts of a column: agreement, frequency, amounts, intervals.

A text gets a position by one of three rules, and a column is a scale if one rule gives all of its
texts different positions.

1. **Opposites**: an adjective or its opposite with an optional modifier, such as "strongly
   disagree", "agree" or "very satisfied". Neutral words are in the middle.
2. **Lists** of words that have an order of their own: never to always, low to high, degrees.
3. **Numbers**: intervals (`18-29`, `60+`, `(0,19]`, `<12 yrs`) and grades (`G1`, `stage II`).

The words are in `scales.txt`. Names of months and days are in no list: they form a circle. A number
after an arbitrary word, as in `plot 3`, is a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

FEWEST = 3  # levels; two have no order
FEWEST_LETTERS = 5  # of an abbreviation
NUMERALS = {"one", "two", "first", "second", "1st", "2nd"}  # which number things after a noun
MOST_GRADES = 12  # grades such as G1, G2, ...; more are names

_NEUTRAL = re.compile(
    r"neutral|neither.*|undecided|unsure|no opinion|mixed|moderate|middle.*|center|centre|"
    r"no change|about the same|same|unchanged|indifferent|in between|so-?so|middle of the road"
)
_UP_TO = re.compile(r"^(<=?|≤|under|less than|below|up to|lt|fewer than|younger than|at most)\s*")
_FROM = re.compile(
    r"^(>=?|≥|over|more than|above|at least|gt|older than)\s*"
    r"|\s*(\+|plus|or more|or older|and over|and older|and above|or over|or above|up|older|"
    r"and more|or greater)$|(?<=\d)\+"
)
_RATE = re.compile(
    r"(?a)(?<=\d)\s*(?:/|\bper\b|\btimes an?\b|\ban?\b)\s*(day|week|wk|month|year|yr)$"
)
_TIMES = {"day": 365, "week": 52, "wk": 52, "month": 12, "year": 1, "yr": 1}  # a year
_NUMBER = re.compile(r"(?a)\d+(?:\.\d+)?|(?<![\d.])\.\d+")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
_GRADES = frozenset(
    ["", "g", "t", "n", "q", "f", "l", "grade", "level", "lvl", "stage", "tier", "quartile",
     "quintile", "decile", "tertile", "quantile", "class", "step", "dose", "rank", "score", "age",
     "year", "yr", "week", "day", "hour", "round", "degree", "category", "cat", "nyha", "asa",
     "ecog", "bmi", "top", "bottom"]
)  # fmt: skip


def recognised_scale(levels: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the texts of a column in their order, None if they are not a scale.

    Examples
    --------
    >>> recognised_scale(["often", "never", "sometimes"])
    ('never', 'sometimes', 'often')
    >>> recognised_scale(["60+", "18-29", "30-59"]), recognised_scale(["G2", "G10", "G1"])
    (('18-29', '30-59', '60+'), ('G1', 'G2', 'G10'))
    >>> recognised_scale(["red", "green", "blue"]) is recognised_scale(["Jan", "Feb", "Mar"])
    True
    """
    texts = [level for level in levels if level is not None]
    if len(texts) < FEWEST or not all(isinstance(level, str) for level in texts):
        return None
    return _recognised(tuple(texts))


@cache
def _recognised(texts: tuple[str, ...]) -> tuple[str, ...] | None:
    cleaned = [_clean(text) for text in texts]
    for shown, rules in (
        (cleaned, (*_rules(), _numbered)),
        (_without_common_words(cleaned), _rules()),
    ):
        for place in rules:
            positions = place(shown)
            if positions is not None and len({*positions}) == len(texts):
                return tuple(texts[k] for k in sorted(range(len(texts)), key=positions.__getitem__))
    return None


def _without_common_words(texts: Sequence[str]) -> list[str]:
    """Return texts without the words that all of them have: `travel rarely`, `non-travel`."""
    words = [re.split(r"[\s-]+", text) for text in texts]
    common = set(words[0]).intersection(*words[1:])
    rest = [[word for word in own if word not in common] for own in words]
    is_shorter = common and all(rest) and not any(set(own) & NUMERALS for own in rest)
    return [" ".join(own) for own in rest] if is_shorter else list(texts)


def _clean(text: str) -> str:
    found = re.sub(r"[\s_]+", " ", text.casefold().replace("\u2019", "'")).strip(" .!")
    found = found.replace("\u2013", "-").replace("\u2014", "-")  # dashes
    # "1 - low" and "3: very often" are words after a code.
    words = re.sub(r"(?a)^\(?\d+\)?\s*[.:=)-]+\s*(?=[a-z])", "", found)
    return words or found


@cache
def _rules() -> Sequence[Callable[[Sequence[str]], list[Any] | None]]:
    lines = (files("markhood.data") / "scales.txt").read_text("utf-8").splitlines()
    lines = [line for line in lines if not line.startswith("#")]
    opposites, sizes, negations, *lists = (
        [step.strip().split("|") for step in line.split(",")] for line in lines
    )
    modifiers = _with_numbers(sizes), _with_numbers(negations)
    by_opposites = [_by_opposites(low, high, *modifiers) for low, high in opposites]
    return [*by_opposites, *map(_by_list, lists)]


def _with_numbers(steps: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the number of each word, from steps such as "1 slightly|a little"."""
    found: dict[str, float] = {}
    for first, *more in steps:
        number, _, word = first.partition(" ")
        found |= dict.fromkeys((word, *more), float(number))
    return found


def _by_opposites(
    low: str, high: str, sizes: Mapping[str, float], negations: Mapping[str, float]
) -> Callable[[Sequence[str]], list[Any] | None]:
    def position(text: str) -> float | None:
        for sign, word in ((-1, low), (1, high)):
            if not word or not text.endswith(word):
                continue
            before = text[: -len(word)].strip()
            if before in sizes and (text == word or text.endswith(f" {word}")):
                return sign * sizes[before]
            if sign > 0 and before in negations:
                return negations[before]
        return 0.0 if _NEUTRAL.fullmatch(text) else None

    def place(texts: Sequence[str]) -> list[Any] | None:
        found = [position(text) for text in texts]
        return None if None in found else found

    return place


def _by_list(words: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], list[Any] | None]:
    at = {word: k for k, own in enumerate(words) for word in own}

    def position(text: str) -> int | None:
        if text in at or len(text) < FEWEST_LETTERS:
            return at.get(text)
        return next((k for word, k in at.items() if word.startswith(text)), None)  # abbreviated

    def place(texts: Sequence[str]) -> list[Any] | None:
        found = [position(text) for text in texts]
        return None if None in found else found

    return place


def _numbered(texts: Sequence[str]) -> list[Any] | None:
    """Place intervals by their lower end, and grades by their number."""
    places, words, rates = [], set(), set()
    for text in texts:
        if text in ("none", "never", "no", "nil", "zero"):
            places.append((-1.0, 0))
            continue
        plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
        plain = re.sub(r"[$€£%]", "", plain).strip("[]() ")
        side = -1 if _UP_TO.search(plain) else 1 if _FROM.search(plain) else 0
        plain = _FROM.sub("", _UP_TO.sub("", plain)).strip()
        plain = re.sub(r"(?a)(?<=\d)\s*k\b", "000", plain)
        rate = _RATE.search(plain)
        rates.add(rate is not None)
        plain = _RATE.sub("", plain)
        numbers = [float(number) for number in _NUMBER.findall(plain)]
        word = re.sub(r"(?a)[\d.,\s-]+|\bto\b|\bthru\b|\band\b|\bbetween\b", " ", plain).strip()
        if not numbers:
            *front, last = plain.split() or [""]
            if last not in _ROMAN:
                return None
            numbers, word = [float(_ROMAN[last])], " ".join(front)
        if len(numbers) > 2 or (len(numbers) == 2 and numbers[1] < numbers[0]):
            return None
        low = numbers[0] if not text.startswith("-") else -numbers[0]
        low *= _TIMES[rate[1]] if rate else 1
        places.append((low, side))
        words.add(re.sub(r"^(th|st|nd|rd)\b\s*", "", word).strip())
    is_interval = any("-" in t or "," in t or " to " in t for t in texts)
    is_bound = any(side for _, side in places)
    if len(words - {""}) > 1 or len(rates) > 1:
        return None
    word = next(iter(words - {""}), "")
    if is_interval or is_bound or True in rates or _is_unit(texts):
        return places
    is_grade = word in _GRADES and len(texts) <= MOST_GRADES
    return places if is_grade and max(places)[0] <= MOST_GRADES else None


def _is_unit(texts: Sequence[str]) -> bool:
    """Return whether a unit follows the number in every text: `10 mg`."""
    return all(re.fullmatch(r"(?a)\d+(\.\d+)?\s?[a-z%°/]{1,8}", text) for text in texts)
