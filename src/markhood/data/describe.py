"""`describe()`: the codebook of a table, before anything is learned from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from markhood.data.codebook import Codebook
from markhood.data.coding.bins import Bins
from markhood.data.given import as_samples
from markhood.data.kinds import Kinds
from markhood.data.reading import ColumnOptions, Missing, Reading, TableFormat, reading_of
from markhood.data.samples import Samples
from markhood.options import documented


@documented(ColumnOptions)
def describe(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    adjust_for: Sequence[str] = (),
    kinds: Kinds = "auto",
    bins: Bins | None = "auto",
    missing: Missing = "auto",
    missing_values: Iterable[Any] = "auto",
    weights: Any = None,
    table: TableFormat | None = None,
) -> Codebook:
    """Return the role, kind and levels of every column of a table, and why.

    Parameters
    ----------
    data : array, data frame or path
        As for `learn`.
    {parameters}
    weights : array-like of shape (n_samples,) or str, optional
        Sample weights, or the name of their column.
    table : TableFormat, optional
        Details of the format, and a codebook to check.

    Returns
    -------
    Codebook
        It shows itself as a table in a terminal and in a notebook; ``to_frame()`` returns a data
        frame, and ``write()`` a CSV file that can be edited and passed as
        ``table=TableFormat(codebook=...)``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"mood": ["low", "high", "mid"] * 9, "sex": ["m", "f", "f"] * 9})
    >>> book = describe(table)
    >>> book["mood"].kind, book["mood"].levels
    ('ordinal', ('low', 'mid', 'high'))
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
    )
    return codebook_and_samples(data, reading)[0]


def codebook_and_samples(data: Any, reading: Reading) -> tuple[Codebook, Samples]:
    """Read a table whether or not values are missing, and return its codebook and samples."""
    if reading.missing == "error":
        reading = replace(reading, missing="impute")
    samples = as_samples(data, replace(reading, min_columns=1))
    book = None if samples.account is None else samples.account.codebook
    return book or Codebook(), samples
