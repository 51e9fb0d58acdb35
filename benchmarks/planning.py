"""Compare the sample sizes of `markhood.plan` with those of a brute-force grid.

python benchmarks/planning.py docs/stability/planning.csv

The grid has sizes 5 % apart around the planned size, with 1500 data sets each; the brute-force answer is the smallest size from
which on the power, smoothed over three sizes, stays at the wanted level. Every row of the file is one network.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import markhood
from markhood.execution.runner import Runner
from markhood.learning.request import Request
from markhood.stability.planned_study import Study, described_networks
from markhood.stability.studies import MEASURES, NetworkOptions

DATA_SETS = 1500
CASES: list[tuple[str, int]] = [
    ("sensitivity", 2),
    ("correlation", 2),
    ("edge", 2),
    ("sensitivity", 5),
]


def brute_force(measure: str, levels: int, around: int) -> int:
    """Return the smallest size of a grid with a power of 0.8."""
    model_of, _ = described_networks(NetworkOptions(levels=levels))
    study = Study(Request.of("plrhc", {"seed": 7}), model_of, measure, -1, 0.0)
    sizes = np.unique((around * 1.05 ** np.arange(-5, 6)).astype(int))
    tiles = [(k, int(n)) for n in sizes for k in range(DATA_SETS)]
    values = np.array(list(Runner(2).map("grid", study.value, tiles))).reshape(len(sizes), -1)
    power = (values >= MEASURES[measure].target).mean(axis=1)
    smooth = np.convolve(np.pad(power, 1, mode="edge"), np.ones(3) / 3, "valid")
    return int(sizes[np.argmax(smooth >= 0.8)])


def main() -> None:
    """Write a row for each case that the file lacks."""
    path = Path(sys.argv[1])
    known = path.read_text().count("\n") - 1 if path.exists() else -1
    with path.open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if known < 0:
            rows.writerow(
                [
                    "measure",
                    "levels",
                    "planned",
                    "low",
                    "high",
                    "brute_force",
                    "seconds",
                    "cpu_seconds",
                ]
            )
        for measure, levels in CASES[max(0, known) :]:
            start, cpu = time.perf_counter(), time.process_time()
            found: Any = markhood.plan(measure=measure, levels=levels, n_jobs=2)
            used = [f"{time.perf_counter() - start:.1f}", f"{time.process_time() - cpu:.1f}"]
            known_size = brute_force(measure, levels, found.n_samples)
            rows.writerow(
                [
                    measure,
                    levels,
                    found.n_samples,
                    f"{found.low:.0f}",
                    f"{found.high:.0f}",
                    known_size,
                    *used,
                ]
            )
            file.flush()


if __name__ == "__main__":
    main()
