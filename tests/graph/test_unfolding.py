"""Graphs of groups: names of members, unfolding, files and other libraries."""

import numpy as np
import pytest

from markhood.data.variables import Member, Variables, described_variables
from markhood.evaluate.measures import compare, edge_outcomes, folded
from markhood.graph.convert import from_igraph, from_networkx, to_igraph, to_networkx
from markhood.graph.graph import Graph
from markhood.graph.notebook import graph_html
from markhood.output.graphs.files import read_graph, write_graph
from messages import refuses

LEVELS = ((0, 1), ("no", "yes"), ("x", "y", "z"))
MEMBERS = (
    (Member("a2", 1, ("A", "G"), False), Member("a3", 4, ("C", "T"), True)),
    (Member("b2", 3, ("n", "y"), True),),
    (),
)
TABLE = np.array([[1.0, -1, 0], [-1, 1, 0]])
GROUPS = Graph(
    Variables(("a", "b", "c"), LEVELS, members=MEMBERS),
    [(0, 1), (1, 2)],
    [(1, 2), (3, 4)],
    [(2, 1), (1.5, 1.5)],
    {"method": "plrhc"},
    [None, TABLE],
    {"coupling_low": [1, np.nan], "coupling_high": [2, np.nan], "probability": [0.5, 0.6]},
)


@pytest.mark.parametrize("ending", ["json", "graphml", "gexf", "npz", "csv"])
def test_property_files_keep_members(tmp_path, ending):
    path = tmp_path / f"graph.{ending}"
    write_graph(GROUPS, path)
    back = read_graph(path)
    assert back == GROUPS
    assert back.variables.members == MEMBERS
    assert back.unfold() == GROUPS.unfold()


@pytest.mark.parametrize(
    ("there", "back"), [(to_networkx, from_networkx), (to_igraph, from_igraph)]
)
def test_property_other_libraries_keep_members(there, back):
    assert back(there(GROUPS)).variables == GROUPS.variables


def test_example_a_member_is_found_by_its_name():
    assert GROUPS.number("a3") == 0
    assert GROUPS.neighbours("b2") == ("a", "c")
    assert GROUPS.has_edge("a2", "b2")
    assert dict(GROUPS.members) == {"a": ("a2", "a3"), "b": ("b2",)}
    assert GROUPS.variables.labels == ("a (+2)", "b (+1)", "c")


def test_example_unfolded_members_have_the_edges_of_their_group():
    whole = GROUPS.unfold()
    assert whole.nodes == ("a", "a2", "b", "b2", "a3", "c")
    assert whole.variables.levels == (
        (0, 1),
        ("A", "G"),
        ("no", "yes"),
        ("n", "y"),
        ("C", "T"),
        ("x", "y", "z"),
    )
    assert whole.n_edges == 3 * 2 + 2 * 1 + 3 + 1
    assert GROUPS.unfold(join=False).n_edges == 3 * 2 + 2 * 1
    names = whole.edge_names()

    def of(a, b):
        return names.index((a, b))

    assert whole.coupling[of("a", "b")] == 1.5
    assert whole.coupling[of("a", "b2")] == -1.5
    assert whole.coupling[of("b2", "a3")] == 1.5  # both ends reversed
    assert whole.evidence[of("a", "b2")] == 3
    assert np.isnan(whole.evidence[of("a", "a2")])
    low, high = whole.annotations["coupling_low"], whole.annotations["coupling_high"]
    assert (low[of("a2", "b2")], high[of("a2", "b2")]) == (-2, -1)
    assert whole.annotations["probability"][of("a2", "b2")] == 0.5
    assert whole.coupling_tables[of("b2", "c")].tolist() == TABLE[::-1].tolist()
    assert whole.coupling_ends[of("b2", "c")].tolist() == [1.5, 1.5]
    assert Graph("ab", [(0, 1)]).unfold() == Graph("ab", [(0, 1)])


def test_example_the_truth_is_folded():
    truth = Graph(["c", "a3", "b", "b2", "a", "a2"], [(1, 4), (0, 2), (2, 3), (3, 5), (0, 5)])
    assert set(map(frozenset, folded(truth, GROUPS).edge_names())) == {
        frozenset("cb"), frozenset("ab"), frozenset("ac")
    }  # fmt: skip
    found = compare(truth, GROUPS)
    assert (found.false_positives, found.false_negatives) == (0, 1)
    assert len(edge_outcomes(truth, GROUPS).hits) == 2
    same = Graph("abc", [(0, 1)])
    assert folded(same, GROUPS) is same
    with refuses("graphs-differ", "a3"):
        compare(truth, Graph("abc", []))


def test_example_a_notebook_shows_groups():
    assert "2 of 6 columns, 3 at most" in graph_html(GROUPS)
    assert "a (+2)" in graph_html(GROUPS)


@pytest.mark.parametrize("others", [("b",), ("a",), ("x", "x")])
def test_example_members_have_names_of_their_own(others):
    members = (tuple(Member(name, 2 + k) for k, name in enumerate(others)), (Member("x", 9),))
    with refuses("graph-invalid", others[-1]):
        Graph(Variables(("a", "b"), members=members), [])
    with refuses("graph-invalid", "members"):
        Graph(Variables(("a", "b"), members=((Member("x", 9),),)), [])


@pytest.mark.parametrize(
    "listed",
    [[[0, "x", 1, 0]], [[5, "x", 1, 0, False]], [[-1, "x", 1, 0, False]], [[0, 3, 1, 0, False]],
     [[0, "x", 1, 7, False]], [[0, "x", 1, 0, "yes"]], [[0, "b", 1, 0, False]], 3],
)  # fmt: skip
def test_example_members_in_a_file_are_checked(listed):
    with pytest.raises((ValueError, IndexError, TypeError)):
        described_variables("ab", {"levels": [[0, 1]], "members": listed})
