"""New data as level numbers of known variables, whatever the data come as.

A graph or a model knows its variables by name, and their levels. New data may have further columns, lack
some levels, or list them in another order. They are read with `Reading.known`: the columns of the known variables
only, each value as the level that it is or belongs to (a bin, a merged level, a class of letters). Packed samples
have levels already, which are translated by the same rule (`markhood.data.coding.merged.level_numbers`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import column_names, pack_table
from markhood.data.coding.merged import UNSEEN, level_numbers
from markhood.data.coding.names import near
from markhood.data.reading import Missing, Reading
from markhood.data.samples import Samples
from markhood.data.understood import Notes
from markhood.data.variables import UNKNOWN, Variables, default_names, level_text
from markhood.errors import DataWarning, InputError
from markhood.kernels.tables import codes
from markhood.kernels.words import unpacked


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
    reals: Sequence[str] = (),
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
        The columns of the known data, for an array that has as many and whose variables are not
        called x0, x1, ...; by default the variables.
    reals : sequence of str, default=()
        Covariates to read as numbers, which are then in ``Samples.reals``.
    """
    wanted = (*variables.names, *reals)
    reading = replace(
        reading or Reading(),
        known=variables,
        columns=wanted,
        exclude=(),
        adjust_for=(),
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
    numbered = default_names(shape[-1] if shape else 0)
    for called in (numbered, names or wanted, wanted):
        if len(shape) == 2 and len(called) == shape[1] and {*wanted} <= {*called}:
            return pack_table(table, called, reading)
    raise InputError(
        f"The data have shape {shape}, and the model has {len(names or variables)} variables: give a "
        "column for each, or a data frame with their names."
    )


class Units(NamedTuple):
    """What a covariate is measured in by regressions."""

    mean: float
    sd: float


def real_units(provenance: Mapping[str, Any]) -> dict[str, Units]:
    """Return the covariates of many numbers that a graph was adjusted for, with their units."""
    return {name: Units(**own) for name, own in provenance.get("real_covariates", {}).items()}


def codes_like(
    data: Any,
    variables: Variables,
    hidden: Collection[int] = (),
    reading: Reading | None = None,
    *,
    missing: Missing = "impute",
    unseen: bool = False,
    names: Sequence[str] | None = None,
) -> NDArray[np.uint16]:
    """Return new data as level numbers of known variables.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        Columns are matched by name. Those of an array are called x0, x1, ... if the variables are, and
        else are the `names`, or the variables that are not hidden, in order.
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
    names : sequence of str, optional
        The columns of the known data, where the variables are in another order or only some of them;
        by default the variables.

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
    return numbers_like(
        data, variables, hidden, reading, missing=missing, unseen=unseen, names=names
    )[0]


def numbers_like(
    data: Any,
    variables: Variables,
    hidden: Collection[int] = (),
    reading: Reading | None = None,
    *,
    missing: Missing = "impute",
    unseen: bool = False,
    names: Sequence[str] | None = None,
    units: Mapping[str, Units] = MappingProxyType({}),
) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """Return what `codes_like` does, and the covariates of these units, (n_covariates, n_samples), standardised."""
    shown = [j for j in range(len(variables)) if j not in hidden]
    if not shown:
        raise InputError("All variables are targets, and none is left to predict them from.")
    picked = variables.pick(shown)
    if unseen:
        wider = tuple((*levels, UNSEEN) for levels in picked.levels or ())
        picked = replace(picked, levels=wider)
    if not isinstance(data, Samples):
        kept = replace(reading or Reading(), missing=missing, weights=None)
        data = read_like(data, picked, kept, names or (*variables.names, *units), tuple(units))
    seen = matched_codes(data, picked)
    found = np.full((len(variables), seen.shape[1]), UNKNOWN, np.uint16)
    found[shown] = seen
    return found, reals_in(data, units)


def reals_in(samples: Samples, units: Mapping[str, Units]) -> NDArray[np.float64]:
    """Return the covariates of samples in these units, of shape (n_covariates, n_samples)."""
    for name in units:
        if name not in samples.reals:
            raise InputError(
                f"The data have no numbers in a column {name!r}, which the graph was adjusted for: give them."
            )
    columns = [(samples.reals[name].values - own.mean) / own.sd for name, own in units.items()]
    return np.array(columns).reshape(len(units), samples.n_samples)
