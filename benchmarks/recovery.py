"""How near fitted couplings and fields come to those of a spin glass, by the number of samples.

python benchmarks/recovery.py docs/model/recovery.csv 20     goes on where the file ends

A square lattice of 16 spins with periodic boundaries has normal couplings (0.5 in -1/+1 coding) and fields (0.3), and is sampled
exactly. The error is the root of the sum of squares over all pairs (0 where there is no edge), over that of the
true ones; fields alike. Beside ours are the least error of any unbiased fit on the true graph (Cramer and Rao), and a
plain L1-penalised pseudo-likelihood: scikit-learn's logistic regression of every spin on all others, the two ends
averaged, with the penalty that theory suggests, sqrt(log d / n). Draws the picture of docs/reference/benchmarks-models.md too.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept_rows import append_rows, read_rows
from sklearn.linear_model import LogisticRegression

import markhood
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel

SIDE = 4
SIZES = (100, 316, 1000, 3162, 10000, 31623, 100000)
WAYS = ("bound", "likelihood", "pseudo-likelihood", "learned", "l1")
COLUMNS = ("samples", "replicate", "way", "couplings", "fields")


def lattice() -> Graph:
    nodes = [(a, b) for a in range(SIDE) for b in range(SIDE)]
    edges = {
        tuple(sorted((nodes.index((a, b)), nodes.index(((a + u) % SIDE, (b + v) % SIDE)))))
        for a, b in nodes
        for u, v in ((0, 1), (1, 0))
    }
    return Graph([f"x{i}" for i in range(SIDE**2)], sorted(edges))


def glass(replicate: int) -> IsingModel:
    rng, graph = np.random.default_rng([1, replicate]), lattice()
    couplings, fields = rng.normal(0, 0.5, graph.n_edges), rng.normal(0, 0.3, graph.n_nodes)
    return IsingModel.from_spins(graph, couplings, fields)


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, print the table, and draw the picture."""
    done = _read(path)
    known = {row[:2] for row in done}
    for replicate in range(replicates):
        for size in SIZES:
            if (size, replicate) not in known:
                rows = _run(size, replicate)
                append_rows(path, COLUMNS, rows)
                done += rows
    print(as_table(done))
    draw(done, path.with_suffix(".png"))


def _run(size: int, replicate: int) -> list[tuple]:
    model = glass(replicate)
    same = PottsModel(model.graph, *model.as_tables())  # draws exactly
    samples = same.sample(size, seed=[replicate, size])
    matrix, fields = as_matrix(model.graph, model.to_spins()[0]), model.to_spins()[1]
    found = {"bound": None, "l1": by_l1(samples)}
    for method in ("likelihood", "pseudo-likelihood"):
        fit = markhood.fit_model(model.graph, samples, method=method)
        found[method] = as_matrix(model.graph, fit.to_spins()[0]), fit.to_spins()[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learned = markhood.learn(samples, gamma=0.25, kinds="nominal")
        fit = markhood.fit_model(learned, samples)
    found["learned"] = as_matrix(learned, fit.to_spins()[0]), fit.to_spins()[1]
    rows = []
    for way in WAYS:
        if way == "bound":
            errors = bound(model, size)
        else:
            own, own_fields = found[way]
            errors = [
                np.linalg.norm(own - matrix) / np.linalg.norm(matrix),
                np.linalg.norm(own_fields - fields) / np.linalg.norm(fields),
            ]
        rows.append((size, replicate, way, *(round(float(e), 5) for e in errors)))
    return rows


def as_matrix(graph: Graph, couplings: np.ndarray) -> np.ndarray:
    matrix = np.zeros((graph.n_nodes, graph.n_nodes))
    i, j = graph.edges.T
    matrix[i, j] = matrix[j, i] = couplings
    return matrix


def bound(model: IsingModel, size: int) -> list[float]:
    """Return the least error, from the covariance of all statistics over all states, in spins."""
    states = 2.0 * np.indices((2,) * model.n_variables).reshape(model.n_variables, -1).T - 1
    couplings, fields = model.to_spins()
    i, j = model.graph.edges.T
    statistics = np.column_stack([states, states[:, i] * states[:, j]])
    logs = statistics @ np.concatenate([fields, couplings])
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    centred = statistics - chances @ statistics
    variances = np.diag(np.linalg.inv((centred * chances[:, None]).T @ centred)) / size
    d = model.n_variables
    return [
        np.sqrt(variances[d:].sum()) / np.linalg.norm(couplings),
        np.sqrt(variances[:d].sum()) / np.linalg.norm(fields),
    ]


def by_l1(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fit every spin on all others with an L1 penalty, and average the two ends."""
    n, d = samples.shape
    spins = 2.0 * samples - 1
    strength = np.sqrt(np.log(d) / n)
    matrix, fields = np.zeros((d, d)), np.zeros(d)
    for k in range(d):
        others = np.delete(np.arange(d), k)
        fit = LogisticRegression(
            l1_ratio=1, C=1 / (n * strength), solver="saga", tol=1e-4, max_iter=500
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit.fit(spins[:, others], samples[:, k])
        matrix[k, others], fields[k] = fit.coef_[0] / 2, fit.intercept_[0] / 2
    return (matrix + matrix.T) / 2, fields


def _means(rows: list[tuple], way: str, column: int) -> list[float]:
    return [
        float(np.mean([r[column] for r in rows if (r[0], r[2]) == (size, way)])) for size in SIZES
    ]


def as_table(rows: list[tuple]) -> str:
    """Return the mean errors of couplings, and of fields in brackets, as Markdown."""
    lines = ["| samples | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 1) + "|"]
    for k, size in enumerate(SIZES):
        cells = [f"{_means(rows, w, 3)[k]:.3f} ({_means(rows, w, 4)[k]:.3f})" for w in WAYS]
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(rows: list[tuple], path: Path) -> None:
    """Draw errors against samples."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 3.6), layout="constrained")
    names = {
        "bound": "Cramér-Rao bound",
        "likelihood": "likelihood",
        "pseudo-likelihood": "pseudo-likelihood",
        "learned": "pseudo-likelihood, graph learned",
        "l1": "scikit-learn, L1",
    }
    styles = {
        "bound": "k--",
        "likelihood": "o-",
        "pseudo-likelihood": "s-",
        "learned": "^-",
        "l1": "x-",
    }
    for axes, column, title in zip(
        figure.subplots(1, 2, sharex=True), (3, 4), ("couplings", "fields"), strict=True
    ):
        for way in WAYS:
            axes.loglog(
                SIZES, _means(rows, way, column), styles[way], ms=4, lw=1.2, label=names[way]
            )
        axes.set(title=title, xlabel="samples", ylabel="relative error")
        axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)


def _read(path: Path) -> list[tuple]:
    rows = [
        (int(n), int(k), way, float(couplings), float(fields))
        for n, k, way, couplings, fields in read_rows(path)
    ]
    return rows[: len(rows) // len(WAYS) * len(WAYS)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
