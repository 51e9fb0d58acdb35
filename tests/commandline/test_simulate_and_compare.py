import csv
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from commandline.test_cli import run
from markhood.commandline.app import app


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather", "npy", "npz"])
def test_simulated_data_are_read_back(ending, tmp_path):
    data, truth = tmp_path / f"data.{ending}", tmp_path / "truth.graphml"
    arguments = ["--variables", "16", "--samples", "70", "--seed", "3", "--truth", truth]
    done = run("simulate", "hub", *arguments, "-o", data)
    assert done.returncode == 0, done.stderr
    samples = markhood.read_samples(data)
    assert samples.n_samples == 70
    assert samples.names == tuple(f"x{k}" for k in range(16))
    assert markhood.read_graph(truth).edges.tolist() == markhood.simulate.hub(16).edges.tolist()


def test_same_seed_same_data_and_other_seed_other_data(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("simulate", "grid", "--variables", "9", "--samples", "50", "--seed", seed,
            "-o", tmp_path / f"{name}.csv")  # fmt: skip
    a, b, c = ((tmp_path / f"{name}.csv").read_text() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    "network",
    ["grid", "chain", "cycle", "tree", "erdos-renyi", "barabasi-albert", "watts-strogatz",
     "stochastic-block"],
)  # fmt: skip
def test_every_network_by_its_name(network, tmp_path):
    done = run("simulate", network, "--variables", "16", "--samples", "160", "--burn-in", "5",
               "-o", tmp_path / "data.npy", "--convergence")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "data.npy").shape == (160, 16)
    assert "R-hat at most" in done.stdout


def test_a_graph_from_a_file_is_a_network(tmp_path):
    markhood.write_graph(markhood.Graph(["sun", "rain", "wind"], [(0, 1)]), tmp_path / "g.json")
    done = run("simulate", tmp_path / "g.json", "--samples", "20", "-o", tmp_path / "data.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data.csv").read_text().startswith("sun,rain,wind\n")


@pytest.mark.parametrize("ending", ["csv", "parquet", "npy"])
def test_levels_go_round_and_are_learned_from(ending, tmp_path):
    arguments = ["--levels", "2,3,4", "--samples", "3000", "--seed", "3", "--truth", "truth.json"]
    done = run("simulate", "grid", "--variables", "9", *arguments, "-o", f"data.{ending}",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    samples = markhood.read_samples(tmp_path / f"data.{ending}")
    assert [len(levels) for levels in samples.levels] == [2, 3, 4] * 3
    done = run("learn", f"data.{ending}", "-o", "learned.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    truth, learned = (markhood.read_graph(tmp_path / f"{g}.json") for g in ("truth", "learned"))
    found = {tuple(edge) for edge in learned.edges.tolist()}
    assert len(found & {tuple(edge) for edge in truth.edges.tolist()}) >= 9
    assert len(found) <= 13


def test_ordered_levels_are_learned_back_with_their_signs(tmp_path):
    arguments = [
        "--kind",
        "ordinal",
        "--variables",
        "16",
        "--samples",
        "4000",
        "--potentials",
        "signs",
    ]
    done = run("simulate", "grid", *arguments, "-o", "d.csv", "--truth", "t.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run("learn", "d.csv", "-o", "l.json", cwd=tmp_path)
    assert re.search(r"assumed +16 columns", done.stdout)
    truth, learned = (markhood.read_graph(tmp_path / f"{name}.json") for name in "tl")
    assert learned.variables == truth.variables
    assert learned.edges.tolist() == truth.edges.tolist()
    assert (np.sign(learned.coupling) == np.sign(truth.coupling)).all()


def test_simulated_categories_say_how_they_are_learned_from(tmp_path):
    done = run("simulate", "chain", "--variables", "4", "--samples", "20", "--levels", "2,3",
               "-o", tmp_path / "data.csv")  # fmt: skip
    assert "--kinds nominal" in done.stdout


def test_convergence_where_a_level_never_occurs(tmp_path):
    done = run("simulate", "chain", "--variables", "5", "--levels", "50", "--samples", "200",
               "--convergence", "-o", tmp_path / "data.npy")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "R-hat at most" in done.stdout
    assert "nan" not in done.stdout


@pytest.mark.parametrize("levels", ["2", "2,3"])
def test_blocks_side_by_side(levels, tmp_path):
    arguments = ["--variables", "16", "--blocks", "5", "--levels", levels, "--samples", "300"]
    done = run("simulate", "grid,hub", *arguments, "-o", "data.npy", "--truth", "truth.json",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "300 samples of 80 variables" in done.stdout
    data = np.load(tmp_path / "data.npy")
    assert data.shape == (300, 80)
    assert (data.max(axis=0) < np.resize([int(r) for r in levels.split(",")], 80)).all()
    grid, hub = markhood.simulate.grid(16), markhood.simulate.hub(16)
    expected = markhood.simulate.disjoint([grid, hub, grid, hub, grid])
    assert markhood.read_graph(tmp_path / "truth.json") == expected


def test_blocks_of_a_graph_from_a_file(tmp_path):
    markhood.write_graph(markhood.Graph(["sun", "rain"], [(0, 1)]), tmp_path / "g.json")
    done = run(
        "simulate", "g.json", "--samples", "20", "--blocks", "3", "-o", "d.csv", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "d.csv").read_text().startswith("x0,x1,x2,x3,x4,x5\n")


def test_compare_prints_and_writes_a_table(tmp_path):
    truth = markhood.Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    learned = markhood.Graph("dcba", [(0, 1), (0, 3)])
    markhood.write_graph(truth, tmp_path / "truth.json")
    markhood.write_graph(learned, tmp_path / "learned.graphml")
    done = run(
        "compare", "truth.json", "learned.graphml", "truth.json", "-o", "table.csv", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    first, second = csv.DictReader((tmp_path / "table.csv").read_text().splitlines())
    assert first["method"] == "learned.graphml"
    assert (first["false_positives"], first["false_negatives"]) == ("1", "2")
    assert second["hamming_distance"] == "0"
    assert "learned.graphml" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["simulate", "grid", "--variables", "63", "--samples", "9", "-o", "d.csv"], "49.*64"),
        (["simulate", "hub", "--variables", "60", "--samples", "9", "-o", "d.csv"], r"\b60\b"),
        (["simulate", "hub", "--variables", "64", "--samples", "0", "-o", "d.csv"], r"\b0\b"),
        (["simulate", "hub", "--variables", "-8", "--samples", "9", "-o", "d.csv"], "-8"),
        (["simulate", "web", "--variables", "64", "--samples", "9", "-o", "d.csv"], "'web'.*grid"),
        (["simulate", "hub", "--samples", "9", "-o", "d.csv"], r"--variables.*\[option-needed\]"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.doc"], r"d\.doc.*\.csv.*\[file-format\]"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "x/d.csv"], r"x/d\.csv.*\[file-not-writable\]"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--seed", "-1"], "--seed.*option-value"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--potentials", "p"], "'p'"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--levels", "1"], "2 to 256"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--kind", "steps"],
         "--kind.*'steps'.*nominal.*ordinal"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--levels", "x"], r"--levels.*'x'.*\[option-value\]"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--levels", ""], "levels"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--blocks", "0"], r"\[[a-z-]+\]"),
        (["simulate", "hub,web", "--variables", "8", "--samples", "9", "-o", "d.csv", "--blocks", "2"], "'web'"),
        (["simulate", "hub", "--variables", "8", "--samples", "9", "-o", "d.csv", "--blocks", "2",
          "--convergence"], r"--blocks.*\[option-conflict\]"),
        (["compare", "a.json", "b.json"], "'b'"),
        (["compare", "a.json", "no.json"], r"no\.json.*\[file-not-found\]"),
        (["compare", "a.json", "a.json", "-o", "t.txt"], r"t\.txt.*\[file-format\]"),
        (["paper", "tables"], r"'tables'.*screening.*\[option-unknown\]"),
        (["paper", "cost", "--variables", "65"], r"65.*64, 128.*\[option-value\]"),
        (["paper", "cost", "--variables", "many"], r"'many'.*\[option-value\]"),
        (["paper", "cost", "--replicates", "0"], r"replicates.*\[option-value\]"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_with_a_code(arguments, fact, tmp_path, monkeypatch):
    markhood.write_graph(markhood.Graph("ab", [(0, 1)]), tmp_path / "a.json")
    markhood.write_graph(markhood.Graph("ac", [(0, 1)]), tmp_path / "b.json")
    before = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert re.search(fact, done.stderr), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_networks_without_a_name_are_refused(tmp_path):
    done = run(
        "simulate",
        "",
        "--variables",
        "4",
        "--blocks",
        "1",
        "--samples",
        "20",
        "-o",
        tmp_path / "x.csv",
    )
    assert done.returncode == 2
    assert re.fullmatch(r"markhood: .* \[[a-z-]+\]\n", done.stderr), done.stderr


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_compare_is_never_cut(columns, tmp_path):
    markhood.write_graph(markhood.simulate.grid(9), tmp_path / "truth.json")
    name = "a-name-that-is-rather-long-for-a-file-with-a-graph.json"
    markhood.write_graph(markhood.simulate.chain(9), tmp_path / name)
    done = run("compare", "truth.json", name, cwd=tmp_path, columns=columns)
    assert done.returncode == 0, done.stderr
    assert name in done.stdout
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert {"recall", "precision", "f1"} <= set(done.stdout.split())


def test_compare_of_learned_graphs_knows_no_truth(tmp_path):
    first = markhood.Graph("abcd", [(0, 1), (1, 2), (2, 3)], provenance={"method": "plrhc"})
    markhood.write_graph(first, tmp_path / "first.json")
    markhood.write_graph(markhood.Graph("dcba", [(0, 1), (0, 3)]), tmp_path / "other.json")
    done = run("compare", "first.json", "other.json", "-o", "table.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader((tmp_path / "table.csv").read_text().splitlines())
    assert (row["shared"], row["only_first"], row["only_this"]) == ("1", "2", "1")
    assert "only in one of two graphs" in done.stdout
    assert "false" not in done.stdout
