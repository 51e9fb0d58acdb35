"""The tables of a Potts network from both ends of each edge, and their form for the Gibbs sampler.

The table of edge (i, j) has a row for each level of i. Algorithms that iterate over variables need
a row for each level of the current variable, which is the transpose for j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.kernels.lists import Lists
from markhood.kernels.networks import LEVELS_PER_VECTOR, PottsNetwork
from markhood.model.neighbours import both_ends
from markhood.model.sampling.gibbs import LARGEST_LOG_ODDS, colouring

Arrays = tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, eq=False)
class TableNeighbours:
    """The table of each edge from both ends."""

    lists: Lists  # neighbours of each variable, ascending
    # (2 * n_edges,): aligned with ``lists.values``: the edge number, plus n_edges from the second
    # end.
    sides: NDArray[np.int64]
    tables: Arrays

    @classmethod
    def of(cls, n_variables: int, edges: NDArray[np.int64], tables: Arrays) -> TableNeighbours:
        """List the neighbours of each variable, from edges of shape (n_edges, 2)."""
        return cls(*both_ends(n_variables, edges), tables)

    def table(self, position: int) -> NDArray[np.float64]:
        """Return the table of ``lists.values[position]``, with rows for the owner of the list."""
        side = int(self.sides[position])
        is_second = side >= len(self.tables)
        return self.tables[side - len(self.tables)].T if is_second else self.tables[side]


def potts_network(neighbours: TableNeighbours, fields: Arrays) -> PottsNetwork:
    """Prepare a network for the Gibbs sampler."""
    n_levels = np.array([len(field) for field in fields], np.int64)
    widths = -(-n_levels // LEVELS_PER_VECTOR) * LEVELS_PER_VECTOR
    # Only differences between the levels of a variable matter, so subtract the largest.
    ranges = np.array([np.ptp(field) for field in fields])
    largest = float(ranges.max())
    parts = []
    for i, width in enumerate(widths.tolist()):
        for position in range(*neighbours.lists.starts[i : i + 2].tolist()):
            columns = neighbours.table(position).T
            columns = columns - columns.max(axis=1, keepdims=True)
            spread = -float(columns.min())
            largest, ranges[i] = max(largest, spread), ranges[i] + spread
            parts.append(_padded(columns, width))
    if largest > LARGEST_LOG_ODDS:
        raise InputError(
            "model-size",
            "",
            f"Levels differ by {largest:.4g} in a table or field, which exceeds the largest "
            f"difference that the Gibbs sampler supports ({LARGEST_LOG_ODDS:g}): use smaller "
            "numbers. Differences above 50 are practically infinite.",
        )
    highs = [field - field.max() for field in fields]
    padded = [_padded(high[None], width) for high, width in zip(highs, widths, strict=True)]
    lengths = np.array([len(part) for part in parts], np.int64)
    return PottsNetwork(
        neighbours=neighbours.lists,
        factors=np.concatenate([np.empty(0), *parts]),
        factor_starts=np.cumsum(lengths) - lengths,
        field_factors=np.concatenate(padded),
        field_starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)]),
        n_levels=n_levels,
        order=np.argsort(colouring(neighbours.lists), kind="stable").astype(np.int64),
        is_wide=ranges > LARGEST_LOG_ODDS,
    )


def _padded(logs: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return exp of each row, padded with zeros to ``width``, in one vector."""
    factors = np.zeros((len(logs), width))
    np.exp(np.maximum(logs, -LARGEST_LOG_ODDS), out=factors[:, : logs.shape[1]])
    return factors.ravel()
