"""`describe()`: the codebook of a table, before anything is learned from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from markhood.data.codebook import Codebook
from markhood.data.labels import as_samples
from markhood.data.reading import ColumnOptions, Reading, ReadingKeywords, RowOptions, reading_of
from markhood.data.samples import Samples
from markhood.options import documented


@documented(ColumnOptions, RowOptions)
def describe(data: Any, **options: Unpack[ReadingKeywords]) -> Codebook:
    """Return the role, kind and levels of every column of a table, and why.

    Parameters
    ----------
    data : array, data frame or path
        As for `learn`.
    {parameters}
    table : TableFormat, optional
        Details of the format, and a codebook to check.
    genome : Genome, optional
        Options for sites of genomes and columns of alignments.

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
    return codebook_and_samples(data, reading_of(**options))[0]


def codebook_and_samples(data: Any, reading: Reading) -> tuple[Codebook, Samples]:
    """Read a table whether or not values are missing, and return its codebook and samples."""
    if reading.missing == "error":
        reading = replace(reading, missing="impute")
    samples = as_samples(data, replace(reading, min_columns=1))
    book = None if samples.account is None else samples.account.codebook
    return book or Codebook(), samples
