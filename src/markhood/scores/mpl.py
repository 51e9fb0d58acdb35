"""MPL, the marginal pseudo-likelihood, on contingency tables.

    score = log marginal likelihood of the table - m gamma log(d - 1)

for a blanket of m of the other d - 1 variables. Every configuration of the blanket has its own
probability with a Dirichlet prior of 1/2 per cell, which is integrated out. Unlike a regression,
the score penalises every configuration that occurs, and is therefore conservative about hubs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from markhood.kernels.protocol import Dirichlet
from markhood.kernels.reference.scores import score_of
from markhood.kernels.tables import Table
from markhood.named import classes_named
from markhood.scores.criterion import BlanketTable, Criterion


@dataclass(frozen=True)
class Mpl:
    """The marginal pseudo-likelihood.

    Examples
    --------
    >>> from markhood.scores.criterion import blanket_table
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> alone, together = (Mpl().score(blanket_table(samples, 0, b)) for b in ([], [1]))
    >>> together > alone
    True
    """

    name: ClassVar[str] = "mpl"
    uses_order: ClassVar[bool] = False  # its tables ignore the order of levels

    gamma: float = 0.5  # weight of the number of possible blankets in the structure prior

    @property
    def description(self) -> str:
        """A phrase that describes it, for a sentence about a variable's neighbours."""
        return f"its marginal pseudo-likelihood (gamma = {self.gamma:g})"

    def costs(self, n_samples: float, n_variables: int) -> Dirichlet:
        """Return the penalty of a blanket variable."""
        return Dirichlet(float(self.gamma) * math.log(max(n_variables - 1, 1)))

    def score(self, table: BlanketTable) -> float:
        """Score the blanket with this table."""
        counted = Table(table.configurations, table.counts.astype(float), table.blanket_levels)
        return score_of(counted, self.costs(table.n_samples, table.n_variables))


CRITERIA: Mapping[str, Callable[[float], Criterion]] = classes_named("markhood.scores", "score")
