"""How often the 95 % intervals of couplings have the true ones in them.

python benchmarks/interval_coverage.py docs/model/coverage.csv 2000     goes on where the file ends

Data are drawn exactly from a ring of twelve binary variables with two chords. Some of its couplings are strong (2 in
0/1 coding), some weak (0.3), and some join variables whose second level is rare (5 % of samples). Each data
set is fitted on the true graph by both methods, and a row says how many intervals of each kind have the truth
in them, and how wide they were. The table in docs/reference/benchmarks-models.md is the one that this prints.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel

SIZES = (250, 1000)
METHODS = ("pseudo-likelihood", "average")
KINDS = ("strong", "weak", "rare")
COLUMNS = ("samples", "replicate", "method", "kind", "intervals", "covering", "width")

RING = [(i, (i + 1) % 12) for i in range(12)] + [(0, 6), (3, 9)]
OF_EDGES = ["strong", "weak", "strong", "weak", "rare", "rare"] * 2 + ["strong", "weak"]
SIZE = {"strong": 2.0, "weak": 0.3, "rare": 1.0}


def truth() -> IsingModel:
    """Return the network; fields make all variables fair, but for three that are rare."""
    graph = Graph([f"x{i}" for i in range(12)], RING)
    kinds = {tuple(sorted(edge)): kind for edge, kind in zip(RING, OF_EDGES, strict=True)}
    signs = np.random.default_rng(1).choice([-1.0, 1.0], graph.n_edges)
    couplings = signs * [SIZE[kinds[tuple(edge)]] for edge in graph.edges.tolist()]
    model = IsingModel.from_spins(graph, couplings / 4)
    shares = np.full(12, 0.5)
    shares[[5, 11]] = 0.05
    fields = model.fields.copy()
    for _ in range(200):  # move each field until its variable is as common as it should be
        marginals = IsingModel(graph, couplings, fields).marginals()
        fields += np.log(shares / (1 - shares)) - np.log(marginals / (1 - marginals))
    return IsingModel(graph, couplings, fields)


def kinds_of(model: IsingModel) -> np.ndarray:
    kinds = {tuple(sorted(edge)): kind for edge, kind in zip(RING, OF_EDGES, strict=True)}
    return np.array([kinds[tuple(edge)] for edge in model.graph.edges.tolist()])


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, then print the table."""
    model, done = truth(), _read(path)
    same = PottsModel(model.graph, *model.as_tables())  # draws exactly
    known = {row[:2] for row in done}
    kinds = kinds_of(model)
    for replicate in range(replicates):
        for size in SIZES:
            if (size, replicate) not in known:
                samples = same.sample(size, seed=[size, replicate])
                rows = _run(model, kinds, samples, replicate)
                append_rows(path, COLUMNS, rows)
                done += rows
    print(as_table(done))


def _run(model: IsingModel, kinds: np.ndarray, samples: np.ndarray, replicate: int) -> list[tuple]:
    rows = []
    for method in METHODS:
        fit = markhood.fit_model(model.graph, samples, method=method)
        low, high = fit.intervals().T
        covers = (low <= model.couplings) & (model.couplings <= high)
        for kind in KINDS:
            at = kinds == kind
            width = round(float((high - low)[at].mean()), 4)
            rows.append(
                (len(samples), replicate, method, kind, int(at.sum()), int(covers[at].sum()), width)
            )
    return rows


def as_table(rows: list[tuple]) -> str:
    """Return the shares of intervals with the truth in them, as Markdown."""
    lines = ["| samples | couplings | data sets | " + " | ".join(METHODS) + " | width |"]
    lines.append("|---" * (len(METHODS) + 4) + "|")
    for size in SIZES:
        for kind in KINDS:
            cells = []
            for method in METHODS:
                own = [r for r in rows if (r[0], r[2], r[3]) == (size, method, kind)]
                n, hits = sum(r[4] for r in own), sum(r[5] for r in own)
                cells.append(f"{100 * hits / n:.1f} %")
            width = np.mean([r[6] for r in own])
            lines.append(
                f"| {size} | {kind} | {len(own)} | " + " | ".join(cells) + f" | {width:.2f} |"
            )
    return "\n".join(lines)


def _read(path: Path) -> list[tuple]:
    rows = [
        (int(n), int(k), method, kind, int(total), int(hits), float(width))
        for n, k, method, kind, total, hits, width in read_rows(path)
    ]
    whole = len(METHODS) * len(KINDS)
    return rows[: len(rows) // whole * whole]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
