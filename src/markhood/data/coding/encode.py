"""Arrays, data frames and sparse matrices, turned into packed samples.

Nothing is copied whole: arrays and memory maps are read tile by tile, data frames chunk by chunk
of rows, sparse matrices block by block of columns. scipy and data frame libraries are never
imported here; who has such an object has imported them already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding import encoder
from markhood.data.coding.bins import Bins
from markhood.data.coding.coders import ARRAY_KINDS, Levels, reject_complex
from markhood.data.coding.encoder import Encoder
from markhood.data.coding.findings import check_shape, say_what_is_missing
from markhood.data.coding.frames import as_frame, read_frame
from markhood.data.coding.names import check_names, chosen_columns
from markhood.data.coding.regrouping import cut_samples, with_letters_merged, with_rare_merged
from markhood.data.genome.placed import with_positions
from markhood.data.kinds import Category, Kinds, with_kinds
from markhood.data.reading import (
    ColumnOptions,
    Genome,
    Missing,
    Reading,
    TableFormat,
    reading_of,
)
from markhood.data.samples import Samples
from markhood.data.to_frame import library_of
from markhood.data.variables import Variables, default_names
from markhood.data.weights import find_weights
from markhood.errors import InputError, option
from markhood.options import documented


@documented(ColumnOptions)
def encode(
    data: Any,
    names: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    adjust_for: Sequence[str] = (),
    kinds: Kinds = "auto",
    bins: Bins | None = None,
    missing: Missing = "error",
    missing_values: Iterable[Any] = (),
    weights: Any = None,
    table: TableFormat | None = None,
    genome: Genome | None = None,
) -> Samples:
    """Pack a table of observations, a few bits per value.

    The levels of a column are the values that occur in it, numbers by size and before text, which
    is in sort order; categories keep their own order.

    Parameters
    ----------
    data : array-like, data frame or scipy sparse matrix of shape (n_samples, n_variables)
        `Samples` are returned as they are, with the columns, kinds, bins, merged levels and positions that
        are asked for.
    names : sequence of str, optional
        Names of the variables; by default those of the data, or x0, x1, ...
    {parameters}
    weights : array-like of shape (n_samples,), "similarity" or str, optional
        How often each sample counts: `as_weights` and `similarity_weights` of
        `markhood.data.weights` say how they are used; or the name of a column of a data frame, which then
        is not a variable. Samples of weight 0 are left out.
    table : TableFormat, optional
        Maximum number of levels, merging of rare levels, and other details.
    genome : Genome, optional
        Options for sites of genomes and columns of alignments.

    Returns
    -------
    Samples
        With a `DataWarning` for columns that have one value only, for columns and values that are
        probably not meant as they were taken, and where samples were left out.

    Raises
    ------
    InputError
        Where the data cannot be used; the message says why, and where.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([["no", 2], ["yes", 1], ["no", 1]])
    >>> samples.names, samples.levels
    (('x0', 'x1'), (('no', 'yes'), (1, 2)))
    >>> samples.ones.tolist()
    [1, 1]
    >>> encode([["a", 1], ["b", None], ["c", 2]], missing="level").levels
    (('a', 'b', 'c'), (1, 2, None))
    """
    reading = reading_of(
        columns=columns,
        exclude=exclude,
        adjust_for=adjust_for,
        kinds=kinds,
        bins=bins,
        missing=missing,
        missing_values=missing_values,
        weights=weights,
        table=table,
        genome=genome,
    )
    return encode_table(data, reading, names)


def encode_table(data: Any, reading: Reading, names: Sequence[str] | None = None) -> Samples:
    """Pack a table in memory as a reading says."""
    if isinstance(data, Samples):
        return read_again(data, reading, "Samples have been encoded already")
    samples = finished(pack_table(data, names, reading), reading)
    return replace(samples, library=library_of(data))


# What an option does to the columns of packed samples, in this order; the function takes the option's value.
TRANSFORMATIONS: Mapping[str, Callable[[Samples, Any], Samples]] = {
    "letters": with_letters_merged,
    "merge_rare": with_rare_merged,
}


def finished(samples: Samples, reading: Reading) -> Samples:
    """Return samples with what is decided when all values are known: transformations, and positions."""
    wanted = reading.changed()
    for name, transform in TRANSFORMATIONS.items():
        if name in wanted:
            samples = transform(samples, wanted[name])
    return replace(with_positions(samples, reading.positions), reading=reading)


# What can still be asked of samples, and what is for learning from them.
LATER = {"columns", "exclude", "kinds", "bins", "positions", *TRANSFORMATIONS} | {
    "adjust_for",
    "identical",
    "min_distance",
    "genome_length",
}


def read_again(samples: Samples, reading: Reading, problem: str) -> Samples:
    """Return samples as another reading wants them, which may be the one that made them; their own still holds.

    Raises
    ------
    InputError
        Where the reading asks for something that had to be said when the data were read.
    """
    before = {} if samples.reading is None else samples.reading.as_json()
    wanted = {n: v for n, v in reading.as_json().items() if n not in before or before[n] != v}
    for name in wanted:
        if name not in LATER:
            raise InputError(
                f"{problem}: say {option(name, getattr(reading, name))} where they are read."
            )
    if not wanted:
        return samples
    new = reading.without(*(name for name in reading.names() if name not in wanted))
    both = replace(samples.reading or reading, **{name: getattr(reading, name) for name in wanted})
    return replace(finished(pick_samples(samples, new), new), reading=both)


def pick_samples(samples: Samples, reading: Reading) -> Samples:
    """Return samples of the columns that a reading wants, with the bins and kinds that it names."""
    picked = chosen_columns(samples.names, reading)
    if picked != list(range(samples.n_variables)):
        check_shape(samples.n_samples, len(picked), min_columns=reading.min_columns)
        samples = samples.pick(np.array(picked))
    if reading.bins is not None:
        samples = cut_samples(samples, reading.bins)
    if reading.kinds != "auto":
        as_they_are = {j: Category((), o) for j, o in enumerate(samples.variables.is_ordered)}
        variables, _ = with_kinds(samples.variables, reading.kinds, as_they_are)
        samples = replace(samples, variables=variables)
    return samples


def encode_like(
    data: Any,
    levels: Levels,
    names: Sequence[str] | None = None,
    *,
    ordered: Sequence[bool] = (),
    missing: Missing = "error",
    missing_values: Iterable[Any] = (),
) -> Samples:
    """Pack new data with the levels of data seen before.

    Parameters
    ----------
    data : array-like, data frame or scipy sparse matrix of shape (n_samples, n_variables)
        As for `encode`; one sample is enough.
    levels : tuple of tuple
        The levels of each variable, as in `Samples.levels`. Numbers become the bins, and rare values
        the merged levels, that they belong to; any other value is an error.
    names : sequence of str, optional
        Names of the variables; by default those of the data, or x0, x1, ...
    ordered : sequence of bool, default=()
        Which variables are ordinal; by default none.
    missing, missing_values
        As for `encode`; where some variable has the level None, missing values are that level.

    Returns
    -------
    Samples
        With the levels given, also where some do not occur.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode_like
    >>> encode_like([[5, 1]], levels=((3, 5), (0, 1))).words[:, 0].tolist()
    [1, 1]
    """
    if any(None in values for values in levels):
        missing = "level"
    names = tuple(names or column_names(data) or default_names(len(levels)))
    if len(names) != len(levels):
        raise _other_columns(len(names), len(levels))
    known = Variables(names, levels, tuple(ordered) or None)
    reading = Reading(missing=missing, missing_values=tuple(missing_values), known=known)
    return pack_table(data, names, reading)


def column_names(data: Any) -> list[str] | None:
    """Return the names of the columns of a data frame, None for other data."""
    frame = as_frame(data)
    return None if frame is None else [str(name) for name in frame.columns]


def pack_table(data: Any, names: Sequence[str] | None, reading: Reading) -> Samples:
    """Pack a table in memory as a reading says, before levels are merged."""
    say_what_is_missing(reading)
    frame = as_frame(data)
    if frame is not None:
        return read_frame(frame, reading, _names(names, list(map(str, frame.columns)), reading))
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(data):
        return _encode_sparse(data, names, reading)
    table = _as_table(data)
    names = _names(names, default_names(table.shape[1]), reading)
    picked, weights, reading = find_weights(names, chosen_columns(names, reading), reading)
    packing = Encoder([names[j] for j in picked], len(table), reading=reading)
    packing.add(table if picked == list(range(len(names))) else table[:, picked])
    if weights is not None:
        packing.weigh(table[:, weights].tolist())
    return packing.finish()


def _encode_sparse(data: Any, names: Sequence[str] | None, reading: Reading) -> Samples:
    """Pack a sparse matrix, some of its columns at a time."""
    check_table(data.shape, data.dtype)
    n_samples, n_variables = data.shape
    names = _names(names, default_names(n_variables), reading)
    by_columns = data.tocsc()
    picked, weights, reading = find_weights(names, chosen_columns(names, reading), reading)
    if weights is not None:
        given = by_columns[:, [weights]].toarray()[:, 0].tolist()
    if picked != list(range(n_variables)):
        by_columns = by_columns[:, picked]
    packing = Encoder([names[j] for j in picked], n_samples, reading=reading)
    step = max(1, encoder.CHUNK_BYTES // (n_samples * data.dtype.itemsize))
    for column in range(0, len(picked), step):
        block = by_columns[:, column : column + step].toarray(order="F")
        packing.place(block, 0, column)
    packing.skip(n_samples)
    if weights is not None:
        packing.weigh(given)
    return packing.finish()


def check_table(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise where an array has not two dimensions, or values of a kind that has no levels."""
    if dtype.kind == "c":
        raise reject_complex(dtype)
    if len(shape) != 2:
        advice = "array.reshape(-1, 1) makes a column of it, array.reshape(1, -1) a row"
        raise InputError(
            f"Expected a 2-D array, one row a sample and one column a variable, but got a "
            f"{len(shape)}-D array of shape {shape}: Reshape your data"
            + (f" ({advice})" if len(shape) == 1 else "")
        )
    if dtype.kind not in ARRAY_KINDS + "OTmM" or dtype.itemsize == 0:
        raise InputError(f"An array of dtype {dtype} has no values to compare: give a plain one.")


def _as_table(data: Any) -> NDArray[Any]:
    """Return data as an array of two dimensions, without a copy where they are one."""
    if np.ma.is_masked(data):
        data = np.where(np.ma.getmaskarray(data), np.array(None), np.ma.getdata(data))
    if isinstance(data, (list, tuple)):
        # As objects, or NumPy would turn the numbers beside text into text.
        table = np.array(data, dtype=object)
        lengths = [len(row) for row in data if isinstance(row, (list, tuple))]
        if table.ndim == 1 and len(lengths) == len(data) > 0:
            row = next((r for r, length in enumerate(lengths) if length != lengths[0]), 0)
            raise InputError(
                f"Row {row + 1} has {lengths[row]} values, but the first has {lengths[0]}: "
                "give rows of one length."
            )
    else:
        table = np.asarray(data)
    if table.ndim == 0:
        raise InputError(
            f"A {type(data).__name__} cannot be used as data: give a 2-D array, a data frame "
            "(collected, if lazy) or a scipy sparse matrix."
        )
    check_table(table.shape, table.dtype)
    return table


def _names(names: Sequence[str] | None, own: Sequence[str], reading: Reading) -> Sequence[str]:
    """Return the names given, having checked that their number is right; else those of the data."""
    if names is None:
        return own
    if len(names) != len(own):
        if reading.known is not None:
            raise _other_columns(len(own), len(names))
        raise InputError(
            f"There are {len(names)} names for {len(own)} columns: give one name per column."
        )
    check_names(names)
    return names


def _other_columns(n_columns: int, n_known: int) -> InputError:
    return InputError(
        f"The data have {n_columns} columns, but the model was fitted to {n_known}: give the same "
        "columns."
    )
