from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.strategies import graphs
from markhood.graph.graph import Graph
from messages import refuses

INF, NAN = float("inf"), float("nan")


@pytest.fixture
def path() -> Graph:
    return Graph(
        ["a", "b", "c", "d"],
        [(2, 1), (0, 1)],
        evidence_ends=[(3, 4), (1, 2)],
        coupling_ends=[(0.5, -INF), (1, 2)],
        provenance={"method": "plrhc", "parameters": {"gamma": 0.5}},
    )


def test_edges_are_turned_and_sorted_with_their_numbers(path: Graph) -> None:
    assert path.nodes == ("a", "b", "c", "d")
    assert path.edges.dtype == np.int64
    assert path.edges.tolist() == [[0, 1], [1, 2]]
    assert path.evidence_ends.tolist() == [[1, 2], [4, 3]]
    assert path.evidence.tolist() == [3, 7]
    assert path.coupling_ends.tolist() == [[1, 2], [-INF, 0.5]]
    assert path.coupling.tolist() == [1.5, -INF]


def test_shape_and_neighbours(path: Graph) -> None:
    assert (path.n_nodes, path.n_edges) == (4, 2)
    assert path.degree.tolist() == [1, 2, 1, 0]
    assert path.neighbours("b") == path.neighbours(1) == ("a", "c")
    assert path.neighbours(np.int32(3)) == ()
    assert path.has_edge("b", "a")
    assert path.has_edge(1, 2)
    assert not path.has_edge("a", "c")
    assert not path.has_edge("a", "a")
    assert path.edge_names() == [("a", "b"), ("b", "c")]
    assert path.components() == [("a", "b", "c"), ("d",)]


def test_adjacency_is_boolean_and_symmetric(path: Graph) -> None:
    adjacency = path.adjacency()
    assert (adjacency.format, adjacency.dtype, adjacency.shape) == ("csr", np.bool_, (4, 4))
    expected = np.zeros((4, 4), dtype=bool)
    expected[[0, 1, 1, 2], [1, 0, 2, 1]] = True
    np.testing.assert_array_equal(adjacency.toarray(), expected)


def test_strongest_puts_ties_in_order_and_the_unknown_last() -> None:
    ends = [(NAN, 1), (2, 2), (1, 3), (5, 5)]
    graph = Graph("abcd", [(0, 1), (0, 2), (0, 3), (1, 2)], evidence_ends=ends)
    assert graph.strongest(3).tolist() == [3, 1, 2]
    assert graph.strongest(99).tolist() == [3, 1, 2, 0]


def test_numbers_are_unknown_by_default() -> None:
    graph = Graph("ab", [(0, 1)])
    assert np.isnan(graph.evidence).all()
    assert np.isnan(graph.coupling).all()
    assert graph.provenance == {}


def test_opposite_infinities_have_no_mean() -> None:
    graph = Graph("ab", [(0, 1)], coupling_ends=[(INF, -INF)], evidence_ends=[(INF, -INF)])
    assert np.isnan(graph.coupling).all()
    assert np.isnan(graph.evidence).all()


def test_nothing_can_be_changed(path: Graph) -> None:
    edges = np.array([[0, 1]])
    graph = Graph("ab", edges, provenance={"data": {"samples": 3}})
    edges[0] = 7
    assert graph.edges.tolist() == [[0, 1]]
    for array in (path.edges, path.evidence_ends, path.coupling_ends):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        path.nodes = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        path.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        graph.provenance["data"] = 1  # type: ignore[index]
    graph.provenance["data"]["samples"] = 4
    assert graph.provenance["data"]["samples"] == 3


def test_equality_is_of_content_without_provenance(path: Graph) -> None:
    same = Graph(
        path.nodes,
        [(0, 1), (1, 2)],
        evidence_ends=[(1, 2), (4, 3)],
        coupling_ends=[(1, 2), (-INF, 0.5)],
    )
    assert path == same
    assert hash(path) == hash(same)
    assert path != Graph(path.nodes, path.edges, path.evidence_ends)
    assert path != Graph("abdc", path.edges, path.evidence_ends, path.coupling_ends)
    assert path != Graph(path.nodes, path.edges[:1])
    assert path != "path"
    zeros = Graph("ab", [(0, 1)], [(0.0, NAN)]), Graph("ab", [(0, 1)], [(-0.0, NAN)])
    assert zeros[0] == zeros[1]
    assert hash(zeros[0]) == hash(zeros[1])


def test_copies_are_equal_and_read_only(path: Graph) -> None:
    for other in (pickle.loads(pickle.dumps(path)), copy.deepcopy(path)):
        assert other == path
        assert other.provenance == path.provenance
        assert not other.edges.flags.writeable


@pytest.mark.parametrize("nodes", [[], ["only"]])
def test_graphs_without_edges(nodes: list[str]) -> None:
    graph = Graph(nodes, [])
    assert graph.edges.shape == graph.evidence_ends.shape == (0, 2)
    assert graph.degree.tolist() == [0] * len(nodes)
    assert graph.components() == [(name,) for name in nodes]
    assert graph.adjacency().shape == (len(nodes), len(nodes))
    assert graph.strongest(3).size == 0
    assert str(len(nodes)) in repr(graph)
    assert "<table" in graph._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ((["a", "b", "a"], []), "a"),
        ((["a", 1], []), "nodes"),
        (("ab", [(0, 2)]), "edges"),
        (("ab", [(-1, 0)]), "edges"),
        (("ab", [(1, 1)]), "edges"),
        (("ab", [(0, 1), (1, 0)]), "a - b"),
        (("ab", [(0.0, 1.0)]), "edges"),
        (("ab", [(0, 1, 1)]), "edges"),
        (("ab", [(0, 1), (1,)]), "edges"),
        (("ab", [("a", "b")]), "edges"),
        (("ab", [(0, 1)], [1, 2]), "evidence_ends"),
        (("ab", [(0, 1)], None, [("x", 2)]), "coupling_ends"),
        (("ab", [], None, None, {"when": object()}), "provenance"),
        (("ab", [], None, None, {"gamma": NAN}), "provenance"),
        (("ab", [(0, 1)], None, None, None, [None, None]), "coupling_tables"),
        (("ab", [(0, 1)], None, None, None, [[1, 2]]), "coupling_tables"),
        (("ab", [(0, 1)], None, None, None, [[[1, 2], [3]]]), "coupling_tables"),
        (("ab", [(0, 1)], None, None, None, [[[1, 2], [3, INF]]]), "coupling_tables"),
        (("ab", [(0, 1)], None, None, None, ["table"]), "coupling_tables"),
        (("ab", [(0, 1)], None, None, None, (), {"share": [1, 2]}), "share"),
        (("ab", [(0, 1)], None, None, None, (), {"share": ["x"]}), "share"),
        (("ab", [(0, 1)], None, None, None, (), {"coupling": [1]}), "coupling"),
        (("ab", [(0, 1)], None, None, None, (), {"a b": [1]}), "a b"),
        (("ab", [(0, 1)], None, None, None, (), {3: [1]}), "3"),
    ],
)
def test_inconsistent_arguments_are_refused(arguments: tuple, where: str) -> None:
    with refuses("graph-invalid", where):
        Graph(*arguments)


def test_unknown_nodes_are_refused(path: Graph) -> None:
    with refuses("graph-unknown", "z"):
        path.neighbours("z")
    for number in (-1, 4):
        with refuses("graph-unknown", str(number)):
            path.has_edge(0, number)


def test_repr_is_one_line(path: Graph) -> None:
    assert repr(path) == (
        "<Graph: 4 nodes, 2 edges; mean degree 1, at most 2; strongest 'b' - 'c' (evidence 7)>"
    )


def test_edges_may_be_any_iterable_of_pairs() -> None:
    expected = Graph("abc", [(0, 1), (1, 2)])
    assert Graph(iter("abc"), {(1, 0), (2, 1)}) == expected
    assert Graph("abc", ((i, i + 1) for i in range(2))) == expected
    assert Graph(np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2]], dtype=np.uint8)) == expected


def test_importing_graphs_imports_little() -> None:
    heavy = ["scipy", "networkx", "igraph", "pandas", "polars", "narwhals"]
    code = f"import markhood.graph.convert, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


@settings(max_examples=50, deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_property_order_and_direction_of_edges_do_not_matter(graph: Graph, random) -> None:
    rows = list(range(graph.n_edges))
    random.shuffle(rows)
    turn = [random.choice([1, -1]) for _ in rows]
    edges, evidence, coupling = (
        [array[row][::step] for row, step in zip(rows, turn, strict=True)]
        for array in (graph.edges, graph.evidence_ends, graph.coupling_ends)
    )
    tables = graph.coupling_tables and [
        table if table is None or step > 0 else table.T
        for table, step in zip((graph.coupling_tables[row] for row in rows), turn, strict=True)
    ]
    annotations = {name: numbers[rows] for name, numbers in graph.annotations.items()}
    again = Graph(graph.nodes, edges, evidence, coupling, None, tables, annotations)
    assert again == graph


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_property_views_agree(graph: Graph) -> None:
    adjacency = graph.adjacency().toarray()
    assert (adjacency == adjacency.T).all()
    assert graph.degree.sum() == adjacency.sum() == 2 * graph.n_edges
    for i, name in enumerate(graph.nodes):
        expected = tuple(graph.nodes[j] for j in np.flatnonzero(adjacency[i]))
        assert graph.neighbours(name) == graph.neighbours(i) == expected
    parts = graph.components()
    assert sorted(name for part in parts for name in part) == sorted(graph.nodes)
    assert [len(part) for part in parts] == sorted(map(len, parts), reverse=True)
    assert "\n" not in repr(graph)
    graph._repr_html_().encode("utf-8")
    json.dumps(dict(graph.provenance))
