"""The report's file as text; what a browser makes of it is in `tests/browser`."""

import json
import math
import re

import numpy as np
import pytest

import markhood
from markhood import Graph, InputError
from markhood.data.variables import Variables
from markhood.model.fitted.summary import SELECTION
from markhood.output.graphs.files import holds_graph
from markhood.output.report import facts
from markhood.output.report.page import report_html
from messages import refuses

HOSTILE = ["<script>alert(1)</script>", "</script><b>", "<!--", "]]>", 'a"b', "a\x00", "\udc80"]


def data_of(page):
    (text,) = re.findall(r'<script type="application/json" id="report-data">(.*?)</script>', page)
    return json.loads(text)


def test_holds_the_graph_and_where_it_came_from():
    ends = [(1.5, 2), (math.inf, math.nan)]
    about = {"method": "plrhc", "data": {"samples": 9}}
    graph = Graph("abc", [(0, 1), (1, 2)], [(0.25, 3), (1, 1)], ends, about)
    data = data_of(report_html(graph, title="votes.csv"))
    assert data["nodes"]["name"] == ["a", "b", "c"]
    assert data["edges"]["target"] == [1, 2]
    assert data["edges"]["evidence_source"] == [0.25, 1]
    assert data["edges"]["coupling_source"] == [1.5, "inf"]
    assert data["edges"]["coupling_target"] == [2, None]
    assert data["about"]["provenance"] == about
    assert data["summary"] == "9 samples, 3 variables, 2 edges; method plrhc"
    assert data["file"] == "votes"


def test_hostile_names_are_only_ever_data():
    graph = Graph(HOSTILE, [(0, 1)], provenance={"method": HOSTILE[0]})
    page = report_html(graph, title=HOSTILE[0])
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<b>" not in page
    assert "<title>&lt;script&gt;" in page
    assert data_of(page)["nodes"]["name"] == HOSTILE
    page.encode("utf-8")


@pytest.fixture(scope="module")
def probable():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (60, 6))
    table[:, 1] = table[:, 0] ^ (rng.random(60) < 0.1)
    table[:, 2] = table[:, 1] ^ (rng.random(60) < 0.3)
    return markhood.Bayes(seed=0).fit(table)


@pytest.mark.parametrize("ending", [".json", ".graphml", ".gexf", ".npz", ".csv"])
def test_a_saved_graph_shows_absent_and_undecided_pairs(probable, ending, tmp_path):
    density = probable.graph_.provenance["chains"]["edge_density"]
    odds = probable.probabilities_ / (1 - probable.probabilities_)
    factors = odds * (1 - density) / density
    markhood.write_graph(probable.graph_, tmp_path / f"graph{ending}")
    graph = markhood.read_graph(tmp_path / f"graph{ending}")
    found = data_of(report_html(graph))["classes"]
    assert found["present"] == (factors > 10).sum()
    assert found["undecided"] == ((factors <= 10) & (factors >= 0.1)).sum() > 0
    assert found["present"] + found["undecided"] + found["absent"] == 15
    assert len(found["pairs"]) == found["undecided_without_edge"]
    edges = set(map(tuple, graph.edges.tolist()))
    assert not edges & set(map(tuple, found["pairs"]))
    assert found == data_of(report_html(probable.graph_))["classes"]


@pytest.mark.parametrize(
    "change",
    [{"pairs": [["x1", "x2", "x3"]]}, {"density": "nan"}, {"probability": [1]}, {"present": None}],
)
def test_malformed_classes_are_left_out(probable, change):
    about = probable.graph_.provenance
    graph = probable.graph_.with_provenance({**about, "classes": {**about["classes"], **change}})
    assert "classes" not in data_of(report_html(graph))


def test_nothing_is_fetched():
    page = report_html(Graph("ab", [(0, 1)]))
    assert "default-src 'none'" in page
    assert not re.search(r"<(link|img|iframe|script)[^>]* (src|href)=", page)


def test_size_of_a_large_report(tmp_path):
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(0, 2000, size=(10_300, 2)), axis=1), axis=0)
    edges = pairs[pairs[:, 0] < pairs[:, 1]][:10_000]
    numbers = rng.normal(size=(2, len(edges), 2))
    graph = Graph([f"variable {k}" for k in range(2000)], edges, *numbers)
    markhood.write_report(graph, tmp_path / "large.html")
    assert (tmp_path / "large.html").stat().st_size < 5_000_000


@pytest.mark.parametrize("graph", [Graph([], []), Graph("a", []), Graph("abc", [])])
def test_without_edges(graph):
    assert "No edge was found." in data_of(report_html(graph))["warnings"]


def test_data_add_shares_and_warnings():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(60, 4))
    table[:, 1] = 0
    table[:, 2] = np.arange(60) < 2
    with pytest.warns(markhood.DataWarning):
        samples = markhood.encode(table)
    graph = markhood.learn(samples)
    data = data_of(report_html(graph, samples))
    assert data["nodes"]["shares"][1:3] == [[["0", 1]], [["0", 0.9667], ["1", 0.0333]]]
    assert any("single value" in text and "'x1'" in text for text in data["warnings"])
    assert any("fewer than 5 samples: 'x2'" in text for text in data["warnings"])


def test_data_of_many_levels_weights_and_missing_values():
    table = np.array([[0, 5.0], [1, 6], [2, np.nan], [0, 5]] * 10)
    samples = markhood.encode(table, missing="impute", weights=[1, 2, 3, 4] * 10)
    graph = Graph(samples.names, [])
    data = data_of(report_html(graph, samples))
    assert data["nodes"]["shares"] == [
        [["0", 0.5], ["1", 0.2], ["2", 0.3]],
        [["5", 0.7143], ["6", 0.2857]],
    ]
    rows = dict(data["data"])
    assert rows["weight of all samples"] == "100"
    assert rows["missing values"] == "10 (12.5 %)"
    assert rows["levels of a variable"] == "2 to 3"
    levels = markhood.encode(table, missing="level")
    shares = data_of(report_html(graph, levels))["nodes"]["shares"]
    assert shares[1] == [["5", 0.5], ["6", 0.25], ["missing", 0.25]]
    alike = Variables(("a", "b"), ((0, 1, "a"),) * 2)
    assert ("values", "0, 1 and a") in facts.data_rows(Graph(alike, []), None)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 0.5] * 40])
def test_pairs_of_values_are_counted(weights):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, size=(200, 3)).astype(float)
    table[rng.random((200, 3)) < 0.1] = np.nan
    samples = markhood.encode(
        table,
        missing="impute",
        weights=weights,
        table=markhood.TableFormat(weights_are="frequencies"),
    )
    counts = data_of(report_html(Graph(samples.names, [(0, 2)]), samples))["edges"]["counts"]
    each = np.ones(200) if weights is None else np.array(weights)
    expected = [
        [float(each[(table[:, 0] == a) & (table[:, 2] == b)].sum()) for b in range(3)]
        for a in range(3)
    ]
    assert counts == [expected]


def test_the_size_of_a_table_is_that_of_the_graph():
    table = np.array([[1.0, -1.0], [-0.5, 0.5]])
    ends = [(1, 2), (math.inf, 3), (2, 2)]
    edges = [(0, 1), (0, 2), (1, 2)]
    graph = Graph("abc", edges, [(0.25, 3)] * 3, ends, None, [None, None, table])
    data = data_of(report_html(graph))
    assert data["edges"]["coupling"] == [1.5, "inf", graph.coupling[2]]
    assert "coupling" not in data_of(report_html(Graph("ab", [(0, 1)])))["edges"]


def test_says_which_number_to_trust():
    there, strong, cause = facts.how_to_read(Graph("ab", []))
    assert "Look at the evidence" in there
    assert "below 6, positive" in there
    sure = Graph("ab", [(0, 1)], annotations={"probability": [0.9]})
    assert "Look at the probability" in facts.how_to_read(sure)[0]
    assert "infinite" in strong
    assert "cause" in cause


def test_nodes_stand_where_they_are_asked_to():
    data = data_of(report_html(Graph("abcdef", []), layout="grid", columns=3))
    assert data["nodes"]["x"] == [0, 1, 2, 0, 1, 2]
    with refuses("option-conflict", "columns"):
        report_html(Graph("ab", []), columns=3)


def test_holds_tables_annotations_and_levels():
    table = [[1.0, -1.0], [0.5, -0.5], [-1.5, 1.5]]
    levels = ((0, 1), (1, 2, "x"), ("no", "yes"))
    graph = Graph(
        Variables(("a", "b", "c"), levels),
        [(0, 1), (1, 2)],
        coupling_tables=[None, table],
        annotations={"share": [1, math.nan]},
    )
    data = data_of(report_html(graph))
    assert data["edges"]["table"] == [None, table]
    assert data["edges"]["share"] == [1, None]
    assert data["annotations"] == ["share"]
    assert data["nodes"]["levels"] == [["0", "1"], ["1", "2", "x"], ["no", "yes"]]
    assert "Frobenius" in data["notes"][0]
    assert data["notes"][1].startswith("Share")
    plain = data_of(report_html(Graph("ab", [(0, 1)])))
    assert "table" not in plain["edges"]
    assert len(plain["notes"]) == 1


def test_says_how_values_were_imputed_and_weighted():
    about = {
        "imputation": {"missing": 12, "sets": 10, "seed": 3},
        "data": {"samples": 40, "weight": 40.5},
    }
    graph = Graph("ab", [], provenance=about)
    rows = facts.run_rows(graph)
    assert rows == [
        ("missing values imputed", "12"),
        ("completed data sets", "10"),
        ("seed of the imputation", "3"),
    ]
    assert ("weight of all samples", "40.5") in facts.data_rows(graph, None)


def test_warns_of_few_samples_infinite_and_contradictory_edges():
    ends = [(math.inf, 1), (-0.5, 0.5)]
    graph = Graph("abc", [(0, 1), (1, 2)], None, ends, {"data": {"samples": 5}})
    few, infinite, opposed = facts.warnings(graph, None)
    assert "few samples" in few
    assert "1 edge has an infinite coupling" in infinite
    assert "the sign of 1 edge" in opposed


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"data": 1, "seconds": None, "parameters": {"a": [1]}},
        {"seconds": {"screen": "long"}, "evaluations": {"screen": 3, "climb": ["x"]}},
        {"data": {"samples": "many", "levels": {"a": 1, "b": ["0"]}}, "version": 1},
        {"data": {"weight": "heavy", "levels": 3}, "imputation": "some", "known": [1]},
    ],
)
def test_any_provenance_is_shown_as_far_as_it_goes(about):
    report_html(Graph("ab", [(0, 1)], None, [(1, 1)], about, [np.eye(2)]))


@pytest.mark.parametrize("name", ["report.pdf", "report", "no/report.html"])
def test_refuses_places_that_cannot_be(name, tmp_path):
    with pytest.raises(InputError):
        markhood.write_report(Graph("ab", []), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_tells_graphs_from_data(tmp_path):
    graph = Graph("ab", [(0, 1)])
    for ending in ("csv", "json", "graphml", "gexf", "npz"):
        markhood.write_graph(graph, tmp_path / f"graph.{ending}")
        assert holds_graph(tmp_path / f"graph.{ending}")
    (tmp_path / "data.csv").write_text("source,target\n0,1\n1,0\n")
    (tmp_path / "broken.npz").write_bytes(b"none")
    np.savez(tmp_path / "data.npz", np.eye(2))
    assert not any(map(holds_graph, (tmp_path / n for n in ("data.csv", "data.npz", "broken.npz"))))
    assert not holds_graph("data.parquet")
    with refuses("file-not-found", str(tmp_path / "none.csv")):
        holds_graph(tmp_path / "none.csv")


def test_the_report_says_what_was_known_beforehand():
    known = {"required_edges": 2, "forbidden_edges": 0, "groups": 3, "group_rule": "within"}
    rows = facts.run_rows(Graph("ab", [], provenance={"known": known}))
    assert rows[0] == ("required edges", "2")
    assert rows[-1] == ("group rule", "within")


def test_intervals_on_a_learned_graph_have_a_caveat():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(300, 4))
    table[:, 1] = np.where(rng.random(300) < 0.8, table[:, 0], table[:, 1])
    graph = markhood.learn(table)
    learned, every = (markhood.fit_model(graph, table, all_pairs=own) for own in (False, True))
    assert SELECTION in data_of(report_html(graph, model=learned))["warnings"]
    assert SELECTION not in data_of(report_html(every.graph, model=every))["warnings"]
    assert SELECTION not in data_of(report_html(graph))["warnings"]
