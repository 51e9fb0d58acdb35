"""abess's IsingModel (SLIDE): best-subset logistic regression per node, by splicing.

It takes -1/+1 data and fits no intercept. The number of neighbours is capped: without that it
takes twenty times as long and finds no better graph. Its coefficients are the mean of both
regressions', so an edge is what either end chose (OR).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from peer import Edges, Table, edges_where, package_version, why_no_package

MOST_NEIGHBOURS = 15


@dataclass(frozen=True)
class Slide:
    """IsingModel with one of its criteria."""

    criterion: str

    @property
    def name(self) -> str:
        """Name the tool and the criterion."""
        return f"abess-{self.criterion}"

    def why_absent(self) -> str | None:
        """Say where abess is missing, or too old to have the model."""
        return why_no_package("abess", "abess") or why_no_package("abess>=0.4.11", "abess.graph")

    def version(self) -> str:
        """Return abess's version."""
        return package_version("abess")

    def load(self) -> Callable[[Table], Edges]:
        """Import abess."""
        from abess.graph import IsingModel

        def learn(table: Table) -> Edges:
            model = IsingModel(max_support_size=MOST_NEIGHBOURS, tune_type=self.criterion)
            model.fit(2.0 * table - 1.0)
            return edges_where(model.theta_ != 0)

        return learn


PEERS = (Slide("ebic"), Slide("gic"))
