"""Match new data to known variables: columns by name, values by level.

New data for a graph or a model may have additional columns, lack some levels, or list levels in
another order. They are read with `Reading.known`: only the columns of the known variables, each
value as its level (possibly a bin, a merged level or a class of letters). The levels of packed
samples are translated by the same rule (`markhood.data.coding.merged.level_numbers`).
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

from markhood.arrays import Floats
from markhood.data.coding.encode import column_names, pack_table
from markhood.data.coding.merged import UNSEEN, level_numbers
from markhood.data.coding.names import suggest_names
from markhood.data.reading import DEPTH, Missing, Reading
from markhood.data.samples import Samples
from markhood.data.variables import UNKNOWN, Variables, default_names, level_text
from markhood.errors import DataWarning, InputError
from markhood.findings import FindingLog
from markhood.kernels.tables import codes
from markhood.kernels.words import unpacked


def matched_codes(samples: Samples, variables: Variables) -> NDArray[np.uint16]:
    """Return samples as level numbers of known variables with the same names.

    Parameters
    ----------
    variables : Variables
        With their levels; the samples have all of these variables.

    Returns
    -------
    ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` where a value is missing.

    Raises
    ------
    InputError
        If a variable is missing, or has a value that is not one of its levels.

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
            raise InputError(
                "unknown-column",
                name,
                f"The data have no column {name!r}: {suggest_names(name, samples.names)}.",
            )
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
                "unknown-level",
                name,
                f"Column {name!r} has the value {level_text(strange)!r}, which is not one of its "
                f"levels: {', '.join(map(level_text, levels))}.",
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
    reading : Reading, optional
        How the known data were read: codes for missing, and how to treat missing values. Columns,
        kinds and levels are those of the variables.
    names : sequence of str, optional
        The columns of the known data, for an array with the same number of columns whose variables
        are not called x0, x1, ...; by default the variables.
    reals : sequence of str, default=()
        Covariates to read as numbers, which are then in ``Samples.reals``.
    """
    wanted = (*variables.names, *(name for name in reals if name != DEPTH))
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
        log=FindingLog(),
    )
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_file

        with warnings.catch_warnings():  # emitted when the known data were read
            warnings.simplefilter("ignore", DataWarning)
            return read_file(data, reading)
    if column_names(data) is not None:
        return pack_table(data, None, reading)
    table = np.array(data, dtype=object) if isinstance(data, (list, tuple)) else data
    shape = np.shape(table)
    numbered = default_names(shape[-1] if shape else 0)
    for columns in (numbered, names or wanted, wanted):
        if len(shape) == 2 and len(columns) == shape[1] and {*wanted} <= {*columns}:
            return pack_table(table, columns, reading)
    raise InputError(
        "columns-differ",
        "",
        f"The data have shape {shape}, and the model has {len(names or variables)} variables: pass "
        "one column per variable, or a data frame with their names.",
    )


class Units(NamedTuple):
    """Mean and standard deviation that standardise a covariate in regressions."""

    mean: float
    sd: float


def real_units(provenance: Mapping[str, Any]) -> dict[str, Units]:
    """Return the numeric covariates that a graph was adjusted for, with their units."""
    return {name: Units(**own) for name, own in provenance.get("real_covariates", {}).items()}


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
) -> tuple[NDArray[np.uint16], Floats]:
    """Return new data as level numbers of known variables, and covariates as numbers.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        Columns are matched by name. Those of an array are x0, x1, ... if the variables have such
        names, else `names`, or the variables that are not hidden, in order.
    hidden : collection of int
        Variables that are ignored, whether or not the data have them.
    reading : Reading, optional
        How the known data were read.
    missing : {"impute", "drop", "error", "level"}, default="impute"
        How to treat missing values, instead of as in the reading; by default they are kept.
    unseen : bool, default=False
        Whether a value that is not one of a variable's levels gets the number after the last level.
        By default it is an error.
    names : sequence of str, optional
        The columns of the known data, if they are more than the variables or in another order; by
        default the variables.
    units : mapping of str to Units
        The covariates to return, with their units.

    Returns
    -------
    codes : ndarray of shape (n_variables, n_samples), dtype uint16
        `UNKNOWN` for a missing value, unless missing is one of the variable's levels.
    reals : ndarray of shape (n_covariates, n_samples)

    Examples
    --------
    >>> known = Variables(("a", "b"), (("no", "yes"), (1, 2)))
    >>> numbers_like([["yes", None]], known)[0].tolist()
    [[1], [65535]]
    >>> numbers_like([[2], [1]], known, hidden=[0])[0][1].tolist()
    [1, 0]
    """
    shown = [j for j in range(len(variables)) if j not in hidden]
    if not shown:
        raise InputError(
            "option-value",
            "targets",
            "All variables are targets: leave at least one variable to predict them from.",
        )
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


def reals_in(samples: Samples, units: Mapping[str, Units]) -> Floats:
    """Return the covariates of samples in these units, of shape (n_covariates, n_samples)."""
    for name in units:
        if name not in samples.reals:
            raise InputError(
                "unknown-column",
                name,
                f"The data have no numeric column {name!r}, which is a covariate of the graph: "
                "add it.",
            )
    columns = [(samples.reals[name].values - own.mean) / own.sd for name, own in units.items()]
    return np.array(columns).reshape(len(units), samples.n_samples)
