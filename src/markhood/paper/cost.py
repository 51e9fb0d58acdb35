"""Table 2: the evaluations that the screen saves, and its effect on accuracy.

An evaluation is one call of the score in the published sources of the authors, including repeated
calls. This search takes the same steps with different calls; `calls_of_authors` converts the
counts. The hub network printed with 128 variables has 144 by its counts; both are run and compared
with that column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from markhood.arrays import Ints
from markhood.evaluate.measures import compare
from markhood.graph.graph import Graph
from markhood.learning.methods import HillClimbing, Plrhc
from markhood.paper.experiment import Cell, Figure, Search
from markhood.paper.published import published
from markhood.search.blankets import add_counts
from markhood.search.values.search_result import SearchResult

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
