"""GraphML and GEXF, for Gephi, Cytoscape, yEd and networkx.

Written here, because networkx has no place for provenance in GEXF and writes infinities in
GraphML as Python spells them; read by networkx, which knows other programs' dialects. A node's
name is its id, and its label, which Gephi shows. Provenance is JSON text: a graph attribute in
GraphML, the description in GEXF.
"""

from __future__ import annotations

import io
import json
import math
import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from markhood.graph.convert import from_networkx
from markhood.graph.edge_table import NUMBER_COLUMNS, number_columns
from markhood.graph.graph import Graph
from markhood.output.names import require_names_without

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
    kinds = [("graph", "provenance", "string"), ("node", "label", "string")]
    kinds += [("edge", name, "double") for name in NUMBER_COLUMNS]
    for owner, name, kind in kinds:
        key = {"id": name, "for": owner, "attr.name": name, "attr.type": kind}
        SubElement(root, "key", key)
    body = SubElement(root, "graph", edgedefault="undirected")
    SubElement(body, "data", key="provenance").text = json.dumps(dict(graph.provenance))
    for name in graph.nodes:
        SubElement(SubElement(body, "node", id=name), "data", key="label").text = name
    numbers = number_columns(graph)
    for row, (a, b) in enumerate(graph.edge_names()):
        edge = SubElement(body, "edge", source=a, target=b)
        for name, column in numbers.items():
            SubElement(edge, "data", key=name).text = _spelled(column[row])
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
    SubElement(meta, "description").text = json.dumps(dict(graph.provenance))
    body = SubElement(root, "graph", defaultedgetype="undirected", mode="static")
    attributes = SubElement(body, "attributes", {"class": "edge", "mode": "static"})
    for name in NUMBER_COLUMNS:
        SubElement(attributes, "attribute", id=name, title=name, type="double")
    nodes = SubElement(body, "nodes")
    for name in graph.nodes:
        SubElement(nodes, "node", id=name, label=name)
    edges = SubElement(body, "edges")
    numbers = number_columns(graph)
    for row, (a, b) in enumerate(graph.edge_names()):
        edge = SubElement(edges, "edge", id=str(row), source=a, target=b)
        values = SubElement(edge, "attvalues")
        for name, column in numbers.items():
            SubElement(values, "attvalue", {"for": name, "value": _spelled(column[row])})
    return _document(root)


def from_graphml(content: bytes) -> Graph:
    """Return the graph of a GraphML document.

    Examples
    --------
    >>> from_graphml(to_graphml(Graph("ab", [(0, 1)]))).edge_names()
    [('a', 'b')]
    """
    import networkx  # type: ignore[import-untyped]

    return from_networkx(networkx.read_graphml(io.BytesIO(content)))


def from_gexf(content: bytes) -> Graph:
    """Return the graph of a GEXF document.

    Examples
    --------
    >>> from_gexf(to_gexf(Graph("ab", [(0, 1)]))).edge_names()
    [('a', 'b')]
    """
    import networkx

    found = networkx.read_gexf(io.BytesIO(content))
    # networkx passes the description by; from_networkx ignores one that is not our JSON.
    found.graph["provenance"] = ElementTree.fromstring(content).findtext("{*}meta/{*}description")
    return from_networkx(found)


def _spelled(number: float) -> str:
    """Spell a number as XML Schema does."""
    if math.isnan(number):
        return "NaN"
    return repr(number).replace("inf", "INF")


def _document(root: Element) -> bytes:
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text
