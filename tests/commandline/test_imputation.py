"""Colours with missing values and weights, from the file to the summary, files and the report."""

import re

import numpy as np
import pytest

import markhood
from commandline.test_cli import run


@pytest.fixture
def colours(tmp_path):
    """A chain hat - coat - rain of three, three and two levels, a tenth of it missing."""
    rng = np.random.default_rng(0)
    names = np.array(["red", "green", "blue"])
    hat = rng.integers(0, 3, 300)
    coat = np.where(rng.random(300) < 0.8, hat, rng.integers(0, 3, 300))
    rain = np.where(rng.random(300) < 0.9, coat == 2, coat != 2)
    table = np.column_stack([names[hat], names[coat], np.where(rain, "yes", "no")])
    table[rng.random(table.shape) < 0.1] = ""
    weights = rng.integers(1, 4, 300).astype(str)
    lines = [",".join([*row, weight]) for row, weight in zip(table, weights, strict=True)]
    (tmp_path / "colours.csv").write_text("\n".join(["hat,coat,rain,times", *lines]) + "\n")
    return tmp_path


def test_learn_imputes_and_says_so(colours):
    options = ["--missing", "impute", "--imputations", "3", "--weights", "times"]
    done = run("learn", "colours.csv", *options, "--seed=7", "-o", "graph.csv", cwd=colours)
    assert done.returncode == 0, done.stderr
    assert re.search(r"300 samples of weight \d+, 3 variables\n", done.stdout)
    imputed = r"imputed   \d+ missing values in 3 completed data sets, seed 7\n"
    assert re.search(imputed, done.stdout)
    assert "share  evidence variance" in done.stdout
    assert not re.search(r"\+\d", done.stdout)  # a table has no sign
    graph = markhood.read_graph(colours / "graph.csv")
    assert graph.edge_names() == [("hat", "coat"), ("coat", "rain")]
    assert list(graph.annotations) == ["share", "evidence_variance"]
    assert [table.shape for table in graph.coupling_tables] == [(3, 3), (3, 2)]
    assert graph.provenance["imputation"]["sets"] == 3


def test_the_same_seed_gives_the_same_graph(colours):
    seeds = {"one": "1", "again": "1", "other": "2"}
    for name, seed in seeds.items():
        options = ["--missing=impute", "--imputations=2", f"--seed={seed}", "-o", f"{name}.json"]
        assert run("learn", "colours.csv", *options, cwd=colours).returncode == 0
    one, again, other = (markhood.read_graph(colours / f"{name}.json") for name in seeds)
    assert one == again
    assert one != other


def test_report_of_many_levels_weights_and_imputation(colours):
    options = ["--missing", "impute", "--weights", "times"]
    done = run("report", "colours.csv", *options, cwd=colours)
    assert done.returncode == 0, done.stderr
    assert "evidence_variance" in (colours / "report.html").read_text()


@pytest.mark.parametrize(
    "option",
    ["--imputations=1", "--seed=-1"],
)
def test_bad_options_are_one_line(colours, option):
    done = run("learn", "colours.csv", "--missing=impute", option, "-o", "graph.csv", cwd=colours)
    assert done.returncode == 2
    assert option.partition("=")[0] in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (colours / "graph.csv").exists()
