"""Compare PLRHC with ordered levels, with categories, and with levels halved at the median, on the same data.

python benchmarks/ordered_levels.py docs/ordered 20

Networks of five ordered levels with the paper's graphs and couplings (`markhood.simulate.ordinal`); and, to see what it
costs to take categories as ordered, of five categories with its tables (`markhood.simulate.potts`). Every data set is a
line of `ordered.csv` or `categories.csv` in that folder, and a run goes on where the file ends; then the tables are
printed, and the first is drawn as `ordered.png`.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np

import markhood
from markhood.evaluate import compare
from markhood.graph.graph import Graph
from markhood.output.pictures.axes import Curve, Panel, draw_panels
from markhood.paper.experiment import Cell, Results
from markhood.simulate import grid, hub, ordinal, potts

N_LEVELS, N_VARIABLES = 5, 64
NETWORKS = {"grid": grid, "hub": hub}
SAMPLES = (250, 500, 1000, 2000, 4000)
CELLS = [Cell(network, N_VARIABLES, n) for network in NETWORKS for n in SAMPLES]
MODELS = {"ordered": ordinal, "categories": potts}
BURN_IN, THINNING = 5000, 50
WAYS = {
    "ordinal": {"kinds": "ordinal"},
    "nominal": {"kinds": "nominal"},
    "split": {"bins": {f"x{k}": 2 for k in range(N_VARIABLES)}},
}
LABELS = {"ordinal": "ordered", "nominal": "categories", "split": "halved at the median"}
MEASURES = [f"{way}_{what}" for way in WAYS for what in ("false", "missed")]


def main(folder: Path, replicates: int) -> None:
    """Run the data sets that the file does not have yet, then print the table and draw it."""
    for name in MODELS:
        settings = f"{N_LEVELS} levels, {name}, burn-in {BURN_IN}, thinning {THINNING}"
        keys = [*Cell._fields, "replicate"]
        results = Results(folder / f"{name}.csv", settings, keys, MEASURES)
        for replicate in range(replicates):
            for cell in CELLS:
                if (*cell, replicate) not in results:
                    results.append((*cell, replicate), measure(*draw(name, cell, replicate)))
        print(f"{name}\n\n{as_table(results, replicates)}\n")
        if name == "ordered":
            draw_panels(panels(results, replicates), folder / "ordered.png")


def draw(name: str, cell: Cell, replicate: int) -> tuple[np.ndarray, Graph]:
    """Make one data set, and return it with the graph that it came from."""
    number = zlib.crc32(cell.network.encode())
    seed = np.random.SeedSequence([number, cell.variables, cell.samples, replicate])
    for_couplings, for_samples = seed.spawn(2)
    model = MODELS[name](NETWORKS[cell.network](cell.variables), N_LEVELS, seed=for_couplings)
    values = model.sample(cell.samples, for_samples, burn_in=BURN_IN, thinning=THINNING)
    return values, model.graph


def measure(values: np.ndarray, truth: Graph) -> dict[str, float]:
    """Learn from one data set in each way."""
    measured: dict[str, float] = {}
    for way, options in WAYS.items():
        found = compare(truth, markhood.learn(values, n_jobs=1, **options))
        measured |= {
            f"{way}_false": found.false_positives,
            f"{way}_missed": found.false_negatives,
        }
    return measured


def as_table(results: Results, replicates: int) -> str:
    """Return the Hamming distances as a table in Markdown: those of ordered levels, and how many more others have."""
    lines = [
        (
            "| network | data sets | true edges | ordered (false, missed) | categories | "
            "halved at the median |"
        ),
        "|---|---|---|---|---|---|",
    ]
    for cell in CELLS:
        wrong = {way: distances(results, cell, way, replicates) for way in WAYS}
        n_sets = len(wrong["ordinal"])
        if not n_sets:
            continue
        false, missed = (
            np.mean(results.of(tuple(cell), f"ordinal_{what}", replicates))
            for what in ("false", "missed")
        )
        others = " | ".join(
            f"{wrong[way].mean():.1f} ({_difference(wrong[way] - wrong['ordinal'])})"
            for way in ("nominal", "split")
        )
        n_edges = NETWORKS[cell.network](cell.variables).n_edges
        lines.append(
            f"| {cell.network} {cell.variables} x {cell.samples} | {n_sets} | {n_edges} | "
            f"{wrong['ordinal'].mean():.1f} ({false:.1f}, {missed:.1f}) | {others} |"
        )
    return "\n".join(lines)


def panels(results: Results, replicates: int) -> list[Panel]:
    """Plot the distances against the number of samples, a panel a network."""
    drawn = []
    for network in NETWORKS:
        curves = []
        for way, label in LABELS.items():
            by_size = [
                distances(results, Cell(network, N_VARIABLES, n), way, replicates) for n in SAMPLES
            ]
            means = [float(wrong.mean()) for wrong in by_size]
            errors = [float(wrong.std(ddof=1) / len(wrong) ** 0.5) for wrong in by_size]
            curves.append(Curve(label, SAMPLES, means, errors))
        title = f"{network}, {N_VARIABLES} variables of {N_LEVELS} levels"
        drawn.append(Panel(title, "samples", "Hamming distance", curves))
    return drawn


def distances(results: Results, cell: Cell, way: str, replicates: int) -> np.ndarray:
    """Return the Hamming distance of every data set of a cell."""
    parts = [results.of(tuple(cell), f"{way}_{what}", replicates) for what in ("false", "missed")]
    return np.sum(parts, axis=0)


def _difference(paired: np.ndarray) -> str:
    error = np.std(paired, ddof=1) / len(paired) ** 0.5 if len(paired) > 1 else np.nan
    return f"{paired.mean():+.1f} ± {error:.1f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
