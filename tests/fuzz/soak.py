"""Use the library and the app for a long time: `python tests/fuzz/soak.py --minutes 120`.

Learning with all methods, bootstraps, fits, comparisons, imputation, files and errors in this
process, and tables sent to one `markhood app`, on data of changing sizes. Memory, file handles and
threads of both processes must not grow after the first tenth of the time: the last tenth may have
at most `GROWTH` bytes more than the second.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import markhood

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.conftest import Client, Started

GROWTH = 30 << 20  # bytes
METHODS = ("plrhc", "hc", "bayes", "mpl", "l1lr", "bjp", "pairwise", "chow-liu", "plm")


def table(rng: np.random.Generator) -> Any:
    """Draw a table of dependent columns."""
    n, d, r = rng.integers(20, 200), rng.integers(3, 12), rng.integers(2, 5)
    x = rng.integers(0, r, (n, d))
    for j in range(1, d):
        x[:, j] = np.where(rng.random(n) < 0.5, x[:, j - 1], x[:, j])
    return x


def work(k: int, rng: np.random.Generator, folder: Path, app: Client) -> None:
    """Do the k-th piece of work."""
    x, method = table(rng), METHODS[k % len(METHODS)]
    kind = k % 10
    if kind < 3:
        graph = markhood.learn(x, method, n_jobs=2)
        markhood.write_graph(graph, folder / f"g.{('json', 'csv', 'graphml')[kind]}")
    elif kind == 3:
        markhood.bootstrap(x, replicates=4, n_jobs=2)
    elif kind == 4:
        graph = markhood.learn(x)
        markhood.write_model(markhood.fit_model(graph, x), folder / "m.json")
        markhood.read_model(folder / "m.json")
    elif kind == 5:
        markhood.compare_groups(x, by=np.arange(len(x)) % 2, permutations=10)
    elif kind == 6:
        holes = np.where(rng.random(x.shape) < 0.05, np.nan, x)
        markhood.write_report(markhood.learn(holes, "plrhc"), folder / "r.html")
    elif kind == 7:
        (folder / "bad.csv").write_bytes(rng.bytes(200))
        markhood.learn(folder / "bad.csv")
    elif kind == 8:
        lines = [",".join(f"v{j}" for j in range(x.shape[1])), *(",".join(map(str, r)) for r in x)]
        job = app.do("answer", app.upload("table.csv", "\n".join(lines).encode()))
        assert job["status"] == "done", job
    else:
        job = app.do("describe", app.upload("bad.csv", rng.bytes(200)))
        assert job["status"] in ("done", "failed"), job


def state(process: str | int) -> tuple[int, int, int]:
    """Return resident memory in bytes, open file handles and threads."""
    folder = Path("/proc") / str(process)
    pages = int((folder / "statm").read_text().split()[1])
    return (
        pages * os.sysconf("SC_PAGE_SIZE"),
        len(os.listdir(folder / "fd")),
        len(os.listdir(folder / "task")),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    minutes = parser.parse_args().minutes
    warnings.simplefilter("ignore")
    rng, states, k = np.random.default_rng(0), [], 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="markhood-soak-") as place:
        app = Started(place)
        while time.monotonic() - begun < 60 * minutes:
            with suppress(markhood.InputError):
                work(k, rng, Path(place), app.client)
            k += 1
            states.append(state("self") + state(app.process.pid))
            if k % 500 == 0:
                print(f"{k} pieces, {time.monotonic() - begun:.0f} s, {states[-1]}", flush=True)
        app.end()
    tenth = max(1, k // 10)
    second, last = states[tenth : 2 * tenth], states[-tenth:]
    early, late = ([median(s[j] for s in part) for j in range(6)] for part in (second, last))
    grew = False
    for j, (a, b) in enumerate(zip(early, late, strict=True)):
        name = ("bytes of memory", "file handles", "threads")[j % 3]
        print(f"{('here', 'app')[j // 3]}, {name}: {a:,.0f} early, {b:,.0f} late")
        grew |= b - a > (GROWTH if j % 3 == 0 else 0)
    print(f"{k} pieces of work in {minutes:g} minutes: {'GREW' if grew else 'no growth'}")
    sys.exit(grew)


if __name__ == "__main__":
    main()
