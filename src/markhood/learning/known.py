"""Parse pairs and groups of variables, given in Python or in a file of two or three columns.

A variable is given by its name or by its column number, counted from 0. Values in a file are text,
so a number means a column only if no variable has a number as its name. In Python, a whole number
that is also the name of another column is ambiguous and refused.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.names import suggest_names
from markhood.data.formats.named_columns import Row, file_rows, is_missing
from markhood.errors import InputError, listed

PAIR_COLUMNS = ("source", "target")
PRIOR_COLUMNS = (*PAIR_COLUMNS, "probability")
GROUP_COLUMNS = ("variable", "group")


def known_pairs(given: Any, names: Sequence[str], option: str) -> Ints:
    """Return pairs of variables as numbers: i < j, lexicographic, each pair once.

    Parameters
    ----------
    given : None, path-like, array of shape (n_pairs, 2), or iterable of pairs
        Pairs of names or column numbers.

    Returns
    -------
    ndarray of shape (n_pairs, 2), dtype int64

    Raises
    ------
    InputError
        If a variable is unknown, joined to itself, or not part of a pair.

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


def known_priors(given: Any, names: Sequence[str]) -> tuple[Ints, Floats]:
    """Return pairs of variables as numbers, as `known_pairs` does, with their probabilities.

    Parameters
    ----------
    given : None, path-like, mapping from pairs to probabilities, or table of three columns
        Variables by name or column number; a table may be an iterable with three values per row.

    Raises
    ------
    InputError
        As `known_pairs`, and if a probability is invalid or given twice for a pair.

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
            raise _invalid(
                "pair_priors",
                f"{names[pair[0]]!r} - {names[pair[1]]!r} has two probabilities, {found[pair]} and "
                f"{probability} ({place}): give it one.",
            )
    pairs = sorted(found)
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return numbers, np.array([found[pair] for pair in pairs], dtype=np.float64)


def listed_pairs(given: Any) -> tuple[tuple[Any, ...], ...]:
    """Return pairs as given, in Python or in a file."""
    return tuple(tuple(row) for _, row in _rows_of_pairs(given, "pairs"))


def listed_priors(given: Any) -> tuple[tuple[Any, ...], ...]:
    """Return pairs as given, in Python or in a file, with their probabilities."""
    return tuple((i, j, _probability(p, place)) for place, (i, j, p) in _rows_of_priors(given))


def listed_groups(given: Any) -> Any:
    """Return groups as given: labels by name, or in the order of the variables."""
    if isinstance(given, (str, os.PathLike)):
        return {str(name): label for _, (name, label) in file_rows(Path(given), GROUP_COLUMNS)}
    return dict(given.items()) if hasattr(given, "items") else tuple(given)


def _probability(value: Any, place: str) -> float:
    try:
        probability = float(value)
    except (TypeError, ValueError):
        probability = float("nan")
    if not 0 < probability < 1:
        raise _invalid(
            "pair_priors",
            f"{value!r} is not a probability strictly between 0 and 1 ({place}): pass one, or "
            "require or forbid the edge.",
        )
    return probability


def known_groups(given: Any, names: Sequence[str]) -> Ints:
    """Return the number of every variable's group.

    Returns
    -------
    ndarray of shape (n_variables,), dtype int64

    Raises
    ------
    InputError
        If a variable is unknown, or does not have exactly one group.

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
            raise _invalid(
                "groups",
                f"{label!r} cannot be a group label (variable {names[number]!r}): use text or a "
                "number.",
            )
        if not is_missing(label) and labels.setdefault(number, label) != label:
            raise _invalid(
                "groups",
                f"Variable {names[number]!r} has two groups, {labels[number]!r} and {label!r} "
                f"({place}): keep one.",
            )
    without = [repr(name) for j, name in enumerate(names) if j not in labels]
    if without:
        raise _invalid(
            "groups",
            f"Variable{'s'[: len(without) > 1]} {listed(without)} "
            f"{'has' if len(without) == 1 else 'have'} no group: assign every variable to a group.",
        )
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(labels[j], len(numbers)) for j in range(len(names))])


def _invalid(where: str, text: str) -> InputError:
    return InputError("constraints", where, text)


def _unknown(where: str, text: str) -> InputError:
    return InputError("unknown-column", where, text)


class _Variables:
    """Look up the numbers of variables."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._position = {name: j for j, name in enumerate(names)}
        self._has_numbers_for_names = any(name.strip().isdecimal() for name in names)

    def number(self, variable: Any, place: str) -> int:
        """Return the number of a variable given by name or number."""
        if isinstance(variable, str):
            if variable in self._position:
                return self._position[variable]
            if self._has_numbers_for_names or not variable.isdecimal():
                hint = suggest_names(variable, self._names)
                raise _unknown(variable, f"There is no variable {variable!r} ({place}): {hint}")
        elif not isinstance(variable, Integral) or isinstance(variable, bool):
            raise _unknown(
                "", f"{variable!r} is not a variable ({place}): use a column name or number."
            )
        elif self._position.get(str(variable), variable) != variable:
            raise _unknown(
                str(variable),
                f"{variable} is the number of one column and the name of another ({place}): "
                "use names, as text.",
            )
        number = int(variable)
        if not 0 <= number < len(self._names):
            raise _unknown(
                str(number),
                f"There is no column {number} ({place}): columns are numbered from 0 to "
                f"{len(self._names) - 1}.",
            )
        return number

    def pair(self, ends: Sequence[Any], place: str) -> tuple[int, int]:
        """Return the numbers of two variables, the lower one first."""
        i, j = (self.number(end, place) for end in ends)
        if i == j:
            raise _invalid(
                self._names[i],
                f"{self._names[i]!r} is joined to itself ({place}): name two different variables.",
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
        "pass a mapping such as {('a', 'b'): 0.9}, a table of source, target and probability, or "
        "the path of a file."
    )
    return _rows_of(given, 3, "pair with a probability", "row {} of pair_priors", hint)


def _pair_of(key: Any) -> tuple[Any, ...]:
    return tuple(key) if isinstance(key, Iterable) and not isinstance(key, str) else (key,)


def _rows_of_pairs(given: Any, option: str) -> list[Row]:
    """List pairs, in Python or in a file."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), PAIR_COLUMNS)
    hint = "pass pairs such as ('a', 'b'), an array of shape (n_pairs, 2), or the path of a file."
    return _rows_of(given, 2, "pair of variables", f"pair {{}} of {option}", hint)


def _rows_of(given: Any, width: int, what: str, place: str, hint: str) -> list[Row]:
    """List rows of `width` values given in Python; ``place`` is formatted with the row number."""
    if hasattr(given, "__array__"):  # data frames too, which would iterate over their columns
        given = np.asarray(given).tolist()
    rows = list(given) if isinstance(given, Iterable) else [given]
    for k, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(list(row)) != width:
            raise _invalid("", f"{row!r} is not a {what} ({place.format(k)}): {hint}")
    return [(place.format(k), list(row)) for k, row in enumerate(rows, 1)]


def _rows_of_groups(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their labels; a sequence of labels refers to variables by number."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), GROUP_COLUMNS)
    if hasattr(given, "items"):  # a mapping, or a series with an index
        return [("in groups", item) for item in given.items()]
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):
        raise _invalid(
            "groups",
            f"A {type(given).__name__} cannot be used as groups: pass a mapping from names to "
            "labels, one label per variable in column order, or the path of a file.",
        )
    labels = list(given)
    if len(labels) != len(names):
        raise _invalid(
            "groups",
            f"There are {len(labels)} groups for {len(names)} variables: pass one per variable.",
        )
    return [("in groups", pair) for pair in zip(names, labels, strict=True)]
