"""Pairs and groups of variables as people write them down: in Python or in a file of two columns.

A variable is named, or given by the number of its column, from 0. In a file a number is text as a
name is, so it is a column's only where no variable has a number for a name; and in Python a whole
number that is also the name of another column is refused: either might be meant.

A file's first line may be a header, `source,target` for pairs and `variable,group` for groups; it
may then have other columns, which are not read, so an edge list that markhood wrote will do. Any
other first line is taken for a pair, so that a misspelt one is not mistaken for a header.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.cells import MISSING
from markhood.data.coding.findings import listed
from markhood.data.coding.names import near
from markhood.data.formats.delimited import DELIMITERS
from markhood.errors import InputError

PAIR_COLUMNS = ("source", "target")
GROUP_COLUMNS = ("variable", "group")

Row = tuple[str, Sequence[Any]]  # where it is, and its two values


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
    if isinstance(given, (str, os.PathLike)):
        rows = _file_rows(Path(given), PAIR_COLUMNS)
    else:
        rows = _rows_of_pairs(given, option)
    pairs = np.empty((len(rows), 2), dtype=np.int64)
    for k, (place, ends) in enumerate(rows):
        i, j = (variables.number(end, place) for end in ends)
        if i == j:
            raise InputError(
                f"{names[i]!r} is joined to itself ({place}): give two different variables."
            )
        pairs[k] = min(i, j), max(i, j)
    return np.unique(pairs, axis=0)


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
                f"{label!r} is no group (of variable {names[number]!r}): give text or a number."
            )
        if not _is_missing(label) and labels.setdefault(number, label) != label:
            raise InputError(
                f"Variable {names[number]!r} has two groups, {labels[number]!r} and {label!r} "
                f"({place}): give it one."
            )
    without = [repr(name) for j, name in enumerate(names) if j not in labels]
    if without:
        raise InputError(
            f"Variable{'s'[: len(without) > 1]} {listed(without)} "
            f"{'has' if len(without) == 1 else 'have'} no group: give every variable one."
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
                raise InputError(f"There is no variable {variable!r} ({place}): {hint}")
        elif not isinstance(variable, Integral) or isinstance(variable, bool):
            raise InputError(
                f"{variable!r} is no variable ({place}): give its name or the number of its column."
            )
        elif self._position.get(str(variable), variable) != variable:
            raise InputError(
                f"{variable} is the number of one column and the name of another ({place}): "
                "give names, as text."
            )
        number = int(variable)
        if not 0 <= number < len(self._names):
            raise InputError(
                f"There is no column {number} ({place}): they are numbered from 0 to "
                f"{len(self._names) - 1}"
            )
        return number


def _rows_of_pairs(given: Any, option: str) -> list[Row]:
    """List pairs that are not in a file."""
    if hasattr(given, "__array__"):  # data frames too, which would iterate over their columns
        given = np.asarray(given).tolist()
    rows = list(given) if isinstance(given, Iterable) else [given]
    for k, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(list(row)) != 2:
            raise InputError(
                f"{row!r} is no pair of variables (pair {k + 1} of {option}): give pairs such as "
                "('a', 'b'), an array of shape (n_pairs, 2), or the path of a file."
            )
    return [(f"pair {k + 1} of {option}", list(row)) for k, row in enumerate(rows)]


def _rows_of_groups(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their labels; without names, as a sequence has them, by number."""
    if isinstance(given, (str, os.PathLike)):
        return _file_rows(Path(given), GROUP_COLUMNS)
    if hasattr(given, "items"):  # a mapping, or a series with an index
        return [("in groups", item) for item in given.items()]
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):
        raise InputError(
            f"A {type(given).__name__} cannot be used as groups: give a mapping from names to "
            "labels, one label a variable in their order, or the path of a file."
        )
    labels = list(given)
    if len(labels) != len(names):
        raise InputError(
            f"There are {len(labels)} groups for {len(names)} variables: give each variable one."
        )
    return [("in groups", pair) for pair in zip(names, labels, strict=True)]


def _file_rows(path: Path, columns: tuple[str, str]) -> list[Row]:
    """Read a text file of two columns, or the two of these names."""
    lines = [(line, cells) for line, cells in _lines(path, columns) if any(cells)]
    if not lines:
        raise InputError(f"{path} is empty: give lines of {columns[0]} and {columns[1]}")
    header, first, second = lines[0][1], 0, 1
    if set(columns) <= set(header):
        first, second = (header.index(name) for name in columns)
        del lines[0]
    else:
        header = list(columns)
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(
                f"Line {line} of {path} has {len(cells)} field{'s'[: len(cells) > 1]} where "
                f"{len(header)} were expected: give {columns[0]} and {columns[1]} on every line."
            )
    return [(f"line {line} of {path}", (cells[first], cells[second])) for line, cells in lines]


def _lines(path: Path, columns: tuple[str, str]) -> list[tuple[int, list[str]]]:
    """Split a file into lines and cells, by the delimiter that gives its first line two cells."""
    if path.exists() and not path.is_file():  # a pipe would be waited for, perhaps for ever
        raise InputError(f"{path} is no regular file: give a text file of two columns.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: save the file as UTF-8.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check the path.") from error

    def split(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in rows:
                yield rows.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(
                f"Line {rows.line_num} of {path} cannot be read as delimited text ({error}): "
                "check its quotes."
            ) from error

    first = next((line for line in text.splitlines() if line.strip()), "")
    for delimiter in DELIMITERS:
        _, cells = next(split(first, delimiter), (0, []))
        if len(cells) == 2 or set(columns) <= set(cells):
            return list(split(text, delimiter))
    return list(split(text, DELIMITERS[0]))


def _is_missing(label: Any) -> bool:
    """Whether a label stands for none, as it would in data."""
    return label is None or str(label) in MISSING or str(label) == "<NA>"
