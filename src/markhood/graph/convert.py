"""Graphs to and from what other libraries hold: networkx, igraph, scipy, pandas, polars.

Each `from_` takes back what its `to_` made, to an equal graph, and also takes graphs that were
never ours: their edges have unknown evidence and coupling. What a `Graph` cannot be (directed,
with loops or parallel edges) is refused rather than simplified behind the user's back.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.errors import InputError
from markhood.graph.edge_table import (
    COLUMNS,
    END_COLUMNS,
    edge_columns,
    graph_from_columns,
    number_columns,
)
from markhood.graph.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def to_networkx(graph: Graph) -> Any:
    """Return a `networkx.Graph` with the numbers as edge attributes, provenance in `.graph`.

    In the attributes, `source` is the end that comes first among the nodes.

    Examples
    --------
    >>> to_networkx(Graph("abc", [(0, 2)], evidence_ends=[(1, 2)])).edges["a", "c"]["evidence"]
    3.0
    """
    import networkx  # type: ignore[import-untyped]

    result = networkx.Graph(provenance=dict(graph.provenance))
    result.add_nodes_from(graph.nodes)
    numbers = number_columns(graph)
    result.add_edges_from(
        (a, b, {name: column[row] for name, column in numbers.items()})
        for row, (a, b) in enumerate(graph.edge_names())
    )
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
    columns = {
        "source": [a for a, _, _ in edges],
        "target": [b for _, b, _ in edges],
        **{name: [attributes.get(name) for _, _, attributes in edges] for name in END_COLUMNS},
    }
    return graph_from_columns(columns, graph.nodes, _provenance(graph.graph.get("provenance")))


def to_igraph(graph: Graph) -> Any:
    """Return an `igraph.Graph`: `name` of vertices, the numbers of edges, `provenance`.

    Examples
    --------
    >>> to_igraph(Graph("abc", [(0, 2)])).vs["name"]
    ['a', 'b', 'c']
    """
    igraph = _optional("igraph")
    return igraph.Graph(
        n=graph.n_nodes,
        edges=graph.edges.tolist(),
        vertex_attrs={"name": list(graph.nodes)},
        edge_attrs=number_columns(graph),
        graph_attrs={"provenance": dict(graph.provenance)},
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
    names = [str(name) for name in graph.vs["name"]] if named else _default_names(count)
    # igraph may turn an undirected edge round; our source is always the lower number.
    edges = [sorted(edge) for edge in graph.get_edgelist()]
    known = {name: graph.es[name] for name in END_COLUMNS if name in graph.edge_attributes()}
    columns = {"source": [i for i, _ in edges], "target": [j for _, j in edges], **known}
    numbered = graph_from_columns(columns, range(count))
    origin = graph["provenance"] if "provenance" in graph.attributes() else None
    return Graph(
        names, numbered.edges, numbered.evidence_ends, numbered.coupling_ends, _provenance(origin)
    )


def to_scipy(graph: Graph) -> csr_array:
    """Return the adjacency matrix, a scipy `csr_array` of bool: `Graph.adjacency`.

    Examples
    --------
    >>> to_scipy(Graph("abc", [(0, 2)])).nnz
    2
    """
    return graph.adjacency()


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
    names = _default_names(shape[0]) if nodes is None else list(nodes)
    if len(names) != shape[0]:
        raise InputError(f"The matrix has {shape[0]} rows, but {len(names)} nodes are named.")
    entries = coo_array(given)
    entries.sum_duplicates()
    row, column = (index[entries.data != 0].astype(np.int64) for index in entries.coords)
    if not np.array_equal(np.sort(row * shape[0] + column), np.sort(column * shape[0] + row)):
        raise InputError("The adjacency matrix is not symmetric; give matrix + matrix.T.")
    return Graph(names, np.stack((row, column), axis=1)[row <= column])


def to_pandas(graph: Graph) -> Any:
    """Return the edge table as a pandas data frame, provenance in its `attrs`.

    Nodes without edges are not in the table: keep `graph.nodes` for `from_pandas`.

    Examples
    --------
    >>> to_pandas(Graph("abc", [(0, 2)]))[["source", "target"]].values.tolist()
    [['a', 'c']]
    """
    pandas = _optional("pandas")
    # The type is said, not guessed: names stay as they are, an empty column stays one of numbers.
    types = {name: object if name in COLUMNS[:2] else "float64" for name in COLUMNS}
    columns = edge_columns(graph)
    table = pandas.DataFrame(
        {name: pandas.Series(columns[name], dtype=types[name]) for name in types}
    )
    table.attrs["provenance"] = dict(graph.provenance)
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
    return _from_frame(table, nodes, _provenance(table.attrs.get("provenance")))


def to_polars(graph: Graph) -> Any:
    """Return the edge table as a polars data frame.

    Nodes without edges are not in the table: keep `graph.nodes` for `from_polars`.

    Examples
    --------
    >>> to_polars(Graph("abc", [(0, 2)])).columns[:4]
    ['source', 'target', 'evidence', 'coupling']
    """
    polars = _optional("polars")
    types = {name: polars.String if name in COLUMNS[:2] else polars.Float64 for name in COLUMNS}
    try:
        return polars.DataFrame(edge_columns(graph), schema=types)
    except UnicodeEncodeError as error:
        raise InputError(f"Polars cannot hold a node's name: {error}.") from None


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


def _from_frame(
    table: Any, nodes: Iterable[str] | None, provenance: Mapping[str, Any] | None
) -> Graph:
    import narwhals

    frame = narwhals.from_native(table, eager_only=True)
    for name in ("source", "target"):
        if name not in frame.columns:
            raise InputError(f"The edge table has no column {name!r}; it has {frame.columns}.")
    columns = {}
    for name in (*COLUMNS[:2], *END_COLUMNS):
        if name in frame.columns:
            missing = frame[name].is_null().to_list()
            values = zip(frame[name].to_list(), missing, strict=True)
            columns[name] = [None if gone else value for value, gone in values]
    return graph_from_columns(columns, nodes, provenance)


def _provenance(found: Any) -> Mapping[str, Any] | None:
    """Our provenance, kept as a mapping or (by formats that hold text only) as JSON."""
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except json.JSONDecodeError:
            return None
    return found if isinstance(found, Mapping) else None


def _default_names(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]


def _optional(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise InputError(
            f"The library {library} is not installed: pip install 'markhood[{library}]'."
        ) from None
