"""Labels of samples, given as such or as the name of a column: clusters, strata, groups.

A column of labels is no variable, and may have as many values as there are samples. So a table with
such columns is read twice, once for its variables and once for the labels; samples that are left out for
what they lack are so both times.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from markhood.data.reading import MOST_LEVELS
from markhood.data.samples import Samples
from markhood.errors import DataWarning, InputError, option
from markhood.kernels.tables import codes


class Reader(Protocol):
    """Reads a table as someone asked for, but for what is changed."""

    @property
    def columns(self) -> Sequence[str] | None:
        """The columns that are variables; None for all."""

    @property
    def exclude(self) -> Sequence[str]:
        """The columns that are none."""

    def __call__(self, **changes: Any) -> Samples:
        """Return the samples."""


def read_with_labels(read: Reader, labels: Mapping[str, Any]) -> tuple[Samples, dict[str, Any]]:
    """Read samples and their labels.

    Parameters
    ----------
    read : Reader
    labels : mapping of str to labels, column or None
        By the option's name.

    Returns
    -------
    Samples
        Without the columns of labels.
    dict of str to sequence or None
        The labels by the option's name: as given, or the values of a column.
    """
    named = {name: column for name, column in labels.items() if isinstance(column, str)}
    if not named:
        return read(), dict(labels)
    samples = read(exclude=[*read.exclude, *named.values()])
    columns = None if read.columns is None else [*read.columns, *named.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said before
        beside = read(columns=columns, max_levels=MOST_LEVELS, bins=None)
    if beside.n_samples != samples.n_samples:
        listed = " and ".join(f"{option(name)} {column!r}" for name, column in named.items())
        raise InputError(
            f"Some samples have no label in {listed}: fill it in, or take these samples out."
        )
    numbers = {name: beside.names.index(column) for name, column in named.items()}
    return samples, dict(labels) | {name: column_values(beside, k) for name, k in numbers.items()}


def column_values(samples: Samples, variable: int) -> list[Any]:
    """Return the value of a variable in every sample."""
    levels = samples.levels[variable]
    return [levels[code] for code in codes(samples.bits, variable).tolist()]
