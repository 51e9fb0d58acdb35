"""BIC_gamma, the extended Bayesian information criterion, on contingency tables.

    score = max log-likelihood - p log(N)/2 - m gamma log(d - 1)

for a blanket of m of the other d - 1 variables and N samples. The likelihood is that of a
multinomial logistic regression on the members' scores: a nominal member has f_b = r_b - 1
indicators, an ordered one f_b = 1. There are p = r - 1 + f sum f_b parameters; for binary
variables, 1 + m. The paper charges gamma log(d - 1) for every parameter. Gamma counts models, so it
should be charged per blanket variable, as the authors' code does. For binary variables the two
differ by a constant.

The fit may be penalised, on slopes but not on intercepts: it then maximises L - strength sum b^2
("l2") or L - strength sum |b| ("l1"). This keeps coefficients of separated data finite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from markhood.kernels.protocol import NO_PENALTY, Costs, FitPenalty
from markhood.kernels.reference.scores import score_of
from markhood.kernels.tables import Table
from markhood.scores.criterion import BlanketTable


@dataclass(frozen=True)
class Bic:
    """The extended Bayesian information criterion.

    Examples
    --------
    >>> from markhood.scores.criterion import blanket_table
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> alone, together = (Bic().score(blanket_table(samples, 0, b)) for b in ([], [1]))
    >>> together > alone
    True
    """

    name: ClassVar[str] = "bic"

    gamma: float = 0.5  # weight of the model-space penalty; 0 is the classical BIC
    penalty: FitPenalty = NO_PENALTY  # penalty of the fits; by default none

    @property
    def description(self) -> str:
        """A phrase that describes it, for a sentence about a variable's neighbours."""
        penalties = "".join(
            f" with an {norm.upper()} penalty of strength {strength:g} on slopes"
            for norm, strength in self.penalty._asdict().items()
            if strength
        )
        return (
            f"the extended Bayesian information criterion (gamma = {self.gamma:g}) of its logistic "
            f"regression on them{penalties}"
        )

    def costs(self, n_samples: float, n_variables: int) -> Costs:
        """Return the penalty of a parameter and of a blanket variable."""
        others = max(n_variables - 1, 1)
        # Kernels need positive prices, and fewer than two samples have no evidence.
        per_parameter = math.log(max(n_samples, 2.0)) / 2
        return Costs(per_parameter, float(self.gamma) * math.log(others), self.penalty)

    def score(self, table: BlanketTable) -> float:
        """Score the blanket with this table."""
        counted = Table(
            table.configurations, table.counts.astype(float), table.blanket_levels, table.ordered
        )
        return score_of(counted, self.costs(table.n_samples, table.n_variables))
