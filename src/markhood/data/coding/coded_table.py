"""`CodedTable`: the columns of a table as codes, which every step from values to levels changes.

Values have codes by order of appearance until all rows have been read. Then the steps listed in
`levels` decide what the columns are, and replace codes: by those of bins, of merged levels, or of
the levels of known variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.codebook import Entry
from markhood.data.coding.coders import Levels
from markhood.data.coding.planes import MISSING, Planes
from markhood.data.coding.problems import Problems
from markhood.data.kinds import Category
from markhood.data.reading import Reading
from markhood.data.samples import RealColumn, Weights
from markhood.findings import FindingLog
from markhood.kernels.words import unpacked

REAL = (0,)  # values of a column whose numbers are kept in `Samples.reals`


@dataclass
class CodedTable:
    """Coded columns with their levels, kinds and roles."""

    names: tuple[str, ...]
    values: list[tuple[Any, ...]]  # the values of each column by code
    planes: Planes
    n_rows: int  # number of rows that are left
    reading: Reading
    problems: Problems  # collects values that cannot be used
    # Columns with an order of their levels, or whose levels are not numbers to cut.
    categories: dict[int, Category]
    known: Levels | None = None  # the levels of known variables, which new data are matched to
    # Whether columns have names of their own, so that some may not be variables.
    is_table: bool = False
    # What was decided about every column, including those that are left out.
    entries: list[Entry] = field(default_factory=list)
    # Number of missing values in each column that has any.
    n_missing: dict[str, int] = field(default_factory=dict)
    # The weights of all rows, if they are a column of the table.
    given_weights: Sequence[float] | None = None
    weights: Weights | None = None  # those of the rows that are left
    reals: dict[str, RealColumn] = field(default_factory=dict)  # covariates that stay numbers

    @property
    def log(self) -> FindingLog:
        """Collects findings."""
        return self.reading.log

    @property
    def row_weights(self) -> Floats:
        """The weight of each row."""
        if self.weights is None:
            return np.ones(self.n_rows)
        return np.asarray(self.weights.counts * self.weights.unit)

    def codes(self, column: int) -> Ints:
        """Return the code of every row, -1 for missing values."""
        return self.planes.codes(column, len(self.values[column]), self.n_rows)

    def counts(self, column: int) -> Ints:
        """Return the number of rows with each value."""
        codes = self.codes(column)
        return np.bincount(codes[codes >= 0], minlength=len(self.values[column]))

    def is_missing(self, column: int) -> Bools:
        """Return the rows in which a column is missing."""
        row = self.planes.words(MISSING, np.array([column]))[0]
        return unpacked(row, self.n_rows).astype(np.bool_)

    def write(self, column: int, codes: Ints, values: Sequence[Any]) -> None:
        """Replace the codes and values of a column."""
        self.planes.write(column, codes, len(values))
        self.values[column] = tuple(values)

    def recode(self, column: int, new: Ints, values: Sequence[Any]) -> None:
        """Replace each code of a column by a new one, and the values."""
        self.write(column, np.append(new, -1)[self.codes(column)], values)

    def clear(self, column: int) -> None:
        """Make a column constant, because it is not a variable."""
        self.write(column, np.zeros(self.n_rows, np.int64), REAL)

    def pick(self, columns: Sequence[int]) -> None:
        """Keep only some columns, which have no declared categories afterwards."""
        if len(columns) < len(self.names):
            self.planes.pick(np.array(columns, np.int64))
        self.names = self.problems.names = tuple(self.names[j] for j in columns)
        self.values = [self.values[j] for j in columns]
        self.categories = {}

    def keep(self, rows: Bools) -> None:
        """Keep only some rows."""
        if not rows.all():
            self.planes.keep(rows)
            self.n_rows = int(rows.sum())

    def count_missing(self) -> None:
        """Count the missing values of all columns."""
        columns = self.planes.columns(MISSING)
        self.n_missing = {
            self.names[j]: int(
                np.bitwise_count(self.planes.words(MISSING, columns[k : k + 1])).sum()
            )
            for k, j in enumerate(columns.tolist())
        }
