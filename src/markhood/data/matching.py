"""New data as level numbers of known variables, whatever the data come as.

A graph or a model knows its variables by name, and their levels. New data may have further columns, lack
some levels, or list them in another order. They are read with `Reading.known`: the columns of the known variables
only, each value as the level that it is or belongs to (a bin, a merged level, a class of letters). Packed samples
have levels already, which are translated by the same rule (`markhood.data.coding.merged.level_numbers`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import column_names, pack_table
from markhood.data.coding.merged import UNSEEN, level_numbers
from markhood.data.coding.names import near
from markhood.data.reading import Missing, Reading
from markhood.data.samples import Samples
from markhood.data.understood import Notes
from markhood.data.variables import Variables, default_names, level_text
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
        own, shown = codes(samples.bits, j).astype(np.int64), samples.levels[j]
        levels = shown if variables.levels is None else variables.levels[i]
        if levels != shown:
            own = level_numbers(shown, levels)[own]
        of_missing = levels.index(None) if None in levels else UNKNOWN
        if None in shown and None not in levels:
            own[codes(samples.bits, j) == shown.index(None)] = UNKNOWN
        if j in samples.missing:
            own[unpacked(samples.missing[j], samples.n_samples) == 1] = of_missing
        if (own < 0).any():
            strange = shown[int(codes(samples.bits, j)[own.argmin()])]
            raise InputError(
                f"Column {name!r} has the value {level_text(strange)!r}, which is none of its "
                f"levels: {', '.join(map(level_text, levels))}."
            )
        found[i] = own
    return found


def read_like(
    data: Any,
    variables: Variables,
    reading: Reading | None = None,
    names: Sequence[str] | None = None,
) -> Samples:
    """Read a table or a file with the levels of known variables.

    Parameters
    ----------
    data : array, data frame or sparse matrix of shape (n_samples, n_columns), or path
    variables : Variables
        With their levels.
    reading : Reading, optional
        How the known data were read: what means missing, and what to do about it. Choices of columns,
        kinds and levels are ignored, since they are those of the variables.
    names : sequence of str, optional
        What the columns of an array are called, if there are as many; by default as the variables are.
    """
    reading = replace(
        reading or Reading(),
        known=variables,
        columns=variables.names,
        exclude=(),
        kinds="auto",
        bins=None,
        merge_rare=None,
        letters="all",
        notes=Notes(),
    )
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_file

        with warnings.catch_warnings():  # how such a file is read was said before
            warnings.simplefilter("ignore", DataWarning)
            return read_file(data, reading)
    if column_names(data) is not None:
        return pack_table(data, None, reading)
    table = np.array(data, dtype=object) if isinstance(data, (list, tuple)) else data
    shape = np.shape(table)
    for called in (
        names or variables.names,
        variables.names,
        default_names(shape[-1] if shape else 0),
    ):
        if len(shape) == 2 and len(called) == shape[1] and {*variables.names} <= {*called}:
            return pack_table(table, called, reading)
    raise InputError(
        f"The data have shape {shape}, and the model has {len(names or variables)} variables: give a "
        "column for each, or a data frame with their names."
    )


def codes_like(
    data: Any,
    variables: Variables,
    hidden: Collection[int] = (),
    reading: Reading | None = None,
    *,
    missing: Missing = "impute",
    unseen: bool = False,
) -> NDArray[np.uint16]:
    """Return new data as level numbers of known variables.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        Columns are matched by name. Those of an array are all variables in order, all that are not
        hidden, or else called x0, x1, ....
    variables : Variables
        With their levels.
    hidden : collection of int
        Variables that are not looked at, whether the data have them or not.
    reading : Reading, optional
        How the known data were read.
    missing : {"impute", "drop", "error", "level"}, default="impute"
        What to do about missing values in place of what the reading says; by default keep them.
    unseen : bool, default=False
        Whether a value that is none of a variable's levels has the number past the last one. By default
        it is an error.

    Returns
    -------
    ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` where a value is missing, unless missing is one of the variable's levels.

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
    if unseen:
        wider = tuple((*levels, UNSEEN) for levels in picked.levels or ())
        picked = replace(picked, levels=wider)
    if not isinstance(data, Samples):
        kept = replace(reading or Reading(), missing=missing, weights=None)
        data = read_like(data, picked, kept, variables.names)
    seen = matched_codes(data, picked)
    found = np.full((len(variables), seen.shape[1]), UNKNOWN, np.uint16)
    found[shown] = seen
    return found
