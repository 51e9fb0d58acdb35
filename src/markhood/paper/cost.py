"""Table 2: what the screen saves, and what it costs in accuracy.

An evaluation is one score of a non-empty blanket, repeated ones counted each time; PLRHC's
include the d(d - 1) tests of the screen. The authors' code searches among all variables where a
search space is empty; with the screen's own penalty that finds nothing, but it is d - 1 pairwise
evaluations, which the table counts, and so do we. The hub network printed as 128 variables has 144
by its counts; both are run and compared with that column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.evaluate.measures import compare
from markhood.graph.graph import Graph
from markhood.learning.methods import HillClimbing, Plrhc
from markhood.paper.experiment import Cell, Figure, Search
from markhood.paper.published import published
from markhood.search.blankets import add_counts

GAMMA = 0.5
SAMPLES = 4000
SIZES = {"grid": (64, 144, 256, 400, 1024), "hub": (64, 128, 144, 256, 400, 1024)}
PRINTED_AS = {("hub", 144): 128}
COSTS = ("evaluations_thousands", "pairwise_share_percent", "mean_blanket_size")
DIFFERENCE = "hd_std_difference_plrhc_minus_hc"


class Cost:
    """The paper's second experiment."""

    name = "cost"
    cells = tuple(Cell(network, d, SAMPLES) for network, sizes in SIZES.items() for d in sizes)
    measures = (*(f"{m}_{c}" for m in ("hc", "plrhc") for c in COSTS), DIFFERENCE)

    def measure(self, search: Search, truth: Graph) -> Mapping[str, float]:
        """Search with the screen and without."""
        hc, plrhc = search.by(HillClimbing(GAMMA)), search.by(Plrhc(GAMMA))
        assert plrhc.screened is not None
        without_space = int((search.graph(plrhc.screened.edges).degree == 0).sum())
        fallback = np.array([0, without_space * (truth.n_nodes - 1)])
        distances = [
            compare(truth, search.graph(found.edges)).standardised_hamming_distance
            for found in (plrhc, hc)
        ]
        return {
            **_costs("hc", list(hc.evaluations.values())),
            **_costs("plrhc", [*plrhc.evaluations.values(), fallback]),
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


def _costs(method: str, counts: list[NDArray[np.int64]]) -> dict[str, float]:
    by_size = add_counts(counts)
    by_size[0] = 0  # an empty blanket is no evaluation
    total = by_size.sum()
    values = (total / 1000, 100 * by_size[1] / total, by_size @ np.arange(len(by_size)) / total)
    return {f"{method}_{cost}": float(v) for cost, v in zip(COSTS, values, strict=True)}
