"""False discoveries where a common cause moves half of the nodes, with and without adjusting for it.

python benchmarks/confounder.py docs/probabilities/confounder.csv     `bayes`; continues where the file ends
python benchmarks/confounder.py continuous                            `plrhc` with a continuous cause, as it is and in bins

A confounder of two or four categories shifts the fields of half of the nodes of a known network, by N(0, 2^2) for each of its
categories. Every data set is learned with ``fdr=0.05`` and ``adjust_for=`` the confounder, the first ones also without the column. A
row of the file is one graph: how many edges it has, and how many of them the network does not have.

A continuous cause, standard normal, shifts the fields of half of the nodes by z times N(0, 2^2).
"""

from __future__ import annotations

import sys
import warnings
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from kept_rows import append_rows, read_rows

import markhood
from markhood.simulate import erdos_renyi, grid, ising

NETWORKS = {"random, 20": lambda seed: erdos_renyi(20, 0.12, seed), "grid, 36": lambda _: grid(36)}
CATEGORIES = (2, 4)
SAMPLES = (500, 2000)
REPLICATES = {1: 100, 0: 4}  # adjusted, and not: these graphs are dense, and take minutes
SHIFT = 2.0
LABELS = np.array(["north", "east", "south", "west"])
COLUMNS = ("network", "samples", "categories", "replicate", "adjusted", "found", "false", "missed", "seconds")  # fmt: skip


CONTINUOUS = {"not adjusted": None, "3 bins": 3, "5 bins": 5, "10 bins": 10, "as it is": {}}
DATA_SETS, SWEEPS = 20, 200


def continuous() -> None:
    """Print false and missed edges of `plrhc` for every way of adjusting for a continuous cause."""
    for n_samples in SAMPLES:
        counts = {way: np.zeros(3, np.int64) for way in CONTINUOUS}
        for network, replicate in product(NETWORKS, range(DATA_SETS // len(NETWORKS))):
            model = ising(NETWORKS[network](replicate), seed=replicate)
            data, truth = _moved(model, n_samples, replicate), model.graph.edge_names()
            for way, bins in CONTINUOUS.items():
                how = {"bins": {"cause": bins}} if isinstance(bins, int) else {}
                table = data.drop(columns="cause") if bins is None else data
                adjusted = [] if bins is None else ["cause"]
                found = {*markhood.learn(table, adjust_for=adjusted, n_jobs=1, **how).edge_names()}
                counts[way] += len(found), len(found - {*truth}), len({*truth} - found)
        for way, (found, false, missed) in counts.items():
            print(f"samples {n_samples}, {way}: {false} of {found} edges false, {missed} missed")


def _moved(model: markhood.IsingModel, n_samples: int, seed: int) -> pd.DataFrame:
    """Draw samples by Gibbs sweeps, each with the fields that its cause makes."""
    rng = np.random.default_rng([seed, n_samples])
    d = model.graph.n_nodes
    cause = rng.normal(size=n_samples)
    fields = model.fields + np.outer(cause, rng.normal(0, SHIFT, d) * (rng.random(d) < 0.5))
    couplings = np.zeros((d, d))
    i, j = model.graph.edges.T
    couplings[i, j] = couplings[j, i] = model.couplings
    values = rng.integers(0, 2, (n_samples, d))
    for _, v in product(range(SWEEPS), range(d)):
        odds = fields[:, v] + values @ couplings[v]
        values[:, v] = rng.random(n_samples) < 1 / (1 + np.exp(-odds))
    return pd.DataFrame(values, columns=list(model.graph.nodes)).assign(cause=cause)


def main(path: Path) -> None:
    """Run what the file does not have yet, then print false discovery rates."""
    rows = [[row[0], *map(int, row[1:8]), float(row[8])] for row in read_rows(path)]
    done = {tuple(row[:5]) for row in rows}
    cells = list(product(NETWORKS, SAMPLES, CATEGORIES))
    for adjusted, replicates in REPLICATES.items():
        for replicate, cell in product(range(replicates), cells):
            if (*cell, replicate, adjusted) not in done:
                own = _run(*cell, replicate, adjusted)
                append_rows(path, COLUMNS, [own])
                rows.append(own)
    for n, k in [(None, None), *product(SAMPLES, CATEGORIES)]:
        for adjusted in (1, 0):
            own = np.array(
                [r[5:] for r in rows if r[4] == adjusted and (n is None or (r[1], r[2]) == (n, k))]
            )
            found, false, missed, seconds = own.sum(axis=0)
            each = (own[:, 1] / np.maximum(own[:, 0], 1)).mean()
            print(
                f"samples {n}, categories {k}, adjusted {adjusted}: {false:.0f} of {found:.0f} edges false "
                f"({false / found:.1%}; mean of graphs {each:.1%}), {missed:.0f} missed, {seconds:.0f} s"
            )


def _run(
    network: str, n_samples: int, categories: int, replicate: int, adjusted: int
) -> list[object]:
    rng = np.random.default_rng([replicate, n_samples, categories])
    model = ising(NETWORKS[network](replicate), seed=replicate)
    d = model.graph.n_nodes
    moved = rng.random(d) < 0.5
    cause = rng.integers(0, categories, n_samples)
    values = np.empty((n_samples, d), np.int64)
    for k, shift in enumerate(rng.normal(0, SHIFT, (categories, d)) * moved):
        own = markhood.IsingModel(model.graph, model.couplings, model.fields + shift)
        values[cause == k] = own.sample(int((cause == k).sum()), seed=int(rng.integers(1 << 30)))
    data = pd.DataFrame(values, columns=list(model.graph.nodes))
    truth = set(map(frozenset, model.graph.edge_names()))
    table = data.assign(cause=LABELS[cause]) if adjusted else data
    start = perf_counter()
    graph = markhood.learn(
        table, "bayes", fdr=0.05, adjust_for=["cause"][:adjusted], seed=replicate, n_jobs=1
    )
    took = round(perf_counter() - start, 2)
    edges = set(map(frozenset, graph.edge_names()))
    counts = len(edges), len(edges - truth), len(truth - edges)
    return [network, n_samples, categories, replicate, adjusted, *counts, took]


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    continuous() if sys.argv[1] == "continuous" else main(Path(sys.argv[1]))
