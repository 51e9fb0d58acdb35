"""A run that is killed goes on where it was, and ends in the same graph."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import markhood
from markhood.simulate import grid, ising

COMMAND = [sys.executable, "-c", "from markhood.commandline.app import main; main()"]


@pytest.fixture
def long_work(tmp_path):
    """Data whose hill climbing without a screen takes some seconds."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(4000, 600), dtype=np.uint8)
    values[:, 1::2] = np.where(rng.random((4000, 300)) < 0.7, values[:, ::2], values[:, 1::2])
    np.save(tmp_path / "long.npy", values)
    return [*COMMAND, "learn", str(tmp_path / "long.npy"), "--method", "hc", "--n-jobs", "1"]


def everything_but_times(path):
    about = json.loads(path.read_text())
    del about["graph"]["provenance"]["seconds"]
    about["graph"]["provenance"]["run"].pop("checkpoint", None)
    return about


def test_example_kill_9_and_the_same_command_again(long_work, tmp_path):
    folder, out = tmp_path / "tiles", tmp_path / "graph.json"
    saving = [*long_work, "--checkpoint", str(folder), "-o", str(out)]
    process = subprocess.Popen(saving)
    blankets = folder / "1-blankets.tiles"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (blankets.exists() and blankets.stat().st_size > 500):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not out.exists()
    saved = blankets.read_bytes()
    for name in ("1.json", "2.json"):  # on from there; and once more, with nothing left to do
        subprocess.run(saving, check=True, stdout=subprocess.DEVNULL)
        assert blankets.read_bytes()[:500] == saved[:500]
        out.rename(tmp_path / name)
    subprocess.run([*long_work, "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    assert markhood.read_graph(tmp_path / "1.json") == markhood.read_graph(out)
    plain, resumed, complete = map(everything_but_times, (out, *sorted(tmp_path.glob("?.json"))))
    assert plain == resumed == complete


def test_example_chains_over_graphs_go_on_after_a_kill(tmp_path):
    values = ising(grid(25), seed=1).sample(300, seed=2)
    np.save(tmp_path / "grid.npy", values)
    method = ["--method", "bayes", "--chains", "3", "--sweeps", "300", "--n-jobs", "1"]
    learn = [*COMMAND, "learn", str(tmp_path / "grid.npy"), *method]
    folder, out = tmp_path / "tiles", tmp_path / "graph.json"
    saving = [*learn, "--checkpoint", str(folder), "-o", str(out)]
    process = subprocess.Popen(saving, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until and not size_of_chains(folder):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not out.exists()
    before = size_of_chains(folder)
    subprocess.run(saving, check=True, stdout=subprocess.DEVNULL)
    assert size_of_chains(folder) > before
    out.rename(tmp_path / "resumed.json")
    subprocess.run([*learn, "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    assert everything_but_times(tmp_path / "resumed.json") == everything_but_times(out)


def size_of_chains(folder):
    """Return how large the files of finished rounds and chains are, without their heads."""
    files = list(folder.glob("*-chains.tiles")) if folder.exists() else []
    return sum(max(0, file.stat().st_size - 500) for file in files)


def test_example_a_folder_of_another_run_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).integers(0, 2, size=(60, 4)))
    learn = [*COMMAND, "learn", str(tmp_path / "a.npy"), "--checkpoint", str(tmp_path / "tiles")]
    subprocess.run(learn, check=True, stdout=subprocess.DEVNULL)
    out = tmp_path / "g.json"
    done = subprocess.run(
        [*learn, "--gamma", "0.25", "-o", str(out)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert re.search(r"gamma.*0\.5.*0\.25", done.stderr)
    assert len(done.stderr.splitlines()) == 1
    assert not out.exists()


def test_example_an_unknown_executor_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).integers(0, 2, size=(60, 4)))
    learn = [*COMMAND, "learn", str(tmp_path / "a.npy")]
    for options in (["--executor", "spark"], ["--scheduler", "tcp://here:1"]):
        done = subprocess.run([*learn, *options], check=False, capture_output=True, text=True)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith("markhood: ")


def test_example_several_runs_at_once_in_one_folder(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(300, 12))
    values[:, 1::2] = values[:, ::2] ^ (rng.random((300, 6)) < 0.2)
    np.save(tmp_path / "a.npy", values)
    learn = [*COMMAND, "learn", "a.npy", "--checkpoint", "tiles", "-o", "g.json", "-o", "g.csv"]
    runs = [
        subprocess.Popen(learn, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(6)
    ]
    for run in runs:
        _, errors = run.communicate(timeout=120)
        assert (run.returncode, errors) == (0, b"")
    assert markhood.read_graph(tmp_path / "g.json") == markhood.learn(values)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "a.npy",
        "g.csv",
        "g.csv.json",
        "g.json",
        "tiles",
    ]
