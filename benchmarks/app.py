"""Time from `markhood app` to the first report, for a survey, and to describe a large file.

    python benchmarks/app.py            # a survey of 2800 x 25 answers from 1 to 6
    python benchmarks/app.py --large    # also a CSV file of 1 GB

Times are wall-clock seconds since the command was started; the processor seconds are those of the
server and its workers.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import psutil

N, SCALES, ITEMS, LEVELS = 2800, 5, 5, 6
RUN = [sys.executable, "-c", "from markhood.commandline.start import main; main()"]
TASK = {"question": "learn", "method": "plrhc", "settings": {}, "codebook": []}


def survey() -> bytes:
    """Return answers to items of five scales, with 0.7 % missing, as CSV."""
    rng = np.random.default_rng(0)
    factors = np.repeat(rng.normal(size=(N, SCALES)), ITEMS, axis=1)
    scores = factors + rng.normal(size=factors.shape)
    cuts = np.quantile(scores, np.arange(1, LEVELS) / LEVELS)
    answers = (np.digitize(scores, cuts) + 1).astype("U1")
    answers[rng.random(answers.shape) < 0.007] = ""
    names = ",".join(f"{scale}{item}" for scale in "ACENO" for item in range(1, ITEMS + 1))
    return "\n".join([names, *map(",".join, answers.tolist())]).encode()


def write_large(path: Path, size: float = 1e9) -> None:
    """Write a CSV file of about a gigabyte: 50 columns of one digit."""
    rng = np.random.default_rng(0)
    block = rng.integers(0, 5, (20_000, 50)).astype("U1").tolist()
    lines = ("\n".join(map(",".join, block)) + "\n").encode()
    with path.open("wb") as file:
        file.write(",".join(f"q{k}" for k in range(50)).encode() + b"\n")
        for _ in range(int(size / len(lines))):
            file.write(lines)


class App:
    """A started server."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        command = [*RUN, "app", "--no-browser", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"127\.0\.0\.1:(\d+)(/\S+/)", self.process.stdout.readline())
        assert found is not None
        self.port, self.path = int(found[1]), found[2]

    def seconds(self) -> float:
        """Return the time since the start."""
        return time.perf_counter() - self.start

    def send(self, method: str, path: str, body: object = None) -> bytes:
        """Send a request, and return the body of the response."""
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request(method, self.path + path, body)  # type: ignore[arg-type]
        return connection.getresponse().read()

    def wait(self, task: str, table: str, until: str) -> dict[str, object]:
        """Start a job, and wait until it has a result or has ended."""
        asked = json.dumps(TASK | {"task": task, "table": table})
        job = json.loads(self.send("POST", "api/jobs", asked))
        while not job[until] and job["status"] == "running":
            time.sleep(0.05)
            job = json.loads(self.send("GET", f"api/jobs/{job['id']}"))
        assert job["status"] in ("running", "done"), job["error"]
        return dict(job)

    def end(self) -> float:
        """End the server, and return the processor seconds of its processes."""
        own = psutil.Process(self.process.pid)
        times = [one.cpu_times() for one in (own, *own.children(recursive=True))]
        used = sum(t.user + t.system + t.children_user + t.children_system for t in times)
        self.process.terminate()
        self.process.wait()
        return float(used)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    large = parser.parse_args().large
    app = App()
    print(f"{app.seconds():6.2f} s  address printed")
    app.send("GET", "api/state")
    print(f"{app.seconds():6.2f} s  page has what it needs")
    table = json.loads(app.send("POST", "api/tables?name=survey.csv", survey()))["table"]
    app.wait("describe", table, "result")
    print(f"{app.seconds():6.2f} s  table described")
    job = app.wait("answer", table, "result")
    app.send("GET", f"api/jobs/{job['id']}/files/graph.html")
    print(f"{app.seconds():6.2f} s  first report; {app.end():.1f} processor seconds")
    if large:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "large.csv")
            write_large(path)
            app = App()
            app.send("GET", "api/state")
            start = app.seconds()
            with path.open("rb") as file:
                table = json.loads(app.send("POST", "api/tables?name=large.csv", file))["table"]
            print(f"{app.seconds() - start:6.2f} s  upload of {path.stat().st_size / 1e9:.2f} GB")
            start = app.seconds()
            app.wait("describe", table, "result")
            print(f"{app.seconds() - start:6.2f} s  its description")
            print(f"         {app.end():.1f} processor seconds")


if __name__ == "__main__":
    main()
