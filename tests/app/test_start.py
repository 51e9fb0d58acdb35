"""Starting and ending the server: ports, second starts, signals, files that are left."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on POSIX")


def left_in(folder):
    return [one for one in folder.iterdir() if one.name.startswith(".markhood-")]


def test_the_address_is_printed_and_everything_is_removed_at_the_end(started, tmp_path, survey):
    app = started("--port", "0")
    assert app.client.send("GET", "")[0] == 200
    table = app.client.upload("survey.csv", survey)
    assert app.client.do("describe", table)["status"] == "done"
    (folder,) = left_in(tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o700
    workers = psutil.Process(app.process.pid).children(recursive=True)
    app.end()
    assert app.process.returncode == 130
    assert left_in(tmp_path) == []
    assert [one for one in workers if one.is_running()] == []


def test_the_page_can_end_it(started, tmp_path):
    app = started("--port", "0")
    assert app.client.json("POST", "api/quit")[0] == 200
    assert app.process.wait(20) == 0
    assert left_in(tmp_path) == []


def test_only_the_loopback_address_listens(started):
    app = started("--port", "0")
    listening = psutil.Process(app.process.pid).net_connections()
    addresses = {one.laddr.ip for one in listening if one.status == "LISTEN"}
    assert addresses == {"127.0.0.1"}


def test_a_second_start_has_its_own_address(started, survey):
    first, second = started(), started()
    assert first.client.port != second.client.port
    assert first.client.token != second.client.token
    first.client.upload("survey.csv", survey)
    assert second.client.json("GET", "api/state")[1]["tables"] == []
    first.end()
    assert second.client.send("GET", "api/state")[0] == 200


def test_a_port_in_use_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        run = "from markhood.commandline.start import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", run, "app", "--no-browser", "--port", port],
            check=False,
            capture_output=True,
            text=True,
            env={"TMPDIR": str(tmp_path)},
        )
    assert done.returncode == 2
    assert port in done.stderr
    assert "[option-value]" in done.stderr


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_impossible_ports_are_refused(port):
    run = "from markhood.commandline.start import main; main()"
    command = [sys.executable, "-c", run, "app", "--no-browser", f"--port={port}"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 2


@posix
def test_a_killed_server_leaves_no_worker_and_the_next_start_removes_its_files(
    started, tmp_path, survey
):
    app = started("--port", "0")
    table = app.client.upload("survey.csv", survey)
    job = app.client.start("answer", table, question="bootstrap", settings={"replicates": "100000"})
    while job["progress"] is None:
        _, job = app.client.json("GET", f"api/jobs/{job['id']}")
        time.sleep(0.05)
    workers = psutil.Process(app.process.pid).children(recursive=True)
    assert workers
    app.end(signal.SIGKILL)
    assert len(left_in(tmp_path)) == 1
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert alive == []
    after = started("--port", "0")
    assert len(left_in(tmp_path)) == 1
    after.end(signal.SIGTERM)
    assert after.process.returncode == 143
    assert left_in(tmp_path) == []


# Sends a signal to itself at a call of a Python function after the server was announced, in a forked
# process for each of them.
AT_CALLS = """
import json, os, signal, sys, tempfile
import uvicorn.lifespan.on, uvicorn.loops.auto, uvicorn.protocols.http.auto
import markhood.app.server, markhood.commandline.app
from markhood.commandline import pages, start

def at_call(last, number):
    count = 0
    def profile(frame, event, _):
        nonlocal count
        if event == "call":
            count += 1
            if count == last:
                sys.setprofile(None)
                os.kill(os.getpid(), number)
    return profile

def announced(*_):
    global is_announced
    if not is_announced:
        is_announced = True
        sys.setprofile(at_call(last, number))

is_announced = False
for last, number in json.loads(sys.argv[1]):
    child = os.fork()
    if child == 0:
        pages.say = announced
        sys.argv = ["markhood", "app", "--no-browser", "--port", "0"]
        start.main()
        os._exit(99)
    print(last, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@posix
def test_a_signal_at_any_moment_of_the_start_ends_it(tmp_path):
    calls = [*range(1, 120, 8), *range(120, 2000, 200)]
    at = [(call, (signal.SIGINT, signal.SIGTERM)[k % 2]) for k, call in enumerate(calls)]
    done = subprocess.run(
        [sys.executable, "-c", AT_CALLS, json.dumps(at)],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        env={"TMPDIR": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
    )
    assert done.stdout.splitlines() == [f"{call} {128 + number}" for call, number in at]
    assert set(done.stderr.splitlines()) == {"markhood: stopped."}
    assert left_in(tmp_path) == []


def test_the_extra_is_named_if_it_is_not_installed(tmp_path):
    (tmp_path / "uvicorn.py").write_text("raise ImportError('absent', name='uvicorn')")
    run = "from markhood.commandline.start import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, "app", "--no-browser"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "markhood[app]" in done.stderr


def test_the_command_line_does_not_import_the_server():
    code = (
        "import sys; from markhood.commandline.app import COMMANDS; import markhood.learning.learn; "
        "assert 'app' in COMMANDS; "
        "sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'markhood.app')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
