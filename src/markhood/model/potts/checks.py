"""Whether numbers, shapes and levels make a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.errors import InputError
from markhood.graph.checks import read_only
from markhood.graph.graph import Graph
from markhood.kernels.protocol import MOST_LEVELS
from markhood.model.potts.tables import Arrays


def table_numbers(
    arrays: Sequence[ArrayLike], count: int, n_axes: int, what: str, each: str
) -> Arrays:
    """Copy ``arrays`` to read-only ones of finite numbers, one for ``each``."""
    if len(arrays) != count:
        raise InputError(
            f"There must be {count} {what}, one for every {each}, and there are {len(arrays)}."
        )
    try:
        copies = [np.array(array, dtype=np.float64) for array in arrays]
    except (TypeError, ValueError):
        raise InputError(f"{what} must be arrays of numbers, one for every {each}.") from None
    for k, copy in enumerate(copies):
        if copy.ndim != n_axes or not 2 <= min(copy.shape) <= max(copy.shape) <= MOST_LEVELS:
            raise InputError(
                f"{what} must have {n_axes} ax{'i' if n_axes == 1 else 'e'}s of 2 to {MOST_LEVELS} "
                f"levels, and that of {each} number {k} has shape {copy.shape}."
            )
        if not np.isfinite(copy).all():
            odd = copy[~np.isfinite(copy)][0]
            raise InputError(f"{what} must be finite, and {odd} of {each} number {k} is not.")
    return tuple(read_only(copy) for copy in copies)


def levels_of(
    graph: Graph, tables: Arrays, fields: Arrays | None, given: int | Sequence[int] | None
) -> NDArray[np.int64]:
    """Find every variable's number of levels, and that nothing contradicts it."""
    found = np.zeros(graph.n_nodes, np.int64)
    if fields is not None:
        found[:] = [len(field) for field in fields]
    elif given is not None:
        found[:] = checked_levels(given, graph.n_nodes)
    for (i, j), table in zip(graph.edges.tolist(), tables, strict=True):
        for variable, r in zip((i, j), table.shape, strict=True):
            if found[variable] not in (0, r):
                raise InputError(
                    f"Variable {graph.nodes[variable]!r} has {found[variable]} levels, and the "
                    f"table of {graph.nodes[i]!r} - {graph.nodes[j]!r} has {r}."
                )
            found[variable] = r
    if not found.all():
        name = graph.nodes[int(np.flatnonzero(found == 0)[0])]
        raise InputError(f"Nothing says how many levels {name!r} has: give n_levels or fields.")
    found.setflags(write=False)
    return found


def require_no_data(graph: Graph) -> None:
    """Refuse to leave out the fields of a graph whose couplings were learned from data."""
    if np.isfinite(graph.coupling_ends).any():
        raise InputError(
            "The graph was learned from data, and without fields this would not be their "
            "distribution: fit both with markhood.fit_model(graph, data), or give fields."
        )


def checked_levels(n_levels: ArrayLike, n_variables: int) -> NDArray[np.int64]:
    """Return a number of levels for every variable, from one for all or one for each."""
    levels = np.asarray(n_levels)
    if levels.dtype.kind not in "iu" or levels.shape not in ((), (n_variables,)):
        raise InputError(
            f"Levels must be a whole number, or {n_variables} of them, one for every variable."
        )
    low, high = levels.min(initial=2), levels.max(initial=2)
    if low < 2 or high > MOST_LEVELS:
        odd = low if low < 2 else high
        raise InputError(f"A variable has from 2 to {MOST_LEVELS} levels, and not {odd}.")
    return np.broadcast_to(levels.astype(np.int64), n_variables).copy()
