"""Conversion of graphs to and from networkx, igraph, scipy, pandas and polars.

Each `from_` function restores the graph that its `to_` function converted. It also accepts graphs
of other origin, whose edges then have unknown evidence and coupling. Directed graphs, loops and
parallel edges raise an error instead of being simplified.

Annotations are attributes or columns like the other numbers. To tell them from those of other
programs, a converted graph lists their names in its attribute `annotations`, and a table must have
all columns of an edge table. Coupling tables are nested lists in the edge attribute `table`; data
frames and matrices do not store them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.to_frame import frame_of
from markhood.data.variables import default_names
from markhood.errors import InputError, installed
from markhood.graph.checks import invalid_graph
from markhood.graph.columns import (
    COLUMNS,
    END_COLUMNS,
    TABLE,
    annotation_columns,
    annotation_names,
)
from markhood.graph.edge_table import (
    about_graph,
    edge_columns,
    graph_from_columns,
    number_columns,
    table_column,
)
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "from_igraph",
    "from_networkx",
    "from_pandas",
    "from_polars",
    "from_scipy",
    "to_igraph",
    "to_networkx",
    "to_pandas",
    "to_polars",
    "to_scipy",
    "to_square",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__


def to_networkx(graph: GraphLike) -> Any:
    """Convert to a `networkx.Graph` with edge attributes, and provenance in `.graph`.

    Nodes have the attributes `text` and `group`, where these are known.

    In the attributes, `source` is the end that comes first among the nodes. The attribute `table`
    has the coupling table, if any, as nested lists with a row for each level of `source`.

    Examples
    --------
    >>> to_networkx(Graph("abc", [(0, 2)], evidence_ends=[(1, 2)])).edges["a", "c"]["evidence"]
    3.0
    """
    graph = as_graph(graph)
    import networkx  # type: ignore[import-untyped]

    result = networkx.Graph(**_about(graph))
    result.add_nodes_from(graph.nodes)
    for name, texts in graph.node_columns.items():
        networkx.set_node_attributes(result, dict(zip(graph.nodes, texts, strict=True)), name)
    numbers = number_columns(graph)
    result.add_edges_from(
        (a, b, {name: column[row] for name, column in numbers.items()})
        for row, (a, b) in enumerate(graph.edge_names())
    )
    for (a, b), table in zip(graph.edge_names(), table_column(graph), strict=True):
        if table is not None:
            result.edges[a, b][TABLE] = table
    return result


def from_networkx(graph: Any) -> Graph:
    """Convert from a `networkx.Graph`; node labels become strings.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.path_graph(3)).edge_names()
    [('0', '1'), ('1', '2')]
    """
    if graph.is_directed():
        raise invalid_graph("", "The networkx graph is directed: pass graph.to_undirected().")
    if graph.is_multigraph():
        raise invalid_graph(
            "", "The networkx graph has parallel edges: pass networkx.Graph(graph)."
        )
    edges = list(graph.edges(data=True))
    further = annotation_names(graph.graph.get("annotations"))
    columns = {
        "source": [a for a, _, _ in edges],
        "target": [b for _, b, _ in edges],
        **{
            name: [attributes.get(name) for _, _, attributes in edges]
            for name in (*END_COLUMNS, *further)
        },
    }
    tables = [_table(attributes) for _, _, attributes in edges]
    return graph_from_columns(columns, graph.nodes, graph.graph, further, tables)


def to_igraph(graph: GraphLike) -> Any:
    """Convert to an `igraph.Graph` with names, edge attributes and provenance.

    The edge attribute `table` has the coupling tables, if any, as nested lists.

    Examples
    --------
    >>> to_igraph(Graph("abc", [(0, 2)])).vs["name"]
    ['a', 'b', 'c']
    """
    graph = as_graph(graph)
    igraph = installed("igraph")
    tables = {TABLE: table_column(graph)} if graph.coupling_tables else {}
    return igraph.Graph(
        n=graph.n_nodes,
        edges=graph.edges.tolist(),
        vertex_attrs={"name": list(graph.nodes), **graph.node_columns},
        edge_attrs={**number_columns(graph), **tables},
        graph_attrs=_about(graph),
    )


def from_igraph(graph: Any) -> Graph:
    """Convert from an `igraph.Graph`; vertices without names become x0, x1, ...

    Examples
    --------
    >>> import igraph
    >>> from_igraph(igraph.Graph(edges=[(0, 1)])).nodes
    ('x0', 'x1')
    """
    if graph.is_directed():
        raise invalid_graph("", "The igraph graph is directed: pass graph.as_undirected().")
    count = graph.vcount()
    named = "name" in graph.vertex_attributes()
    names = [str(name) for name in graph.vs["name"]] if named else default_names(count)
    # igraph may swap the ends of an undirected edge; the source is always the lower number.
    edges = [sorted(edge) for edge in graph.get_edgelist()]
    about = {name: graph[name] for name in graph.attributes()}
    further = annotation_names(about.get("annotations"))
    wanted = [n for n in (*END_COLUMNS, *further) if n in graph.edge_attributes()]
    columns = {
        "source": [i for i, _ in edges],
        "target": [j for _, j in edges],
        **{name: graph.es[name] for name in wanted},
    }
    tables = [_table(edge.attributes()) for edge in graph.es]
    numbered = graph_from_columns(columns, range(count), about, further, tables)
    return Graph(
        replace(numbered.variables, names=tuple(names)),
        numbered.edges,
        numbered.evidence_ends,
        numbered.coupling_ends,
        numbered.provenance,
        numbered.coupling_tables,
        numbered.annotations,
    )


def to_scipy(graph: GraphLike, weight: str | None = None) -> csr_array:
    """Return the adjacency matrix as a scipy `csr_array`, as `Graph.adjacency` does.

    Entries are True for edges, or the weight: "coupling", "evidence", or an annotation such as
    "probability".

    Examples
    --------
    >>> graph = Graph("abc", [(0, 2)], annotations={"probability": [0.75]})
    >>> to_scipy(graph).nnz
    2
    >>> float(to_scipy(graph, "probability")[2, 0])
    0.75
    """
    graph = as_graph(graph)
    return graph.adjacency(weight)


def to_square(graph: GraphLike, weight: str = "coupling") -> Any:
    """Return the weighted adjacency matrix as a pandas data frame with names, 0 without an edge.

    Examples
    --------
    >>> to_square(Graph("ab", [(0, 1)], coupling_ends=[(2, 1)])).loc["a", "b"]
    np.float64(1.5)
    """
    graph = as_graph(graph)
    pandas = installed("pandas")
    names = list(graph.nodes)
    return pandas.DataFrame(graph.adjacency(weight).toarray(), index=names, columns=names)


def from_scipy(matrix: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Convert a symmetric matrix, sparse or dense, whose nonzero entries are edges.

    Nodes are named x0, x1, ... unless `nodes` names them.

    Examples
    --------
    >>> from_scipy(np.array([[0, 1], [1, 0]]), nodes="ab").edge_names()
    [('a', 'b')]
    """
    from scipy.sparse import coo_array, issparse

    given: Any = matrix if issparse(matrix) else np.asarray(matrix)
    shape: tuple[int, ...] = given.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise invalid_graph("matrix", f"The adjacency matrix has shape {shape}: it must be square.")
    names = default_names(shape[0]) if nodes is None else list(nodes)
    if len(names) != shape[0]:
        raise invalid_graph(
            "nodes", f"The matrix has {shape[0]} rows, but {len(names)} nodes are named."
        )
    entries = coo_array(given)
    entries.sum_duplicates()
    row, column = (index[entries.data != 0].astype(np.int64) for index in entries.coords)
    if not np.array_equal(np.sort(row * shape[0] + column), np.sort(column * shape[0] + row)):
        raise invalid_graph(
            "matrix", "The adjacency matrix is not symmetric: pass matrix + matrix.T."
        )
    return Graph(names, np.stack((row, column), axis=1)[row <= column])


def to_pandas(graph: GraphLike) -> Any:
    """Return the edge table as a pandas data frame, with provenance in its `attrs`.

    Nodes without edges are not in the table: pass `graph.nodes` to `from_pandas`. Annotations are
    the last columns; coupling tables are left out.

    Examples
    --------
    >>> to_pandas(Graph("abc", [(0, 2)]))[["source", "target"]].values.tolist()
    [['a', 'c']]
    """
    graph = as_graph(graph)
    table = frame_of(_typed_columns(graph), "pandas")
    table.attrs.update(about_graph(graph))
    return table


def from_pandas(table: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Convert a pandas edge table with columns `source` and `target`.

    Nodes are the ends of the edges in order of appearance, unless `nodes` is given.

    Examples
    --------
    >>> import pandas
    >>> from_pandas(pandas.DataFrame({"source": ["a"], "target": ["c"]}), nodes="abc").n_nodes
    3
    """
    return _from_frame(table, nodes, table.attrs)


def to_polars(graph: GraphLike) -> Any:
    """Return the edge table as a polars data frame.

    Nodes without edges are not in the table: pass `graph.nodes` to `from_polars`. Annotations are
    the last columns; coupling tables are left out.

    Examples
    --------
    >>> to_polars(Graph("abc", [(0, 2)])).columns[:4]
    ['source', 'target', 'evidence', 'coupling']
    """
    return frame_of(_typed_columns(as_graph(graph)), "polars")


def from_polars(table: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Convert a polars edge table with columns `source` and `target`.

    Nodes are the ends of the edges in order of appearance, unless `nodes` is given.

    Examples
    --------
    >>> import polars
    >>> from_polars(polars.DataFrame({"source": ["a"], "target": ["c"]})).edge_names()
    [('a', 'c')]
    """
    return _from_frame(table, nodes, None)


def _from_frame(table: Any, nodes: Iterable[str] | None, about: Mapping[str, Any] | None) -> Graph:
    import narwhals

    frame = narwhals.from_native(table, eager_only=True)
    for name in ("source", "target"):
        if name not in frame.columns:
            raise InputError(
                "unknown-column",
                name,
                f"The edge table has no column {name!r}; its columns are "
                f"{', '.join(map(str, frame.columns))}.",
            )
    further = [n for n in annotation_columns(frame.columns) if frame[n].dtype.is_numeric()]
    columns = {}
    for name in (*COLUMNS[:2], *END_COLUMNS, *further):
        if name in frame.columns:
            missing = frame[name].is_null().to_list()
            values = zip(frame[name].to_list(), missing, strict=True)
            columns[name] = [None if is_null else value for value, is_null in values]
    return graph_from_columns(columns, nodes, about, further)


def _about(graph: Graph) -> dict[str, Any]:
    """Return the attributes of the whole graph."""
    names = {"annotations": list(graph.annotations)} if graph.annotations else {}
    return {**about_graph(graph), **names}


def _table(attributes: Mapping[str, Any]) -> Any:
    """Return the coupling table of an edge; graphs of other origin may have any `table`."""
    if any(name not in attributes for name in END_COLUMNS):
        return None
    table = attributes.get(TABLE)
    try:
        return json.loads(table) if isinstance(table, str) else table
    except json.JSONDecodeError:
        return table  # `Graph` raises the error


def _typed_columns(graph: Graph) -> dict[str, NDArray[Any]]:
    """Return the edge table as arrays, with types that do not depend on the values."""
    return {
        name: np.array(column, dtype=object if name in COLUMNS[:2] else np.float64)
        for name, column in edge_columns(graph).items()
    }
