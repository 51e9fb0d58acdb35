"""Tables 3 and 4: wrong edges of every method, on the same data.

Each method has a separate file of results, so that fast methods need not wait for slow ones. Data
sets depend on the cell and the replicate only, so all methods see the same data. HC is not in the
tables of the paper; it is run for comparison with PLRHC. L1LR searches once: OR and AND join the
same blankets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markhood.arrays import Ints
from markhood.evaluate.measures import compare
from markhood.graph.graph import Graph
from markhood.learning.methods import METHODS, L1Logistic
from markhood.paper.experiment import Cell, Figure, Search
from markhood.paper.published import published

NETWORKS = (("hub", 64), ("grid", 144), ("grid", 256), ("hub", 256))
SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)
ERRORS = ("false_positives", "false_negatives", "hamming_distance")


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
