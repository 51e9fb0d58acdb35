"""No command writes over what it reads, nor one file twice."""

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    np.savetxt("votes.csv", values, "%d", ",", header="a,b,c", comments="")
    np.savetxt("weights.csv", np.ones(60), "%d")
    (tmp_path / "edges.csv").write_text("a,b\n")
    (tmp_path / "link.csv").symlink_to("votes.csv")
    (tmp_path / "link.html").symlink_to("votes.csv")
    graph = markhood.Graph(["a", "b", "c"], [(0, 1)])
    for name in ("truth.csv", "graph.json"):
        markhood.write_graph(graph, name)
    markhood.pack(markhood.encode(values), "packed")
    return tmp_path


READ = "is read, so it cannot be written too"
TWICE = "would be written twice"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("learn votes.csv -o votes.graphml -o votes.csv", READ),
        ("learn votes.csv -o link.csv", READ),
        ("learn votes.csv --report link.html", READ),
        ("learn votes.csv --weights weights.csv -o weights.csv", READ),
        ("learn votes.csv --required-edges edges.csv -o edges.csv", READ),
        ("learn votes.csv --forbidden-edges edges.csv -o edges.csv", READ),
        ("learn packed -o packed/variables.json", READ),
        ("learn packed -o packed/about.json", READ),
        ("learn votes.csv -o out.csv -o ./out.csv", TWICE),
        ("learn votes.csv -o out.csv -o out.csv.json", TWICE),
        ("learn votes.csv --checkpoint packed -o packed/run.json", TWICE),
        ("report votes.csv -o link.html", READ),
        ("compare truth.csv graph.json -o truth.csv", READ),
        ("simulate truth.csv --samples 9 -o truth.csv", READ),
        ("simulate graph.json --samples 9 -o out.csv --truth graph.json", READ),
        ("simulate hub --variables 4 --samples 9 -o out.csv --truth out.csv", TWICE),
    ],
)
def test_example_nothing_that_is_read_is_written(folder, line, said):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert said in done.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_example_what_is_only_there_is_replaced(folder):
    assert (
        CliRunner()
        .invoke(app, ["learn", "votes.csv", "-o", "edges.csv", "-o", "graph.json"])
        .exit_code
        == 0
    )
    assert markhood.read_graph("edges.csv") == markhood.read_graph("graph.json")
