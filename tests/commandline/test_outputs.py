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


@pytest.mark.parametrize(
    "line",
    [
        "learn votes.csv -o votes.graphml -o votes.csv",
        "learn votes.csv -o link.csv",
        "learn votes.csv --report link.html",
        "learn votes.csv --weights weights.csv -o weights.csv",
        "learn votes.csv --required-edges edges.csv -o edges.csv",
        "learn votes.csv --forbidden-edges edges.csv -o edges.csv",
        "learn packed -o packed/variables.json",
        "learn packed -o packed/about.json",
        "learn votes.csv -o out.csv -o ./out.csv",
        "learn votes.csv -o out.csv -o out.csv.json",
        "learn votes.csv --checkpoint packed -o packed/run.json",
        "report votes.csv -o link.html",
        "compare truth.csv graph.json -o truth.csv",
        "simulate truth.csv --samples 9 -o truth.csv",
        "simulate graph.json --samples 9 -o out.csv --truth graph.json",
        "simulate hub --variables 4 --samples 9 -o out.csv --truth out.csv",
    ],
)
def test_example_outputs_replace_neither_inputs_nor_each_other(folder, line):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 2
    assert done.stderr.endswith("[file-exists]\n")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_example_what_is_only_there_is_replaced(folder):
    assert (
        CliRunner()
        .invoke(app, ["learn", "votes.csv", "-o", "edges.csv", "-o", "graph.json"])
        .exit_code
        == 0
    )
    assert markhood.read_graph("edges.csv") == markhood.read_graph("graph.json")
