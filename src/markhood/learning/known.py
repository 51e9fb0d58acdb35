"""Pairs and groups of variables as people write them: in Python, or in a file of two or three columns.

A variable is given by its name or by the number of its column, counted from 0. In a file a number is text, as
names are, so it means a column only where no variable has a number as its name. In Python a whole number
that is also the name of another column is refused, because either could be meant.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.findings import listed
from markhood.data.coding.names import near
from markhood.data.formats.named_columns import Row, file_rows, is_missing
from markhood.errors import InputError

PAIR_COLUMNS = ("source", "target")
PRIOR_COLUMNS = (*PAIR_COLUMNS, "probability")
GROUP_COLUMNS = ("variable", "group")


def known_pairs(given: Any, names: Sequence[str], option: str) -> NDArray[np.int64]:
    """Return pairs of variables as numbers: i < j, lexicographic, each pair once.

    Parameters
    ----------
    given : None, path-like, array of shape (n_pairs, 2), or iterable of pairs
        Of names or column numbers.
    names : sequence of str
        Of all variables.
    option : str
        What the user calls the pairs.

    Returns
    -------
    ndarray of shape (n_pairs, 2), dtype int64

    Raises
    ------
    InputError
        Where a variable is unknown, joined to itself, or not one of a pair.

    Examples
    --------
    >>> known_pairs([("b", "a"), (0, 1), (2, "a")], ["a", "b", "c"], "pairs").tolist()
    [[0, 1], [0, 2]]
    """
    if given is None:
        return np.empty((0, 2), dtype=np.int64)
    variables = _Variables(names)
    pairs = [variables.pair(ends, place) for place, ends in _rows_of_pairs(given, option)]
    return np.unique(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=0)


def known_priors(given: Any, names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return pairs of variables as numbers, as `known_pairs` does, and the probability of each.

    Parameters
    ----------
    given : None, path-like, mapping from pairs to probabilities, or table of three columns
        Variables by names or column numbers; a table may be an iterable of three values a row.
    names : sequence of str
        Of all variables.

    Raises
    ------
    InputError
        As `known_pairs`, and where a probability is none or a pair has two.

    Examples
    --------
    >>> pairs, probabilities = known_priors({("c", "a"): 0.9, (0, 1): 0.2}, ["a", "b", "c"])
    >>> pairs.tolist(), probabilities.tolist()
    ([[0, 1], [0, 2]], [0.2, 0.9])
    """
    if given is None:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    variables, found = _Variables(names), dict[tuple[int, int], float]()
    for place, (first, second, value) in _rows_of_priors(given):
        pair, probability = variables.pair((first, second), place), _probability(value, place)
        if found.setdefault(pair, probability) != probability:
            raise InputError(
                "constraints",
                "pair_priors",
                f"{names[pair[0]]!r} - {names[pair[1]]!r} has two probabilities, {found[pair]} and "
                f"{probability} ({place}): give it one.",
            )
    pairs = sorted(found)
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return numbers, np.array([found[pair] for pair in pairs], dtype=np.float64)


def listed_pairs(given: Any) -> tuple[tuple[Any, ...], ...]:
    """Return pairs as they are written, in Python or in a file."""
    return tuple(tuple(row) for _, row in _rows_of_pairs(given, "pairs"))


def listed_priors(given: Any) -> tuple[tuple[Any, ...], ...]:
    """Return pairs as they are written, in Python or in a file, each with its probability."""
    return tuple((i, j, _probability(p, place)) for place, (i, j, p) in _rows_of_priors(given))


def listed_groups(given: Any) -> Any:
    """Return groups as they are written: labels by name, or in the order of the variables."""
    if isinstance(given, (str, os.PathLike)):
        return {str(name): label for _, (name, label) in file_rows(Path(given), GROUP_COLUMNS)}
    return dict(given.items()) if hasattr(given, "items") else tuple(given)


def _probability(value: Any, place: str) -> float:
    try:
        probability = float(value)
    except (TypeError, ValueError):
        probability = float("nan")
    if not 0 < probability < 1:
        raise InputError(
            "constraints",
            "pair_priors",
            f"{value!r} is no probability between 0 and 1, both excluded ({place}): give one, or "
            "require or forbid the edge.",
        )
    return probability


def known_groups(given: Any, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of every variable's group.

    Parameters
    ----------
    given : path-like, mapping from variables to labels, or sequence of one label a variable
    names : sequence of str
        Of all variables.

    Returns
    -------
    ndarray of shape (n_variables,), dtype int64

    Raises
    ------
    InputError
        Where a variable is unknown, or has no group or two.

    Examples
    --------
    >>> known_groups({"a": "left", "b": "right", "c": "left"}, ["a", "b", "c"]).tolist()
    [0, 1, 0]
    """
    variables = _Variables(names)
    labels: dict[int, Any] = {}
    for place, (variable, label) in _rows_of_groups(given, names):
        number = variables.number(variable, place)
        if not isinstance(label, Hashable):
            raise InputError(
                "constraints",
                "groups",
                f"{label!r} is no group (of variable {names[number]!r}): give text or a number.",
            )
        if not is_missing(label) and labels.setdefault(number, label) != label:
            raise InputError(
                "constraints",
                "groups",
                f"Variable {names[number]!r} has two groups, {labels[number]!r} and {label!r} "
                f"({place}): give it one.",
            )
    without = [repr(name) for j, name in enumerate(names) if j not in labels]
    if without:
        raise InputError(
            "constraints",
            "groups",
            f"Variable{'s'[: len(without) > 1]} {listed(without)} "
            f"{'has' if len(without) == 1 else 'have'} no group: give every variable one.",
        )
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(labels[j], len(numbers)) for j in range(len(names))])


class _Variables:
    """Finds the numbers of variables."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._position = {name: j for j, name in enumerate(names)}
        self._has_numbers_for_names = any(name.strip().isdecimal() for name in names)

    def number(self, variable: Any, place: str) -> int:
        """Return the number of a variable that is given by its name or number."""
        if isinstance(variable, str):
            if variable in self._position:
                return self._position[variable]
            if self._has_numbers_for_names or not variable.isdecimal():
                hint = near(variable, self._names)
                raise InputError(
                    "unknown-column",
                    variable,
                    f"There is no variable {variable!r} ({place}): {hint}",
                )
        elif not isinstance(variable, Integral) or isinstance(variable, bool):
            raise InputError(
                "unknown-column",
                "",
                f"{variable!r} is no variable ({place}): give its name or the number of its column.",
            )
        elif self._position.get(str(variable), variable) != variable:
            raise InputError(
                "unknown-column",
                str(variable),
                f"{variable} is the number of one column and the name of another ({place}): "
                "give names, as text.",
            )
        number = int(variable)
        if not 0 <= number < len(self._names):
            raise InputError(
                "unknown-column",
                str(number),
                f"There is no column {number} ({place}): they are numbered from 0 to "
                f"{len(self._names) - 1}",
            )
        return number

    def pair(self, ends: Sequence[Any], place: str) -> tuple[int, int]:
        """Return the numbers of two variables, the lower one first."""
        i, j = (self.number(end, place) for end in ends)
        if i == j:
            raise InputError(
                "constraints",
                self._names[i],
                f"{self._names[i]!r} is joined to itself ({place}): give two different variables.",
            )
        return min(i, j), max(i, j)


def _rows_of_priors(given: Any) -> list[Row]:
    """List pairs with their probabilities."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), PRIOR_COLUMNS)
    if set(PRIOR_COLUMNS) <= set(getattr(given, "columns", ())):
        given = given[list(PRIOR_COLUMNS)]
    if hasattr(given, "items") and not hasattr(given, "columns"):  # a mapping, or a series
        given = [(*_pair_of(pair), value) for pair, value in given.items()]
    hint = (
        "give a mapping such as {('a', 'b'): 0.9}, a table of source, target and probability, or the "
        "path of a file."
    )
    return _rows_of(given, 3, "pair with a probability", "row {} of pair_priors", hint)


def _pair_of(key: Any) -> tuple[Any, ...]:
    return tuple(key) if isinstance(key, Iterable) and not isinstance(key, str) else (key,)


def _rows_of_pairs(given: Any, option: str) -> list[Row]:
    """List pairs, in Python or in a file."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), PAIR_COLUMNS)
    hint = "give pairs such as ('a', 'b'), an array of shape (n_pairs, 2), or the path of a file."
    return _rows_of(given, 2, "pair of variables", f"pair {{}} of {option}", hint)


def _rows_of(given: Any, width: int, what: str, place: str, hint: str) -> list[Row]:
    """List rows of so many values that are not in a file; ``place`` has room for a row's number."""
    if hasattr(given, "__array__"):  # data frames too, which would iterate over their columns
        given = np.asarray(given).tolist()
    rows = list(given) if isinstance(given, Iterable) else [given]
    for k, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(list(row)) != width:
            raise InputError("constraints", "", f"{row!r} is no {what} ({place.format(k)}): {hint}")
    return [(place.format(k), list(row)) for k, row in enumerate(rows, 1)]


def _rows_of_groups(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their labels; without names, as a sequence has them, by number."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), GROUP_COLUMNS)
    if hasattr(given, "items"):  # a mapping, or a series with an index
        return [("in groups", item) for item in given.items()]
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):
        raise InputError(
            "constraints",
            "groups",
            f"A {type(given).__name__} cannot be used as groups: give a mapping from names to "
            "labels, one label a variable in their order, or the path of a file.",
        )
    labels = list(given)
    if len(labels) != len(names):
        raise InputError(
            "constraints",
            "groups",
            f"There are {len(labels)} groups for {len(names)} variables: give each variable one.",
        )
    return [("in groups", pair) for pair in zip(names, labels, strict=True)]
