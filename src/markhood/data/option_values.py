"""Values of reading options: convert what a caller passes or types to its canonical form."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from markhood.data.coding.cells import parse_cell
from markhood.data.kinds import STEP
from markhood.errors import InputError, option_error

AUTO = "auto"  # codes for missing values are detected


def column_names(name: str, given: Any) -> tuple[str, ...]:
    """Return names of columns as a tuple; a single name may be passed as a text."""
    if isinstance(given, str):
        return (given,)
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in names:
        if not isinstance(one, str):
            raise option_error(name, f"must be names of columns, not {one!r}.")
    return names


def words(text: str) -> tuple[str, ...]:
    """Split a list that is written as on the command line: a,b,c."""
    return tuple(text.split(",")) if text else ()


def kinds_of_text(text: str) -> Any:
    """Parse kinds: a word, or a=nominal,b=low<mid<high."""
    if "=" not in text:
        return text
    return {
        name: tuple(kind.split(STEP)) if STEP in kind else kind
        for name, kind in by_name(text).items()
    }


def by_name(text: str) -> dict[str, str]:
    """Parse a=1,b=2; the last equals sign precedes the value, because names may contain one."""
    parts = [part.rpartition("=") for part in text.split(",")]
    return {name: value for name, _, value in parts}


def listed_values(values: Any) -> Any:
    """Return codes for missing values as a tuple, or the word auto."""
    if isinstance(values, str) and values == AUTO:
        return AUTO
    if isinstance(values, (str, bytes, Real)):
        raise option_error(
            "missing_values", f"must be a list of values, not {values!r}: use [{values!r}]."
        )
    try:
        return tuple(values)
    except TypeError as error:
        raise option_error(
            "missing_values", f"must be a list of numbers or texts, not {values!r}."
        ) from error


def weights_given(given: Any) -> Any:
    """Return weights as a word, a path or an array of numbers."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return str(given)
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise option_error(
            "weights", f"must be numbers ({error}): pass one per sample.", "weights"
        ) from error


def labels_given(given: Any) -> Any:
    """Return labels of rows as the name of a column, or as plain values."""
    if isinstance(given, str):
        return given
    if not isinstance(given, Iterable):
        raise InputError(
            "labels",
            "",
            f"Labels must be the name of a column, or one value per row, not {given!r}.",
        )
    return tuple(given.tolist() if hasattr(given, "tolist") else given)


def share_or_word(given: Any) -> Any:
    """Return a number as a float, other values unchanged."""
    return float(given) if isinstance(given, Real) and not isinstance(given, bool) else given


def positions_given(given: Any) -> Any:
    """Return positions as plain values, for the provenance."""
    from markhood.data.genome.positions import listed_positions  # which imports this module

    return listed_positions(given)


def number_or_word(text: str) -> Any:
    """Convert a text to a number if possible."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def bins_of_text(text: str) -> Any:
    """Parse bins: a number or word, or a=4,b=auto."""
    if "=" not in text:
        return number_or_word(text)
    return {name: number_or_word(number) for name, number in by_name(text).items()}


def missing_codes_of(values: Iterable[Any]) -> frozenset[Any]:
    """Return each value unchanged, as text, and as that text is read from a file."""
    codes: set[Any] = set()
    for value in () if isinstance(values, str) and values == AUTO else listed_values(values):
        try:
            codes |= {value, str(value), parse_cell(str(value))}
        except TypeError as error:
            raise option_error(
                "missing_values", f"has a {type(value).__name__}: use numbers or texts."
            ) from error
    return frozenset(codes - {None})
