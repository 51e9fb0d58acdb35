"""Compare the forecast of a dry run, and its duration, with the duration of learning: the table in docs/reference/benchmarks-forecasts.md.

Both in processor seconds on one thread, which other work on the machine leaves alone. A phase's share of them is its
share of the seconds on the wall. A run adds a row for each kind of data that the file does not have yet.

    python benchmarks/forecasts.py docs/forecasts.csv
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from haplotypes import simulated
from random_samples import questionnaire

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from markhood.simulate import barabasi_albert, disjoint, grid, hub, ising

PHASES = ("screen", "blankets", "climb", "evidence")


def mosaic(n_variables: int, n_samples: int) -> Samples:
    """Sites in linkage: every sample is a mosaic of forty founders."""
    rng = np.random.default_rng(0)
    founders = rng.random((40, n_variables)) < rng.beta(0.6, 1.2, size=n_variables)
    here, sites = rng.integers(0, 40, n_samples), np.empty((n_samples, n_variables), np.uint8)
    for v in range(n_variables):
        switches = rng.random(n_samples) < 0.004
        here[switches] = rng.integers(0, 40, switches.sum())
        sites[:, v] = founders[here, v]
    shares = sites.mean(axis=0)
    return encode(sites[:, (shares > 0.01) & (shares < 0.99)])


def common_cause(n_variables: int, n_samples: int) -> Samples:
    """Toss one coin for all, and each variable has its side two times of three: all pairs pass."""
    rng = np.random.default_rng(0)
    coin = rng.integers(0, 2, size=(n_samples, 1))
    other = rng.random((n_samples, n_variables)) < 1 / 3
    return encode((coin ^ other).astype(np.uint8))


def haplotypes(n_variables: int, n_samples: int) -> Samples:
    """Simulate a chromosome by a coalescent with recombination."""
    return encode(simulated(n_variables, n_samples, 5)[0])


def drawn(graph: Any, n_samples: int) -> Samples:
    """Draw samples of an Ising model on a graph."""
    return encode(ising(graph, seed=1).sample(n_samples, seed=2))


DATA: dict[str, tuple[Callable[[], Samples], dict[str, Any]]] = {
    "grid, 1024 x 4000": (lambda: drawn(grid(1024), 4000), {}),
    "grid, 10 000 x 1000": (lambda: drawn(grid(10_000), 1000), {}),
    "hubs, 1024 x 1000": (lambda: drawn(disjoint([hub(64)] * 16), 1000), {}),
    "few large hubs, 2000 x 2000": (lambda: drawn(barabasi_albert(2000, 2, 1), 2000), {}),
    "questionnaire, 100 x 2000, six steps": (lambda: questionnaire(100, 2000, 6), {}),
    "mosaics, 1323 x 1000": (lambda: mosaic(1500, 1000), {"max_candidates": 20}),
    "mosaics, 1323 x 1000, 50": (lambda: mosaic(1500, 1000), {"max_candidates": 50}),
    "mosaics, 4000 x 1000": (lambda: mosaic(4540, 1000), {"max_candidates": 20}),
    "haplotypes, 4096 x 1000": (lambda: haplotypes(4096, 1000), {"max_candidates": 20}),
    "haplotypes, 4096 x 1000, all": (lambda: haplotypes(4096, 1000), {}),
    "one common cause, 4096 x 1000": (lambda: common_cause(4096, 1000), {"max_candidates": 20}),
}


def row_of(name: str, samples: Samples, given: dict[str, Any]) -> dict[str, Any]:
    """Forecast, and learn."""
    with Request.of(METHODS["plrhc"](**given), {"n_jobs": 1}) as request:
        times = [time.process_time()]
        said = request.forecast(samples)
        times.append(time.process_time())
        graph = request.learn(samples).graph
        times.append(time.process_time())
    asking, taken = np.diff(times)
    shares = graph.provenance["seconds"]
    row = {
        "data": name,
        "variables": samples.n_variables,
        "candidates": given.get("max_candidates", ""),
        "dry_run": round(float(asking), 2),
        "forecast": round(sum(said.seconds.values()), 3),
        "taken": round(float(taken), 3),
    }
    for phase in PHASES:
        row[f"forecast_{phase}"] = round(said.seconds[phase], 3)
        row[f"taken_{phase}"] = round(float(taken) * shares[phase] / sum(shares.values()), 3)
    return row


def main() -> None:
    """Add a row for each kind of data."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    path = parser.parse_args().output
    warnings.simplefilter("ignore")
    done = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {row["data"] for row in csv.DictReader(file)}
    row_of("before the first", questionnaire(10, 100, 2), {})  # imports happen when they are used
    for name, (made, given) in DATA.items():
        if name in done:
            continue
        row = row_of(name, made(), given)
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, row)
            if not file.tell():
                writer.writeheader()
            writer.writerow(row)
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
