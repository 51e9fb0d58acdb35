"""Table 1: the reliability of the screen.

On data from a grid and a hub network: the share of pairs that pass the screen by their distance
in the true graph, the recall of the OR graph of HC, and the number of (ordered) pairs that pass.
Rates are in percent, as published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markhood.evaluate.measures import compare, inclusion_by_distance
from markhood.graph.graph import Graph
from markhood.learning.methods import HillClimbing, Pairwise
from markhood.paper.experiment import Cell, Figure, Search
from markhood.paper.published import published

GAMMA = 0.5
SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000)
RATES = ("rate_1", "rate_2", "rate_3", "rate_4", "rate_5_or_more")


class Screening:
    """The paper's first experiment."""

    name = "screening"
    cells = tuple(Cell(n, d, size) for n, d in (("grid", 256), ("hub", 512)) for size in SIZES)
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
