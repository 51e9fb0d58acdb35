"""Models on the command line: learned with a graph, fitted to one, asked for predictions and draws."""

import csv
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from oracles.networks import network

VALUES = network(7, 300, 5, strength=1.5)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path):
    rows = ["a,b,c,d,e", *(",".join(("no", "yes")[v] for v in row) for row in VALUES.tolist())]
    (tmp_path / "data.csv").write_text("\n".join(rows))
    assert run("learn", tmp_path / "data.csv", "-o", tmp_path / "graph.json").exit_code == 0
    return tmp_path


def table(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_example_learn_and_fit_give_one_model(folder):
    done = run("learn", folder / "data.csv", "--model", folder / "learned.json")
    assert done.exit_code == 0, done.output
    done = run("fit", folder / "graph.json", folder / "data.csv", "-o", folder / "fitted.json")
    assert done.exit_code == 0, done.output
    assert "95 % interval" in done.output
    learned, fitted = (markhood.read_model(folder / f"{n}.json") for n in ("learned", "fitted"))
    np.testing.assert_array_equal(learned.couplings, fitted.couplings)
    assert learned.levels[0] == ("no", "yes")


def test_example_tables_of_a_model(folder):
    done = run(
        "fit", folder / "graph.json", folder / "data.csv", "--edges", folder / "w.matrix.csv",
        "--edges", folder / "e.csv", "--fields", folder / "f.csv", "--tables", folder / "t.csv",
        "--coding", "spins", "--prior", "none",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    weights = markhood.read_graph(folder / "w.matrix.csv")
    edges = markhood.read_graph(folder / "e.csv")
    np.testing.assert_array_equal(weights.edges, edges.edges)
    np.testing.assert_array_equal(weights.coupling, edges.coupling)
    assert {"coupling_error", "coupling_low", "coupling_high"} <= set(edges.annotations)
    in_spins = [float(row["coupling"]) for row in table(folder / "t.csv")]
    assert in_spins == pytest.approx(edges.coupling / 4)
    assert [row["variable"] for row in table(folder / "f.csv")] == list("abcde")


def test_example_predictions_and_draws(folder):
    run("fit", folder / "graph.json", folder / "data.csv", "-o", folder / "m.json")
    done = run(
        "predict", folder / "m.json", folder / "data.csv", "--target", "a,c", "-o", folder / "p.csv"
    )
    assert done.exit_code == 0, done.output
    rows = table(folder / "p.csv")
    assert list(rows[0]) == ["a", "a = no", "a = yes", "c", "c = no", "c = yes"]
    assert len(rows) == 300
    done = run(
        "simulate",
        folder / "m.json",
        "--samples",
        40,
        "-o",
        folder / "s.csv",
        "--truth",
        folder / "g.csv",
    )
    assert done.exit_code == 0, done.output
    assert {value for row in table(folder / "s.csv") for value in row.values()} == {"no", "yes"}


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["fit", "graph.json", "data.csv", "--prior", "weak"], r"--prior.*\[option-value\]"),
        (["fit", "graph.json", "data.csv", "--coding", "10"], "--coding.*'10'"),
        (["fit", "graph.json", "data.csv", "-o", "model.csv"], r"\.json.*\[file-format\]"),
        (["fit", "graph.json", "data.csv", "-o", "graph.json"], r"graph\.json.*\[file-exists\]"),
        (
            ["predict", "graph.json", "data.csv", "--target", "a", "-o", "p.csv"],
            r"graph\.json.*\[file-format\]",
        ),
        (
            ["simulate", "m.json", "--samples", "9", "-o", "s.csv", "--variables", "9"],
            r"--variables.*\[option-conflict\]",
        ),
        (["simulate", "m.json", "--samples", "9", "-o", "s.npy"], r"\.csv.*\[not-supported\]"),
    ],
)
def test_example_bad_input_is_one_line_with_a_code(folder, monkeypatch, words, fact):
    monkeypatch.chdir(folder)
    run("fit", "graph.json", "data.csv", "-o", "m.json")
    done = run(*words)
    assert done.exit_code == 2
    assert re.search(fact, " ".join(done.output.split())), done.output
