from __future__ import annotations

import io
import json
import os
import re
import stat
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from graph.strategies import HOSTILE, UNPRINTABLE, all_names, graphs, utf8_names, xml_names
from markhood.data.genome.loci import Locus
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.convert import from_networkx
from markhood.graph.graph import Graph
from markhood.output.graphs import files as graph_files
from markhood.output.graphs import node_link
from markhood.output.graphs.files import (
    check_writable,
    holds_graph,
    read_graph,
    write_csv,
    write_graph,
)
from markhood.output.model_files import read_model
from messages import refuses

INF, NAN = float("inf"), float("nan")
ENDINGS = [".csv", ".json", ".graphml", ".gexf", ".npz"]
PROVENANCE = {"version": "0.1.0", "method": "plrhc", "data": {"samples": 3, "file": "é<\n"}}
# The folder is shared by all examples: each writes over the one before.
shared = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def chain(names: list[str]) -> Graph:
    """Join each name to the next, with every kind of number; the last name stays isolated."""
    kinds = [1.5, -2, 0, INF, -INF, NAN, 1e-300, 0.1 + 0.2]
    edges = [(i, i + 1) for i in range(len(names) - 2)]
    ends = [(kinds[i % 8], kinds[(3 * i + 1) % 8]) for i, _ in edges]
    return Graph(names, edges, ends, ends[::-1], PROVENANCE)


def check_round_trip(graph: Graph, path: Path) -> None:
    write_graph(graph, path)
    back = read_graph(path)
    assert back == graph
    assert back.provenance == graph.provenance


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("count", [0, 1, 2, len(HOSTILE)])
def test_round_trip_of_hostile_names_and_numbers(ending: str, count: int, tmp_path: Path) -> None:
    check_round_trip(chain(HOSTILE[:count]), tmp_path / f"graph{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_example_distances_are_written_and_no_annotation(ending: str, tmp_path: Path) -> None:
    loci = (Locus("1", 5), Locus("1", 25), Locus("2", 7), None)
    edges = [(0, 1), (1, 2), (2, 3)]
    graph = Graph(Variables(tuple("abcd"), loci=loci), edges, annotations={"share": [1, 2, 3]})
    check_round_trip(graph, tmp_path / f"graph{ending}")
    assert list(read_graph(tmp_path / f"graph{ending}").annotations) == ["share"]
    stream = io.StringIO()
    write_csv(graph, stream)
    header, *lines = stream.getvalue().splitlines()
    assert header.endswith(",share,distance")
    assert [line.rpartition(",")[2] for line in lines] == ["20.0", "inf", ""]
    assert json.loads(node_link.to_bytes(graph))["edges"][0]["distance"] == 20


@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_round_trip_of_unprintable_names(ending: str, tmp_path: Path) -> None:
    check_round_trip(chain(UNPRINTABLE), tmp_path / f"graph{ending}")


def test_npz_holds_even_split_surrogates(tmp_path: Path) -> None:
    graph = chain(["\ud800\udc00", "\U00010000", "c"])
    check_round_trip(graph, tmp_path / "graph.npz")
    with refuses("not-supported", "\ud800\udc00"):
        write_graph(graph, tmp_path / "graph.json")


@pytest.mark.parametrize("ending", [".graphml", ".gexf"])
@shared
@given(graph=graphs(xml_names))
def test_property_round_trip_of_xml(ending: str, graph: Graph, tmp_path: Path) -> None:
    check_round_trip(graph, tmp_path / f"graph{ending}")


@shared
@given(graph=graphs(utf8_names))
def test_property_round_trip_of_csv(graph: Graph, tmp_path: Path) -> None:
    check_round_trip(graph, tmp_path / "graph.csv")


@pytest.mark.parametrize("ending", [".json", ".npz"])
@shared
@given(graph=graphs(all_names))
def test_property_round_trip_of_the_rest(ending: str, graph: Graph, tmp_path: Path) -> None:
    check_round_trip(graph, tmp_path / f"graph{ending}")


@pytest.mark.parametrize(
    ("ending", "read"), [(".graphml", networkx.read_graphml), (".gexf", networkx.read_gexf)]
)
def test_networkx_reads_our_xml(ending: str, read, tmp_path: Path) -> None:
    graph = chain(HOSTILE)
    write_graph(graph, tmp_path / f"graph{ending}")
    other = read(tmp_path / f"graph{ending}")
    assert tuple(other) == graph.nodes
    assert other.nodes["a"]["label"] == "a"
    assert all(isinstance(number, float) for _, _, number in other.edges(data="coupling"))
    assert from_networkx(other) == graph


def test_networkx_reads_our_json(tmp_path: Path) -> None:
    graph = chain(HOSTILE)
    write_graph(graph, tmp_path / "graph.json")
    document = json.loads((tmp_path / "graph.json").read_text())
    other = networkx.node_link_graph(document, edges="edges")
    assert tuple(other) == graph.nodes
    assert other.graph["provenance"] == PROVENANCE
    assert other.number_of_edges() == graph.n_edges


def test_json_is_strict_and_keeps_signs(tmp_path: Path) -> None:
    graph = Graph("ab", [(0, 1)], [(1, 2)], [(-INF, NAN)])
    write_graph(graph, tmp_path / "graph.json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads((tmp_path / "graph.json").read_text(), parse_constant=refuse)
    assert document["edges"] == [
        {
            "source": "a",
            "target": "b",
            "evidence": 3.0,
            "coupling": None,
            "evidence_source": 1.0,
            "evidence_target": 2.0,
            "coupling_source": None,
            "coupling_target": None,
            "infinite": {"coupling_source": -1},
        }
    ]


def test_csv_has_its_json_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    graph = Graph(["a", "b", "lone"], [(0, 1)], [(1, 2)], [(INF, -1)], PROVENANCE)
    write_graph(graph, path)
    assert path.read_text() == (
        "source,target,evidence,coupling,"
        "evidence_source,evidence_target,coupling_source,coupling_target\n"
        "a,b,3.0,inf,1.0,2.0,inf,-1.0\n"
    )
    beside = tmp_path / "graph.csv.json"
    assert json.loads(beside.read_text()) == {
        "nodes": ["a", "b", "lone"],
        "provenance": PROVENANCE,
    }
    beside.unlink()
    assert read_graph(path) == Graph("ab", [(0, 1)], [(1, 2)], [(INF, -1)])


TABLE = [[1.0, -1.0], [0.5, -0.5], [-1.5, 1.5]]


@pytest.fixture
def annotated() -> Graph:
    """An edge of two levels and one of three by two, with annotations of both."""
    return Graph(
        "abc",
        [(0, 1), (1, 2)],
        [(1, 2), (3, 4)],
        [(-1, -2), (2, 3)],
        PROVENANCE,
        [None, TABLE],
        {"share": [1, 0.75], "evidence_variance": [0, NAN]},
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip_of_tables_and_annotations(
    ending: str, annotated: Graph, tmp_path: Path
) -> None:
    check_round_trip(annotated, tmp_path / f"graph{ending}")
    assert holds_graph(tmp_path / f"graph{ending}")
    check_round_trip(Graph("ab", [], annotations={"share": []}), tmp_path / f"graph{ending}")


def test_csv_has_annotations_as_columns_and_tables_beside_it(
    annotated: Graph, tmp_path: Path
) -> None:
    path = tmp_path / "graph.csv"
    write_graph(annotated, path)
    lines = path.read_text().splitlines()
    assert lines[0].endswith(",coupling_target,share,evidence_variance")
    assert lines[2].endswith(",2.0,3.0,0.75,")
    beside = tmp_path / "graph.csv.json"
    edge = {"source": "b", "target": "c", "table": TABLE}
    assert json.loads(beside.read_text())["tables"] == [edge]
    path.write_text("\n".join([lines[0], lines[2]]))  # an edge less
    assert read_graph(path).coupling_tables[0].tolist() == TABLE
    beside.unlink()
    alone = read_graph(path)
    assert alone.coupling_tables == ()
    assert alone.annotations["share"].tolist() == [0.75]


def test_csv_with_columns_that_others_added(annotated: Graph, tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    write_graph(annotated, path)
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},comment,weight,a b", *(f"{r},fine,2,3" for r in rows)]))
    assert list(read_graph(path).annotations) == ["share", "evidence_variance", "weight"]
    (tmp_path / "other.csv").write_text("source,target,share,table\na,b,half,orders\n")
    assert read_graph(tmp_path / "other.csv") == Graph("ab", [(0, 1)])


def test_json_has_annotations_and_tables_as_fields(tmp_path: Path) -> None:
    tables, annotations = [TABLE], {"share": [1], "spread": [INF]}
    write_graph(
        Graph("ab", [(0, 1)], coupling_tables=tables, annotations=annotations),
        tmp_path / "graph.json",
    )
    document = json.loads((tmp_path / "graph.json").read_text())
    assert document["graph"]["annotations"] == ["share", "spread"]
    edge = document["edges"][0]
    assert (edge["share"], edge["spread"], edge["infinite"]) == (1.0, None, {"spread": 1})
    assert edge["table"] == TABLE


@pytest.mark.parametrize(
    ("ending", "read"), [(".graphml", networkx.read_graphml), (".gexf", networkx.read_gexf)]
)
def test_xml_has_tables_as_text(ending: str, read, annotated: Graph, tmp_path: Path) -> None:
    write_graph(annotated, tmp_path / f"graph{ending}")
    other = read(tmp_path / f"graph{ending}")
    assert json.loads(other.edges["b", "c"]["table"]) == TABLE
    assert "table" not in other.edges["a", "b"]
    assert other.edges["b", "c"]["share"] == 0.75


def test_npz_has_tables_one_after_another(annotated: Graph, tmp_path: Path) -> None:
    write_graph(annotated, tmp_path / "graph.npz")
    with np.load(tmp_path / "graph.npz", allow_pickle=False) as archive:
        assert archive["table_shapes"].tolist() == [[0, 0], [3, 2]]
        assert archive["table_values"].tolist() == np.ravel(TABLE).tolist()
        assert archive["annotation_share"].tolist() == [1, 0.75]


def test_files_of_others_may_use_our_words(tmp_path: Path) -> None:
    other = networkx.Graph([("a", "b", {"share": 0.5, "table": "orders"})])
    networkx.write_graphml(other, tmp_path / "other.graphml")
    networkx.write_gexf(other, tmp_path / "other.gexf")
    (tmp_path / "other.json").write_text(json.dumps(networkx.node_link_data(other, edges="edges")))
    for ending in (".graphml", ".gexf", ".json"):
        assert read_graph(tmp_path / f"other{ending}") == Graph("ab", [(0, 1)])


def test_csv_goes_to_a_stream() -> None:
    stream = io.StringIO()
    write_csv(Graph(["a", "b"], [(0, 1)]), stream)
    assert stream.getvalue().splitlines()[1] == "a,b,,,,,,"


def test_csv_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_bytes(b"\xef\xbb\xbfweight,target,source\r\n2,b,c\r\n\r\n3,\xc3\xa4,b\r\n")
    assert read_graph(path) == Graph(["c", "b", "ä"], [(0, 1), (1, 2)])


def test_files_of_networkx(tmp_path: Path) -> None:
    other = networkx.path_graph(3)
    networkx.write_graphml(other, tmp_path / "path.graphml")
    networkx.write_gexf(other, tmp_path / "path.gexf")
    (tmp_path / "path.json").write_text(json.dumps(networkx.node_link_data(other, edges="links")))
    for ending in (".graphml", ".gexf", ".json"):
        assert read_graph(tmp_path / f"path{ending}") == Graph("012", [(0, 1), (1, 2)])


@pytest.mark.parametrize("ending", [".graphml", ".gexf"])
@pytest.mark.parametrize("name", UNPRINTABLE)
def test_xml_refuses_names_it_cannot_hold(ending: str, name: str, tmp_path: Path) -> None:
    with refuses("not-supported", name):
        write_graph(Graph(["fine", name], []), tmp_path / f"graph{ending}")
    assert list(tmp_path.iterdir()) == []


def test_csv_refuses_lone_surrogates(tmp_path: Path) -> None:
    with refuses("not-supported", "\udc80"):
        write_graph(Graph(["\udc80"], []), tmp_path / "graph.csv")
    assert list(tmp_path.iterdir()) == []


def test_npz_needs_no_pickle(tmp_path: Path) -> None:
    write_graph(chain(HOSTILE), tmp_path / "graph.npz")
    with np.load(tmp_path / "graph.npz", allow_pickle=False) as archive:
        assert set(archive) == {"edges", "evidence_ends", "coupling_ends", "about"}
        assert json.loads(str(archive["about"]))["nodes"] == HOSTILE


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("failing", ["write", "replace"])
def test_a_failed_write_leaves_the_old_file(
    ending: str, failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"graph{ending}"
    write_graph(Graph("ab", [(0, 1)]), path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "replace":
        monkeypatch.setattr(os, "replace", fail)
    else:
        monkeypatch.setattr(graph_files.Path, "open", fail)
    with pytest.raises(InputError, match="No space left on device"):
        write_graph(Graph("abc", []), path)
    monkeypatch.undo()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_files_have_the_usual_mode_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "graph.json")
    write_graph(Graph("ab", []), link)
    assert link.is_symlink()
    mode = (tmp_path / "graph.json").stat().st_mode
    assert stat.S_IMODE(mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)


def test_endings_may_be_capitals_and_paths_strings(tmp_path: Path) -> None:
    write_graph(Graph("ab", []), f"{tmp_path}/GRAPH.CSV")
    assert read_graph(f"{tmp_path}/GRAPH.CSV") == Graph("ab", [])


def test_check_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writable(tmp_path / "graph.csv")
    monkeypatch.chdir(tmp_path)
    check_writable("graph.csv")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "beside.csv.json").mkdir()
    for name, code, where in [
        ("graph.txt", "file-format", "graph.txt"),
        ("graph", "file-format", "graph"),
        ("nowhere/graph.csv", "file-not-writable", "nowhere/graph.csv"),
        ("folder.json", "file-not-writable", "folder.json"),
        ("beside.csv", "file-not-writable", "beside.csv.json"),
    ]:
        with refuses(code, str(tmp_path / where)):
            check_writable(tmp_path / name)
    monkeypatch.setattr(os, "access", lambda *arguments: False)  # a root user may write anywhere
    with refuses("file-not-writable", "graph.json"):
        check_writable("graph.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_empty_and_damaged_files(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{ending}"
    with refuses("file-not-found", str(path)):
        read_graph(path)
    path.touch()
    with refuses("file-damaged", str(path)):
        read_graph(path)
    write_graph(chain(["a", "b", "c", "d"]), path)
    whole = path.read_bytes()
    for content in (b"\xff\xfe\x00", b"nonsense\n", whole[:-9], b"{}", b"[]", b"<a></a>"):
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_graph(path)
        assert (caught.value.code, caught.value.where) == ("file-damaged", str(path))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("g.csv", "from,to\na,b\n", "'source'"),
        ("g.csv", "source,target\na,b\nc\n", "line 3"),
        ("g.csv", "source,target\na,a\n", "itself"),
        ("g.csv", "source,target,evidence_source\na,b,x\n", "'evidence_source'"),
        ("g.json", '{"nodes": [], "directed": true, "edges": []}', "directed graph"),
        ("g.json", '{"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "b"}]}', "'b'"),
    ],
)
def test_files_that_hold_no_graph(name: str, content: str, fact: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        read_graph(tmp_path / name)
    assert (caught.value.code, caught.value.where) == ("file-damaged", str(tmp_path / name))
    assert fact in str(caught.value)
    with refuses("file-format", "g.txt"):
        read_graph("g.txt")


def test_a_stale_json_beside_a_csv_is_noticed(tmp_path: Path) -> None:
    write_graph(Graph("ab", [(0, 1)]), tmp_path / "graph.csv")
    (tmp_path / "graph.csv").write_text("source,target\na,c\n")
    with refuses("file-damaged", str(tmp_path / "graph.csv")):
        read_graph(tmp_path / "graph.csv")


def test_an_npz_of_data_is_no_graph(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", data=np.zeros((3, 2)))
    with refuses("file-damaged", str(tmp_path / "data.npz")):
        read_graph(tmp_path / "data.npz")


def test_formulas_are_escaped_where_that_is_asked_for(tmp_path: Path) -> None:
    names = ["=1+1", "+a", "-b", "@c", "'=d", "plain", "'quoted", "\tx"]
    graph = chain(names)
    write_graph(graph, tmp_path / "as-is.csv")
    write_graph(graph, tmp_path / "escaped.csv", escape_formulas=True)
    assert read_graph(tmp_path / "as-is.csv") == read_graph(tmp_path / "escaped.csv") == graph
    assert (tmp_path / "as-is.csv").read_text().splitlines()[1].startswith("=1+1,+a,")
    assert (tmp_path / "escaped.csv").read_text().splitlines()[1].startswith("'=1+1,'+a,")
    assert not re.search(r'(^|,)"?[=+@\t]', (tmp_path / "escaped.csv").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", ["g.csv", "g.csv.json", "g.json", "g.graphml", "g.npz"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_example_a_pipe_or_a_device_is_not_read(tmp_path, name, make):
    if name == "g.csv.json":
        (tmp_path / "g.csv").write_text("source,target\na,b\n")
    make(tmp_path / name)
    with refuses("file-unreadable", name):
        read_graph(tmp_path / name.replace(".csv.json", ".csv"))
    if name == "g.json":
        with refuses("file-unreadable", name):
            read_model(tmp_path / name)
