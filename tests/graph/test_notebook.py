from __future__ import annotations

from html.parser import HTMLParser

from markhood.graph.graph import Graph


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(graph: Graph) -> list[str]:
    reader = Reader()
    reader.feed(graph._repr_html_())
    reader.close()
    assert reader.open == []
    return reader.texts


def test_says_what_the_graph_is_and_where_it_came_from() -> None:
    graph = Graph(
        ["rain", "wet", "sun", "alone"],
        [(0, 1), (1, 2)],
        evidence_ends=[(1, 2), (30, 31.5)],
        coupling_ends=[(1, 2), (-float("inf"), -1)],
        provenance={"method": "plrhc", "parameters": {"gamma": 0.5}, "data": {"samples": 80}},
    )
    texts = read(graph)
    for text in ("0 to 2, mean 1", "2, the largest of 3 nodes", "plrhc", "gamma 0.5", "samples 80"):
        assert text in texts
    texts = texts[texts.index("edge") :]  # after the picture
    at = texts.index("61.5")
    assert texts[at - 2 : at + 2] == ["wet", "sun", "61.5", "-∞"]
    assert at < texts.index("rain")


def test_tables_have_no_sign_and_annotations_are_columns() -> None:
    graph = Graph(
        "abc",
        [(0, 1), (1, 2)],
        evidence_ends=[(4, 4), (1, 2)],
        coupling_ends=[(1, 2), (2, 2)],
        coupling_tables=[None, [[1, -1], [-1, 1]]],
        annotations={"share": [1, 0.75], "evidence_variance": [0, 0.1234]},
        provenance={"imputation": {"missing": 7, "sets": 5, "seed": 0}},
    )
    texts = read(graph)
    assert "missing 7, sets 5, seed 0" in texts
    at = texts.index("edge")
    assert texts[at + 1 : at + 5] == ["evidence", "coupling", "share", "evidence variance"]
    assert texts[at + 5 : at + 11] == ["a", "b", "8.0", "+1.50", "1", "0"]
    assert texts[at + 11 :] == ["b", "c", "3.0", "2.00", "0.75", "0.123"]


def test_names_are_escaped_and_unknown_numbers_are_marked() -> None:
    name = "<script>alert('&amp;')</script>"
    graph = Graph([name, "b\udc80"], [(0, 1)], provenance={"method": "<b>"})
    texts = read(graph)
    assert name in texts
    assert "<b>" in texts
    assert texts.count("?") == 2
    graph._repr_html_().encode("utf-8")


def test_long_graphs_show_the_strongest_edges_only() -> None:
    names = [f"x{i}" for i in range(20)]
    graph = Graph(names, [(0, i) for i in range(1, 20)])
    assert "the 10 edges with the most evidence of 19" in read(graph)
    assert len(graph._repr_html_()) < 15_000
