"""`markhood pack`, and what else the command line does with large data."""

import re

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def table():
    table = np.random.default_rng(0).integers(0, 2, (300, 4))
    table[:, 3] = table[:, 0]
    return pl.DataFrame(table, schema=["a", "b", "c", "d"])


def test_packed_folder_in_place_of_data(table, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    table[:200].write_parquet(folder / "part-1.parquet")
    table[200:].write_parquet(folder / "part-2.parquet")
    done = run("pack", folder, "--output", tmp_path / "packed", "--columns", "d,b,a")
    assert done.exit_code == 0, done.output
    assert "300 samples of 3 variables" in done.output
    done = run("learn", tmp_path / "packed", "--output", tmp_path / "graph.csv")
    assert done.exit_code == 0, done.output
    keep = markhood.Genome(identical="keep")
    expected = markhood.learn(table[["d", "b", "a"]], genome=keep)
    assert markhood.read_graph(tmp_path / "graph.csv") == expected


def test_nothing_is_packed_over(table, tmp_path):
    table.write_csv(tmp_path / "data.csv")
    (tmp_path / "packed").write_text("mine")
    done = run("pack", tmp_path / "data.csv", "-o", tmp_path / "packed")
    assert done.exit_code == 2
    assert "[file-exists]" in done.stderr
    assert (tmp_path / "packed").read_text() == "mine"


def test_dry_run_says_what_it_will_take_and_does_nothing(table, tmp_path):
    table.write_csv(tmp_path / "data.csv")
    done = run("learn", tmp_path / "data.csv", "--dry-run", "-o", tmp_path / "graph.csv")
    assert done.exit_code == 0, done.output
    assert "300 samples, 4 variables: a forecast" in done.stdout
    assert "seconds   about" in done.stdout
    assert "screen" in done.stdout
    assert re.search(r"memory +about [0-9.]+ [MG]B", done.stdout)  # with what reading took
    assert not (tmp_path / "graph.csv").exists()


def test_max_candidates_is_noted(table, tmp_path):
    wide = pl.DataFrame({f"{name}{k}": table[name] for name in "ad" for k in range(3)})
    wide.write_csv(tmp_path / "data.csv")
    done = run("learn", tmp_path / "data.csv", "--max-candidates", "2")
    assert done.exit_code == 0, done.output
    assert "note: The search spaces of 6 variables were cut to the strongest" in done.stderr
