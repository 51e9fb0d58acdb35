"""The interface of criteria, one method from a contingency table to a number, and the table.

Searches do not depend on the criterion. The kernels compute `Bic` and `Mpl`; any other object with
this method is evaluated in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.kernels.tables import blanket_table as count


@dataclass(frozen=True, eq=False)
class BlanketTable:
    """Counts of a variable's levels in each configuration of its blanket."""

    # (n_rows, n_blanket): the configurations that occur, in ascending order; levels are numbered
    # from 0.
    configurations: NDArray[np.uint16]
    # (n_rows, n_levels): samples with that configuration, by the variable's level; whole numbers
    # unless the samples are weighted.
    counts: Ints | Floats
    blanket_levels: tuple[int, ...]  # number of levels of each member
    n_variables: int  # number of variables in the data, including this one
    # Whether the levels of the variable, then of each member, are ordered; empty if no variable in
    # the data is ordered.
    ordered: tuple[bool, ...] = ()

    @property
    def n_samples(self) -> float:
        """Number of samples, with their weights."""
        return float(self.counts.sum()) if self.counts.dtype.kind == "f" else int(self.counts.sum())

    @property
    def n_blanket(self) -> int:
        """Number of variables in the blanket."""
        return int(self.configurations.shape[1])


def blanket_table(samples: Samples, target: int, blanket: Sequence[int]) -> BlanketTable:
    """Count a variable's values in every configuration of its blanket.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> table = blanket_table(samples, 0, [1])
    >>> table.counts.tolist()
    [[1, 0], [1, 2]]
    """
    table = count(samples.bits, target, blanket)
    counts = table.counts if samples.weights else table.counts.astype(np.int64)
    return BlanketTable(
        table.configurations, counts, table.n_levels, samples.n_variables, table.ordered
    )


class Criterion(Protocol):
    """A score of one variable's blanket; higher is better."""

    def score(self, table: BlanketTable) -> float:
        """Score the blanket with this table."""
