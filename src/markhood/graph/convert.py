"""Graphs to and from what other libraries hold: networkx, igraph, scipy, pandas, polars.

Each `from_` takes back what its `to_` made, to an equal graph, and also takes graphs that were
never ours: their edges have unknown evidence and coupling. What a `Graph` cannot be (directed,
with loops or parallel edges) is refused rather than simplified behind the user's back.

Annotations are attributes or columns like the other numbers; so that one is not taken for another
program's, a graph lists their names in its attribute `annotations`, and a table has them only beside
all of our own columns. Coupling tables are the attribute `table` of edges, nested lists; data frames
and matrices have no place for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.to_frame import frame_of, installed_library
from markhood.data.variables import default_names
from markhood.errors import InputError
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
from markhood.graph.given import GraphLike, as_graph
from markhood.graph.graph import Graph

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
    """Return a `networkx.Graph` with the numbers as edge attributes, provenance in `.graph`.

    In the attributes, `source` is the end that comes first among the nodes; an edge with a coupling
    table has it as `table`, nested lists with a row for each level of `source`.

    Examples
    --------
    >>> to_networkx(Graph("abc", [(0, 2)], evidence_ends=[(1, 2)])).edges["a", "c"]["evidence"]
    3.0
    """
    graph = as_graph(graph)
    import networkx  # type: ignore[import-untyped]

    result = networkx.Graph(**_about(graph))
    result.add_nodes_from(graph.nodes)
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
    """Return the `Graph` of a `networkx.Graph`; node labels become strings.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.path_graph(3)).edge_names()
    [('0', '1'), ('1', '2')]
    """
    if graph.is_directed():
        raise InputError("The networkx graph is directed; give graph.to_undirected().")
    if graph.is_multigraph():
        raise InputError("The networkx graph has parallel edges; give networkx.Graph(graph).")
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
    """Return an `igraph.Graph`: `name` of vertices, the numbers of edges, `provenance`.

    Where there are coupling tables, `table` of edges has them as nested lists.

    Examples
    --------
    >>> to_igraph(Graph("abc", [(0, 2)])).vs["name"]
    ['a', 'b', 'c']
    """
    graph = as_graph(graph)
    igraph = installed_library("igraph")
    tables = {TABLE: table_column(graph)} if graph.coupling_tables else {}
    return igraph.Graph(
        n=graph.n_nodes,
        edges=graph.edges.tolist(),
        vertex_attrs={"name": list(graph.nodes)},
        edge_attrs={**number_columns(graph), **tables},
        graph_attrs=_about(graph),
    )


def from_igraph(graph: Any) -> Graph:
    """Return the `Graph` of an `igraph.Graph`; vertices without names are x0, x1, ...

    Examples
    --------
    >>> import igraph
    >>> from_igraph(igraph.Graph(edges=[(0, 1)])).nodes
    ('x0', 'x1')
    """
    if graph.is_directed():
        raise InputError("The igraph graph is directed; give graph.as_undirected().")
    count = graph.vcount()
    named = "name" in graph.vertex_attributes()
    names = [str(name) for name in graph.vs["name"]] if named else default_names(count)
    # igraph may turn an undirected edge round; our source is always the lower number.
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
    """Return the adjacency matrix, a scipy `csr_array`: `Graph.adjacency`.

    Its entries are whether there is an edge, or the weight: "coupling", "evidence", or an annotation such
    as "probability".

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
    """Return a square pandas data frame of weights, named on both sides, 0 where there is no edge.

    Examples
    --------
    >>> to_square(Graph("ab", [(0, 1)], coupling_ends=[(2, 1)])).loc["a", "b"]
    np.float64(1.5)
    """
    graph = as_graph(graph)
    pandas = installed_library("pandas")
    names = list(graph.nodes)
    return pandas.DataFrame(graph.adjacency(weight).toarray(), index=names, columns=names)


def from_scipy(matrix: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Return the `Graph` with an edge wherever a symmetric matrix, sparse or dense, is not 0.

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
        raise InputError(f"An adjacency matrix must be square, and this one has shape {shape}.")
    names = default_names(shape[0]) if nodes is None else list(nodes)
    if len(names) != shape[0]:
        raise InputError(f"The matrix has {shape[0]} rows, but {len(names)} nodes are named.")
    entries = coo_array(given)
    entries.sum_duplicates()
    row, column = (index[entries.data != 0].astype(np.int64) for index in entries.coords)
    if not np.array_equal(np.sort(row * shape[0] + column), np.sort(column * shape[0] + row)):
        raise InputError("The adjacency matrix is not symmetric; give matrix + matrix.T.")
    return Graph(names, np.stack((row, column), axis=1)[row <= column])


def to_pandas(graph: GraphLike) -> Any:
    """Return the edge table as a pandas data frame, provenance in its `attrs`.

    Nodes without edges are not in the table: keep `graph.nodes` for `from_pandas`. Annotations are
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
    """Return the `Graph` of a pandas edge table with columns `source` and `target`.

    Nodes are those of the edges in order of appearance, unless `nodes` names them all.

    Examples
    --------
    >>> import pandas
    >>> from_pandas(pandas.DataFrame({"source": ["a"], "target": ["c"]}), nodes="abc").n_nodes
    3
    """
    return _from_frame(table, nodes, table.attrs)


def to_polars(graph: GraphLike) -> Any:
    """Return the edge table as a polars data frame.

    Nodes without edges are not in the table: keep `graph.nodes` for `from_polars`. Annotations are
    the last columns; coupling tables are left out.

    Examples
    --------
    >>> to_polars(Graph("abc", [(0, 2)])).columns[:4]
    ['source', 'target', 'evidence', 'coupling']
    """
    return frame_of(_typed_columns(as_graph(graph)), "polars")


def from_polars(table: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Return the `Graph` of a polars edge table with columns `source` and `target`.

    Nodes are those of the edges in order of appearance, unless `nodes` names them all.

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
            raise InputError(f"The edge table has no column {name!r}; it has {frame.columns}.")
    further = [n for n in annotation_columns(frame.columns) if frame[n].dtype.is_numeric()]
    columns = {}
    for name in (*COLUMNS[:2], *END_COLUMNS, *further):
        if name in frame.columns:
            missing = frame[name].is_null().to_list()
            values = zip(frame[name].to_list(), missing, strict=True)
            columns[name] = [None if gone else value for value, gone in values]
    return graph_from_columns(columns, nodes, about, further)


def _about(graph: Graph) -> dict[str, Any]:
    """Return what is said of the graph as a whole."""
    names = {"annotations": list(graph.annotations)} if graph.annotations else {}
    return {**about_graph(graph), **names}


def _table(attributes: Mapping[str, Any]) -> Any:
    """Return the coupling table of an edge; one without our numbers may call anything a table."""
    if any(name not in attributes for name in END_COLUMNS):
        return None
    table = attributes.get(TABLE)
    try:
        return json.loads(table) if isinstance(table, str) else table
    except json.JSONDecodeError:
        return table  # refused with all that is no table


def _typed_columns(graph: Graph) -> dict[str, NDArray[Any]]:
    """Return the edge table as arrays, whose types do not depend on what is in them."""
    return {
        name: np.array(column, dtype=object if name in COLUMNS[:2] else np.float64)
        for name, column in edge_columns(graph).items()
    }
