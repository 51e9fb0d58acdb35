"""Make data frames of results with pandas or polars.

A column is an array, a list of Python values, or `Ordered` categories. Arrays and lists keep their
types: an array of objects remains one in pandas, a list of texts gets the text type of the library.

**Choice of library**: that of the user's data, which samples and the provenance of graphs record;
else the one that is imported, else the one that is installed; pandas before polars.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.variables import Variables
from markhood.errors import InputError, installed

LIBRARIES = ("pandas", "polars")


class Ordered(NamedTuple):
    """A column of ordered categories: texts, and the index of each value among them."""

    levels: tuple[str, ...]
    codes: NDArray[np.integer[Any]]


def library_of(data: Any) -> str | None:
    """Return the library of a data frame, None for other data."""
    given = type(data).__module__.split(".")[0]
    return given if given in LIBRARIES else None


def frame_library(data: Any = None, provenance: Mapping[str, Any] | None = None) -> str:
    """Return the library of data frames to make: "pandas" or "polars".

    Parameters
    ----------
    provenance : mapping, optional
        Of a graph, which records the library of its data.

    Raises
    ------
    InputError
        If neither library is installed.
    """
    known = library_of(data) or (provenance or {}).get("data", {}).get("library")
    if known in LIBRARIES:
        return str(known)
    imported = [name for name in LIBRARIES if name in sys.modules]
    installed = [name for name in LIBRARIES if name in imported or find_spec(name)]
    if not installed:
        raise InputError(
            "library-missing",
            "pandas",
            "Data frames need pandas or polars: pip install 'markhood[pandas]' or "
            "'markhood[polars]'.",
        )
    return (imported or installed)[0]


def frame_of(columns: Mapping[str, Any], library: str | None = None) -> Any:
    """Return a data frame with these columns.

    Parameters
    ----------
    library : {"pandas", "polars"}, optional
        By default `frame_library`.

    Examples
    --------
    >>> frame_of({"name": ["a", "b"], "size": [1, 2]}, "pandas")["size"].tolist()
    [1, 2]
    """
    library = library or frame_library()
    made = _pandas_column if library == "pandas" else _polars_column
    module = installed(library)
    try:
        return module.DataFrame({name: made(module, own) for name, own in columns.items()})
    except UnicodeEncodeError as error:
        raise InputError(
            "not-supported",
            library,
            f"{library} cannot store a name ({error}): rename it, or use pandas.",
        ) from None


def frame_of_rows(
    rows: Sequence[Mapping[str, Any]],
    names: Iterable[str] = (),
    provenance: Mapping[str, Any] | None = None,
) -> Any:
    """Return a data frame of rows with the same keys.

    Parameters
    ----------
    names : iterable of str, default=()
        The columns of a data frame without rows.
    provenance : mapping, optional
        As for `frame_library`.
    """
    listed = list(rows[0]) if rows else list(names)
    library = frame_library(provenance=provenance)
    return frame_of({name: [row[name] for row in rows] for name in listed}, library)


def frame_of_levels(
    variables: Variables, numbers: NDArray[np.integer[Any]], library: str | None = None
) -> Any:
    """Return a data frame of levels from level numbers.

    Numbers and booleans keep their types, ordered texts become ordered categories, and other levels
    get the default type of the library. A number beyond a variable's levels is a missing value.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_variables)
    library : {"pandas", "polars"}, optional
        By default `frame_library`.

    Examples
    --------
    >>> known = Variables(("a", "b"), ((-1, 1), ("low", "even", "high")), (False, True))
    >>> frame = frame_of_levels(known, np.array([[0, 2], [1, 0]]), "pandas")
    >>> frame["a"].tolist(), frame["b"].tolist(), frame["b"].cat.ordered
    ([-1, 1], ['high', 'low'], True)
    """
    columns: dict[str, Any] = {}
    both = zip(variables.levels or (), variables.is_ordered, strict=True)
    for v, (levels, is_ordered) in enumerate(both):
        own = numbers[:, v]
        if is_ordered and all(isinstance(level, str) for level in levels):
            columns[variables.names[v]] = Ordered(levels, own)
            continue
        has_missing = bool((own >= len(levels)).any())
        column = level_array((*levels, None) if has_missing else levels)[own]
        columns[variables.names[v]] = column.tolist() if column.dtype == object else column
    return frame_of(columns, library)


def level_array(levels: Sequence[Any]) -> NDArray[Any]:
    """Return levels as an array: of numbers if all levels are, else of objects.

    Examples
    --------
    >>> level_array((1, 2.5)).tolist(), level_array(("no", None)).tolist()
    ([1.0, 2.5], ['no', None])
    """
    if all(isinstance(level, (bool, int, float)) for level in levels):
        return np.array(levels)
    found = np.empty(len(levels), dtype=object)
    found[:] = levels
    return found


def _pandas_column(pandas: Any, column: Any) -> Any:
    if isinstance(column, Ordered):
        return pandas.Categorical.from_codes(column.codes, column.levels, ordered=True)
    if isinstance(column, np.ndarray):
        return pandas.Series(column, dtype=column.dtype)
    try:
        return pandas.Series(column)
    except UnicodeEncodeError:  # a lone surrogate, which the text type does not support
        return pandas.Series(column, dtype=object)


def _polars_column(polars: Any, column: Any) -> Any:
    if isinstance(column, Ordered):
        texts = np.array(column.levels, dtype=object)[column.codes].tolist()
        return polars.Series(texts, dtype=polars.Enum(column.levels))
    is_text = isinstance(column, np.ndarray) and column.dtype == object
    if is_text:
        return polars.Series(column.tolist(), dtype=polars.String)
    return polars.Series(column, strict=False)
