"""The experiments by name, and how one is run from data to figure.

Table 1: the reliability of the screen. On data from a grid and a hub network: the share of pairs
that pass the screen by their distance in the true graph, the recall of the OR graph of HC, and the
number of (ordered) pairs that pass. Rates are in percent, as published.

Tables 3 and 4: wrong edges of every method, on the same data. Each method has a separate file of
results, so that fast methods need not wait for slow ones. Data sets depend on the cell and the
replicate only, so all methods see the same data. HC is not in the tables of the paper; it is run
for comparison with PLRHC. L1LR searches once: OR and AND join the same blankets.

Table 2: the evaluations that the screen saves, and its effect on accuracy. An evaluation is one
call of the score in the published sources of the authors, including repeated calls. This search
takes the same steps with different calls; `calls_of_authors` converts the counts. The hub network
printed with 128 variables has 144 by its counts; both are run and compared with that column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from markhood.arrays import Ints
from markhood.errors import InputError
from markhood.evaluate.measures import compare, inclusion_by_distance
from markhood.execution.runner import Runner
from markhood.graph.graph import Graph
from markhood.learning.methods import METHODS, HillClimbing, L1Logistic, Pairwise, Plrhc
from markhood.output.file_writing import replace_all
from markhood.output.pictures.axes import Panel, draw_panels
from markhood.paper.experiment import Cell, Experiment, Figure, Sampling, Search, run
from markhood.paper.figures import comparison_panels, cost_panels, screening_panels
from markhood.paper.published_comparison import (
    Line,
    as_csv,
    as_markdown,
    compare_with_paper,
    published,
)
from markhood.search.blankets import add_counts
from markhood.search.values.search_result import SearchResult

GAMMA = 0.5
SAMPLES = 4000
N_VARIABLES = {"grid": (64, 144, 256, 400, 1024), "hub": (64, 128, 144, 256, 400, 1024)}
PRINTED_AS = {("hub", 144): 128}
COSTS = ("evaluations_thousands", "pairwise_share_percent", "mean_blanket_size")
DIFFERENCE = "hd_std_difference_plrhc_minus_hc"
NETWORKS = (("hub", 64), ("grid", 144), ("grid", 256), ("hub", 256))
SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)
ERRORS = ("false_positives", "false_negatives", "hamming_distance")
N_SAMPLES = (250, 500, 1000, 2000, 4000, 8000, 16000)
RATES = ("rate_1", "rate_2", "rate_3", "rate_4", "rate_5_or_more")


class Cost:
    """The paper's second experiment."""

    name = "cost"
    cells = tuple(
        Cell(network, d, SAMPLES) for network, sizes in N_VARIABLES.items() for d in sizes
    )
    measures = (*(f"{m}_{c}" for m in ("hc", "plrhc") for c in COSTS), DIFFERENCE)

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Search with the screen and without."""
        hc, plrhc = search.by(HillClimbing(gamma=GAMMA)), search.by(Plrhc(gamma=GAMMA))
        distances = [
            compare(truth, search.graph(found.edges)).standardised_hamming_distance
            for found in (plrhc, hc)
        ]
        return {
            **_costs("hc", calls_of_authors(hc, truth.n_nodes)),
            **_costs("plrhc", calls_of_authors(plrhc, truth.n_nodes)),
            DIFFERENCE: distances[0] - distances[1],
        }

    def figures(self) -> Sequence[Figure]:
        """List the published figures."""
        rows = {(r["network"], int(r["variables"]), r["method"]): r for r in published("cost")}
        figures = []
        for cell in self.cells:
            printed = PRINTED_AS.get((cell.network, cell.variables), cell.variables)
            for method in ("hc", "plrhc"):
                row = rows[cell.network, printed, method]
                figures += [Figure(cell, f"{method}_{cost}", float(row[cost])) for cost in COSTS]
            figures.append(Figure(cell, DIFFERENCE, float(row[DIFFERENCE])))
        return figures


def calls_of_authors(found: SearchResult, n_variables: int) -> Ints:
    """Count the scores that the sources of the authors compute, by the size of the blanket.

    In addition to the scores of this search, they score the empty blanket of every variable before
    its search and in the screen, the blankets at the start of the climb and, if a search space is
    empty, all other variables. They do not test a pair from its other end after it has passed, and
    do not score an edge again that was just flipped. (An edge that is flipped back is subtracted
    once too few.)
    """
    before, after = (_degrees(edges, n_variables) for edges in (found.or_edges, found.edges))
    sizes = np.arange(before.max(initial=0) + 1)[:, np.newaxis]
    flipped = (before >= sizes).sum(axis=1) - (after >= sizes).sum(axis=1)
    calls = [*found.evaluations.values(), np.bincount(before), -flipped, np.array([n_variables])]
    if found.screened is not None:
        passing = found.screened.edges
        without_space = int((_degrees(passing, n_variables) == 0).sum())
        pairs = without_space * (n_variables - 1) - len(passing)
        calls.append(np.array([n_variables, pairs]))
    return add_counts(calls)


def _degrees(edges: Ints, n_variables: int) -> Ints:
    return np.bincount(edges.ravel(), minlength=n_variables)


def _costs(method: str, calls: Ints) -> dict[str, float]:
    total = calls.sum()
    values = (total / 1000, 100 * calls[1] / total, calls @ np.arange(len(calls)) / total)
    return {f"{method}_{cost}": float(v) for cost, v in zip(COSTS, values, strict=True)}


class Comparison:
    """The paper's third experiment, for one method."""

    cells = tuple(Cell(network, d, size) for network, d in NETWORKS for size in SIZES)

    def __init__(self, method: str) -> None:
        self.method = method
        self.name = f"comparison-{method}"
        self.labels = ("l1lr-or", "l1lr-and") if method == "l1lr" else (method,)  # as printed
        self.measures = tuple(f"{label}_{error}" for label in self.labels for error in ERRORS)

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Learn with the method's defaults."""
        measured: dict[str, float] = {}
        for label, edges in zip(self.labels, self._edges(search), strict=True):
            compared = compare(truth, search.graph(edges))
            measured |= {f"{label}_{error}": getattr(compared, error) for error in ERRORS}
        return measured

    def figures(self) -> Sequence[Figure]:
        """List the published figures; NaN for a method that is not in the paper."""
        printed = {
            (Cell(r["network"], int(r["variables"]), int(r["samples"])), r["method"]): r
            for r in published("comparison")
        }
        figures = []
        for measure in self.measures:
            method, _, error = measure.partition("_")
            for cell in self.cells:
                row = printed.get((cell, method))
                figures.append(Figure(cell, measure, float(row[error]) if row else math.nan))
        return figures

    def _edges(self, search: Search) -> list[Ints]:
        if self.method != "l1lr":
            return [search.by(METHODS[self.method]()).edges]
        found = search.by(L1Logistic(rule="and"))
        return [found.or_edges, found.edges]


class Screening:
    """The paper's first experiment."""

    name = "screening"
    cells = tuple(Cell(n, d, size) for n, d in (("grid", 256), ("hub", 512)) for size in N_SAMPLES)
    measures = ("hc_or_recall", *RATES, "candidate_edges")

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Screen all pairs, and run HC without a screen."""
        screened = search.graph(search.by(Pairwise(gamma=GAMMA)).edges)
        or_graph = search.graph(search.by(HillClimbing(gamma=GAMMA, rule="or")).edges)
        shares = inclusion_by_distance(truth, screened, longest=len(RATES)).shares
        return {
            "hc_or_recall": 100 * compare(truth, or_graph).recall,
            **{rate: 100 * share for rate, share in zip(RATES, shares, strict=True)},
            "candidate_edges": 2 * screened.n_edges,
        }

    def figures(self) -> Sequence[Figure]:
        """List the published figures."""
        return [
            Figure(
                Cell(row["network"], int(row["variables"]), int(row["samples"])),
                measure,
                float(row[measure]),
            )
            for row in published("screening")
            for measure in self.measures
        ]


EXPERIMENTS: Mapping[str, Sequence[Experiment]] = {
    "screening": [Screening()],
    "cost": [Cost()],
    "comparison": [Comparison(method) for method in ("plrhc", "hc", "mpl", "bjp", "l1lr")],
}
PANELS: Mapping[str, Callable[[Sequence[Line]], list[Panel]]] = {
    "screening": screening_panels,
    "cost": cost_panels,
    "comparison": comparison_panels,
}


def experiment_named(name: str, methods: Sequence[str] = ()) -> list[Experiment]:
    """Return the parts of an experiment; for the comparison, those of the given methods."""
    if name not in EXPERIMENTS:
        raise InputError(
            "option-unknown",
            name,
            f"Unknown experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}.",
        )
    parts = {part.name.removeprefix(f"{name}-"): part for part in EXPERIMENTS[name]}
    for method in methods:
        if method not in parts:
            raise InputError(
                "option-unknown",
                method,
                f"The {name} experiment has no method {method!r}: choose among "
                f"{', '.join(parts) if name == 'comparison' else 'none'}.",
            )
    return [parts[method] for method in methods] or list(parts.values())


@dataclass(frozen=True)
class Report:
    """The files of an experiment, and its comparison with the paper."""

    lines: Sequence[Line]
    files: Sequence[Path]


def repeat(
    name: str,
    parts: Sequence[Experiment],
    cells: Sequence[Cell],
    replicates: int,
    folder: Path,
    runner: Runner,
    sampling: Sampling,
) -> Report:
    """Run the remaining replicates of an experiment, and write its tables and plot.

    The folder gets a CSV file with every replicate for each part, ``NAME-table.csv`` and
    ``NAME-table.md`` (compared with the paper) and ``NAME.png``.
    """
    lines: list[Line] = []
    files = [folder / f"{part.name}.csv" for part in parts]
    table, text, picture = (folder / f"{name}{end}" for end in ("-table.csv", "-table.md", ".png"))
    for made in (table, text, picture):
        if made.exists() and not any(file.exists() for file in files):
            raise InputError(
                "file-exists",
                str(made),
                f"{made} exists without the results that it was made from: move it away.",
            )
    for part, file in zip(parts, files, strict=True):
        results = run(part, cells, replicates, file, runner, sampling)
        lines += compare_with_paper(part, results, cells, replicates)
    drawn = BytesIO()
    draw_panels(PANELS[name](lines), drawn)
    contents = {table: as_csv(lines), text: as_markdown(lines)}
    replace_all({**{p: c.encode() for p, c in contents.items()}, picture: drawn.getvalue()})
    return Report(lines, [*files, table, text, picture])
