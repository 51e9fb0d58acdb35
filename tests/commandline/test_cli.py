"""The command line as a user has it: in a process of its own."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app

GOLDEN = Path(__file__).parents[1] / "golden"
COMMAND = [sys.executable, "-c", "from markhood.commandline.app import main; main()"]


def run(*arguments, cwd=".", columns=100):
    """Run a command in this process, which is faster than one of its own."""
    runner = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1"})
    with chdir(cwd):
        done = runner.invoke(app, list(map(str, arguments)))
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def votes(tmp_path):
    """A CSV of three columns in which yes and no go together in two."""
    rng = np.random.default_rng(0)
    a, c = rng.integers(0, 2, size=(2, 300))
    b = np.where(rng.random(300) < 0.9, a, 1 - a)
    rows = [",".join("yes" if v else "no" for v in row) for row in zip(a, b, c, strict=True)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["tax,spend,war", *rows]) + "\n")
    return path


def test_learn_prints_a_summary_and_writes_every_format(votes, tmp_path):
    outputs = [tmp_path / f"graph.{e}" for e in ("csv", "json", "graphml", "gexf", "npz")]
    done = run("learn", votes, *(f"--output={o}" for o in outputs))
    assert done.returncode == 0, done.stderr
    assert "300 samples, 3 variables" in done.stdout
    assert "no, yes in all columns" in done.stdout
    assert f"Next: markhood bootstrap {votes} to see" in done.stdout
    assert re.search(r"tax\s+spend", done.stdout)
    first, *others = [markhood.read_graph(o) for o in outputs]
    assert first.edge_names() == [("tax", "spend")]
    assert all(other == first for other in others)
    about = first.provenance
    assert about["version"] == markhood.__version__
    assert about["method"] == "plrhc"
    assert about["parameters"]["gamma"] == 0.5
    assert set(about["seconds"]) == {"screen", "blankets", "climb", "evidence"}
    assert about["data"]["fingerprint"] == markhood.read_samples(votes).fingerprint
    assert nx.read_graphml(outputs[2]).number_of_nodes() == 3


def test_same_graph_as_python_and_golden(tmp_path):
    done = run("learn", GOLDEN / "grid-64-500.npz", "-o", tmp_path / "g.json", "--n-jobs", "2")
    assert done.returncode == 0, done.stderr
    learned = markhood.read_graph(tmp_path / "g.json")
    with np.load(GOLDEN / "grid-64-500.npz") as golden:
        assert learned == markhood.learn(golden["data"])
        assert learned.edges.tolist() == golden["plrhc"].tolist()


def test_dash_writes_csv_to_standard_output_and_the_summary_to_standard_error(votes):
    done = run("learn", votes, "--output", "-", "--method", "hc", "--rule", "and")
    header, *edges = done.stdout.splitlines()
    assert header.startswith("source,target,evidence,coupling")
    assert [edge.split(",")[:2] for edge in edges] == [["tax", "spend"]]
    assert "method    hc" in done.stderr


def test_options_of_a_method_by_their_names(votes, tmp_path):
    arguments = ["--method", "l1lr", "--rule", "and", "--gamma", "0.25", "-o", tmp_path / "g.json"]
    done = run("learn", votes, *arguments, "--no-refit", "--standardize")
    assert done.returncode == 0, done.stderr
    graph = markhood.read_graph(tmp_path / "g.json")
    assert graph.edge_names() == [("tax", "spend")]
    parameters = {"gamma": 0.25, "rule": "and", "standardize": True, "refit": False}
    assert graph.provenance["parameters"] == parameters
    assert "--no-refit" in run("learn", votes, "--no-refit").stderr
    assert run("learn", votes, "--criterion", "mpl", "--start", "empty").returncode == 0
    fit = ["--fit-penalty", "l2:0.5"]
    assert run("learn", votes, *fit, "-o", tmp_path / "penalised.json").returncode == 0
    penalised = markhood.read_graph(tmp_path / "penalised.json")
    assert penalised.provenance["parameters"]["fit_penalty"] == ["l2", 0.5]
    assert "--fit-penalty" in run("learn", votes, "--fit-penalty", "l2:-1").stderr


def test_columns_header_and_array(votes, tmp_path):
    done = run("learn", votes, "--columns", "war,tax", "-o", "-")
    assert "300 samples, 2 variables" in done.stderr
    done = run("learn", votes, "--no-header", "--max-levels", "2", "-o", "-")
    assert done.returncode == 2
    assert "[too-many-levels]" in done.stderr
    np.savez(tmp_path / "two.npz", a=np.eye(4, dtype=int), b=1 - np.eye(3, dtype=int))
    assert "4 samples" in run("learn", tmp_path / "two.npz", "--array", "a").stdout


def test_missing_values_and_weights(tmp_path):
    rows = [f"{k % 2},{k // 2 % 2},1" for k in range(40)] + ["-9,1,1", "?,0,1", "1,1,0"]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,w", *rows]))
    options = ["--missing", "drop", "--missing-values", "-9,?"]
    done = run("learn", "data.csv", *options, "--weights", "w", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "note: 2 of 43 rows" in done.stderr
    assert "41 remain. [rows-dropped]" in done.stderr
    assert "40 samples, 2 variables" in done.stdout
    done = run("report", "data.csv", *options, "--columns", "a,b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "41 samples, 2 variables" in (tmp_path / "report.html").read_text()


def test_demo_draws_the_pixels_and_writes_the_graph(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1797 samples, 64 variables" in done.stdout
    assert "o--o" in done.stdout
    assert "note: 13 columns" in done.stderr
    assert "[constant-column]" in done.stderr
    assert markhood.read_graph(tmp_path / "digits.graphml").n_nodes == 64


def test_the_demos_page_has_the_pixels_on_their_grid(tmp_path):
    done = run("demo", "--report", "digits.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "digits.html").read_text()
    (data,) = re.findall(
        r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL
    )
    nodes = json.loads(data)["nodes"]
    assert len(set(nodes["x"])) == len(set(nodes["y"])) == 8


def test_version_and_help_with_examples():
    assert run("--version").stdout.strip() == f"markhood {markhood.__version__}"
    assert "markhood learn symptoms.csv" in run("--help").stdout
    assert "markhood learn symptoms.csv" in run("learn", "--help").stdout


def bad_csv(text, *arguments):
    def write(folder):
        (folder / "data.csv").write_text(text)
        return ["learn", "data.csv", "-o", "out.json", *arguments]

    return write


def good_csv_with(*arguments):
    def write(folder):
        (folder / "data.csv").write_text("a,b\n" + "0,1\n1,0\n1,1\n" * 5)
        return ["learn", "data.csv", *arguments]

    return write


def bad_array(array):
    def write(folder):
        np.save(folder / "data.npy", array)
        return ["learn", "data.npy", "-o", "out.json"]

    return write


@pytest.mark.parametrize(
    ("prepare", "fact"),
    [
        pytest.param(lambda _: ["learn", "no.csv"], r"no\.csv", id="missing file"),
        pytest.param(bad_csv(""), r"data\.csv", id="empty file"),
        pytest.param(bad_csv("a,b\n"), r"\b0\b", id="no rows"),
        pytest.param(bad_csv("a,b\n0,1\n"), r"\b1\b", id="one row"),
        pytest.param(bad_csv("a\n0\n1\n0\n1\n"), r"\b1\b|one column", id="one column"),
        pytest.param(
            bad_csv("a,b\n" + "".join(f"p{k},{k % 2}\n" for k in range(70))),
            r"'a' .an identifier.*--columns",
            id="identifier",
        ),
        pytest.param(good_csv_with("--missing", "guess"), "'guess'.*drop", id="missing policy"),
        pytest.param(good_csv_with("--max-levels", "1"), "--max-levels", id="max levels"),
        pytest.param(good_csv_with("--weights", "w"), "'w'", id="weights"),
        pytest.param(
            good_csv_with("--missing-values", "1", "--missing", "error"), r"20.*'a'", id="codes"
        ),
        pytest.param(
            bad_csv("a,b\n0,1\n1,\n,\n0,\n", "--missing", "error"),
            r"\b4\b.*'b'.*line 3",
            id="missing values",
        ),
        pytest.param(bad_csv("a,b\n0,1\n1\n0,1\n"), "Line 3", id="ragged"),
        pytest.param(bad_csv("a,b\n0,1\n1,inf\n0,1\n"), r"'b'.*inf|inf.*'b'", id="infinity"),
        pytest.param(bad_csv("a,a\n0,1\n1,0\n0,1\n"), "'a'", id="duplicate names"),
        pytest.param(bad_array(np.array([[1j, 0], [0, 1]])), "(?i)complex", id="complex"),
        pytest.param(bad_array(np.zeros(4, int)), "(?i)1d|one dimension|1-D", id="1-D"),
        pytest.param(bad_array(np.zeros((2, 2, 2), int)), "(?i)3d|3-D|three|dim", id="3-D"),
        pytest.param(good_csv_with("--gamma", "-0.1"), "gamma", id="negative gamma"),
        pytest.param(good_csv_with("--gamma", "nan"), "gamma", id="gamma not finite"),
        pytest.param(good_csv_with("--depth", "0"), "depth", id="depth 0"),
        pytest.param(good_csv_with("--method", "magic"), "'magic'.*plrhc", id="method"),
        pytest.param(good_csv_with("--rule", "xor"), "'xor'.*global", id="rule"),
        pytest.param(good_csv_with("--method", "hc", "--depth", "2"), "--depth", id="hc depth"),
        pytest.param(
            good_csv_with("-o", "graph.doc"),
            r"\.doc.*\.graphml.*\[file-format\]",
            id="output ending",
        ),
        pytest.param(
            good_csv_with("-o", "no/graph.csv"),
            r"no/graph\.csv.*\[file-not-writable\]",
            id="output folder",
        ),
        pytest.param(good_csv_with("--columns", "a,c"), "'c'", id="unknown column"),
    ],
)
def test_bad_input_is_one_line_with_a_code_and_leaves_nothing_behind(prepare, fact, tmp_path):
    arguments = prepare(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.search(fact, done.stderr), done.stderr
    assert re.fullmatch(r"markhood: .* \[[a-z-]+\]\n", done.stderr), done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_unknown_flag_is_refused(votes):
    assert run("learn", votes, "--nonsense").returncode == 2


def test_does_not_import_scikit_learn(votes):
    code = (
        "import sys; from markhood.commandline.app import app\n"
        f"app(['learn', {str(votes)!r}], standalone_mode=False)\n"
        "assert not {'sklearn', 'pandas', 'polars', 'matplotlib', 'networkx'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def long_work(tmp_path):
    """Data whose hill climbing without a screen takes many seconds."""
    rng = np.random.default_rng(0)
    path = tmp_path / "long.npy"
    np.save(path, rng.integers(0, 2, size=(20000, 3000), dtype=np.uint8))
    return path


def test_long_work_shows_its_progress_on_a_terminal(long_work):
    ours, theirs = pty.openpty()
    arguments = [*COMMAND, "learn", str(long_work), "--method", "hc", "--gamma", "0.5"]
    process = subprocess.Popen(arguments, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, until = "", time.monotonic() + 60
    while "blankets" not in shown and time.monotonic() < until:
        shown += os.read(ours, 4096).decode(errors="replace")
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    os.close(ours)
    assert re.search(r"blankets .*\d+ %", shown)


def test_json_is_strict(votes, tmp_path):
    run("learn", votes, "-o", tmp_path / "g.json")

    def refuse(constant):
        raise AssertionError(constant)

    json.loads((tmp_path / "g.json").read_text(), parse_constant=refuse)
