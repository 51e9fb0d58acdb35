"""Pairs, groups and positions of variables as people write them down: in Python or in a file of two or three columns.

A variable is named, or given by the number of its column, from 0. In a file a number is text as a
name is, so it is a column's only where no variable has a number for a name; and in Python a whole
number that is also the name of another column is refused: either might be meant.

A file's first line may be a header, `source,target` for pairs, with `probability` where each has one,
`variable,group` for groups, and `name,chromosome,position` or `name,position` for positions; it
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
from markhood.data.loci import MOST_POSITION, Loci, Locus
from markhood.data.reading import DELIMITERS
from markhood.errors import InputError

PAIR_COLUMNS = ("source", "target")
PRIOR_COLUMNS = (*PAIR_COLUMNS, "probability")
GROUP_COLUMNS = ("variable", "group")
LOCUS_COLUMNS = ("name", "chromosome", "position")
POSITION_COLUMNS = ("name", "position")

Row = tuple[str, Sequence[Any]]  # where it is, and its values


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
                f"{names[pair[0]]!r} - {names[pair[1]]!r} has two probabilities, {found[pair]} and "
                f"{probability} ({place}): give it one."
            )
    pairs = sorted(found)
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return numbers, np.array([found[pair] for pair in pairs], dtype=np.float64)


def _probability(value: Any, place: str) -> float:
    try:
        probability = float(value)
    except (TypeError, ValueError):
        probability = float("nan")
    if not 0 < probability < 1:
        raise InputError(
            f"{value!r} is no probability between 0 and 1, both excluded ({place}): give one, or "
            "require or forbid the edge."
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


def known_loci(given: Any, names: Sequence[str]) -> Loci:
    """Return where variables lie along a genome.

    Parameters
    ----------
    given : path-like, mapping, or sequence of one position a variable
        A mapping is from names to positions, or to pairs of a chromosome and a position; so are the
        elements of a sequence. Variables that are not named, or have None, lie nowhere; names of
        others are passed over, so that one file serves for every part of a genome.
    names : sequence of str
        Of all variables.

    Raises
    ------
    InputError
        Where something is no position, or no variable has one.

    Examples
    --------
    >>> known_loci({"a": ("chr1", 5), "b": 7}, ["a", "b", "c"])
    (Locus(chromosome='chr1', position=5), Locus(chromosome='', position=7), None)
    """
    found: dict[str, Locus] = {}
    for place, (name, *told) in _rows_of_loci(given, names):
        if len(told) == 1 and _is_missing(told[0]):
            continue
        locus = Locus(*_chromosome_and_position(told, place))
        if found.setdefault(str(name), locus) != locus:
            raise InputError(f"Variable {name!r} has two positions ({place}): give it one.")
    loci = tuple(found.get(name) for name in names)
    if not any(loci):
        raise InputError(
            f"No variable has a position: name them as the data do, {listed(list(names))}."
        )
    return loci


def _chromosome_and_position(told: Sequence[Any], place: str) -> tuple[str, int]:
    chromosome = told[0] if len(told) > 1 else ""
    given = told[-1] if told else None
    try:
        position = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        position = float("nan")
    if not 0 <= position <= MOST_POSITION or position != int(position):
        raise InputError(
            f"{given!r} is no position ({place}): give a whole number from 0 up, such as 12345."
        )
    return str(chromosome), int(position)


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

    def pair(self, ends: Sequence[Any], place: str) -> tuple[int, int]:
        """Return the numbers of two variables, the lower one first."""
        i, j = (self.number(end, place) for end in ends)
        if i == j:
            raise InputError(
                f"{self._names[i]!r} is joined to itself ({place}): give two different variables."
            )
        return min(i, j), max(i, j)


def _rows_of_priors(given: Any) -> list[Row]:
    """List pairs with their probabilities."""
    if isinstance(given, (str, os.PathLike)):
        return _file_rows(Path(given), PRIOR_COLUMNS)
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
        return _file_rows(Path(given), PAIR_COLUMNS)
    hint = "give pairs such as ('a', 'b'), an array of shape (n_pairs, 2), or the path of a file."
    return _rows_of(given, 2, "pair of variables", f"pair {{}} of {option}", hint)


def _rows_of(given: Any, width: int, what: str, place: str, hint: str) -> list[Row]:
    """List rows of so many values that are not in a file; ``place`` has room for a row's number."""
    if hasattr(given, "__array__"):  # data frames too, which would iterate over their columns
        given = np.asarray(given).tolist()
    rows = list(given) if isinstance(given, Iterable) else [given]
    for k, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(list(row)) != width:
            raise InputError(f"{row!r} is no {what} ({place.format(k)}): {hint}")
    return [(place.format(k), list(row)) for k, row in enumerate(rows, 1)]


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


def _rows_of_loci(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their positions, a chromosome before these where there is one."""
    if isinstance(given, (str, os.PathLike)):
        return _file_rows(Path(given), _columns_of_loci(Path(given)))
    if hasattr(given, "items"):  # a mapping, or a series with an index
        items = list(given.items())
    elif isinstance(given, Iterable) and not isinstance(given, (set, frozenset)):
        listed_positions = list(given)
        if len(listed_positions) != len(names):
            raise InputError(
                f"There are {len(listed_positions)} positions for {len(names)} variables: give each "
                "one, or None, or name those that have one."
            )
        items = list(zip(names, listed_positions, strict=True))
    else:
        raise InputError(
            f"A {type(given).__name__} cannot be used as positions: give a mapping from names to "
            "positions, one a variable in their order, or the path of a file."
        )
    return [
        ("in positions", [name, *(told if isinstance(told, (tuple, list)) else [told])])
        for name, told in items
    ]


def _columns_of_loci(path: Path) -> tuple[str, ...]:
    """Return the columns that a file of positions has: by its header, else by their number."""
    choices = (LOCUS_COLUMNS, POSITION_COLUMNS)
    firsts = [next((cells for _, cells in _lines(path, c) if any(cells)), []) for c in choices]
    both = list(zip(choices, firsts, strict=True))
    named = [columns for columns, first in both if set(columns) <= set(first)]
    counted = [columns for columns, first in both if len(columns) == len(first)]
    return next(iter([*named, *counted]), LOCUS_COLUMNS)


def _file_rows(path: Path, columns: tuple[str, ...]) -> list[Row]:
    """Read a text file of so many columns, or those of these names."""
    lines = [(line, cells) for line, cells in _lines(path, columns) if any(cells)]
    if not lines:
        raise InputError(f"{path} is empty: give lines of {_listed(columns)}.")
    header, places = lines[0][1], list(range(len(columns)))
    if set(columns) <= set(header):
        places = [header.index(name) for name in columns]
        del lines[0]
    else:
        header = list(columns)
    for line, cells in lines:
        if len(cells) != len(header):
            raise InputError(
                f"Line {line} of {path} has {len(cells)} field{'s'[: len(cells) > 1]} where "
                f"{len(header)} were expected: give {_listed(columns)} on every line."
            )
    return [(f"line {line} of {path}", [cells[k] for k in places]) for line, cells in lines]


def _listed(columns: Sequence[str]) -> str:
    return f"{', '.join(columns[:-1])} and {columns[-1]}"


def _lines(path: Path, columns: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """Split a file into lines and cells, by the delimiter that gives its first line enough cells."""
    if path.exists() and not path.is_file():  # a pipe would be waited for, perhaps for ever
        raise InputError(f"{path} is no regular file: give a text file of {len(columns)} columns.")
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
        if len(cells) == len(columns) or set(columns) <= set(cells):
            return list(split(text, delimiter))
    return list(split(text, DELIMITERS[0]))


def _is_missing(label: Any) -> bool:
    """Whether a label stands for none, as it would in data."""
    return label is None or str(label) in MISSING or str(label) == "<NA>"
