"""How near each way with missing values comes to the graph of the complete data.

python benchmarks/missing_values.py docs/missing.csv     goes on where the file ends

Values are removed at random from samples of known networks, and the graphs learned by each choice of
`missing` are compared with that of the complete data and with the truth, by Hamming distance. The
table in docs/reference/benchmarks-data.md is the one that this prints.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.simulate import UniformTables, erdos_renyi, grid, hub, ising

NETWORKS = {
    "random, 10": lambda seed: erdos_renyi(10, 1 / 3, seed),
    "grid, 64": lambda seed: grid(64),
    "hub, 64": lambda seed: hub(64),
}
SHARES = (0.1, 0.3)
CHOICES = ("impute", "drop", "level")
REPLICATES = 50
N_SAMPLES = 1000
COLUMNS = ("network", "share", "replicate", "choice", "to_complete", "to_truth")


def main(path: Path) -> None:
    """Run what the file does not have yet, then print the table."""
    done = _read(path)
    for network in NETWORKS:
        for replicate in range(REPLICATES):
            for share in SHARES:
                if (network, share, replicate) not in {row[:3] for row in done}:
                    rows = _run(network, share, replicate)
                    append_rows(path, COLUMNS, rows)
                    done += rows
    print(as_table(done))


def _run(network: str, share: float, replicate: int) -> list[tuple]:
    model = ising(NETWORKS[network](replicate), UniformTables(), seed=replicate)
    values = model.sample(N_SAMPLES, seed=replicate).astype(float)
    complete = markhood.learn(values)
    holes = np.random.default_rng([replicate, round(100 * share)]).random(values.shape) < share
    values[holes] = np.nan
    rows = [(network, share, replicate, "complete", 0, _distance(complete, model.graph))]
    for choice in CHOICES:
        try:
            learned = markhood.learn(values, missing=choice)
        except InputError:  # no row is complete
            rows.append((network, share, replicate, choice, None, None))
            continue
        distances = _distance(learned, complete), _distance(learned, model.graph)
        rows.append((network, share, replicate, choice, *distances))
    return rows


def _distance(one: Graph, other: Graph) -> int:
    return len(set(map(tuple, one.edges.tolist())) ^ set(map(tuple, other.edges.tolist())))


def as_table(rows: list[tuple]) -> str:
    """Return means and standard errors as a table in Markdown."""
    lines = [
        "| network | missing | choice | to the complete data's graph | to the truth |",
        "|---|---|---|---|---|",
    ]
    for network in NETWORKS:
        for share in SHARES:
            for choice in ("complete", *CHOICES):
                own = [r for r in rows if (r[0], r[1], r[3]) == (network, share, choice)]
                fitted = [r for r in own if r[4] is not None]
                if choice == "complete" and share != SHARES[0]:
                    continue
                cells = [_mean([r[k] for r in fitted]) for k in (4, 5)]
                if len(fitted) < len(own):
                    cells = [f"{cell} ({len(fitted)} of {len(own)} sets)" for cell in cells]
                shown = "none" if choice == "complete" else f"{share:.0%}"
                lines.append(f"| {network} | {shown} | {choice} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def _mean(numbers: list[int]) -> str:
    if not numbers:
        return "no complete rows"
    error = np.std(numbers, ddof=1) / len(numbers) ** 0.5 if len(numbers) > 1 else np.nan
    return f"{np.mean(numbers):.1f} ± {error:.1f}"


def _read(path: Path) -> list[tuple]:
    rows = read_rows(path)
    return [
        (r[0], float(r[1]), int(r[2]), r[3], *(int(x) if x else None for x in r[4:])) for r in rows
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
