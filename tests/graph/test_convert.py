from __future__ import annotations

import sys

import igraph
import networkx
import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from hypothesis import given, settings

from graph.strategies import all_names, graphs, utf8_names, without_tables
from markhood.errors import InputError
from markhood.graph import convert
from markhood.graph.graph import Graph
from messages import refuses

PROVENANCE = {"method": "plrhc", "data": {"samples": 3}}
quick = settings(max_examples=40, deadline=None)


@quick
@given(graphs(all_names))
def test_property_networkx_round_trip(graph: Graph) -> None:
    back = convert.from_networkx(convert.to_networkx(graph))
    assert back == graph
    assert back.provenance == graph.provenance


@quick
@given(graphs(utf8_names))
def test_property_igraph_round_trip(graph: Graph) -> None:
    back = convert.from_igraph(convert.to_igraph(graph))
    assert back == graph
    assert back.provenance == graph.provenance


@quick
@given(graphs(all_names))
def test_property_scipy_round_trip(graph: Graph) -> None:
    back = convert.from_scipy(convert.to_scipy(graph), graph.nodes)
    assert back == Graph(graph.nodes, graph.edges)


@quick
@given(graphs(all_names))
def test_property_pandas_round_trip(graph: Graph) -> None:
    back = convert.from_pandas(convert.to_pandas(graph), graph.nodes)
    assert back == without_tables(graph)
    assert back.provenance == graph.provenance


@quick
@given(graphs(utf8_names))
def test_property_polars_round_trip(graph: Graph) -> None:
    back = convert.from_polars(convert.to_polars(graph), graph.nodes)
    assert back == without_tables(graph)


def test_networkx_attributes() -> None:
    graph = Graph("abc", [(1, 2)], [(1, 2)], [(3, float("inf"))], PROVENANCE)
    other = convert.to_networkx(graph)
    assert list(other) == ["a", "b", "c"]
    assert other.graph["provenance"] == PROVENANCE
    assert other.edges["b", "c"] == {
        "evidence": 3.0,
        "coupling": float("inf"),
        "evidence_source": 1.0,
        "evidence_target": 2.0,
        "coupling_source": 3.0,
        "coupling_target": float("inf"),
    }


TABLE = [[1.0, -1.0], [0.5, -0.5], [-1.5, 1.5]]


@pytest.fixture
def annotated() -> Graph:
    """Return a graph with a numeric coupling, a coupling table and an annotation."""
    return Graph(
        "abc",
        [(0, 1), (1, 2)],
        [(1, 2), (3, 4)],
        [(-1, -2), (2, 3)],
        coupling_tables=[None, TABLE],
        annotations={"share": [1, 0.75]},
    )


def test_annotations_and_tables_are_attributes(annotated: Graph) -> None:
    edges = convert.to_networkx(annotated).edges
    assert edges["a", "b"]["share"] == 1
    assert "table" not in edges["a", "b"]
    assert edges["b", "c"]["table"] == TABLE
    assert edges["b", "c"]["coupling"] == pytest.approx(np.linalg.norm(TABLE))
    assert convert.to_igraph(annotated).es["share"] == [1, 0.75]
    assert convert.to_igraph(annotated).es["table"] == [None, TABLE]
    assert convert.to_pandas(annotated).columns[-1] == "share"
    assert convert.to_polars(annotated)["share"].to_list() == [1, 0.75]
    assert convert.to_scipy(annotated).nnz == 4


def test_annotations_without_edges_keep_their_names() -> None:
    graph = Graph("ab", [], annotations={"share": []})
    assert convert.from_networkx(convert.to_networkx(graph)) == graph
    assert convert.from_igraph(convert.to_igraph(graph)) == graph
    assert convert.from_pandas(convert.to_pandas(graph), "ab") == graph
    assert convert.from_polars(convert.to_polars(graph), "ab") == graph


def test_attributes_of_other_programs_are_ignored() -> None:
    other = networkx.Graph([("a", "b", {"table": "orders", "share": "half"})])
    other.graph["annotations"] = "none"
    assert convert.from_networkx(other) == Graph("ab", [(0, 1)])
    other = igraph.Graph(edges=[(0, 1)], edge_attrs={"table": ["orders"], "share": ["half"]})
    assert convert.from_igraph(other) == Graph(["x0", "x1"], [(0, 1)])
    table = pandas.DataFrame({"source": ["a"], "target": ["b"], "share": [1.0]})
    assert convert.from_pandas(table) == Graph("ab", [(0, 1)])


def test_columns_of_numbers_added_to_an_edge_table_are_annotations(annotated: Graph) -> None:
    table = convert.to_pandas(annotated).assign(weight=[3, 4], comment="fine", **{"a b": 1})
    assert sorted(convert.from_pandas(table).annotations) == ["share", "weight"]


def test_a_damaged_table_is_refused(annotated: Graph) -> None:
    other = convert.to_networkx(annotated)
    other.edges["b", "c"]["table"] = "[[1, 2"
    with refuses("graph-invalid", "coupling_tables"):
        convert.from_networkx(other)


def test_networkx_labels_become_strings() -> None:
    other = networkx.grid_2d_graph(1, 2)
    other.graph["provenance"] = "a friend"
    graph = convert.from_networkx(other)
    assert graph.edge_names() == [("(0, 0)", "(0, 1)")]
    assert graph.provenance == {}
    assert np.isnan(graph.evidence).all()


@pytest.mark.parametrize(
    ("other", "where"),
    [
        (networkx.Graph([(1, "1")]), "1"),
        (networkx.DiGraph([(1, 2)]), ""),
        (networkx.MultiGraph([(1, 2)]), ""),
        (networkx.Graph([(1, 1)]), "edges"),
        (networkx.Graph([(1, 2, {"evidence_source": "much"})]), "evidence_source"),
    ],
)
def test_networkx_graphs_that_are_refused(other: networkx.Graph, where: str) -> None:
    with refuses("graph-invalid", where):
        convert.from_networkx(other)


def test_igraph_without_names() -> None:
    graph = convert.from_igraph(igraph.Graph(n=3, edges=[(2, 0)]))
    assert graph == Graph(["x0", "x1", "x2"], [(0, 2)])


@pytest.mark.parametrize(
    ("other", "where"),
    [
        (igraph.Graph(edges=[(0, 1)], directed=True), ""),
        (igraph.Graph(edges=[(0, 1), (1, 0)]), "0 - 1"),
        (igraph.Graph(edges=[(1, 1)]), "edges"),
    ],
)
def test_igraph_graphs_that_are_refused(other: igraph.Graph, where: str) -> None:
    with refuses("graph-invalid", where):
        convert.from_igraph(other)


@pytest.mark.parametrize("form", [np.array, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_scipy_takes_any_matrix(form) -> None:
    weights = form(np.array([[0, 2.5, 0], [2.5, 0, -1], [0, -1, 0]]))
    assert convert.from_scipy(weights) == Graph(["x0", "x1", "x2"], [(0, 1), (1, 2)])


def test_scipy_ignores_stored_zeros() -> None:
    matrix = scipy.sparse.coo_array(([0, 1, 1], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    assert convert.from_scipy(matrix, "ab") == Graph("ab", [(0, 1)])


@pytest.mark.parametrize(
    ("matrix", "nodes", "where"),
    [
        (np.eye(2), None, "edges"),
        (np.triu(np.ones((3, 3)), 1), None, "matrix"),
        (np.ones((2, 3)), None, "matrix"),
        (np.ones(3), None, "matrix"),
        (np.zeros((2, 2)), "abc", "nodes"),
    ],
)
def test_matrices_that_are_refused(matrix: np.ndarray, nodes: str | None, where: str) -> None:
    with refuses("graph-invalid", where):
        convert.from_scipy(matrix, nodes)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_foreign_tables(frame) -> None:
    back = convert.from_pandas if frame is pandas.DataFrame else convert.from_polars
    table = frame({"target": ["b", "b"], "source": ["c", "a"], "evidence_source": [1, None]})
    graph = back(table)
    assert graph.nodes == ("c", "b", "a")
    np.testing.assert_array_equal(graph.evidence_ends, [[1, np.nan], [np.nan, np.nan]])
    assert back(frame({"source": [1], "target": [2]}), nodes=["2", "1"]).edge_names() == [
        ("2", "1")
    ]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize(
    ("columns", "nodes", "finding"),
    [
        ({"source": ["a"], "to": ["b"]}, None, ("unknown-column", "target")),
        ({"source": ["a", "a"], "target": ["b", None]}, None, ("graph-invalid", "edge 2")),
        ({"source": ["a"], "target": ["b"]}, ["a"], ("graph-invalid", "b")),
        ({"source": ["a"], "target": ["a"]}, None, ("graph-invalid", "edges")),
    ],
)
def test_tables_that_are_refused(frame, columns: dict, nodes, finding: tuple[str, str]) -> None:
    back = convert.from_pandas if frame is pandas.DataFrame else convert.from_polars
    with refuses(*finding):
        back(frame(columns), nodes)


def test_pandas_missing_numbers_are_unknown() -> None:
    numbers = pandas.array([1, None], dtype="Int64")
    table = pandas.DataFrame({"source": "a", "target": ["b", "c"], "coupling_target": numbers})
    assert convert.from_pandas(table).coupling_ends[:, 1].tolist()[0] == 1
    assert np.isnan(convert.from_pandas(table).coupling_ends[1, 1])


def test_empty_tables_keep_their_types() -> None:
    graph = Graph("ab", [])
    assert convert.to_pandas(graph)["evidence"].dtype == np.float64
    assert convert.to_polars(graph).schema["coupling"] == polars.Float64
    assert convert.to_polars(graph).schema["source"] == polars.String


def test_polars_refuses_what_utf8_cannot_hold() -> None:
    with refuses("not-supported", "polars"):
        convert.to_polars(Graph(["a\udc80", "b"], [(0, 1)]))


@pytest.mark.parametrize("library", ["igraph", "pandas", "polars"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"pip install 'markhood\[{library}\]'"):
        getattr(convert, f"to_{library}")(Graph("ab", [(0, 1)]))
