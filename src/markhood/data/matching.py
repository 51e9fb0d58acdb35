"""New data in the words of variables that are known: level numbers, whatever the data come as.

A graph or a model knows its variables by name, and their levels. Data that come later may have other
columns beside them, miss some levels, or list them in another order; files and packed samples have been
given levels of their own. Here all of it becomes the level numbers of the known variables.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.bins import bin_like
from markhood.data.coding.encode import encode_like
from markhood.data.coding.frames import as_frame
from markhood.data.coding.names import near
from markhood.data.given import as_samples
from markhood.data.reading import MOST_LEVELS, Reading
from markhood.data.samples import Samples
from markhood.data.variables import Levels, Variables, level_text
from markhood.errors import DataWarning, InputError
from markhood.kernels.tables import codes
from markhood.kernels.words import unpacked

UNKNOWN = np.iinfo(np.uint16).max  # the level number of a value that is missing


def matched_codes(samples: Samples, variables: Variables) -> NDArray[np.uint16]:
    """Return the level numbers that samples have in variables of the same names.

    Parameters
    ----------
    samples : Samples
    variables : Variables
        With their levels; all are among the samples' own.

    Returns
    -------
    ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` where a value is missing.

    Raises
    ------
    InputError
        Where a variable is not there, or has a value that is none of its levels.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([["no", 2], ["yes", 1]], names=["a", "b"])
    >>> matched_codes(samples, Variables(("b", "a"), ((0, 1, 2), ("no", "yes")))).tolist()
    [[2, 1], [0, 1]]
    """
    columns = {name: j for j, name in enumerate(samples.names)}
    found = np.empty((len(variables), samples.n_samples), np.uint16)
    for i, name in enumerate(variables.names):
        if name not in columns:
            raise InputError(f"The data have no column {name!r}: {near(name, samples.names)}.")
        j = columns[name]
        own = codes(samples.bits, j)
        levels = (variables.levels or samples.levels)[i if variables.levels else j]
        if levels != samples.levels[j]:
            own = _translation(samples.levels[j], levels)[own]
        if j in samples.missing:
            is_missing = unpacked(samples.missing[j], samples.n_samples)
            own = np.where(is_missing == 1, np.uint16(UNKNOWN), own)
        if own.size and (own[own != UNKNOWN] >= max(2, len(levels))).any():
            wrong = _strange(samples.levels[j], levels)
            raise InputError(
                f"Column {name!r} has the value {wrong!r}, which is none of its levels: "
                f"{', '.join(map(level_text, levels))}."
            )
        found[i] = own
    return found


def codes_like(
    data: Any,
    variables: Variables,
    hidden: Collection[int] = (),
    missing_values: Iterable[Any] = (),
) -> NDArray[np.uint16]:
    """Return new data as level numbers of known variables; missing values are unknown.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        An array has a column for each variable, or for each that is not hidden; others may have
        more columns, and are matched by name.
    variables : Variables
        With their levels.
    hidden : collection of int
        Variables that are not looked at, whether the data have them or not.
    missing_values : iterable, default=()
        Further values that mean missing.

    Returns
    -------
    ndarray of shape (n_variables, n_samples), dtype uint16

    Examples
    --------
    >>> known = Variables(("a", "b"), (("no", "yes"), (1, 2)))
    >>> codes_like([["yes", None]], known).tolist()
    [[1], [65535]]
    >>> codes_like([[2], [1]], known, hidden=[0])[1].tolist()
    [1, 0]
    """
    shown = [j for j in range(len(variables)) if j not in hidden]
    if not shown:
        raise InputError("All variables are targets, and none is left to predict them from.")
    picked = variables.pick(shown)
    if isinstance(data, Samples):
        seen = matched_codes(data, picked)
    elif isinstance(data, (str, os.PathLike)):
        has_level = any(None in own for own in picked.levels or ())
        with warnings.catch_warnings():  # how its like is read has been said before
            warnings.simplefilter("ignore", DataWarning)
            reading = Reading(
                columns=picked.names,
                missing="level" if has_level else "impute",
                missing_values=tuple(missing_values),
                max_levels=MOST_LEVELS,
                min_columns=1,
            )
            samples = as_samples(data, reading)
        seen = matched_codes(samples, picked)
    else:
        table = _columns(data, variables, shown)
        levels: Levels = picked.levels or ()
        names = picked.names
        if len(shown) == 1:  # a table has two columns or more: the one twice
            frame = as_frame(table)
            column = np.empty(len(table), dtype=object)
            column[:] = frame[names[0]].to_list() if frame is not None else np.ravel(table).tolist()
            table = np.column_stack([column, column])
            levels, names = levels * 2, (*names, names[0] + "_")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            samples = encode_like(
                table, levels, names, missing="impute", missing_values=missing_values
            )
        seen = matched_codes(samples, picked)
    found = np.full((len(variables), seen.shape[1]), UNKNOWN, np.uint16)
    found[shown] = seen
    return found


def _columns(data: Any, variables: Variables, shown: Sequence[int]) -> Any:
    """Return the columns of a table that are shown, in the order of the variables."""
    frame = as_frame(data)
    names = [variables.names[j] for j in shown]
    if frame is not None:
        for name in names:
            if name not in frame.columns:
                raise InputError(f"The data have no column {name!r}: {near(name, frame.columns)}.")
        return frame.select(names).to_native()
    sparse = sys.modules.get("scipy.sparse")
    table = data.tocsc() if sparse is not None and sparse.issparse(data) else data
    if isinstance(table, (list, tuple)):
        table = np.array(table, dtype=object)
    shape = np.shape(table)
    if len(shape) == 2 and shape[1] == len(variables):
        return table[:, list(shown)]
    if len(shape) == 2 and shape[1] == len(shown):
        return table
    raise InputError(
        f"The data have shape {shape}, and the model has {len(variables)} variables: give a column "
        "for each, or a data frame with their names."
    )


def _translation(given: Sequence[Any], levels: Sequence[Any]) -> NDArray[np.uint16]:
    """Return the number of each given value among the levels; one past them all where it is none."""
    binned = bin_like(given, levels) or given
    numbers = {level_text(level): k for k, level in enumerate(levels)}
    past = max(2, len(levels))
    return np.array([numbers.get(level_text(value), past) for value in binned], np.uint16)


def _strange(given: Sequence[Any], levels: Sequence[Any]) -> str:
    known = {level_text(level) for level in levels}
    binned = bin_like(given, levels) or given
    return next(level_text(value) for value in binned if level_text(value) not in known)
