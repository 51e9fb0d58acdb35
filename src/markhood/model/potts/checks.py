"""Validation of the tables, fields and levels of a Potts model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.errors import InputError
from markhood.graph.checks import read_only
from markhood.graph.graph import Graph
from markhood.kernels.networks import MOST_LEVELS
from markhood.model.potts.network import Arrays


def table_numbers(
    arrays: Sequence[ArrayLike], count: int, n_axes: int, what: str, each: str
) -> Arrays:
    """Return read-only copies of arrays of finite numbers, one for ``each``."""
    if len(arrays) != count:
        raise InputError(
            "model-invalid",
            what,
            f"There must be {count} {what}, one for every {each}, not {len(arrays)}.",
        )
    try:
        copies = [np.array(array, dtype=np.float64) for array in arrays]
    except (TypeError, ValueError):
        raise InputError(
            "model-invalid", what, f"{what} must be arrays of numbers, one for every {each}."
        ) from None
    for k, copy in enumerate(copies):
        if copy.ndim != n_axes or not 2 <= min(copy.shape) <= max(copy.shape) <= MOST_LEVELS:
            raise InputError(
                "model-invalid",
                what,
                f"{what} must have {n_axes} ax{'i' if n_axes == 1 else 'e'}s of 2 to {MOST_LEVELS} "
                f"levels; that of {each} number {k} has shape {copy.shape}.",
            )
        if not np.isfinite(copy).all():
            odd = copy[~np.isfinite(copy)][0]
            raise InputError(
                "model-invalid", what, f"{what} must be finite; {each} number {k} has {odd}."
            )
    return tuple(read_only(copy) for copy in copies)


def levels_of(
    graph: Graph, tables: Arrays, fields: Arrays | None, given: int | Sequence[int] | None
) -> NDArray[np.int64]:
    """Return the number of levels of each variable, after checking that all arrays agree."""
    found = np.zeros(graph.n_nodes, np.int64)
    if fields is not None:
        found[:] = [len(field) for field in fields]
    elif given is not None:
        found[:] = checked_levels(given, graph.n_nodes)
    for (i, j), table in zip(graph.edges.tolist(), tables, strict=True):
        for variable, r in zip((i, j), table.shape, strict=True):
            if found[variable] not in (0, r):
                raise InputError(
                    "model-invalid",
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


def checked_levels(n_levels: ArrayLike, n_variables: int) -> NDArray[np.int64]:
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
