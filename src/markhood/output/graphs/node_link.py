"""JSON in the node-link layout, which networkx and D3 read.

Strict JSON does not have infinity and NaN: both become null. An edge with an infinite end has
the signs in another field: `"infinite": {"coupling_source": -1}`. Annotations are fields of edges,
and the graph lists them; a coupling table is the field `table`, nested lists with a row for each
level of the source.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from markhood.errors import InputError
from markhood.graph.columns import END_COLUMNS, TABLE, annotation_names
from markhood.graph.edge_table import (
    about_graph,
    edge_columns,
    graph_from_columns,
    node_attributes,
    table_column,
)
from markhood.graph.graph import Graph
from markhood.output.graphs.edge_list import require_names_without

# JSON writes a lone surrogate as \udc80, but a high one before a low one reads as one character.
_SPLIT_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
SUMS = ("evidence", "coupling")  # given by the ends


def to_bytes(graph: Graph) -> bytes:
    """Return a graph as node-link JSON.

    Examples
    --------
    >>> document = json.loads(to_bytes(Graph("ab", [(0, 1)], coupling_ends=[(2, float("inf"))])))
    >>> document["edges"][0]["coupling"], document["edges"][0]["infinite"]
    (None, {'coupling_target': 1})
    """
    require_names_without(_SPLIT_PAIR, graph, "JSON", ".npz")
    columns = edge_columns(graph)
    rows = zip(*columns.values(), strict=True)
    further = {"annotations": list(graph.annotations)} if graph.annotations else {}
    members, described = graph.members, node_attributes(graph)
    document = {
        "directed": False,
        "multigraph": False,
        "graph": {**about_graph(graph), **further},
        "nodes": [_node(name, members.get(name)) | described[name] for name in graph.nodes],
        "edges": [
            _edge(dict(zip(columns, row, strict=True)), table)
            for row, table in zip(rows, table_column(graph), strict=True)
        ],
    }
    return json.dumps(document, allow_nan=False).encode("ascii")


def from_bytes(content: bytes) -> Graph:
    """Return the graph of node-link JSON, written by markhood or another program.

    Examples
    --------
    >>> from_bytes(b'{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}')
    <Graph: 2 nodes, 1 edges; mean degree 1, at most 1>
    """
    document = json.loads(content)
    if isinstance(document, dict) and "format" in document:  # a model: see output.model_files
        document = document.get("graph")
    if not isinstance(document, dict) or "nodes" not in document:
        raise InputError("file-format", "", "it is not a graph in node-link layout.")
    if document.get("directed") or document.get("multigraph"):
        raise InputError("not-supported", "", "it is a directed graph or a multigraph.")
    # D3 calls the edges "links", and so did networkx before version 3.4.
    edges = document["edges"] if "edges" in document else document["links"]
    about = document.get("graph", {})
    further = annotation_names(about.get("annotations"))
    columns = {name: [edge[name] for edge in edges] for name in ("source", "target")}
    for name in (*END_COLUMNS, *further):
        columns[name] = [_number(edge, name) for edge in edges]
    tables = [edge.get(TABLE) if edge.keys() >= set(END_COLUMNS) else None for edge in edges]
    nodes = [node["id"] for node in document["nodes"]]
    return graph_from_columns(columns, nodes, about, further, tables)


def _node(name: str, members: tuple[str, ...] | None) -> dict[str, Any]:
    """Return a node with the columns that it represents; these are read from `variables`."""
    return {"id": name, "members": list(members)} if members else {"id": name}


def _edge(fields: dict[str, Any], table: list[list[float]] | None) -> dict[str, Any]:
    infinite = {
        name: 1 if value > 0 else -1
        for name, value in fields.items()
        if name not in SUMS and isinstance(value, float) and math.isinf(value)
    }
    strict = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in fields.items()
    }
    if infinite:
        strict["infinite"] = infinite
    if table is not None:
        strict[TABLE] = table
    return strict


def _number(edge: dict[str, Any], name: str) -> float | None:
    sign = edge.get("infinite", {}).get(name)
    return edge.get(name) if sign is None else math.copysign(math.inf, sign)
