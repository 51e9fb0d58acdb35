"""A real server on the loopback address, and a client that can send anything."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")

from markhood.app.jobs import Workspace
from markhood.app.server import create_app
from markhood.app.start import bound

TOKEN = "token-of-the-test"
SECONDS = 120


class Client:
    """Requests to one server, with its token unless a path is passed whole."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    def send(self, method, path, body=None, headers=None, host=None):
        """Return status, headers and body; a path that begins with / is used as it is."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        whole = path if path.startswith("/") else f"/{self.token}/{path}"
        connection.putrequest(method, whole, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None and "Transfer-Encoding" not in (headers or {}):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), content

    def json(self, method, path, body=None):
        """Return status and decoded body of a request with JSON."""
        given = None if body is None else json.dumps(body).encode()
        status, _, content = self.send(method, path, given)
        return status, json.loads(content)

    def upload(self, name, content):
        """Send a table and return its number."""
        status, _, body = self.send("POST", f"api/tables?name={name}", content)
        assert status == 200, body
        return json.loads(body)["table"]

    def start(self, task, table, question="learn", settings=None, codebook=(), method="plrhc"):
        """Start a job and return it."""
        asked = {"task": task, "question": question, "method": method, "table": table}
        asked |= {"settings": settings or {}, "codebook": list(codebook)}
        status, job = self.json("POST", "api/jobs", asked)
        assert status == 200, job
        return job

    def finished(self, job):
        """Wait for the end of a job."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            _, job = self.json("GET", f"api/jobs/{job['id']}")
            if job["status"] != "running":
                return job
            time.sleep(0.05)
        raise AssertionError(job)

    def do(self, task, table, **asked):
        return self.finished(self.start(task, table, **asked))


class Started:
    """`markhood app` in a process of its own."""

    def __init__(self, folder, *arguments):
        command = [sys.executable, "-c", "from markhood.commandline.start import main; main()"]
        self.process = subprocess.Popen(
            [*command, "app", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"TMPDIR": str(folder), "PATH": "", "HOME": str(folder)},
        )
        line = self.process.stdout.readline()
        if match := re.search(r"http://127\.0\.0\.1:(\d+)/(\S+)/", line):
            self.address = match[0]
            self.client = Client(int(match[1]), match[2])

    def end(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture
def started(tmp_path):
    """Start `markhood app`; what still runs at the end is killed."""
    running = []

    def start(*arguments, folder=None):
        running.append(Started(folder or tmp_path, *arguments))
        return running[-1]

    yield start
    for one in running:
        one.end(signal.SIGKILL)


def serve(folder, limit):
    """Serve in a thread of this process; return the client and a function that ends it."""
    ended = threading.Event()
    workspace = Workspace(folder)
    listening = bound(0)
    port = listening.getsockname()[1]
    hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
    app = create_app(workspace, TOKEN, hosts, limit, ended.set)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()

    def end():
        server.should_exit = True
        thread.join()

    client = Client(port, TOKEN)
    client.ended, client.workspace = ended, workspace
    return client, end


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A server with a limit of 2 MB for each file."""
    made, end = serve(tmp_path_factory.mktemp("served"), 2_000_000)
    yield made
    end()


@pytest.fixture(scope="session")
def survey():
    """A small survey as CSV: a chain of five answers, a group, a weight and an identifier."""
    rng = np.random.default_rng(0)
    answers = [rng.integers(1, 5, 300)]
    for _ in range(4):
        step = np.where(rng.random(300) < 0.7, answers[-1], rng.integers(1, 5, 300))
        answers.append(step)
    group = np.where(rng.random(300) < 0.5, "old", "young")
    rows = ["id,q1,q2,q3,q4,q5,group,mood"]
    moods = rng.choice(["low", "mid", "high"], 300)
    for k, (*own, g, m) in enumerate(zip(*answers, group, moods, strict=True)):
        rows.append(",".join(map(str, [k + 1000, *own, g, m])))
    return "\n".join(rows).encode()


@pytest.fixture(scope="session")
def survey_file(survey, tmp_path_factory):
    path = Path(tmp_path_factory.mktemp("data"), "survey.csv")
    path.write_bytes(survey)
    return path
