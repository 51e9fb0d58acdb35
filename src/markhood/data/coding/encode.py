"""Encode arrays, data frames and sparse matrices as packed samples.

The data are not copied as a whole: arrays and memory maps are read in tiles, data frames in chunks
of rows, sparse matrices in blocks of columns. scipy and data frame libraries are not imported here,
because a caller that has such an object has imported them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding import encoder
from markhood.data.coding.coders import ARRAY_KINDS, Levels, reject_complex
from markhood.data.coding.encoder import Encoder
from markhood.data.coding.frames import as_frame, read_frame
from markhood.data.coding.names import check_names, chosen_columns
from markhood.data.coding.problems import check_shape, note_missing_values
from markhood.data.coding.regrouping import cut_samples, with_letters_merged, with_rare_merged
from markhood.data.genome.positions import with_positions
from markhood.data.kinds import Category, with_kinds
from markhood.data.reading import ColumnKeywords, ColumnOptions, Missing, Reading, reading_of
from markhood.data.samples import Samples
from markhood.data.to_frame import library_of
from markhood.data.variables import Variables, default_names
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, option
from markhood.options import documented


@documented(ColumnOptions)
def encode(
    data: Any, names: Sequence[str] | None = None, **options: Unpack[ColumnKeywords]
) -> Samples:
    """Pack a table of observations, a few bits per value.

    The levels of a column are its distinct values: numbers by size, then text in sort order.
    Categories keep their own order.

    Parameters
    ----------
    data : array-like, data frame or scipy sparse matrix of shape (n_samples, n_variables)
        `Samples` are returned with the requested columns, kinds, bins, merged levels and
        positions.
    names : sequence of str, optional
        Names of the variables; by default those of the data, or x0, x1, ...
    {parameters}
    weights : array-like of shape (n_samples,), "similarity" or str, optional
        Weight of each sample, or the name of a column of a data frame, which then is not a
        variable; see `as_weights` and `similarity_weights` of `markhood.data.weights`. Samples of
        weight 0 are left out.
    table : TableFormat, optional
        Maximum number of levels, merging of rare levels, and other details.
    genome : Genome, optional
        Options for sites of genomes and columns of alignments.

    Returns
    -------
    Samples
        With a `DataWarning` for constant columns, for columns and values that are probably not
        meant as they were read, and if samples were left out.

    Raises
    ------
    InputError
        If the data cannot be used.

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
    return encode_table(data, reading_of(**options), names)


def encode_table(data: Any, reading: Reading, names: Sequence[str] | None = None) -> Samples:
    """Pack a table in memory with the options of a reading."""
    if isinstance(data, Samples):
        return read_again(data, reading, "Samples have been encoded already")
    samples = finished(pack_table(data, names, reading), reading)
    return replace(samples, library=library_of(data))


# Options that transform packed samples, in this order; each function takes the value of its option.
TRANSFORMATIONS: Mapping[str, Callable[[Samples, Any], Samples]] = {
    "letters": with_letters_merged,
    "merge_rare": with_rare_merged,
}


def finished(samples: Samples, reading: Reading) -> Samples:
    """Apply the options that need all values: transformations and positions."""
    wanted = reading.changed()
    for name, transform in TRANSFORMATIONS.items():
        if name in wanted:
            samples = transform(samples, wanted[name])
    return replace(with_positions(samples, reading.positions), reading=reading)


# Options that packed samples still accept, and options of learning.
LATER = {"columns", "exclude", "kinds", "bins", "positions", *TRANSFORMATIONS} | {
    "adjust_for",
    "identical",
    "min_distance",
    "genome_length",
}


def read_again(samples: Samples, reading: Reading, problem: str) -> Samples:
    """Apply the options of another reading to packed samples, in addition to their own.

    Raises
    ------
    InputError
        If an option applies only when the data are read.
    """
    before = {} if samples.reading is None else samples.reading.as_json()
    wanted = {n: v for n, v in reading.as_json().items() if n not in before or before[n] != v}
    for name in wanted:
        if name not in LATER:
            raise InputError(
                "option-conflict",
                name,
                f"{problem}: pass {option(name, getattr(reading, name))} when they are read.",
            )
    if not wanted:
        return samples
    new = reading.without(*(name for name in reading.names() if name not in wanted))
    both = replace(samples.reading or reading, **{name: getattr(reading, name) for name in wanted})
    return replace(finished(pick_samples(samples, new), new), reading=both)


def pick_samples(samples: Samples, reading: Reading) -> Samples:
    """Select the columns of a reading, and apply its bins and kinds."""
    picked = chosen_columns(samples.names, reading)
    if picked != list(range(samples.n_variables)):
        check_shape(samples.n_samples, len(picked), min_columns=reading.min_columns)
        samples = samples.pick(np.array(picked))
    if "bins" in reading.changed() and reading.bins is not None:
        samples = cut_samples(samples, reading.bins)
    if reading.kinds != "auto":
        as_they_are = {j: Category((), o) for j, o in enumerate(samples.variables.is_ordered)}
        variables = with_kinds(samples.variables, reading.kinds, as_they_are)
        samples = replace(samples, variables=variables)
    return samples


def encode_like(
    data: Any,
    levels: Levels,
    names: Sequence[str] | None = None,
    *,
    ordered: Sequence[bool] = (),
    missing: Missing = "error",
    missing_values: Iterable[Any] = "auto",
) -> Samples:
    """Pack new data with the levels of data seen before.

    Parameters
    ----------
    data : array-like, data frame or scipy sparse matrix of shape (n_samples, n_variables)
        As for `encode`; one sample is enough.
    levels : tuple of tuple
        The levels of each variable, as in `Samples.levels`. Numbers become their bins, and rare
        values their merged levels; any other value is an error.
    names : sequence of str, optional
        Names of the variables; by default those of the data, or x0, x1, ...
    ordered : sequence of bool, default=()
        Which variables are ordinal; by default none.
    missing, missing_values
        As for `encode`. If a variable has the level None, missing values are that level.

    Returns
    -------
    Samples
        With these levels, whether or not they occur.

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
    reading = reading_of(missing=missing, missing_values=missing_values, known=known)
    return pack_table(data, names, reading)


def column_names(data: Any) -> list[str] | None:
    """Return the names of the columns of a data frame, None for other data."""
    frame = as_frame(data)
    return None if frame is None else [str(name) for name in frame.columns]


def pack_table(data: Any, names: Sequence[str] | None, reading: Reading) -> Samples:
    """Pack a table in memory, before levels are merged."""
    note_missing_values(reading)
    frame = as_frame(data)
    if frame is not None:
        return read_frame(frame, reading, _names(names, list(map(str, frame.columns)), reading))
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(data):
        return _encode_sparse(data, names, reading)
    table = _as_table(data)
    names = _names(names, default_names(table.shape[1]), reading)
    wanted = wanted_columns(names, reading)
    packing = Encoder(wanted.names, len(table), reading=wanted.reading)
    packing.add(table if wanted.are_all(len(names)) else table[:, wanted.columns])
    if wanted.weights is not None:
        packing.weigh(table[:, wanted.weights].tolist())
    return packing.finish()


def _encode_sparse(data: Any, names: Sequence[str] | None, reading: Reading) -> Samples:
    """Pack a sparse matrix in blocks of columns."""
    check_table(data.shape, data.dtype)
    n_samples, n_variables = data.shape
    names = _names(names, default_names(n_variables), reading)
    by_columns = data.tocsc()
    wanted = wanted_columns(names, reading)
    packing = Encoder(wanted.names, n_samples, reading=wanted.reading)
    if wanted.weights is not None:
        packing.weigh(by_columns[:, [wanted.weights]].toarray()[:, 0].tolist())
    if not wanted.are_all(n_variables):
        by_columns = by_columns[:, wanted.columns]
    step = max(1, encoder.CHUNK_BYTES // (n_samples * data.dtype.itemsize))
    for column in range(0, len(wanted.columns), step):
        block = by_columns[:, column : column + step].toarray(order="F")
        packing.place(block, 0, column)
    packing.skip(n_samples)
    return packing.finish()


def check_table(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise unless an array has two dimensions and a dtype whose values can be levels."""
    if dtype.kind == "c":
        raise reject_complex(dtype)
    if len(shape) != 2:
        advice = "array.reshape(-1, 1) makes it a column, array.reshape(1, -1) a row"
        raise InputError(
            "not-a-table",
            "",
            f"Expected a 2-D array with one row per sample and one column per variable, but got a "
            f"{len(shape)}-D array of shape {shape}. Reshape your data"
            + (f": {advice}." if len(shape) == 1 else "."),
        )
    if dtype.kind not in ARRAY_KINDS + "OTmM" or dtype.itemsize == 0:
        raise InputError(
            "not-a-level",
            "",
            f"Values of dtype {dtype} cannot be compared: pass numbers or text.",
        )


def _as_table(data: Any) -> NDArray[Any]:
    """Return data as an array of two dimensions, without a copy where they are one."""
    if np.ma.is_masked(data):
        data = np.where(np.ma.getmaskarray(data), np.array(None), np.ma.getdata(data))
    if isinstance(data, (list, tuple)):
        # As objects, because NumPy converts numbers next to text to text.
        table = np.array(data, dtype=object)
        lengths = [len(row) for row in data if isinstance(row, (list, tuple))]
        if table.ndim == 1 and len(lengths) == len(data) > 0:
            row = next((r for r, length in enumerate(lengths) if length != lengths[0]), 0)
            raise InputError(
                "not-a-table",
                f"row {row + 1}",
                f"Row {row + 1} has {lengths[row]} values, but the first has {lengths[0]}: "
                "pass rows of the same length.",
            )
    else:
        table = np.asarray(data)
    if table.ndim == 0:
        raise InputError(
            "not-a-table",
            "",
            f"Data of type {type(data).__name__} cannot be used: pass a 2-D array, a data frame "
            "(collected, if lazy) or a scipy sparse matrix.",
        )
    check_table(table.shape, table.dtype)
    return table


def _names(names: Sequence[str] | None, own: Sequence[str], reading: Reading) -> Sequence[str]:
    """Return the names of the columns: those passed, if any, else those of the data."""
    if names is None:
        return own
    if len(names) != len(own):
        if reading.known is not None:
            raise _other_columns(len(own), len(names))
        raise InputError(
            "columns-differ",
            "names",
            f"There are {len(names)} names for {len(own)} columns: pass one name per column.",
        )
    check_names(names)
    return names


def _other_columns(n_columns: int, n_known: int) -> InputError:
    return InputError(
        "columns-differ",
        "",
        f"The data have {n_columns} columns, but the model was fitted to {n_known}: pass the same "
        "columns.",
    )
