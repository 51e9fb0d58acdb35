"""How often the test of two groups is wrong where they are alike, and right where they differ.

python benchmarks/group_tests.py docs/stability/groups.csv     goes on where the file ends

Two groups of the same Ising network (10 variables, 14 edges of 0.5 to 1.5 with random signs), one edge of which is
changed in the second group by `change`. Shuffles: 99. A row is one pair of data sets and one way of testing.
The tables in docs/stability.md are those that this prints.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.graph.graph import Graph

CHANGES = (0.0, 1.0, 2.0)
SIZES = ((250, 250),)
TRIALS = {0.0: 200}  # of the others:
FEWER = 40
SHUFFLES = 99
D, EDGES = 10, 14
COLUMNS = (
    "first", "second", "change", "trial", "relearn", "p_structure", "p_strength", "p_edge", "p_edge_adjusted",
    "least_adjusted", "p_field_mean",
)  # fmt: skip


def main(path: Path) -> None:
    """Run what the file does not have yet, then print the table."""
    done = _read(path)
    have = {tuple(row[:5]) for row in done}
    for trial in range(max(TRIALS.values())):
        for sizes in SIZES:
            for change in CHANGES:
                for relearn in (0, 1):
                    key = (*sizes, change, trial, relearn)
                    if trial >= TRIALS.get(change, FEWER) or key in have:
                        continue
                    row = _run(*key)
                    append_rows(path, COLUMNS, [row])
                    done.append(row)
    print(as_table(done))


def _run(n_first: int, n_second: int, change: float, trial: int, relearn: int) -> tuple:
    rng = np.random.default_rng([trial, n_first, n_second])
    pairs = [(i, j) for i in range(D) for j in range(i + 1, D)]
    edges = sorted(pairs[k] for k in rng.choice(len(pairs), EDGES, replace=False))
    couplings = rng.uniform(0.5, 1.5, EDGES) * rng.choice([-1, 1], EDGES)
    changed = couplings.copy()
    changed[0] += -np.sign(couplings[0]) * change
    groups = [_drawn(edges, own, n, rng) for own, n in ((couplings, n_first), (changed, n_second))]
    found = markhood.compare_groups(
        *groups, permutations=SHUFFLES, relearn=bool(relearn), n_jobs=1, seed=trial
    )
    rows = found.edge_rows()
    names = tuple(f"x{k}" for k in edges[0])
    own = next((r for r in rows if (r["source"], r["target"]) == names), None)
    of_edge = (own["p_value"], own["p_adjusted"]) if own else (1.0, 1.0)
    least = min((row["p_adjusted"] for row in rows), default=1.0)
    of_fields = float(np.mean([row["p_value"] < 0.05 for row in found.field_rows()]))
    ends = (found.p_structure, found.p_strength, *of_edge, least, of_fields)
    return (n_first, n_second, change, trial, relearn, *(round(p, 6) for p in ends))


def _drawn(edges: list, couplings: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    model = markhood.IsingModel.from_spins(Graph([f"x{k}" for k in range(D)], edges), couplings / 4)
    states = (np.arange(2**D)[:, None] >> np.arange(D)) & 1  # few enough to draw from exactly
    chances = np.exp(model.log_potential(states) - model.log_partition())
    return states[rng.choice(len(states), n, p=chances / chances.sum())]


def as_table(rows: list[tuple]) -> str:
    """Return shares of p-values below 0.05 as a table in Markdown."""
    lines = [
        "| samples | change | graphs | trials | structure | strength | the edge | adjusted | any edge, adjusted |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for sizes in SIZES:
        for change in CHANGES:
            for relearn in (1, 0):
                own = [r for r in rows if tuple(r[:3]) == (*sizes, change) and r[4] == relearn]
                if own:
                    shares = (np.array([r[5:10] for r in own]) < 0.05).mean(axis=0)
                    cells = " | ".join(f"{share:.3f}" for share in shares)
                    graphs = "learned anew" if relearn else "kept"
                    lines.append(
                        f"| {sizes[0]} + {sizes[1]} | {change:g} | {graphs} | {len(own)} | {cells} |"
                    )
    return "\n".join(lines)


def _read(path: Path) -> list[tuple]:
    rows = read_rows(path)
    return [
        (int(r[0]), int(r[1]), float(r[2]), int(r[3]), int(r[4]), *map(float, r[5:]))
        for r in rows
        if len(r) == len(COLUMNS)
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
