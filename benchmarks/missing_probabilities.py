"""Whether probabilities of edges mean what they say where values are missing.

python benchmarks/missing_probabilities.py docs/probabilities/missing.csv     goes on where the file ends

Values are hidden at random from samples of known networks; every pair that `bayes` looked at goes into one of ten
bins by its probability. A row of the file is a bin of a data set: how many pairs, the sum of their
probabilities, and how many of them are edges. The numbers in docs/reference/benchmarks-data.md are what this prints.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.simulate import erdos_renyi, grid, ising

NETWORKS = {"random, 20": lambda seed: erdos_renyi(20, 0.12, seed), "grid, 25": lambda _: grid(25)}
SHARES = (0.0, 0.1, 0.3)
REPLICATES = 20
N_SAMPLES = 500
BINS = 10
COLUMNS = ("network", "share", "replicate", "bin", "pairs", "predicted", "true")


def main(path: Path) -> None:
    """Run what the file does not have yet, then print predicted and true shares."""
    rows = _read(path)
    done = {row[:3] for row in rows}
    for replicate in range(REPLICATES):
        for network in NETWORKS:
            for share in SHARES:
                if (network, share, replicate) not in done:
                    own = _run(network, share, replicate)
                    append_rows(path, COLUMNS, own)
                    rows += own
    for share in SHARES:
        for k in range(BINS):
            of_bin = np.array([row[4:] for row in rows if (row[1], row[3]) == (share, k)])
            pairs, predicted, true = of_bin.sum(axis=0)
            print(
                f"{share:.0%} hidden: {predicted / pairs:.2f} -> {true / pairs:.2f} ({pairs:.0f})"
            )


def _run(network: str, share: float, replicate: int) -> list[tuple]:
    model = ising(NETWORKS[network](replicate), seed=replicate)
    values = model.sample(N_SAMPLES, seed=replicate + 1000).astype(float)
    values[np.random.default_rng([replicate, 7]).random(values.shape) < share] = np.nan
    missing = "impute" if share else "error"
    found = markhood.Bayes(missing=missing, n_jobs=1, seed=replicate).fit(values)
    edges = set(map(tuple, model.graph.edges.tolist()))
    is_edge = np.array([tuple(pair) in edges for pair in found.pairs_.tolist()])
    p = found.probabilities_
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    counted = []
    for k in range(BINS):
        own = bins == k
        totals = int(own.sum()), round(float(p[own].sum()), 3), int(is_edge[own].sum())
        counted.append((network, share, replicate, k, *totals))
    return counted


def _read(path: Path) -> list[tuple]:
    rows = read_rows(path)
    return [(r[0], float(r[1]), *map(int, r[2:5]), float(r[5]), int(r[6])) for r in rows]


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
