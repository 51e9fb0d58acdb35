"""The process: signals, standard streams, and what it leaves with."""

import os
import re
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

COMMAND = [sys.executable, "-c", "from markhood.commandline.start import main; main()"]


def shell(line, cwd, **options):
    """Run a line of shell in which `markhood` is ours."""
    program = "markhood() { " + f'"{sys.executable}" -c "{COMMAND[2]}" "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", program + line],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        **options,
    )


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(200, 3))
    values[:, 1] = values[:, 0]
    values[::9, 1] = 1 - values[::9, 0]
    np.savetxt(tmp_path / "data.csv", values, "%d", ",", header="a,b,c", comments="")
    return tmp_path


def one_line_with_a_code(text):
    return re.fullmatch(r"markhood: .* \[[a-z-]+\]\n", text) is not None


@pytest.mark.parametrize("line", ["learn data.csv", "learn data.csv -o -", "--help", "--version"])
def test_example_standard_output_full_closed_or_left(data, line):
    full = shell(f"markhood {line} >/dev/full", data)
    assert full.returncode == 2
    assert full.stderr.endswith("No space left on device. [file-not-writable]\n")
    assert "Traceback" not in full.stderr
    closed = shell(f"markhood {line} >&-", data)
    assert closed.returncode == 2
    assert closed.stderr.endswith("Bad file descriptor. [file-not-writable]\n")
    left = shell(f"markhood {line} | true; exit ${{PIPESTATUS[0]}}", data)
    # Where all is written before the reader has left, nothing was amiss.
    assert left.returncode in (0, 141), left.stderr
    assert left.stderr in ("", shell(f"markhood {line} >/dev/null", data).stderr)
    assert shell(f"markhood {line} 2>&- >/dev/null <&-", data).returncode == 0


@pytest.mark.parametrize(("line", "code"), [("learn data.csv", 0), ("learn none.csv", 2)])
def test_example_a_full_standard_error_does_not_change_the_exit_code(data, line, code):
    assert shell(f"markhood {line} >/dev/null 2>/dev/full", data).returncode == code


def test_example_a_reader_that_has_left_is_141(data):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "learn", "data.csv", "-o", "-"], check=False, stdout=write, cwd=data,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr


def stopped_at(sign, number, *arguments, folder):
    """Start to learn, send a signal once there is a file of this pattern, and say how it ended."""
    process = subprocess.Popen(
        [*COMMAND, "learn", *arguments, "--checkpoint=tiles", "-oout.json"],
        stderr=subprocess.PIPE, text=True, cwd=folder,
    )  # fmt: skip
    while process.poll() is None and not list(folder.glob(sign)):
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_example_a_signal_ends_the_work_and_leaves_only_tiles(tmp_path, number, code):
    """Hill climbing without a screen takes many seconds."""
    values = np.random.default_rng(0).integers(0, 2, size=(20000, 3000), dtype=np.uint8)
    np.save(tmp_path / "long.npy", values)
    arguments = ["long.npy", "--method=hc", "--gamma=0.5"]
    ended = stopped_at("tiles/*-blankets.tiles", number, *arguments, folder=tmp_path)
    assert ended == (code, "markhood: stopped.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["long.npy", "tiles"]


def test_example_control_c_does_not_wait_for_a_chain(tmp_path):
    """A chain of so many sweeps would take an hour."""
    np.save(tmp_path / "grid.npy", np.random.default_rng(0).integers(0, 2, (500, 60), np.uint8))
    arguments = ["--method=bayes", "--sweeps=9000000", "--edge-prior=0.3", "--n-jobs=2"]
    ended = stopped_at(
        "tiles/*-chains.tiles", signal.SIGINT, "grid.npy", *arguments, folder=tmp_path
    )
    assert ended == (130, "markhood: stopped.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.npy", "tiles"]


IMPORTING = """
import builtins, os, signal
plain = builtins.__import__
def interrupted(name, *rest, **named):
    if name == {name!r}:
        os.kill(os.getpid(), signal.SIGINT)
    return plain(name, *rest, **named)
builtins.__import__ = interrupted
from markhood.commandline.start import main
main()
"""


@pytest.mark.parametrize("name", ["typer", "rich.console", "markhood.learning.request"])
def test_example_control_c_during_the_imports(data, name):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING.format(name=name), "learn", "data.csv"],
        check=False, capture_output=True, text=True, cwd=data,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "markhood: stopped.\n")


def test_example_a_signal_that_is_ignored_stays_so(data):
    done = shell(
        "trap '' TERM; markhood learn data.csv >/dev/null & sleep 0.3; kill $!; wait $!", data
    )
    assert done.returncode == 0, done.stderr


def test_example_a_limit_on_the_size_of_files_is_called_that(data):
    rng = np.random.default_rng(0)
    np.save(data / "wide.npy", rng.integers(0, 2, size=(500, 2000), dtype=np.uint8))
    done = shell(
        "markhood pack wide.npy -o packed",
        data,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)),
    )
    assert (done.returncode, one_line_with_a_code(done.stderr)) == (2, True), done.stderr
    assert "ulimit -f" in done.stderr
    assert "permissions" not in done.stderr
    assert sorted(path.name for path in data.iterdir()) == ["data.csv", "wide.npy"]


def test_example_a_limit_on_the_size_of_files_leaves_no_output(data):
    done = shell(
        "markhood learn data.csv -o o.json --report o.html --model p.json",
        data,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)),
    )
    assert (done.returncode, "Wrote" in done.stdout) == (2, False)
    assert [path.name for path in data.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("arguments", ["learn {}.csv", "learn data.csv -o {}.json", "pack data.csv -o {}",
                                       "report {}.json", "learn data.csv --checkpoint {}",
                                       "compare {}.csv data.csv", "paper cost -o {}"])  # fmt: skip
def test_example_names_that_are_too_long(data, arguments):
    done = shell("markhood " + arguments.format("x" * 300), data)
    assert (done.returncode, one_line_with_a_code(done.stderr)) == (2, True), done.stderr
    assert [path.name for path in data.iterdir()] == ["data.csv"]


def test_example_names_and_paths_do_nothing_but_be_read(data):
    (data / "[").mkdir()
    hostile = "\x1b[2J[/red]:cow:\u202e"
    text = (data / "data.csv").read_text().replace("a,b,c", f"{hostile},=b,c")
    (data / "[/red]\x1b.csv").write_text(text, encoding="utf-8")
    for line in (
        "learn '[/red]\x1b.csv' -o '[/red].json'",
        "learn '[/red]\x1b.csv' --columns '\x1b',b",
        "compare '[/red].json' '[/red].json'",
        "learn '\x1b.csv'",
        "learn $'\\xff.csv' -o $'\\xff.csv'",
    ):
        done = shell(f"markhood {line}", data, env={**os.environ, "FORCE_COLOR": ""})
        assert "Traceback" not in done.stderr
        assert "\x1b[2J" not in done.stdout + done.stderr
        assert "\u202e" not in done.stdout + done.stderr
        assert "\x1b.csv" not in done.stdout + done.stderr
    done = shell("markhood learn '[/red]\x1b.csv'", data, env={**os.environ, "NO_COLOR": "1"})
    assert r"\x1b[2J[/red]:cow:\u202e" in done.stdout
