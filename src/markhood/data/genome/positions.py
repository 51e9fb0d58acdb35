"""Read the option `positions`: a mapping, a sequence or a file of positions along a genome."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

from markhood.data.formats.named_columns import Row, file_lines, file_rows, is_missing
from markhood.data.genome.loci import MOST_POSITION, Loci, Locus, loci_in_names
from markhood.data.samples import Samples
from markhood.errors import InputError, listed, option

LOCUS_COLUMNS = ("name", "chromosome", "position")
POSITION_COLUMNS = ("name", "position")


def known_loci(given: Any, names: Sequence[str]) -> Loci:
    """Return the loci of variables.

    Parameters
    ----------
    given : path-like, mapping, or sequence with one position per variable
        A position is a number, or a pair of chromosome and number. A mapping has positions by name;
        other names are ignored, so that one file can be used for every part of a genome. Variables
        without a position, or with None, have no locus.

    Raises
    ------
    InputError
        If a position is not a whole number from 0 up, or no variable has one.

    Examples
    --------
    >>> known_loci({"a": ("chr1", 5), "b": 7}, ["a", "b", "c"])
    (Locus(chromosome='chr1', position=5), Locus(chromosome='', position=7), None)
    """
    found: dict[str, Locus] = {}
    for where, (name, *values) in _rows_of_loci(given, names):
        if len(values) == 1 and is_missing(values[0]):
            continue
        locus = Locus(*_chromosome_and_position(values, where))
        if found.setdefault(str(name), locus) != locus:
            raise InputError(
                "positions", str(name), f"Variable {name!r} has two positions ({where}): keep one."
            )
    loci = tuple(found.get(name) for name in names)
    if not any(loci):
        raise _unusable(
            f"No variable has a position: use the names of the data, {listed(list(names))}."
        )
    return loci


def _unusable(text: str) -> InputError:
    return InputError("positions", "positions", text)


def listed_positions(given: Any) -> Any:
    """Return pairs of chromosome and position, or None, by name or in the order of variables."""
    is_named = isinstance(given, (str, os.PathLike)) or hasattr(given, "items")
    numbers = () if is_named else [str(k) for k in range(len(given))]
    pairs = {
        str(name): None
        if len(values) == 1 and is_missing(values[0])
        else _chromosome_and_position(values, where)
        for where, (name, *values) in _rows_of_loci(given, numbers)
    }
    return pairs if is_named else tuple(pairs.values())


def _chromosome_and_position(values: Sequence[Any], where: str) -> tuple[str, int]:
    chromosome = values[0] if len(values) > 1 else ""
    given = values[-1] if values else None
    try:
        position = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        position = float("nan")
    if not 0 <= position <= MOST_POSITION or position != int(position):
        raise _unusable(
            f"{given!r} is not a position ({where}): use a whole number from 0 up, such as 12345."
        )
    return str(chromosome), int(position)


def _rows_of_loci(given: Any, names: Sequence[str]) -> list[Row]:
    """List variables with their positions, after the chromosome if there is one."""
    if isinstance(given, (str, os.PathLike)):
        return file_rows(Path(given), _columns_of_loci(Path(given)))
    if hasattr(given, "items"):  # a mapping, or a series with an index
        items = list(given.items())
    elif isinstance(given, Iterable) and not isinstance(given, (set, frozenset)):
        listed_positions = list(given)
        if len(listed_positions) != len(names):
            raise _unusable(
                f"There are {len(listed_positions)} positions for {len(names)} variables: pass one "
                "position or None per variable, or positions by name."
            )
        items = list(zip(names, listed_positions, strict=True))
    else:
        raise _unusable(
            f"Positions of type {type(given).__name__} cannot be used: pass a mapping from names "
            "to positions, a sequence with one position per variable, or the path of a file."
        )
    return [
        ("in positions", [name, *(locus if isinstance(locus, (tuple, list)) else [locus])])
        for name, locus in items
    ]


def _columns_of_loci(path: Path) -> tuple[str, ...]:
    """Return the columns of a file of positions, by its header, else by their number."""
    choices = (LOCUS_COLUMNS, POSITION_COLUMNS)
    firsts = [next((cells for _, cells in file_lines(path, c) if any(cells)), []) for c in choices]
    both = list(zip(choices, firsts, strict=True))
    named = [columns for columns, first in both if set(columns) <= set(first)]
    counted = [columns for columns, first in both if len(columns) == len(first)]
    return next(iter([*named, *counted]), LOCUS_COLUMNS)


def with_loci(samples: Samples, loci: Loci | None) -> Samples:
    """Return the same samples with these loci of the variables."""
    if loci == samples.variables.loci:
        return samples
    return replace(samples, variables=replace(samples.variables, loci=loci))


def with_positions(samples: Samples, given: Any = None) -> Samples:
    """Add positions from the option, else from the file, else from names of variables.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1], [1, 0]], ["chr1:12", "chr1:34"])
    >>> with_positions(samples).variables.loci[1]
    Locus(chromosome='chr1', position=34)
    """
    if given is not None:
        return with_loci(samples, known_loci(given, samples.names))
    if samples.variables.loci is None:
        return with_loci(samples, loci_in_names(samples.names))
    return samples


def on_circle(samples: Samples, length: int | None) -> Samples:
    """Add the length of a circular genome, if there is one.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1], [1, 0]], ["chr1:12", "chr1:34"])
    >>> on_circle(samples, 40).variables.genome_length
    40
    """
    if length is None:
        return samples
    name = option("genome_length")
    is_whole = isinstance(length, Integral) and not isinstance(length, bool)
    if not is_whole or not 1 <= length <= MOST_POSITION:
        raise _unusable_length(
            f"{name} must be a whole number of bases from 1 to 10^12, not {length!r}."
        )
    known = [locus for locus in samples.variables.loci or () if locus is not None]
    if not known:
        raise InputError(
            "positions",
            "genome_length",
            f"{name} needs positions of the variables: pass {option('positions')}, or use names "
            "such as 'chr1:12345'.",
        )
    if len({locus.chromosome for locus in known}) > 1:
        raise InputError(
            "option-conflict",
            "genome_length",
            f"{name} is for a single circular chromosome, but the variables are on several: leave "
            "it out.",
        )
    furthest = max(locus.position for locus in known)
    if furthest > length:
        raise _unusable_length(
            f"{name} is {length}, but a variable is at position {furthest}: pass the full length."
        )
    variables = replace(samples.variables, genome_length=int(length))
    return replace(samples, variables=variables)


def _unusable_length(text: str) -> InputError:
    return InputError("option-value", "genome_length", text)
