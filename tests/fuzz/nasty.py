"""Small tables that are hard to learn from, and command lines for every method on them.

Every table has at most 128 rows and 30 columns, so a run that takes more than `CPU_SECONDS` of
processor time or `MEMORY` more bytes than the program itself is a defect, whatever the command.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.int64]
Files = dict[str, bytes]

CPU_SECONDS = 10
MEMORY = 500 << 20
LEVELS = (2, 2, 3, 5, 12, 26, 64)
ROWS = (1, 2, 3, 5, 20, 64, 100, 128)
COLUMNS = (1, 2, 3, 10, 20, 30)
METHODS = ("plrhc", "hc", "bayes", "mpl", "l1lr", "bjp", "pairwise", "chow-liu", "plm")


def _independent(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    return rng.integers(0, r, (n, d))


def _permuted(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """All levels, equally often."""
    return np.column_stack([rng.permutation(np.arange(n) % r) for _ in range(d)])


def _chain(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """Each column is nearly the one before it."""
    x = rng.integers(0, r, (n, d))
    flip = rng.random((n, d)) < rng.choice([0.01, 0.05, 0.3])
    for j in range(1, d):
        x[:, j] = np.where(flip[:, j], x[:, j], x[:, j - 1])
    return x


def _copies(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    x = np.repeat(rng.integers(0, r, (n, 1)), d, axis=1)
    x[:, 1::2] = r - 1 - x[:, 1::2]
    return x


def _latent(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """Latent classes, so that all pairs are dependent."""
    classes = rng.integers(0, 4, n)
    odds = rng.dirichlet(np.full(r, 0.3), (d, 4)).cumsum(axis=-1)
    draws = rng.random((n, d, 1))
    return np.minimum((odds[:, classes].transpose(1, 0, 2) < draws).sum(axis=-1), r - 1)


def _separated(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """Functions of each other, so that no regression has a finite maximum."""
    x = rng.integers(0, r, (n, d))
    for j in range(1, d):
        x[:, j] = (x[:, j - 1] // 2, np.maximum(x[:, j], x[:, j - 1]), x[:, j])[j % 3]
    return x


def _singletons(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """One common level, all others once."""
    x = np.zeros((n, d), np.int64)
    for j in range(d):
        rows = rng.permutation(n)[: min(n, r - 1)]
        x[rows, j] = np.arange(1, len(rows) + 1)
    return x


def _parity(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """No pair is dependent, all triples are."""
    x = rng.integers(0, 2, (n, d))
    x[:, -1] = x[:, :-1].sum(axis=1) % 2
    return x


def _few_rows(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    """Two or three different rows."""
    return rng.integers(0, r, (rng.integers(2, 4), d))[rng.integers(0, 2, n)]


def _nearly_constant(n: int, d: int, r: int, rng: np.random.Generator) -> Table:
    x = np.zeros((n, d), np.int64)
    x[rng.integers(0, n, d), np.arange(d)] = 1
    return x


TABLES: tuple[Callable[[int, int, int, np.random.Generator], Table], ...] = (
    _independent, _permuted, _chain, _copies, _latent, _separated, _singletons, _parity, _few_rows,
    _nearly_constant,
)  # fmt: skip


def table(rng: Random) -> Table:
    """Draw a table of levels."""
    n, d, r = rng.choice(ROWS), rng.choice(COLUMNS), rng.choice(LEVELS)
    make = rng.choice(TABLES)
    return make(n, d, r, np.random.default_rng(rng.randrange(2**32)))


def as_csv(x: Table, rng: Random) -> bytes:
    """Write a table, as numbers or as words, perhaps with holes; the last column is a group."""
    prefix, hole = rng.choice(["", "", "w"]), rng.choice([0, 0, 0, 0.02, 0.3])
    names = [*(f"v{j}" for j in range(x.shape[1])), "group"]
    lines = [",".join(names)]
    for k, row in enumerate(x.tolist()):
        cells = ["" if rng.random() < hole else f"{prefix}{value}" for value in row]
        lines.append(",".join([*cells, "ab"[k % 2]]))
    return ("\n".join(lines) + "\n").encode()


def weights(n: int, rng: Random) -> bytes:
    """Draw weights of extreme sizes, one line each."""
    kinds = [lambda: "1", lambda: "0.01", lambda: "1e-8", lambda: "1e8", lambda: str(rng.random()),
             lambda: rng.choice(["0", "1"]), lambda: rng.choice(["1e-12", "1", "1e12"]),
             lambda: str(rng.randrange(5))]  # fmt: skip
    draw = rng.choice(kinds)
    return "".join(f"{draw()}\n" for _ in range(n)).encode()


def graph(d: int, rng: Random) -> bytes:
    """Draw the edges of a star, a complete graph, a chain or none."""
    pairs = rng.choice([
        [(0, j) for j in range(1, d)], list(combinations(range(d), 2)),
        [(j, j + 1) for j in range(d - 1)], [],
    ])  # fmt: skip
    return "\n".join(["source,target", *(f"v{i},v{j}" for i, j in pairs), ""]).encode()


def case(rng: Random) -> tuple[list[str], Files]:
    """Draw a command line and its files: a table, one of the methods, and how it is used."""
    x = table(rng)
    files = {"data.csv": as_csv(x, rng), "weights.txt": weights(len(x), rng),
             "graph.csv": graph(x.shape[1], rng)}  # fmt: skip
    method = ["--method", rng.choice(METHODS)]
    line: Any = rng.choice([
        ["learn", "data.csv", *method, "-o", "out.json"],
        ["learn", "data.csv", *method, "-o", "out.csv"],
        ["learn", "data.csv", *method, "--missing", "impute", "--imputations", "2"],
        ["bootstrap", "data.csv", *method, "--replicates", "3", "-o", "out.csv"],
        ["compare-groups", "data.csv", *method, "--by", "group", "--permutations", "5"],
        ["choose-gamma", "data.csv", "--gammas", "0,0.5", "--folds", "2"],
        ["fit", "graph.csv", "data.csv", "-o", "out.json"],
        ["fit", "graph.csv", "data.csv", "--prior", "none", "--tables", "out.csv"],
    ])  # fmt: skip
    if line[0] == "learn" and method[1] in ("plrhc", "hc"):
        line += rng.choice([[], [], ["--rule", rng.choice(["pair", "and", "or"])]])
    if line[0] != "compare-groups":
        line += ["--exclude", "group"]
    line += rng.choice([[], [], ["--kinds", rng.choice(["nominal", "ordinal"])]])
    line += rng.choice([[], [], ["--weights", "weights.txt"]])
    return line, files
