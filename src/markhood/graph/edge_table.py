"""The edge table, through which all conversions and file formats pass.

Every conversion from a graph writes these columns, and every conversion to a graph reads those that
are present. `source` is the end that comes first in the order of the nodes. `evidence`, `coupling`
and the genomic distance are written for readers and ignored when read, because they follow from the
other columns. Annotations are further columns of numbers. Coupling tables are nested lists, in
formats that can store them. Provenance and the levels of the variables form one JSON document.

Unfolding of a graph of groups: a node for each column, with the edges of its group. Numbers are
those of the group. A complementary member has its levels reversed: signed numbers change their
sign, the bounds of intervals are swapped too, and tables are reversed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from markhood.arrays import Bools, Floats, Ints
from markhood.data.genome.loci import distances
from markhood.data.variables import Variables, described_variables
from markhood.graph.checks import invalid_graph
from markhood.graph.columns import ANNOTATIONS, DISTANCE, END_COLUMNS
from markhood.graph.graph import Graph


def number_columns(graph: Graph) -> dict[str, list[float]]:
    """Return the columns of numbers by name, with rows as in `graph.edges`.

    Annotations come last, followed by the genomic distance between the ends if positions are known;
    it is infinite between chromosomes.

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
    """Return the coupling tables as nested lists, None for edges without one.

    Examples
    --------
    >>> table_column(Graph("abc", [(0, 1), (1, 2)], coupling_tables=[None, [[1, -1], [-1, 1]]]))
    [None, [[1.0, -1.0], [-1.0, 1.0]]]
    """
    tables = graph.coupling_tables or (None,) * graph.n_edges
    return [None if table is None else table.tolist() for table in tables]


def has_sign(graph: Graph) -> Bools:
    """Return whether the coupling of each edge is a signed number, not the norm of a table.

    Examples
    --------
    >>> has_sign(Graph("abc", [(0, 1), (1, 2)], coupling_tables=[None, [[1, -1], [-1, 1]]]))
    array([ True, False])
    """
    tables = graph.coupling_tables or (None,) * graph.n_edges
    return np.array([table is None for table in tables], dtype=np.bool_)


def edge_columns(graph: Graph) -> dict[str, list[Any]]:
    """Return all columns of the edge table by name, `source` and `target` first.

    Examples
    --------
    >>> edge_columns(Graph("ab", [(0, 1)]))["target"]
    ['b']
    """
    names = graph.edge_names()
    ends = {"source": [a for a, _ in names], "target": [b for _, b in names]}
    return {**ends, **number_columns(graph)}


def about_graph(graph: Graph) -> dict[str, Any]:
    """Return the provenance and the description of the variables, in JSON types.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> about_graph(Graph(Variables(("a", "b"), ((0, 1), (0, 1))), []))
    {'provenance': {}, 'variables': {'levels': [[0, 1]]}}
    """
    levels = graph.variables.described()
    return {"provenance": dict(graph.provenance), **({"variables": levels} if levels else {})}


def node_attributes(graph: Graph) -> dict[str, dict[str, str]]:
    """Return the descriptions of each node that has any, such as its text and group, by name.

    Files show them with the nodes and read them from the description of the variables.
    """
    return {
        node: {name: texts[j] for name, texts in graph.node_columns.items() if texts[j]}
        for j, node in enumerate(graph.nodes)
    }


def graph_from_columns(
    columns: Mapping[str, Sequence[Any]],
    nodes: Iterable[Any] | None = None,
    about: Mapping[str, Any] | None = None,
    annotations: Iterable[str] = (),
    tables: Sequence[ArrayLike | None] = (),
) -> Graph:
    """Make a graph from an edge table.

    Parameters
    ----------
    columns : mapping
        `source` and `target` with any labels, and those of `END_COLUMNS` that are known (None is
        an unknown number).
    nodes : iterable, optional
        Labels of all nodes; by default the ends of the edges in order of appearance. Labels are
        converted to strings.
    about : mapping, optional
        The result of `about_graph`, as mappings or as JSON texts. Anything else, as in files of
        other programs, is ignored.
    tables : sequence, optional
        Coupling table of each edge, with a row for each level of `source`, or None.

    Examples
    --------
    >>> graph_from_columns({"source": ["b"], "target": ["a"]}, nodes="abc").edge_names()
    [('a', 'b')]
    """
    source, target = columns["source"], columns["target"]
    for row, ends in enumerate(zip(source, target, strict=True)):
        for label in ends:
            if _is_missing(label) or not isinstance(label, Hashable):
                raise invalid_graph(
                    f"edge {row + 1}",
                    f"Edge {row + 1} of the table has an end that is not a node name: {label!r}.",
                )
    labels = list(dict.fromkeys(chain(*zip(source, target, strict=True))))
    labels = labels if nodes is None else list(nodes)
    names = [str(label) for label in labels]
    index: dict[Any, int] = {name: i for i, name in enumerate(names)}
    # Look up labels as well as names: 1 and 1.0 are the same label, but their strings differ.
    index.update((label, i) for i, label in enumerate(labels) if isinstance(label, Hashable))

    def number(label: Any) -> int:
        found = index.get(label, index.get(str(label)))
        if found is None:
            raise invalid_graph(
                str(label), f"An edge has the end {label!r}, which is not among the nodes."
            )
        return found

    edges = [(number(a), number(b)) for a, b in zip(source, target, strict=True)]
    numbers = np.stack([_numbers(columns, name, len(edges)) for name in END_COLUMNS], axis=1)
    known = about or {}
    return Graph(
        described_or_plain(names, known.get("variables")),
        edges,
        numbers[:, :2],
        numbers[:, 2:],
        as_mapping(known.get("provenance")),
        tables,
        {name: _numbers(columns, name, len(edges)) for name in annotations},
    )


def described_or_plain(names: Sequence[str], description: Any) -> Variables:
    """Return variables with the levels in a description, or without if it is not a valid one."""
    try:
        return described_variables(names, as_mapping(description) or {})
    except (KeyError, IndexError, TypeError, ValueError):
        return Variables(tuple(names))


def as_mapping(found: Any) -> Mapping[str, Any] | None:
    """Return a mapping that is stored as such or as JSON text; None for anything else."""
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except json.JSONDecodeError:
            return None
    return found if isinstance(found, Mapping) else None


def _is_missing(label: object) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def _numbers(columns: Mapping[str, Sequence[Any]], name: str, n_edges: int) -> Floats:
    column = columns.get(name, [None] * n_edges)
    try:
        return np.array([np.nan if x is None else float(x) for x in column], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise invalid_graph(
            name, f"The values of column {name!r} of the edge table are not all numbers: {error}."
        ) from None


def with_annotations(graph: Graph, columns: Mapping[str, ArrayLike]) -> Graph:
    """Return the graph with further columns of edges."""
    return Graph(
        graph.variables,
        graph.edges,
        graph.evidence_ends,
        graph.coupling_ends,
        graph.provenance,
        graph.coupling_tables,
        {**graph.annotations, **columns},
    )


def unfolded(graph: Graph, join: bool) -> Graph:
    """Implement `Graph.unfold`."""
    if graph.variables.members is None:
        return graph
    unfolding = graph.variables.unfolded()
    node, opposite = np.array(unfolding.node), np.array(unfolding.opposite)
    columns = np.split(np.argsort(node, kind="stable"), np.cumsum(np.bincount(node))[:-1])
    rows, edges = _copied_edges(graph, columns)
    is_reversed = opposite[edges]
    inner = _inner_edges(columns) if join else np.empty((0, 2), dtype=np.int64)
    unknown = np.full(len(inner), np.nan)
    change = (is_reversed[:, 0] != is_reversed[:, 1]) & has_sign(graph)[rows]
    annotations = {}
    for name, numbers in graph.annotations.items():
        own, known = numbers[rows], ANNOTATIONS.get(name)
        if known is not None and known.reversed is not None:
            other = graph.annotations.get(known.reversed, -numbers)
            own = np.where(change, -other[rows], own)
        annotations[name] = np.append(own, unknown)
    couplings = np.where(change[:, None], -1.0, 1.0) * graph.coupling_ends[rows]
    return Graph(
        unfolding.variables,
        np.concatenate([edges, inner]),
        np.concatenate([graph.evidence_ends[rows], np.column_stack([unknown, unknown])]),
        np.concatenate([couplings, np.column_stack([unknown, unknown])]),
        dict(graph.provenance),
        _tables(graph, rows, is_reversed, len(inner)),
        annotations,
    )


def _copied_edges(graph: Graph, columns: list[Ints]) -> tuple[Ints, Ints]:
    """Return, for each edge between columns, the row of the groups' edge and the two columns."""
    copies = [
        np.stack(np.meshgrid(columns[i], columns[j], indexing="ij"), axis=-1).reshape(-1, 2)
        for i, j in graph.edges.tolist()
    ]
    rows = np.repeat(np.arange(len(copies)), [len(own) for own in copies])
    return rows, np.concatenate([np.empty((0, 2), dtype=np.int64), *copies])


def _inner_edges(columns: list[Ints]) -> Ints:
    """Return all pairs of columns within groups."""
    pairs = [np.column_stack([own[k] for k in np.triu_indices(len(own), 1)]) for own in columns]
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs])


def _tables(graph: Graph, rows: Ints, is_reversed: Bools, n_inner: int) -> list[Floats | None]:
    if not graph.coupling_tables:
        return []
    found: list[Floats | None] = []
    for row, (first, second) in zip(rows.tolist(), is_reversed.tolist(), strict=True):
        table = graph.coupling_tables[row]
        found.append(
            None if table is None else table[:: -1 if first else 1, :: -1 if second else 1]
        )
    return found + [None] * n_inner
