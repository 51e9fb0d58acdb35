"""GraphML and GEXF, for Gephi, Cytoscape, yEd and networkx.

Written here, because networkx does not store provenance in GEXF and writes infinities in GraphML as
Python spells them; read by networkx, which supports the dialects of other programs. The name of a
node is its id; its label, which Gephi shows, also has the number of grouped columns. Provenance and
levels are JSON text: graph attributes in GraphML, the description in GEXF. A coupling table is JSON
text too, an attribute of its edge; all other attributes of edges are numbers. The declarations in
the head tell which of them are annotations.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from markhood.graph.columns import COLUMNS, TABLE, annotation_columns
from markhood.graph.convert import from_networkx
from markhood.graph.edge_table import (
    about_graph,
    as_mapping,
    node_attributes,
    number_columns,
    table_column,
)
from markhood.graph.graph import Graph
from markhood.output.graphs.edge_list import require_names_without

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(graph: Graph) -> bytes:
    """Return a graph as GraphML.

    Examples
    --------
    >>> b'<edge source="a" target="b">' in to_graphml(Graph("ab", [(0, 1)]))
    True
    """
    require_names_without(_NOT_XML, graph, "GraphML", ".json")
    root = Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    about = about_graph(graph)
    kinds = [*(("graph", name, "string") for name in about), ("node", "label", "string")]
    kinds += [("node", name, "string") for name in graph.node_columns]
    kinds += [("edge", name, kind) for name, kind in _kinds(graph).items()]
    for owner, name, kind in kinds:
        key = {"id": name, "for": owner, "attr.name": name, "attr.type": kind}
        SubElement(root, "key", key)
    body = SubElement(root, "graph", edgedefault="undirected")
    for name, value in about.items():
        SubElement(body, "data", key=name).text = json.dumps(value)
    described = _described(graph)
    for name, label in zip(graph.nodes, graph.variables.labels, strict=True):
        node = SubElement(body, "node", id=name)
        for column, text in {"label": label, **described[name]}.items():
            SubElement(node, "data", key=column).text = text
    for (a, b), attributes in zip(graph.edge_names(), _attributes(graph), strict=True):
        edge = SubElement(body, "edge", source=a, target=b)
        for name, text in attributes.items():
            SubElement(edge, "data", key=name).text = text
    return _document(root)


def to_gexf(graph: Graph) -> bytes:
    """Return a graph as GEXF 1.2.

    Examples
    --------
    >>> b'<node id="a" label="a" />' in to_gexf(Graph("ab", [(0, 1)]))
    True
    """
    require_names_without(_NOT_XML, graph, "GEXF", ".json")
    root = Element("gexf", xmlns="http://www.gexf.net/1.2draft", version="1.2")
    meta = SubElement(root, "meta")
    SubElement(meta, "creator").text = "markhood"
    SubElement(meta, "description").text = json.dumps(about_graph(graph))
    body = SubElement(root, "graph", defaultedgetype="undirected", mode="static")
    declared = SubElement(body, "attributes", {"class": "edge", "mode": "static"})
    for name, kind in _kinds(graph).items():
        SubElement(declared, "attribute", id=name, title=name, type=kind)
    if graph.node_columns:
        titles = SubElement(body, "attributes", {"class": "node", "mode": "static"})
        for name in graph.node_columns:
            SubElement(titles, "attribute", id=name, title=name, type="string")
    nodes, described = SubElement(body, "nodes"), _described(graph)
    for name, label in zip(graph.nodes, graph.variables.labels, strict=True):
        _with_values(SubElement(nodes, "node", id=name, label=label), described[name])
    edges = SubElement(body, "edges")
    rows = zip(graph.edge_names(), _attributes(graph), strict=True)
    for row, ((a, b), attributes) in enumerate(rows):
        _with_values(SubElement(edges, "edge", id=str(row), source=a, target=b), attributes)
    return _document(root)


def _described(graph: Graph) -> dict[str, dict[str, str]]:
    """Return the descriptions of the nodes, without characters that XML cannot represent."""
    return {
        node: {name: _NOT_XML.sub("", text) for name, text in own.items()}
        for node, own in node_attributes(graph).items()
    }


def _with_values(element: Element, attributes: dict[str, str]) -> None:
    if attributes:
        values = SubElement(element, "attvalues")
        for name, text in attributes.items():
            SubElement(values, "attvalue", {"for": name, "value": text})


def from_graphml(content: bytes) -> Graph:
    """Return the graph of a GraphML document.

    Examples
    --------
    >>> from_graphml(to_graphml(Graph("ab", [(0, 1)]))).edge_names()
    [('a', 'b')]
    """
    import networkx  # type: ignore[import-untyped]

    found = networkx.read_graphml(io.BytesIO(content))
    keys = ElementTree.fromstring(content).iterfind("{*}key[@for='edge']")
    declared = [(key.get("attr.name", ""), key.get("attr.type")) for key in keys]
    found.graph["annotations"] = _declared_annotations(declared)
    return from_networkx(found)


def from_gexf(content: bytes) -> Graph:
    """Return the graph of a GEXF document.

    Examples
    --------
    >>> from_gexf(to_gexf(Graph("ab", [(0, 1)]))).edge_names()
    [('a', 'b')]
    """
    import networkx

    found = networkx.read_gexf(io.BytesIO(content))
    root = ElementTree.fromstring(content)
    # networkx does not read the description; that of another program is ignored.
    found.graph |= as_mapping(root.findtext("{*}meta/{*}description")) or {}
    titles = root.iterfind("{*}graph/{*}attributes[@class='edge']/{*}attribute")
    declared = [(title.get("title", ""), title.get("type")) for title in titles]
    found.graph["annotations"] = _declared_annotations(declared)
    return from_networkx(found)


def _kinds(graph: Graph) -> dict[str, str]:
    """Return the name and type of the attributes of edges."""
    tables = {TABLE: "string"} if graph.coupling_tables else {}
    return {**dict.fromkeys(number_columns(graph), "double"), **tables}


def _attributes(graph: Graph) -> Iterator[dict[str, str]]:
    """Yield the attributes of every edge as text."""
    numbers = number_columns(graph)
    for row, table in enumerate(table_column(graph)):
        attributes = {name: _spelled(column[row]) for name, column in numbers.items()}
        yield attributes if table is None else {**attributes, TABLE: json.dumps(table)}


def _declared_annotations(declared: list[tuple[str, str | None]]) -> list[str]:
    names = [name for name, kind in declared if kind == "double"]
    return annotation_columns([*COLUMNS[:2], *names])


def _spelled(number: float) -> str:
    """Spell a number as XML Schema does."""
    if math.isnan(number):
        return "NaN"
    return repr(number).replace("inf", "INF")


def _document(root: Element) -> bytes:
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text
