"""benchmarks/peers says what came of every tool, and measures it right."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from markhood.evaluate.measures import compare
from markhood.graph.graph import Graph

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"
TABLE = np.random.default_rng(0).integers(0, 2, size=(20, 3), dtype=np.uint8)
TRUTH = Graph("abc", [(0, 1), (0, 2)])


@pytest.fixture
def outcome_of(modules):
    trial = modules("trial")
    tools = trial.peers_of(("pretend_tools",))

    def outcome(tool, timeout=60):
        family, peer = tools[tool]
        return trial.try_tool(family, peer, "abc", TABLE, TRUTH, timeout)

    return outcome


def test_a_tool_is_compared_with_the_truth(outcome_of):
    outcome = outcome_of("trivial")
    assert (outcome.status, outcome.why) == ("done", "")
    assert (outcome.false_positives, outcome.false_negatives, outcome.hamming_distance) == (1, 1, 2)
    assert 0 <= outcome.learning_seconds < outcome.process_seconds


def test_time_and_memory_are_the_tools_own(outcome_of):
    ballast = np.ones(50_000_000)  # 400 MB, which are ours
    spends, trivial = outcome_of("spends"), outcome_of("trivial")
    assert ballast[-1] == 1
    assert spends.process_seconds >= 0.5
    assert trivial.learning_seconds < 0.1
    assert trivial.peak_megabytes < 200 < spends.peak_megabytes < 400


@pytest.mark.parametrize(
    ("tool", "timeout", "status", "why"),
    [
        ("missing", 60, "absent", "it is nowhere to be found"),
        ("fails", 60, "failed", "this tool is broken"),
        ("no-graph", 60, "failed", "what it learned is no graph"),
        ("endless", 1, "out of time", "stopped after 1 s of CPU time"),
    ],
)
def test_what_goes_wrong_is_said(outcome_of, tool, timeout, status, why):
    outcome = outcome_of(tool, timeout)
    assert outcome.status == status
    assert why in outcome.why
    assert outcome.hamming_distance is None


def test_a_tool_that_hangs_is_ended(outcome_of, modules, monkeypatch):
    monkeypatch.setattr(modules("trial"), "PATIENCE", 2)
    outcome = outcome_of("hangs", 1)
    assert (outcome.status, outcome.why) == ("out of time", "stopped after 2 s on the wall")


def test_table_and_file_drop_no_tool(outcome_of, modules, tmp_path):
    table = modules("table")
    outcomes = [outcome_of(tool) for tool in ("trivial", "missing", "fails")]
    assert table.absences(outcomes) == "absent: missing: it is nowhere to be found"
    lines = table.as_markdown(outcomes).splitlines()
    assert [line.split("|")[2].strip() for line in lines[2:]] == ["trivial", "fails"]
    assert "failed: RuntimeError: this tool is broken" in lines[-1]
    table.write_csv(outcomes, tmp_path / "outcomes.csv")
    with (tmp_path / "outcomes.csv").open() as file:
        rows = {row["tool"]: row for row in csv.DictReader(file)}
    assert {tool: row["status"] for tool, row in rows.items()} == {
        "trivial": "done",
        "missing": "absent",
        "fails": "failed",
    }
    assert rows["trivial"]["hamming_distance"] == "2"
    assert rows["missing"]["hamming_distance"] == ""


def test_absent_packages_are_named(modules, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda module: None)
    monkeypatch.setenv("PATH", "")
    reasons = {
        peer.name: peer.why_absent()
        for family in ("abess_slide", "causal_learn_pc", "r_packages")
        for peer in modules(family).PEERS
    }
    assert "abess is not installed" in reasons["abess-gic"]
    assert "causal-learn is not installed" in reasons["causal-learn-pc"]
    assert "Rscript is not on the PATH" in reasons["bdgraph-mpl"]


def test_a_method_that_this_markhood_does_not_know_is_absent(modules):
    unknown = modules("markhood_methods").Markhood("new", "telepathy")
    assert "no method 'telepathy'" in unknown.why_absent()
    newer = modules("markhood_methods").Markhood("newer", "plrhc", {"mood": "good"})
    assert "no mood" in newer.why_absent()


def test_scikit_learn_path_finds_strong_couplings(modules):
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, size=(400, 6), dtype=np.uint8)
    table[:, 1] = np.where(rng.random(400) < 0.85, table[:, 0], table[:, 1])
    table[:, 5] = 1  # constant: it must not stop the others
    learn = modules("scikit_learn_l1").PEERS[0].load()
    assert learn(table).tolist() == [[0, 1]]


def test_the_command_runs(modules, tmp_path):
    path = tmp_path / "outcomes.csv"
    command = [sys.executable, str(PEERS / "run.py"), "--networks", "hub-64"]
    options = ["--tools", "markhood-plrhc", "markhood-chow-liu", "--output", str(path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    assert "| hub-64  | markhood-plrhc " in done.stdout
    table, truth = modules("networks").simulate(modules("networks").NETWORKS["hub-64"])
    peers = modules("markhood_methods").PEERS
    plrhc = next(peer for peer in peers if peer.name == "markhood-plrhc").load()
    expected = compare(truth, Graph(truth.nodes, plrhc(table))).hamming_distance
    with path.open() as file:
        assert next(csv.DictReader(file))["hamming_distance"] == str(expected)


def test_an_unknown_tool_is_refused():
    command = [sys.executable, str(PEERS / "run.py"), "--tools", "oracle"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "invalid choice: 'oracle'" in done.stderr
