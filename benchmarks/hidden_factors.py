"""Edges that are artefacts of hidden common causes, with and without hidden factors in the regressions.

python benchmarks/hidden_factors.py docs/hidden/factors.csv [REPLICATES]     continues where the file ends

Every data set is learned through `markhood.learn` with default settings, with ``factors=0`` and ``factors="auto"``. A row of the file is one graph:
how many of the planted pairs it has, how many other edges, the number of factors chosen, and processor seconds.

Data with factors have 20 items and ten planted pairs of items with a coupling of 1.5: one factor, two factors with ten items each, a
general factor and two group factors, or two factors with the pairs across them. Two populations have 25 independent sites and F_ST = 0.2.
Sparse networks have no factors: a grid, a ferromagnet, a hub and a random graph. Two networks look like a factor: a star, whose centre is an
observed common cause, and a cluster of mutually coupled variables.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from kept_rows import append_rows, read_rows
from numpy.typing import NDArray

import markhood
from markhood.simulate import UniformCouplings, erdos_renyi, grid, hub, ising

D, N_PAIRS, COUPLING, SWEEPS = 20, 10, 1.5, 60
FIRST = 1000  # seeds below were in use while constants of the methods were chosen
COLUMNS = ("data", "samples", "method", "factors", "replicate", "planted", "found", "other", "chosen", "seconds")  # fmt: skip
Drawn = tuple[NDArray[Any], set[tuple[int, int]]]


def items(loadings: NDArray[np.float64], pairs: list[tuple[int, int]], n: int, seed: int) -> Drawn:
    """Draw binary items given normal factors, with couplings of some pairs, by Gibbs sweeps."""
    rng = np.random.default_rng([seed, n])
    d = len(loadings)
    couplings = np.zeros((d, d))
    for i, j in pairs:
        couplings[i, j] = couplings[j, i] = COUPLING
    fields = rng.normal(size=(n, loadings.shape[1])) @ loadings.T + 0.3 * rng.normal(size=d)
    values = rng.integers(0, 2, (n, d))
    for _, v in product(range(SWEEPS), range(d)):
        odds = fields[:, v] + values @ couplings[v] - couplings[v].sum() / 2
        values[:, v] = rng.random(n) < 1 / (1 + np.exp(-odds))
    return values, set(pairs)


def factors(kind: str, n: int, seed: int) -> Drawn:
    """Draw items that measure hidden factors."""
    half = np.arange(D) < D // 2
    loadings = {
        "one factor": np.full((D, 1), 1.2),
        "two factors": 1.2 * np.column_stack([half, ~half]),
        "general and two group factors": np.column_stack(
            [np.full(D, 0.8), 0.9 * half, 0.9 * ~half]
        ),
    }
    near = [(2 * k, 2 * k + 1) for k in range(N_PAIRS)]
    across = [(k, D // 2 + k) for k in range(N_PAIRS)]
    if kind == "two factors, no pairs":
        return items(loadings["two factors"], [], n, seed)
    if kind == "pairs across two factors":
        return items(loadings["two factors"], across, n, seed)
    return items(loadings[kind], near, n, seed)


def populations(n: int, seed: int) -> Drawn:
    """Draw independent sites of two populations, F_ST 0.2."""
    rng = np.random.default_rng([seed, n])
    shared, f = rng.uniform(0.1, 0.9, 25), 0.2
    shares = rng.beta(shared * (1 - f) / f, (1 - shared) * (1 - f) / f, (2, 25))
    return (rng.random((n, 25)) < shares[rng.integers(0, 2, n)]).astype(int), set()


def like_a_factor(edges: list[tuple[int, int]], coupling: float, seed: int) -> markhood.IsingModel:
    """Make a network of 25 variables with these edges and about as many ones as zeros."""
    graph = markhood.Graph([f"x{k}" for k in range(25)], edges)
    fields = np.random.default_rng(seed).normal(size=25) * 0.3 - coupling * graph.degree / 2
    return markhood.IsingModel(graph, np.full(len(edges), coupling), fields)


def sparse(model: Callable[[int], markhood.IsingModel], n: int, seed: int) -> Drawn:
    """Draw from a network without factors; its edges are the planted pairs."""
    drawn = model(seed)
    edges = {(i, j) for i, j in drawn.graph.edges.tolist()}
    return np.asarray(drawn.sample(n, seed=seed + 1000)), edges


DATA: dict[str, tuple[Callable[[int, int], Drawn], tuple[int, ...]]] = {
    "one factor": (partial(factors, "one factor"), (500, 2000)),
    **{
        kind: (partial(factors, kind), (1000,))
        for kind in (
            "two factors",
            "two factors, no pairs",
            "general and two group factors",
            "pairs across two factors",
        )
    },
    "two populations": (populations, (500,)),
    "grid of 25": (partial(sparse, lambda s: ising(grid(25), seed=s)), (1000,)),
    "ferromagnet of 25": (
        partial(sparse, lambda s: ising(grid(25), UniformCouplings(1.0, 1.0), seed=s)),
        (1000,),
    ),
    "hub of 64": (partial(sparse, lambda s: ising(hub(64), seed=s)), (1000,)),
    "random graph of 25": (
        partial(sparse, lambda s: ising(erdos_renyi(25, 0.1, s), seed=s)),
        (1000,),
    ),
    "star of 24 leaves": (
        partial(sparse, partial(like_a_factor, [(0, k) for k in range(1, 25)], 1.5)),
        (1000,),
    ),
    "cluster of 8": (
        partial(sparse, partial(like_a_factor, [*combinations(range(8), 2)], 0.6)),
        (1000,),
    ),
}


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, then print means over data sets."""
    rows = [
        [row[0], int(row[1]), *row[2:4], *map(int, row[4:9]), float(row[9])]
        for row in read_rows(path)
    ]
    done = {tuple(row[:5]) for row in rows}
    cells = [(name, n) for name, (_, sizes) in DATA.items() for n in sizes]
    for replicate, (name, n) in product(range(FIRST, FIRST + replicates), cells):
        values, planted = DATA[name][0](n, replicate)
        for method, wanted in product(("plrhc", "bayes"), (0, "auto")):
            key = (name, n, method, str(wanted), replicate)
            if key in done:
                continue
            start = time.process_time()
            graph = markhood.learn(values, method, factors=wanted, n_jobs=1)
            seconds = round(time.process_time() - start, 3)
            edges = {(i, j) for i, j in graph.edges.tolist()}
            chosen = 0 if graph.factors is None else graph.factors.n_factors
            counts = len(planted), len(edges & planted), len(edges - planted), chosen
            rows.append([*key, *counts, seconds])
            append_rows(path, COLUMNS, [rows[-1]])
    for (name, n), method in product(cells, ("plrhc", "bayes")):
        for wanted in ("0", "auto"):
            own = np.array([r[5:] for r in rows if r[:4] == [name, n, method, wanted]], float)
            found, other, chosen, seconds = own[:, 1:].mean(axis=0)
            error = own[:, 2].std() / max(1, len(own) - 1) ** 0.5
            print(
                f"{name}, {n}, {method}, factors {wanted}: found {found:.1f} of {own[:, 0].mean():.1f}, other {other:.1f} ± "
                f"{error:.1f}, factors {chosen:.2f}, {seconds:.2f} s"
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.DataWarning)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10)
