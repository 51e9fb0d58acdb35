"""The whole of PLRHC from a packed folder, against the number of variables."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ceiling import Ceiling
from clock import fastest
from random_samples import chains, job
from report import Row

from markhood.data.samples import Samples
from markhood.data.storage.packed import write_packed
from markhood.search.screen import screen

N_SAMPLES = 10_000
SIZES = (1000, 10_000, 32_000, 100_000)
TILES = 256  # of the screen, for its share of the ceiling

LEARN = """
import json, pathlib, sys, time
from markhood.data.formats.files import read_samples
from markhood.learning.request import Request
from markhood.learning.methods import METHODS

samples, method = read_samples(sys.argv[1]), METHODS["plrhc"]()
said = Request.of(method, {"n_jobs": 2}).forecast(samples)
start = time.perf_counter()
learned = Request.of(method, {"n_jobs": 2}).learn(samples)
seconds = time.perf_counter() - start
status = pathlib.Path("/proc/self/status")
peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024 if status.exists() else 0
print(json.dumps({
    "said": sum(said.seconds.values()), "seconds": seconds, "phases": learned.seconds,
    "peak": peak, "edges": learned.graph.n_edges, "pairs": learned.screened_graph.n_edges,
}))
"""


def rows() -> Iterator[Row]:
    """Learn in processes of their own, from the smallest to the largest."""
    costs = []
    for d in SIZES:
        samples = chains(d, N_SAMPLES)
        found = _learned(samples)
        yield from _whole(d, found)
        costs.append((d, found["seconds"]))
        if d == SIZES[-1]:
            yield _against_ceiling(samples)
    (d, one), (e, other) = costs[-2:]
    slope = math.log(other / one) / math.log(e / d)
    yield Row(f"cost against d, from {d} to {e}", f"d to the {slope:.2f}", "", "")


def _learned(samples: Samples) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "packed")
        write_packed(samples, folder)
        command = [sys.executable, "-c", LEARN, str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def _whole(d: int, found: dict[str, Any]) -> Iterator[Row]:
    phases = ", ".join(f"{phase} {s:.2g}" for phase, s in found["phases"].items())
    yield Row(
        f"scale: PLRHC, chains {d} x {N_SAMPLES}, 2 threads",
        f"{found['seconds']:.3g} s, {found['peak'] / 1e6:.0f} MB at the peak",
        f"{phases}; {found['pairs']} pairs, {found['edges']} edges",
        "",
        "< 1.5 GB",
        found["peak"] < 1.5e9,
    )
    ratio = found["said"] / found["seconds"]
    is_long = found["seconds"] > 1
    yield Row(
        f"scale: forecast of it, {d} variables",
        f"{found['said']:.3g} s",
        f"it took {found['seconds']:.3g} s",
        f"{ratio:.2f} x",
        "0.5 to 2 x" if is_long else "",
        0.5 <= ratio <= 2 if is_long else None,
    )


def _against_ceiling(samples: Samples) -> Row:
    whole = job(samples)
    tiles = whole.scorer.tiles()
    tiles = tiles[:: max(1, len(tiles) // TILES)]
    ceiling = Ceiling(samples)
    ours, bare = fastest(
        lambda: screen(whole, 0.5, tiles),
        lambda: ceiling.count(tiles),
        rounds=4,
    )
    words = sum(len(r) * len(c) for r, c in tiles) * samples.words.shape[1]
    return Row(
        f"scale: screen {samples.n_variables} x {samples.n_samples}, some tiles, 1 thread",
        f"{words / ours / 1e9:.1f} G words/s",
        f"bare AND+POPCNT {words / bare / 1e9:.1f} G words/s",
        f"{bare / ours:.0%}",
        ">= 70%",
        bare / ours >= 0.7,
    )
