"""Wrong edges of sequencing counts: read as counts, as presence, and as parts of a whole (`compositional`).

python benchmarks/compositional.py docs/ordered 10

The generator follows SpiecEasi's `synth_comm_from_counts`: Gaussian networks (band, cluster, scale-free) of 40 taxa are mapped by their quantiles to
zero-inflated negative binomial counts, whose mean is multiplied by the depth of the sample. Depths are log-normal with standard deviation 1.
In *shuffled* tables every column is permuted after the counts were divided into parts, so that no edge is true. SpiecEasi and FlashWeave
themselves are not run. Every data set is a line of `compositional.csv` in that folder, and a run goes on where the file ends; then a table is
printed.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import markhood
from markhood.paper.experiment import Results

N_TAXA = 40
SHAPES = ("band", "cluster", "scale-free", "shuffled")
SAMPLES = (100, 200, 400)
WAYS = {
    "counts": {},
    "presence": {"bins": "presence"},
    "compositional": {"table": markhood.TableFormat(compositional=True)},
}
MEASURES = [f"{way}_{what}" for way in WAYS for what in ("false", "missed")]


def main(folder: Path, replicates: int) -> None:
    """Run the data sets that the file does not have yet, then print the table."""
    keys = ["shape", "samples", "replicate"]
    results = Results(folder / "compositional.csv", f"{N_TAXA} taxa", keys, MEASURES)
    for replicate in range(replicates):
        for shape in SHAPES:
            for samples in SAMPLES:
                if (shape, samples, replicate) not in results:
                    results.append((shape, samples, replicate), measure(shape, samples, replicate))
    print("| network | samples | true edges | " + " | ".join(WAYS) + " |")
    print("|---" * (3 + len(WAYS)) + "|")
    for shape in SHAPES:
        n_edges = len(edges_of(shape, np.random.default_rng(0)))
        for samples in SAMPLES:
            cells = []
            for way in WAYS:
                false, missed = (
                    np.mean(results.of((shape, samples), f"{way}_{what}", replicates))
                    for what in ("false", "missed")
                )
                cells.append(f"{false + missed:.1f} ({false:.1f}, {missed:.1f})")
            print(f"| {shape} | {samples} | {n_edges} | {' | '.join(cells)} |")


def edges_of(shape: str, rng: np.random.Generator) -> set[tuple[int, int]]:
    """Return the edges of a network; none are true in a shuffled table."""
    if shape == "shuffled":
        return set()
    if shape == "band":
        return {(k, k + 1) for k in range(N_TAXA - 1)}
    if shape == "cluster":
        pairs = [(i, j) for j in range(N_TAXA) for i in range(j) if i // 8 == j // 8]
        return {pairs[k] for k in rng.permutation(len(pairs))[:N_TAXA]}
    degree, found = np.ones(2), {(0, 1)}
    for node in range(2, N_TAXA):
        other = int(rng.choice(node, p=degree / degree.sum()))
        found.add((other, node))
        degree = np.append(degree, 1.0)
        degree[other] += 1
    return found


def draw(shape: str, samples: int, replicate: int) -> tuple[pd.DataFrame, set[tuple[int, int]]]:
    """Draw one table of counts, and return it with the true edges."""
    rng = np.random.default_rng([SHAPES.index(shape), samples, replicate])
    edges = edges_of("band" if shape == "shuffled" else shape, rng)
    precision = np.zeros((N_TAXA, N_TAXA))
    for i, j in edges:
        precision[i, j] = precision[j, i] = rng.uniform(0.3, 0.5) * rng.choice([-1, 1])
    np.fill_diagonal(precision, np.maximum(1, np.abs(precision).sum(axis=0) + 0.1))
    covariance = np.linalg.inv(precision)
    normal = rng.multivariate_normal(np.zeros(N_TAXA), covariance, samples)
    quantiles = stats.norm.cdf(normal / np.sqrt(np.diag(covariance)))
    depths = np.exp(rng.normal(size=(samples, 1)))
    means = np.exp(rng.normal(3, 1.5, N_TAXA)) * depths
    zeros = rng.uniform(0, 0.4, N_TAXA)
    size = 1.0
    inner = np.clip((quantiles - zeros) / (1 - zeros), 0, 1 - 1e-9)
    counts = np.where(
        quantiles < zeros, 0, stats.nbinom.ppf(inner, size, size / (size + means))
    ).astype(int)
    if shape == "shuffled":
        shares = rng.permuted(counts / depths, axis=0)
        counts, edges = rng.poisson(shares * depths), set()
    return pd.DataFrame(counts, columns=[f"t{k}" for k in range(N_TAXA)]), edges


def measure(shape: str, samples: int, replicate: int) -> dict[str, float]:
    """Count false and missed edges in every way of reading."""
    table, truth = draw(shape, samples, replicate)
    names = {(f"t{i}", f"t{j}") for i, j in truth}
    measured = {}
    for way, options in WAYS.items():
        with warnings.catch_warnings(action="ignore", category=markhood.DataWarning):
            graph = markhood.learn(table, n_jobs=1, factors=0, **options)
        found = set(graph.edge_names())
        measured[f"{way}_false"] = len(found - names)
        measured[f"{way}_missed"] = len(names - found)
    return measured


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
