"""Draw the figures of the paper: `.venv/bin/python joss/figures.py`.

`votes.png` is the network of `markhood.datasets.load("votes")`. `results.png` uses measurements of the
repository: `docs/paper/comparison-table.csv` (`markhood paper comparison`) and
`docs/probabilities/paper.csv` (`benchmarks/edge_probabilities.py`).
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import markhood

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
N_BINS = 10
METHODS = {
    "plrhc": "PLRHC",
    "mpl": "MPL",
    "bjp": "BJP",
    "l1lr-or": "L1LR, or",
    "l1lr-and": "L1LR, and",
}


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file whose comment lines begin with #."""
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def draw_votes() -> None:
    """Draw the network of votes, with communities."""
    votes = markhood.datasets.load("votes")
    votes.columns = [name.replace("_", " ") for name in votes.columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        graph = markhood.learn(votes, missing="impute", seed=0)
    figure, axes = plt.subplots(figsize=(7, 5.2), layout="constrained")
    markhood.plot.network(graph, axes, groups="communities")
    figure.savefig(HERE / "votes.png", dpi=150)


def draw_reproduction(axes: Axes) -> None:
    """Compare mean numbers of wrong edges with the published ones."""
    rows = read_rows(DOCS / "paper" / "comparison-table.csv")
    for method, label in METHODS.items():
        own = [
            row for row in rows if row["measure"] == f"{method}_hamming_distance" and row["paper"]
        ]
        published = [float(row["paper"]) for row in own]
        axes.plot(published, [float(row["ours"]) for row in own], "o", ms=4, label=label)
    limits = axes.get_xlim()
    axes.plot(limits, limits, color="0.6", lw=1, zorder=0)
    axes.set(xlabel="Published Hamming distance", ylabel="markhood", xscale="log", yscale="log")
    axes.legend(frameon=False, fontsize=8)


def draw_calibration(axes: Axes) -> None:
    """Compare mean edge probabilities with the frequency of true edges, pooled over networks."""
    rows = read_rows(DOCS / "probabilities" / "paper.csv")
    totals = np.array(
        [
            [
                [float(row[f"bin{k}_{what}"]) for what in ("pairs", "expected", "edges")]
                for row in rows
            ]
            for k in range(N_BINS)
        ]
    ).sum(axis=1)
    pairs, expected, edges = totals.T
    frequency = edges / pairs
    error = np.sqrt(frequency * (1 - frequency) / pairs)
    axes.plot([0, 1], [0, 1], color="0.6", lw=1)
    axes.errorbar(expected / pairs, frequency, 2 * error, fmt="o", ms=4)
    axes.set(xlabel="Posterior inclusion probability", ylabel="Frequency of true edges")


def main() -> None:
    """Write both figures."""
    draw_votes()
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.1), layout="constrained")
    draw_reproduction(left)
    draw_calibration(right)
    figure.savefig(HERE / "results.png", dpi=150)


if __name__ == "__main__":
    main()
