"""The exported folder reproduces a graph in another process, and notices other data."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.graph.graph import Graph
from messages import refuses
from oracles.networks import network

VALUES = pd.DataFrame(network(31, 300, 6, strength=1.5), columns=list("abcdef"))
MIXED = VALUES.assign(
    age=np.random.default_rng(0).normal(40, 9, 300),
    mood=np.random.default_rng(1).choice(["low", "mid", "high"], 300),
    w=np.random.default_rng(2).uniform(0.5, 2, 300),
)


def run(folder, *arguments):
    """Run the script in a clean environment."""
    return subprocess.run(
        [sys.executable, "-I", str(folder / "reproduce.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={},
        cwd="/",
        check=False,
    )


OPTIONS = {
    "defaults": (VALUES, "plrhc", {}),
    "everything": (
        MIXED,
        "l1lr",
        {
            "weights": "w",
            "adjust_for": ["age"],
            "bins": 4,
            "kinds": {"mood": ["low", "mid", "high"]},
            "gamma": 0.1,
            "rule": "and",
            "exclude": ["f"],
            "table": markhood.TableFormat(merge_rare=20),
            "knowledge": markhood.Knowledge(forbidden_edges=[("a", "b")]),
            "run": markhood.Run(shuffles=2),
            "seed": 5,
        },
    ),
    "codebook": (
        MIXED,
        "plrhc",
        {
            "table": markhood.TableFormat(
                codebook=[
                    {"column": "mood", "levels": ["high", "mid", "low"]},
                    {"column": "w", "role": "weight"},
                    {"column": "age", "role": "covariate"},
                ]
            )
        },
    ),
    "weights of its own": (VALUES, "plrhc", {"weights": np.arange(300) % 3 + 1}),
    "bayes": (VALUES, "bayes", {"seed": 3, "pair_priors": {("a", "b"): 0.9}}),
}


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("case", OPTIONS)
def test_example_the_script_reproduces_every_number(case, tmp_path):
    table, method, options = OPTIONS[case]
    data = tmp_path / "answers.csv"
    table.to_csv(data, index=False)
    graph = markhood.learn(data, method, **options)
    folder = tmp_path / "supplement"
    graph.export_reproduction(folder, data)
    result = run(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"reproduced: {graph.n_edges} edges" in result.stdout
    assert markhood.read_graph(folder / "graph.json") == graph
    stored = json.loads((folder / "request.json").read_text())
    assert stored["fingerprint"] == graph.provenance["data"]["fingerprint"]
    assert stored["parameters"] == json.loads(json.dumps(graph.provenance["parameters"]))
    assert f"markhood=={markhood.__version__}" in (folder / "requirements.txt").read_text()
    assert (folder / "methods.txt").read_text().strip() == graph.describe_methods()


def test_example_other_data_are_noticed(tmp_path):
    graph = markhood.learn(VALUES)
    graph.export_reproduction(tmp_path / "without")
    assert sorted(path.name for path in (tmp_path / "without").iterdir()) == [
        *("README.md", "graph.json", "methods.txt", "reproduce.py"),
        *("request.json", "requirements.txt"),
    ]
    assert run(tmp_path / "without").returncode == 1
    other = tmp_path / "other.csv"
    VALUES[:150].to_csv(other, index=False)
    result = run(tmp_path / "without", other)
    assert result.returncode == 1
    assert "fingerprints differ" in result.stdout
    with refuses("data-changed", "data"):
        graph.export_reproduction(tmp_path / "with", VALUES[:150])
    assert not (tmp_path / "with").exists()


@pytest.mark.parametrize("data", [VALUES, VALUES.to_numpy()])
def test_example_tables_in_memory_are_written(data, tmp_path):
    markhood.learn(data).export_reproduction(tmp_path / "folder", data)
    assert run(tmp_path / "folder").returncode == 0


def test_example_what_cannot_be_exported(tmp_path):
    graph = markhood.learn(VALUES)
    with refuses("no-provenance"):
        Graph("ab", [(0, 1)]).export_reproduction(tmp_path / "folder")
    (tmp_path / "note.txt").write_text("keep")
    with refuses("file-exists"):
        graph.export_reproduction(tmp_path)
    with refuses("file-not-found"):
        graph.export_reproduction(tmp_path / "folder", tmp_path / "absent.csv")
    with refuses("not-supported", "data"):
        graph.export_reproduction(tmp_path / "folder", [[0, 1]])
    with refuses("file-not-writable"):
        graph.export_reproduction(tmp_path / "no" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
