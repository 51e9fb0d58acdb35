"""Which gamma has the fewest wrong edges, and what choosing it by the data gives.

python benchmarks/choosing_gamma.py docs/stability/gammas.csv     goes on where the file ends

Data of known networks; a row is one data set and one way of choosing: a fixed gamma, the one that predicts samples that
were left out best (five folds), the sparsest within one standard error of it, the least EBIC at gamma 0.5, or `GammaPath.suggested`.
The table in docs/reference/benchmarks-gamma.md is the one that this prints.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.simulate import UniformTables, erdos_renyi, grid, hub, ising

NETWORKS = {
    "hub 64 x 250": lambda seed: (hub(64), 250),
    "hub 64 x 1000": lambda seed: (hub(64), 1000),
    "grid 64 x 250": lambda seed: (grid(64), 250),
    "grid 64 x 1000": lambda seed: (grid(64), 1000),
    "grid 64 x 4000": lambda seed: (grid(64), 4000),
    "random 20 x 500": lambda seed: (erdos_renyi(20, 0.2, seed), 500),
    "degree 4, 40 x 1000": lambda seed: (erdos_renyi(40, 4 / 39, seed), 1000),
    "degree 8, 40 x 1000": lambda seed: (erdos_renyi(40, 8 / 39, seed), 1000),
    "degree 8, 40 x 4000": lambda seed: (erdos_renyi(40, 8 / 39, seed), 4000),
}
GAMMAS = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5)
WAYS = (*(f"{gamma:g}" for gamma in GAMMAS), "held out", "sparsest", "EBIC", "suggested")
TRIALS = 20
COLUMNS = ("network", "trial", "way", "gamma", "false", "missed")


def main(path: Path) -> None:
    """Run what the file does not have yet, then print the table."""
    done = read_rows(path)
    have = {(row[0], int(row[1])) for row in done}
    for trial in range(TRIALS):
        for network in NETWORKS:
            if (network, trial) not in have:
                rows = _run(network, trial)
                append_rows(path, COLUMNS, rows)
                done += rows
    print(as_table(done))


def _run(network: str, trial: int) -> list[list]:
    graph, n = NETWORKS[network](trial)
    model = ising(graph, UniformTables(), seed=trial)
    values = model.sample(n, seed=trial, burn_in=500, thinning=5)
    path = markhood.gamma_path(values, gammas=GAMMAS, n_jobs=1, seed=trial)
    least = path.gammas[int(np.argmin(path.ebic))]
    chosen = (*path.gammas, path.best, path.sparsest, least, path.suggested)
    rows = []
    for way, gamma in zip(WAYS, chosen, strict=True):
        found = markhood.evaluate.compare(graph, path.graphs[path.gammas.index(gamma)])
        rows.append([network, trial, way, gamma, found.false_positives, found.false_negatives])
    return rows


def as_table(rows: list[list]) -> str:
    """Return mean wrong edges, and how many of them are false, as a table in Markdown."""
    lines = [f"| network | {' | '.join(WAYS)} |", "|---" * (len(WAYS) + 1) + "|"]
    for network in NETWORKS:
        cells = []
        for way in WAYS:
            own = [(int(r[4]), int(r[5])) for r in rows if r[0] == network and r[2] == way]
            if own:
                false, missed = np.mean(own, axis=0)
                cells.append(f"{false + missed:.1f} ({false:.1f})")
        n = len({r[1] for r in rows if r[0] == network})
        lines.append(f"| {network} ({n} sets) | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
