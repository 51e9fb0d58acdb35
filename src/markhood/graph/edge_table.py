"""A graph as columns of an edge table: the one form that all conversions and files share.

Every road out writes these columns, every road in reads whichever of them are there. `source` is
the end that comes first in the order of the nodes. The sums (`evidence`, `coupling`) are written
for readers and ignored on the way in, because the two ends give them; so is how far apart the ends lie along a genome. Annotations are further
columns of numbers. Coupling tables are beside them, nested lists where a format has room for such.
What is said of the graph as a whole, its provenance and the levels of its variables, is one document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.data.genome.loci import distances
from markhood.data.variables import Variables, described_variables
from markhood.errors import InputError
from markhood.graph.columns import DISTANCE, END_COLUMNS
from markhood.graph.graph import Graph


def number_columns(graph: Graph) -> dict[str, list[float]]:
    """Return the numbers of every edge by column name; rows as in `graph.edges`.

    After the ends' own come annotations, and the distance of the ends where it is known: infinite between two
    chromosomes.

    Examples
    --------
    >>> number_columns(Graph("ab", [(0, 1)], evidence_ends=[(1, 2)]))["evidence"]
    [3.0]
    """
    loci, length = graph.variables.loci, graph.variables.genome_length
    ends = np.hstack((graph.evidence_ends, graph.coupling_ends)).T
    return {
        "evidence": graph.evidence.tolist(),
        "coupling": graph.coupling.tolist(),
        **{name: column.tolist() for name, column in zip(END_COLUMNS, ends, strict=True)},
        **{name: column.tolist() for name, column in graph.annotations.items()},
        **({} if loci is None else {DISTANCE: distances(loci, graph.edges, length).tolist()}),
    }


def table_column(graph: Graph) -> list[list[list[float]] | None]:
    """Return the coupling table of every edge as nested lists, None for an edge without one.

    Examples
    --------
    >>> table_column(Graph("abc", [(0, 1), (1, 2)], coupling_tables=[None, [[1, -1], [-1, 1]]]))
    [None, [[1.0, -1.0], [-1.0, 1.0]]]
    """
    tables = graph.coupling_tables or (None,) * graph.n_edges
    return [None if table is None else table.tolist() for table in tables]


def has_sign(graph: Graph) -> NDArray[np.bool_]:
    """Whether the coupling of every edge is a number with a sign, and not the size of a table.

    Examples
    --------
    >>> has_sign(Graph("abc", [(0, 1), (1, 2)], coupling_tables=[None, [[1, -1], [-1, 1]]]))
    array([ True, False])
    """
    tables = graph.coupling_tables or (None,) * graph.n_edges
    return np.array([table is None for table in tables], dtype=np.bool_)


def edge_columns(graph: Graph) -> dict[str, list[Any]]:
    """Return all columns of the edge table by name, those with the names of the ends first.

    Examples
    --------
    >>> edge_columns(Graph("ab", [(0, 1)]))["target"]
    ['b']
    """
    names = graph.edge_names()
    ends = {"source": [a for a, _ in names], "target": [b for _, b in names]}
    return {**ends, **number_columns(graph)}


def about_graph(graph: Graph) -> dict[str, Any]:
    """Return what is said of a graph as a whole, as JSON holds it.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> about_graph(Graph(Variables(("a", "b"), ((0, 1), (0, 1))), []))
    {'provenance': {}, 'variables': {'levels': [[0, 1]]}}
    """
    levels = graph.variables.described()
    return {"provenance": dict(graph.provenance), **({"variables": levels} if levels else {})}


def graph_from_columns(
    columns: Mapping[str, Sequence[Any]],
    nodes: Iterable[Any] | None = None,
    about: Mapping[str, Any] | None = None,
    annotations: Iterable[str] = (),
    tables: Sequence[ArrayLike | None] = (),
) -> Graph:
    """Make a graph of an edge table.

    Parameters
    ----------
    columns : mapping
        `source` and `target`, of any labels, and of `END_COLUMNS` those that are known (None is
        an unknown number).
    nodes : iterable, optional
        Labels of all nodes; by default the ends of the edges in order of appearance. Labels that
        are not strings become strings.
    about : mapping, optional
        What `about_graph` returned, as mappings or as JSON texts; in others' files these may be
        anything, which is then passed over.
    annotations : iterable of str, default=()
        Names of further columns of numbers.
    tables : sequence, optional
        Coupling table of every edge, a row for each level of `source`; None for one without.

    Examples
    --------
    >>> graph_from_columns({"source": ["b"], "target": ["a"]}, nodes="abc").edge_names()
    [('a', 'b')]
    """
    source, target = columns["source"], columns["target"]
    for row, ends in enumerate(zip(source, target, strict=True)):
        for label in ends:
            if _is_missing(label) or not isinstance(label, Hashable):
                raise InputError(f"Edge {row + 1} of the table has no usable end: {label!r}.")
    labels = list(dict.fromkeys(chain(*zip(source, target, strict=True))))
    labels = labels if nodes is None else list(nodes)
    names = [str(label) for label in labels]
    index: dict[Any, int] = {name: i for i, name in enumerate(names)}
    # Labels beside names: 1 and 1.0 are one label, though their strings differ.
    index.update((label, i) for i, label in enumerate(labels) if isinstance(label, Hashable))

    def number(label: Any) -> int:
        found = index.get(label, index.get(str(label)))
        if found is None:
            raise InputError(f"An edge leads to {label!r}, which is not among the nodes.")
        return found

    edges = [(number(a), number(b)) for a, b in zip(source, target, strict=True)]
    numbers = np.stack([_numbers(columns, name, len(edges)) for name in END_COLUMNS], axis=1)
    known = about or {}
    return Graph(
        variables_told(names, known.get("variables")),
        edges,
        numbers[:, :2],
        numbers[:, 2:],
        as_mapping(known.get("provenance")),
        tables,
        {name: _numbers(columns, name, len(edges)) for name in annotations},
    )


def variables_told(names: Sequence[str], told: Any) -> Variables:
    """Return the variables of these names, with levels if that is what a file tells."""
    try:
        return described_variables(names, as_mapping(told) or {})
    except (KeyError, IndexError, TypeError, ValueError):
        return Variables(tuple(names))


def as_mapping(found: Any) -> Mapping[str, Any] | None:
    """Return a mapping of ours, kept as one or (by formats that hold text only) as JSON."""
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except json.JSONDecodeError:
            return None
    return found if isinstance(found, Mapping) else None


def _is_missing(label: object) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def _numbers(columns: Mapping[str, Sequence[Any]], name: str, n_edges: int) -> NDArray[np.float64]:
    column = columns.get(name, [None] * n_edges)
    try:
        return np.array([np.nan if x is None else float(x) for x in column], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Column {name!r} of the edge table is not all numbers: {error}."
        ) from None
