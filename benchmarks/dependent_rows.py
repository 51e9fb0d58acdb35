"""False edges from rows that depend on each other and from unequal weights, with and without the effective sample size.

python benchmarks/dependent_rows.py docs/stability/dependent_rows.csv [REPLICATES]     continues where the file ends

Every data set is learned three times through `markhood.learn` with default settings: with all rows as independent ("ignored"), with
``clusters=``, ``time=`` or ``weights=`` ("used"), and as many independent rows as the effective sample size ("independent"). A row of the file
is one graph: the effective sample size, the planted edges that it has, its other edges, whether a warning named the dependence, and processor seconds.

There are 20 binary variables. Without planted edges, all are independent of each other. Rows are copied once; or they are in 20 clusters of 50 rows,
which shift the log odds of each variable by a standard normal number; or each variable keeps its previous value with probability 0.5. In schools,
five of the variables are properties of the school, the others are shifted by a normal number of standard deviation 0.4, and five pairs of these are
planted. Survey weights are lognormal with sigma 1.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from kept_rows import append_rows, read_rows
from numpy.typing import NDArray

import markhood

D = 20
COLUMNS = ("data", "samples", "method", "rows", "replicate", "effective", "planted", "found", "other", "noticed", "seconds")  # fmt: skip
AS_GIVEN = markhood.TableFormat(weights_are="frequencies")
Drawn = tuple[NDArray[np.int64], dict[str, Any]]


def planted_pairs(values: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Let the variables 6, 8, 10, 12 and 14 copy their neighbour in 22 % of the rows."""
    for k in range(5, 15, 2):
        values[:, k + 1] = np.where(rng.random(len(values)) < 0.22, values[:, k], values[:, k + 1])
    return values


def coins(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw independent rows."""
    return rng.integers(0, 2, (n, D))


def copied(rng: np.random.Generator) -> Drawn:
    """Draw 500 rows, and use each twice."""
    rows = np.repeat(np.arange(500), 2)
    return coins(500, rng)[rows], {"clusters": rows}


def clustered(rng: np.random.Generator, shifts: NDArray[np.float64] | None = None) -> Drawn:
    """Draw 20 clusters of 50 rows."""
    clusters = np.repeat(np.arange(20), 50)
    odds = rng.normal(size=(20, D)) * (1.0 if shifts is None else shifts)
    values = rng.random((1000, D)) < 1 / (1 + np.exp(-odds[clusters]))
    return values.astype(np.int64), {"clusters": clusters}


def schools(rng: np.random.Generator) -> Drawn:
    """Draw 20 schools of 50 pupils, with five properties of schools and five planted pairs."""
    values, options = clustered(rng, np.repeat([50.0, 0.4], [5, 15]))
    return planted_pairs(values, rng), options


def series(rng: np.random.Generator) -> Drawn:
    """Draw 1000 rows in time."""
    values = coins(1000, rng)
    for t in range(1, 1000):
        values[t] = np.where(rng.random(D) < 0.5, values[t - 1], values[t])
    return values, {"time": np.arange(1000)}


def survey(rng: np.random.Generator) -> Drawn:
    """Draw 500 rows with lognormal weights."""
    return coins(500, rng), {"weights": rng.lognormal(size=500)}


DATA: dict[str, tuple[Callable[[np.random.Generator], Drawn], int]] = {
    "every row twice": (copied, 0),
    "20 clusters of 50 rows": (clustered, 0),
    "time series": (series, 0),
    "schools": (schools, 5),
    "survey weights": (survey, 0),
}


def learned(
    values: NDArray[np.int64], method: str, options: dict[str, Any]
) -> tuple[Any, bool, float]:
    """Return a graph, whether a warning names dependent rows, and processor seconds."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = markhood.learn(values, method, n_jobs=1, **options)
    noticed = any(getattr(one.message, "code", "") == "dependent-rows" for one in caught)
    return graph, noticed, round(time.process_time() - start, 3)


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, then print means over data sets."""
    rows = read_rows(path)
    done = {(row[0], row[2], row[3], row[4]) for row in rows}
    planted = {(k, k + 1) for k in range(5, 15, 2)}
    for replicate, name, method in product(range(replicates), DATA, ("plrhc", "bayes")):
        if (name, method, "independent", str(replicate)) in done:
            continue
        draw, n_planted = DATA[name]
        values, options = draw(np.random.default_rng([replicate, len(name)]))
        ignored = {}
        if "weights" in options:
            mean_one = options["weights"] / options["weights"].mean()
            ignored = {"weights": mean_one, "table": AS_GIVEN}
        used = learned(values, method, options)
        size = used[0].provenance["data"].get("weight", len(values))
        rng = np.random.default_rng([replicate, len(name), 1])
        alone = coins(round(size), rng)
        alone = planted_pairs(alone, rng) if n_planted else alone
        results = {
            "ignored": (*learned(values, method, ignored), len(values)),
            "used": (*used, size),
            "independent": (*learned(alone, method, {}), size),
        }
        for how, (graph, noticed, seconds, effective) in results.items():
            edges = {(i, j) for i, j in graph.edges.tolist()}
            wanted = planted if n_planted else set()
            counts = n_planted, len(edges & wanted), len(edges - wanted), int(noticed)
            key = name, len(values), method, how, replicate
            rows.append([*map(str, (*key, round(effective, 1), *counts, seconds))])
            append_rows(path, COLUMNS, [rows[-1]])
    for name, method, how in product(DATA, ("plrhc", "bayes"), ("ignored", "used", "independent")):
        own = np.array([r[5:] for r in rows if (r[0], r[2], r[3]) == (name, method, how)], float)
        size, n_planted, found, other, noticed, seconds = own.mean(axis=0)
        error = own[:, 3].std() / max(1, len(own) - 1) ** 0.5
        print(
            f"{name}, {method}, {how}: size {size:.0f}, found {found:.1f} of {n_planted:.0f}, other {other:.2f} ± "
            f"{error:.2f}, noticed {noticed:.2f}, {seconds:.3f} s"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
