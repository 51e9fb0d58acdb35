"""Validation of the arguments of `Graph`; each function returns a copy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.arrays import Floats, Ints
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.columns import can_name_annotation

_Number = TypeVar("_Number", np.int64, np.float64)


def invalid_graph(where: str, text: str) -> InputError:
    """Return the error of an argument of `Graph`, or of a graph from elsewhere."""
    return InputError("graph-invalid", where, text)


def checked_variables(nodes: Iterable[str] | Variables) -> Variables:
    """Return the names of the nodes as plain strings, with their levels if known."""
    if isinstance(nodes, Variables):
        for what in ("levels", "loci", "members"):
            part = getattr(nodes, what)
            if part is not None and len(part) != len(nodes):
                raise invalid_graph(
                    what,
                    f"{what} must have one entry for each of {len(nodes)} nodes, not {len(part)}.",
                )
        names = checked_variables(nodes.names).names
        return nodes if names is nodes.names else replace(nodes, names=names)
    names = tuple(nodes)
    if set(map(type, names)) <= {str}:  # the usual case: do not copy a million names
        return Variables(names)
    for name in names:
        if not isinstance(name, str):
            raise invalid_graph("nodes", f"Node names must be strings, not {name!r}.")
    return Variables(tuple(str(name) for name in names))  # numpy's str_ becomes str


def node_numbers(variables: Variables) -> dict[str, int]:
    """Return the node number of each name, including the names of members of groups."""
    numbers = variables.numbers
    if len(numbers) < len(variables):
        twice = next(name for i, name in enumerate(variables.names) if numbers[name] != i)
        raise invalid_graph(twice, f"Two nodes are named {twice!r}; node names must differ.")
    if variables.members is not None:
        numbers = dict(numbers)
    for i, own in enumerate(variables.members or ()):
        for member in own:
            if numbers.setdefault(member.name, i) != i or member.name == variables.names[i]:
                raise invalid_graph(
                    member.name,
                    f"{member.name!r} is a member of a group and also the name of another node or "
                    "member; names must differ.",
                )
    return numbers


def checked_pairs(edges: ArrayLike | Iterable[tuple[int, int]], n_nodes: int) -> Ints:
    """Copy edges to a new (m, 2) array, with rows as given."""
    listed = edges if hasattr(edges, "__array__") else list(edges)  # type: ignore[arg-type]
    try:
        pairs = np.array(listed)
    except ValueError:
        raise invalid_graph("edges", "Edges must be pairs of node numbers.") from None
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise invalid_graph(
            "edges",
            "Edges must be pairs of node numbers, not an array of "
            f"{pairs.dtype} with shape {pairs.shape}.",
        )
    outside = np.flatnonzero(((pairs < 0) | (pairs >= n_nodes)).any(axis=1))
    if outside.size:
        i, j = pairs[outside[0]].tolist()
        raise invalid_graph(
            "edges", f"The edge ({i}, {j}) has an end that is not one of the {n_nodes} nodes."
        )
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise invalid_graph("edges", f"Node number {pairs[loops[0], 0]} has an edge to itself.")
    return pairs.astype(np.int64)


def checked_ends(ends: ArrayLike | None, n_edges: int, what: str) -> Floats:
    """Copy the numbers of both ends of each edge to a new (m, 2) array."""
    if ends is None:
        return np.full((n_edges, 2), np.nan)
    try:
        array = np.array(ends, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid_graph(
            what, f"{what} must be pairs of numbers, one pair for each edge."
        ) from None
    if array.size == 0 and n_edges == 0:
        return np.empty((0, 2))
    if array.shape != (n_edges, 2):
        raise invalid_graph(what, f"{what} must have shape ({n_edges}, 2), not {array.shape}.")
    return array


def checked_annotations(annotations: Mapping[str, ArrayLike], n_edges: int) -> dict[str, Floats]:
    """Copy the annotations, each with one number per edge."""
    copies = {}
    for name, numbers in annotations.items():
        if not can_name_annotation(name):
            raise invalid_graph(
                str(name),
                f"An annotation cannot be named {name!r}: use one word of letters, digits and "
                "underscores that is not another column of the edge table.",
            )
        array = _as_numbers(numbers)
        if array is None or array.shape != (n_edges,):
            raise invalid_graph(
                name, f"The annotation {name} must be {n_edges} numbers, one for each edge."
            )
        copies[name] = array
    return copies


def checked_tables(tables: Sequence[ArrayLike | None], n_edges: int) -> list[Floats | None]:
    """Copy the coupling tables of all edges; return an empty list if all are None."""
    if len(tables) not in (0, n_edges):
        raise invalid_graph(
            "coupling_tables", f"There are {len(tables)} coupling tables for {n_edges} edges."
        )
    if all(table is None for table in tables):
        return []
    return [None if table is None else read_only(_checked_table(table)) for table in tables]


def _checked_table(table: ArrayLike) -> Floats:
    copy = _as_numbers(table)
    if copy is None or copy.ndim != 2 or min(copy.shape) < 2 or not np.isfinite(copy).all():
        raise invalid_graph(
            "coupling_tables",
            "A coupling table must have at least two rows and two columns of finite numbers.",
        )
    return copy


def _as_numbers(given: ArrayLike) -> Floats | None:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def are_same(one: Floats | None, other: Floats | None) -> bool:
    """Return whether two arrays are equal, with NaN equal to NaN, or both None."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def as_json(provenance: Mapping[str, Any] | None) -> str:
    """Return provenance as JSON text."""
    try:
        return json.dumps(dict(provenance or {}), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise invalid_graph(
            "provenance", f"Provenance must be a mapping that can be written as JSON: {error}."
        ) from None


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Make an array read-only, and return it."""
    array.setflags(write=False)
    return array
