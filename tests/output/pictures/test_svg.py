from xml.etree import ElementTree

import numpy as np
import pytest

from markhood import Graph, simulate
from markhood.output.pictures.marks import ATTRACTION, REPULSION
from markhood.output.pictures.svg import MAX_NODES, network_svg


def parsed(graph):
    return ElementTree.fromstring(network_svg(graph))


def test_every_edge_and_node_is_drawn_inside():
    graph = simulate.hub(64)
    picture = parsed(graph)
    assert len(picture.findall("line")) == graph.n_edges
    assert len(picture.findall("circle")) == 64
    assert not picture.findall("text")
    for disc in picture.findall("circle"):
        assert 0 < float(disc.get("cx")) < float(picture.get("width"))
        assert 0 < float(disc.get("cy")) < float(picture.get("height"))


def test_signs_and_hostile_names():
    names = ["<script>", "a & b", '"']
    graph = Graph(names, [(0, 1), (1, 2)], coupling_ends=[(1, 1), (-np.inf, -2)])
    picture = parsed(graph)
    lines = {line.get("stroke"): line for line in picture.findall("line")}
    assert lines[REPULSION].get("stroke-dasharray")
    assert not lines[ATTRACTION].get("stroke-dasharray")
    assert [text.text for text in picture.findall("text")] == names
    assert "<script>" in graph._repr_html_().replace("&lt;", "<").replace("&gt;", ">")
    assert "<script>" not in graph._repr_html_()
    assert "<svg" in graph._repr_html_()


@pytest.mark.parametrize("graph", [Graph([], []), Graph("ab", []), simulate.chain(MAX_NODES + 1)])
def test_nothing_to_see_is_no_picture(graph):
    assert network_svg(graph) == ""
