"""The tables of a Potts network from both ends of each edge, and their form for the Gibbs sampler.

The table of edge (i, j) has a row for each level of i. Algorithms that iterate over variables need
a row for each level of the current variable, which is the transpose for j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.graph.checks import read_only
from markhood.graph.graph import Graph
from markhood.kernels.lists import Lists
from markhood.kernels.networks import LEVELS_PER_VECTOR, MOST_LEVELS, PottsNetwork
from markhood.model.neighbours import both_ends
from markhood.model.sampling.gibbs import LARGEST_LOG_ODDS, colouring

Arrays = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class TableNeighbours:
    """The table of each edge from both ends."""

    lists: Lists  # neighbours of each variable, ascending
    # (2 * n_edges,): aligned with ``lists.values``: the edge number, plus n_edges from the second
    # end.
    sides: Ints
    tables: Arrays

    @classmethod
    def of(cls, n_variables: int, edges: Ints, tables: Arrays) -> TableNeighbours:
        """List the neighbours of each variable, from edges of shape (n_edges, 2)."""
        return cls(*both_ends(n_variables, edges), tables)

    def table(self, position: int) -> Floats:
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


def _padded(logs: Floats, width: int) -> Floats:
    """Return exp of each row, padded with zeros to ``width``, in one vector."""
    factors = np.zeros((len(logs), width))
    np.exp(np.maximum(logs, -LARGEST_LOG_ODDS), out=factors[:, : logs.shape[1]])
    return factors.ravel()


def invalid_model(where: str, text: str) -> InputError:
    """Return the error of an argument of a model."""
    return InputError("model-invalid", where, text)


def table_numbers(
    arrays: Sequence[ArrayLike], count: int, n_axes: int, what: str, each: str
) -> Arrays:
    """Return read-only copies of arrays of finite numbers, one for ``each``."""
    if len(arrays) != count:
        raise invalid_model(
            what, f"There must be {count} {what}, one for every {each}, not {len(arrays)}."
        )
    try:
        copies = [np.array(array, dtype=np.float64) for array in arrays]
    except (TypeError, ValueError):
        raise invalid_model(
            what, f"{what} must be arrays of numbers, one for every {each}."
        ) from None
    for k, copy in enumerate(copies):
        if copy.ndim != n_axes or not 2 <= min(copy.shape) <= max(copy.shape) <= MOST_LEVELS:
            raise invalid_model(
                what,
                f"{what} must have {n_axes} ax{'i' if n_axes == 1 else 'e'}s of 2 to {MOST_LEVELS} "
                f"levels; that of {each} number {k} has shape {copy.shape}.",
            )
        if not np.isfinite(copy).all():
            odd = copy[~np.isfinite(copy)][0]
            raise invalid_model(what, f"{what} must be finite; {each} number {k} has {odd}.")
    return tuple(read_only(copy) for copy in copies)


def levels_of(
    graph: Graph, tables: Arrays, fields: Arrays | None, given: int | Sequence[int] | None
) -> Ints:
    """Return the number of levels of each variable, after checking that all arrays agree."""
    found = np.zeros(graph.n_nodes, np.int64)
    if fields is not None:
        found[:] = [len(field) for field in fields]
    elif given is not None:
        found[:] = checked_levels(given, graph.n_nodes)
    for (i, j), table in zip(graph.edges.tolist(), tables, strict=True):
        for variable, r in zip((i, j), table.shape, strict=True):
            if found[variable] not in (0, r):
                raise invalid_model(
                    graph.nodes[variable],
                    f"Variable {graph.nodes[variable]!r} has {found[variable]} levels, but the "
                    f"table of {graph.nodes[i]!r} - {graph.nodes[j]!r} has {r}.",
                )
            found[variable] = r
    if not found.all():
        name = graph.nodes[int(np.flatnonzero(found == 0)[0])]
        raise InputError(
            "option-needed",
            "n_levels",
            f"The number of levels of {name!r} is unknown: give n_levels or fields.",
        )
    found.setflags(write=False)
    return found


def require_no_data(graph: Graph) -> None:
    """Refuse to leave out the fields of a graph whose couplings were learned from data."""
    if np.isfinite(graph.coupling_ends).any():
        raise InputError(
            "option-needed",
            "fields",
            "The graph was learned from data, so a model needs fields as well as couplings: fit "
            "both with markhood.fit_model(graph, data), or give fields.",
        )


def checked_levels(n_levels: ArrayLike, n_variables: int) -> Ints:
    """Return the number of levels of each variable, from one number or one per variable."""
    levels = np.asarray(n_levels)
    if levels.dtype.kind not in "iu" or levels.shape not in ((), (n_variables,)):
        raise InputError(
            "option-value",
            "levels",
            f"The number of levels must be a whole number, or a list of {n_variables} of them.",
        )
    low, high = levels.min(initial=2), levels.max(initial=2)
    if low < 2 or high > MOST_LEVELS:
        odd = low if low < 2 else high
        raise InputError(
            "option-value",
            "levels",
            f"The number of levels must be from 2 to {MOST_LEVELS}, not {odd}.",
        )
    return np.broadcast_to(levels.astype(np.int64), n_variables).copy()
