"""`markhood bootstrap`: the same as in Python, written to files."""

import csv

import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from oracles.networks import network

VALUES = pd.DataFrame(network(31, 300, 6, strength=1.5), columns=list("abcdef"))


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.csv"
    VALUES.assign(school=range(300)).to_csv(path, index=False)
    return path


def test_example_the_command_gives_the_same_as_python(table, tmp_path):
    out, central, apart = (tmp_path / f"{name}.csv" for name in ("edges", "central", "apart"))
    picture = tmp_path / "edges.svg"
    done = run("bootstrap", table, "--replicates", 8, "--clusters", "school", "--gamma", 0.25,
               "--n-jobs", 1, "-o", out, "--centrality", central, "--differences", apart,
               "--plot", picture)  # fmt: skip
    assert done.exit_code == 0, done.output
    found = markhood.bootstrap(VALUES, replicates=8, clusters=range(300), gamma=0.25, n_jobs=1)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency"]) for row in rows] == [r["frequency"] for r in found.edges()]
    assert len(central.read_text().splitlines()) == 1 + len(found.centrality())
    assert len(apart.read_text().splitlines()) == 1 + len(found.differences())
    assert picture.read_text().lstrip().startswith("<?xml")
    assert "8 replicates (rows)" in done.stdout


@pytest.mark.parametrize("resample", ["halves", "cases"])
def test_example_summaries_of_other_resamplings(table, resample):
    done = run("bootstrap", table, "--exclude", "school", "--resample", resample, "--replicates", 20, "-j", 1)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert ("Shah and Samworth" if resample == "halves" else "CS  ") in done.stdout


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["--exclude", "school", "--replicates", 1], "--replicates"),
        (["--clusters", "scool"], "'scool'"),
        (["--output", "edges.txt"], "[file-format]"),
        (["--plot", "edges.gif"], "[file-format]"),
    ],
)
def test_example_bad_options_are_refused(table, words, fact):
    done = run("bootstrap", table, *words)
    assert done.exit_code == 2
    assert fact in done.stderr


def test_example_plan_from_a_description(tmp_path):
    rows, picture = tmp_path / "sizes.csv", tmp_path / "power.svg"
    described = ["--nodes", "6", "--density", "0.4", "--coupling", "2", "--data-sets", "45"]
    done = CliRunner().invoke(app, ["plan", *described, "-o", str(rows), "--plot", str(picture)])
    assert done.exit_code == 0, done.output
    assert "participants are needed" in done.stdout
    assert rows.read_text().startswith("samples,data_sets,sensitivity")
    assert picture.stat().st_size > 1000


def test_example_plan_refuses_an_unknown_measure():
    done = CliRunner().invoke(app, ["plan", "--measure", "luck"])
    assert done.exit_code == 2
