"""Wrong edges by the number of bins of measurements: PLRHC on the same data with every number.

python benchmarks/number_of_bins.py docs/ordered 20

Gaussian networks of 30 nodes and 37 edges with partial correlations of random sign and size. Equal-frequency bins depend on
ranks only, so `exp` of every column gives the same graphs, and the script checks this once. In *mixed* networks a third of
the columns is binary and a third has five levels; in *counts* every column is a Poisson count whose mean is the exponential
of the measurement, with about 40 % of zeros, which are a bin of their own. Every data set is a line of `bins.csv` in that folder, and a run goes on
where the file ends; then a table is printed.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import markhood
from markhood.paper.experiment import Results

N_NODES, N_EDGES = 30, 37
SAMPLES = (60, 120, 250, 500, 1000)
BINS = (3, 4, 6, 8, 12, 16, 24)
SHAPES = ("measured", "mixed", "counts")
MEASURES = [f"{what}_{number}" for number in BINS for what in ("false", "missed")]


def main(folder: Path, replicates: int) -> None:
    """Run the data sets that the file does not have yet, then print the table."""
    settings = f"{N_NODES} nodes, {N_EDGES} edges"
    results = Results(folder / "bins.csv", settings, ["shape", "samples", "replicate"], MEASURES)
    for replicate in range(replicates):
        for samples in SAMPLES:
            for shape in SHAPES:
                if (shape, samples, replicate) not in results:
                    values, truth = draw(shape, samples, replicate)
                    results.append((shape, samples, replicate), measure(values, truth))
    values, _ = draw("measured", 250, 0)
    assert learned(values, 12) == learned(np.exp(values), 12)
    print(as_table(results, replicates))


def draw(shape: str, samples: int, replicate: int) -> tuple[np.ndarray, set[tuple[int, int]]]:
    """Draw one data set, and return it with the edges of its network."""
    rng = np.random.default_rng([SHAPES.index(shape), samples, replicate])
    pairs = np.transpose(np.triu_indices(N_NODES, 1))
    edges = pairs[rng.choice(len(pairs), N_EDGES, replace=False)]
    precision = np.zeros((N_NODES, N_NODES))
    precision[tuple(edges.T)] = rng.uniform(0.25, 0.5, N_EDGES) * rng.choice([-1, 1], N_EDGES)
    precision += precision.T
    np.fill_diagonal(precision, np.maximum(1, np.abs(precision).sum(axis=0) + 0.1))
    covariance = np.linalg.inv(precision)
    deviations = np.sqrt(np.diag(covariance))
    values = rng.multivariate_normal(np.zeros(N_NODES), covariance, samples) / deviations
    if shape == "counts":
        values = rng.poisson(np.exp(values)).astype(np.float64)
    if shape == "mixed":
        values[:, ::3] = values[:, ::3] > 0
        values[:, 1::3] = np.digitize(values[:, 1::3], [-1, -0.3, 0.3, 1])
    return values, {(int(i), int(j)) for i, j in edges}


def learned(values: np.ndarray, bins: int) -> set[tuple[int, int]]:
    """Learn the edges with a number of bins."""
    with warnings.catch_warnings(action="ignore", category=markhood.DataWarning):
        graph = markhood.learn(values, bins=bins, n_jobs=1)
    return {(int(i), int(j)) for i, j in graph.edges}


def measure(values: np.ndarray, truth: set[tuple[int, int]]) -> dict[str, float]:
    """Count false and missed edges for every number of bins."""
    measured = {}
    for number in BINS:
        found = learned(values, number)
        measured[f"false_{number}"] = len(found - truth)
        measured[f"missed_{number}"] = len(truth - found)
    return measured


def as_table(results: Results, replicates: int) -> str:
    """Return the mean number of wrong edges as a table in Markdown."""
    lines = [
        f"| data | samples | {' | '.join(f'{number} bins' for number in BINS)} |",
        "|---" * (len(BINS) + 2) + "|",
    ]
    for shape in SHAPES:
        for samples in SAMPLES:
            wrong = [
                np.sum(
                    [
                        results.of((shape, samples), f"{what}_{number}", replicates)
                        for what in ("false", "missed")
                    ],
                    axis=0,
                )
                for number in BINS
            ]
            errors = [own.std(ddof=1) / len(own) ** 0.5 for own in wrong]
            cells = [f"{own.mean():.1f} ± {e:.1f}" for own, e in zip(wrong, errors, strict=True)]
            lines.append(f"| {shape} | {samples} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
