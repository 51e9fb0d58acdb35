"""What a `Graph` asks of its parts before it is made of them; each check returns a copy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.columns import can_name_annotation

_Number = TypeVar("_Number", np.int64, np.float64)


def checked_variables(nodes: Iterable[str] | Variables) -> Variables:
    """Return what the nodes are called, as plain strings, and their levels if these are known."""
    if isinstance(nodes, Variables):
        if nodes.levels is not None and len(nodes.levels) != len(nodes):
            raise InputError(
                f"There are {len(nodes.levels)} lists of levels for {len(nodes)} nodes."
            )
        if nodes.loci is not None and len(nodes.loci) != len(nodes):
            raise InputError(f"There are {len(nodes.loci)} loci for {len(nodes)} nodes.")
        if nodes.members is not None and len(nodes.members) != len(nodes):
            raise InputError(f"There are {len(nodes.members)} groups for {len(nodes)} nodes.")
        names = checked_variables(nodes.names).names
        return nodes if names is nodes.names else replace(nodes, names=names)
    names = tuple(nodes)
    if set(map(type, names)) <= {str}:  # as nearly always: a million names need not be copied
        return Variables(names)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"Node names must be strings, and {name!r} is not.")
    return Variables(tuple(str(name) for name in names))  # numpy's str_ becomes str


def node_numbers(variables: Variables) -> dict[str, int]:
    """Return the number of the node of every name, those of members of groups among them."""
    numbers = variables.numbers
    if len(numbers) < len(variables):
        twice = next(name for i, name in enumerate(variables.names) if numbers[name] != i)
        raise InputError(f"Two nodes are named {twice!r}; node names must differ.")
    if variables.members is not None:
        numbers = dict(numbers)
    for i, own in enumerate(variables.members or ()):
        for member in own:
            if numbers.setdefault(member.name, i) != i or member.name == variables.names[i]:
                raise InputError(
                    f"{member.name!r} is a member of one group and the name of something else; "
                    "names must differ."
                )
    return numbers


def checked_pairs(edges: ArrayLike | Iterable[tuple[int, int]], n_nodes: int) -> NDArray[np.int64]:
    """Copy edges to a new (m, 2) array, each row as given."""
    listed = edges if hasattr(edges, "__array__") else list(edges)  # type: ignore[arg-type]
    try:
        pairs = np.array(listed)
    except ValueError:
        raise InputError("Edges must be pairs of node numbers.") from None
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(
            "Edges must be pairs of node numbers, not an array of "
            f"{pairs.dtype} with shape {pairs.shape}."
        )
    outside = np.flatnonzero(((pairs < 0) | (pairs >= n_nodes)).any(axis=1))
    if outside.size:
        i, j = pairs[outside[0]].tolist()
        raise InputError(f"The edge ({i}, {j}) leads outside the {n_nodes} nodes of the graph.")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise InputError(f"Node number {pairs[loops[0], 0]} has an edge to itself.")
    return pairs.astype(np.int64)


def checked_ends(ends: ArrayLike | None, n_edges: int, what: str) -> NDArray[np.float64]:
    """Copy one number for each end of every edge to a new (m, 2) array."""
    if ends is None:
        return np.full((n_edges, 2), np.nan)
    try:
        array = np.array(ends, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be pairs of numbers, one pair for every edge.") from None
    if array.size == 0 and n_edges == 0:
        return np.empty((0, 2))
    if array.shape != (n_edges, 2):
        raise InputError(f"{what} must have shape ({n_edges}, 2), not {array.shape}.")
    return array


def checked_annotations(
    annotations: Mapping[str, ArrayLike], n_edges: int
) -> dict[str, NDArray[np.float64]]:
    """Copy further numbers, one for every edge under each name."""
    copies = {}
    for name, numbers in annotations.items():
        if not can_name_annotation(name):
            raise InputError(
                f"An annotation cannot be named {name!r}: give one word of letters, digits and "
                "underscores that is no other part of an edge."
            )
        array = _as_numbers(numbers)
        if array is None or array.shape != (n_edges,):
            raise InputError(f"The annotation {name} must be {n_edges} numbers, one for each edge.")
        copies[name] = array
    return copies


def checked_tables(
    tables: Sequence[ArrayLike | None], n_edges: int
) -> list[NDArray[np.float64] | None]:
    """Copy the tables, one for every edge; none at all where no edge has one."""
    if len(tables) not in (0, n_edges):
        raise InputError(f"There are {len(tables)} coupling tables for {n_edges} edges.")
    if all(table is None for table in tables):
        return []
    return [None if table is None else read_only(_checked_table(table)) for table in tables]


def _checked_table(table: ArrayLike) -> NDArray[np.float64]:
    copy = _as_numbers(table)
    if copy is None or copy.ndim != 2 or min(copy.shape) < 2 or not np.isfinite(copy).all():
        raise InputError(
            "A coupling table must have two rows and two columns at least, all finite numbers."
        )
    return copy


def _as_numbers(given: ArrayLike) -> NDArray[np.float64] | None:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def are_same(one: NDArray[np.float64] | None, other: NDArray[np.float64] | None) -> bool:
    """Whether two arrays are equal, unknown being equal to unknown; or both are none."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def as_json(provenance: Mapping[str, Any] | None) -> str:
    """Return provenance as JSON text."""
    try:
        return json.dumps(dict(provenance or {}), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"Provenance must be a mapping that JSON can hold: {error}.") from None


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Return the array itself, which no one can change from now on."""
    array.setflags(write=False)
    return array
