"""Labels of samples (clusters, strata, groups, persons), given as values or as a column name.

A column of labels is not a variable and may have as many values as there are samples, so it is read
separately. Labels of samples that were left out when the table was read (weight zero, missing
values) are left out too. Samples without a label are left out with a warning.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.clusters import blocks_in_time, in_clusters, label_numbers
from markhood.data.coding.coders import is_missing
from markhood.data.coding.encode import encode_table
from markhood.data.reading import MOST_LEVELS, Reading
from markhood.data.samples import Samples
from markhood.data.storage.packed import is_packed
from markhood.errors import DataWarning, option, warn
from markhood.kernels.tables import codes

LAYOUT = ("index", "header", "skip_rows", "encoding", "transpose", "array")  # of a file

NAMES = {"by": "groups", "pairs": "persons"}  # of labels

Labels = dict[str, list[Any] | None]


def read_data(data: Any, reading: Reading) -> Samples:
    """Read a path, or encode a table, without labels."""
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_file

        return read_file(data, reading)
    return encode_table(data, reading)


def read_with_labels(
    data: Any, reading: Reading, labels: Mapping[str, Any], read: Callable[[Reading], Samples]
) -> tuple[Samples, Labels]:
    """Read samples and their labels.

    Returns
    -------
    Samples
        Without the columns of labels, and without samples that lack a label.
    dict of str to list or None
        The label of each sample, by the name of the option.
    """
    columns = {name: own for name, own in labels.items() if isinstance(own, str)}
    values = {name: column_of(data, own, reading) for name, own in columns.items()}
    outside = tuple(dict.fromkeys([*reading.exclude, *columns.values()]))
    for name, own in columns.items():
        reading.log.leave_out(own, f"the {NAMES.get(name, name)}")
    samples = read(replace(reading, exclude=outside) if columns else reading)
    given: Labels = {}
    for name, own in labels.items():
        listed = values.get(name, own)
        given[name] = None if listed is None else _of_samples(name, listed, samples)
    lacking = np.zeros(samples.n_samples, np.bool_)
    for name, of_samples in given.items():
        if of_samples is not None:
            without = np.array([is_missing(value) for value in of_samples], np.bool_)
            if without.any():
                warn(
                    "rows-dropped",
                    name,
                    f"{int(without.sum())} samples have no label in {option(name)} and are left "
                    "out.",
                )
            lacking |= without
    if not lacking.any():
        return samples, given
    kept = np.flatnonzero(~lacking)
    return samples.take(kept), {
        name: None if own is None else [own[row] for row in kept.tolist()]
        for name, own in given.items()
    }


def column_of(data: Any, column: str, reading: Reading) -> list[Any]:
    """Return the values of a column of a table, None for missing values."""
    layout = {name: getattr(reading, name) for name in LAYOUT}
    everything = Reading(
        columns=(column,),
        kinds={column: "nominal"},
        missing="level",
        max_levels=MOST_LEVELS,
        missing_values=reading.listed_missing,
        min_columns=1,
        **layout | {"index": None if reading.index == column else reading.index},
    )
    if isinstance(data, Samples) or (
        isinstance(data, (str, os.PathLike)) and is_packed(Path(data))
    ):
        everything = Reading(columns=(column,), min_columns=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # warnings about variables do not apply
        return column_values(read_data(data, everything), 0)


def column_values(samples: Samples, variable: int) -> list[Any]:
    """Return the values of a variable, None for missing values."""
    levels = samples.levels[variable]
    return [levels[code] for code in codes(samples.bits, variable).tolist()]


def _of_samples(name: str, labels: Any, samples: Samples) -> list[Any]:
    """Return one label per sample, from labels of the samples or of all rows of the table."""
    plain = labels.tolist() if hasattr(labels, "tolist") else labels
    listed = list(plain) if isinstance(plain, Iterable) else []
    values = np.empty(len(listed), object)
    values[:] = listed
    return list(samples.per_sample(values, name))


def read_in_clusters(data: Any, reading: Reading, read: Callable[[Reading], Samples]) -> Samples:
    """Read samples, and their clusters if the reading has any."""
    has_clusters = isinstance(data, Samples) and data.clusters is not None
    if has_clusters or (reading.clusters is None and reading.time is None):
        return read(reading)
    labels = {"clusters": reading.clusters, "time": reading.time}
    plain = reading.without("clusters", "time")
    samples, given = read_with_labels(data, plain, labels, read)
    numbers = given["clusters"]
    found = label_numbers(numbers) if numbers is not None else blocks_in_time(given["time"] or [])
    samples = in_clusters(samples, found)
    return replace(samples, reading=replace(samples.reading or reading, **labels))


def as_samples(data: Any, reading: Reading) -> Samples:
    """Read a path, or encode a table, with the options of a reading."""
    found = read_in_clusters(data, reading, lambda own: read_data(data, own))
    if found.source is not None or not isinstance(data, (str, os.PathLike)):
        return found
    return replace(found, source=Path(data).name)


def read_labelled(data: Any, reading: Reading, labels: Mapping[str, Any]) -> tuple[Samples, Labels]:
    """Read samples and further labels of theirs, such as groups: see `read_with_labels`."""
    return read_with_labels(data, reading, labels, lambda own: as_samples(data, own))
