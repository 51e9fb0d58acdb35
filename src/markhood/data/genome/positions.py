"""Positions of variables along a genome, as people write them: a mapping, a sequence or a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from markhood.data.coding.findings import listed
from markhood.data.formats.named_columns import Row, file_lines, file_rows, is_missing
from markhood.data.genome.loci import MOST_POSITION, Loci, Locus
from markhood.errors import InputError

LOCUS_COLUMNS = ("name", "chromosome", "position")
POSITION_COLUMNS = ("name", "position")


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
        Where a position is not a whole number from 0 up, or no variable has one.

    Examples
    --------
    >>> known_loci({"a": ("chr1", 5), "b": 7}, ["a", "b", "c"])
    (Locus(chromosome='chr1', position=5), Locus(chromosome='', position=7), None)
    """
    found: dict[str, Locus] = {}
    for place, (name, *values) in _rows_of_loci(given, names):
        if len(values) == 1 and is_missing(values[0]):
            continue
        locus = Locus(*_chromosome_and_position(values, place))
        if found.setdefault(str(name), locus) != locus:
            raise InputError(f"Variable {name!r} has two positions ({place}): give it one.")
    loci = tuple(found.get(name) for name in names)
    if not any(loci):
        raise InputError(
            f"No variable has a position: name them as the data do, {listed(list(names))}."
        )
    return loci


def listed_positions(given: Any) -> Any:
    """Return pairs of chromosome and position, or None: by name, or in the order of the variables."""
    is_named = isinstance(given, (str, os.PathLike)) or hasattr(given, "items")
    numbers = () if is_named else [str(k) for k in range(len(given))]
    pairs = {
        str(name): None
        if len(values) == 1 and is_missing(values[0])
        else _chromosome_and_position(values, place)
        for place, (name, *values) in _rows_of_loci(given, numbers)
    }
    return pairs if is_named else tuple(pairs.values())


def _chromosome_and_position(values: Sequence[Any], place: str) -> tuple[str, int]:
    chromosome = values[0] if len(values) > 1 else ""
    given = values[-1] if values else None
    try:
        position = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        position = float("nan")
    if not 0 <= position <= MOST_POSITION or position != int(position):
        raise InputError(
            f"{given!r} is not a position ({place}): give a whole number from 0 up, such as 12345."
        )
    return str(chromosome), int(position)


def _rows_of_loci(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their positions, a chromosome before these where there is one."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), _columns_of_loci(Path(given)))
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
        ("in positions", [name, *(locus if isinstance(locus, (tuple, list)) else [locus])])
        for name, locus in items
    ]


def _columns_of_loci(path: Path) -> tuple[str, ...]:
    """Return the columns that a file of positions has: by its header, else by their number."""
    choices = (LOCUS_COLUMNS, POSITION_COLUMNS)
    firsts = [next((cells for _, cells in file_lines(path, c) if any(cells)), []) for c in choices]
    both = list(zip(choices, firsts, strict=True))
    named = [columns for columns, first in both if set(columns) <= set(first)]
    counted = [columns for columns, first in both if len(columns) == len(first)]
    return next(iter([*named, *counted]), LOCUS_COLUMNS)
