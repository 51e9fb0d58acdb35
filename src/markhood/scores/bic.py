"""BIC_gamma, the extended Bayesian information criterion, on contingency tables.

    score = max log-likelihood - (m + 1) log(N)/2 - m gamma log(d - 1)

for a blanket of m of the other d - 1 binary variables and N samples, the likelihood being that
of a logistic regression. The paper charges gamma log(d - 1) for the intercept too; that moves every
score by the same amount, and counting models (which is gamma's purpose) charges blanket variables only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from markhood.counts.blankets import BlanketTable
from markhood.kernels.protocol import Costs
from markhood.kernels.reference import Table, fit_logistic


@dataclass(frozen=True)
class Bic:
    """The extended Bayesian information criterion.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of possible blankets; 0 is the classical criterion.

    Examples
    --------
    >>> from markhood.counts.blankets import blanket_table
    >>> from markhood.data.encode import encode
    >>> samples = encode([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> alone, together = (Bic().score(blanket_table(samples, 0, b)) for b in ([], [1]))
    >>> together > alone
    True
    """

    gamma: float = 0.5

    def costs(self, n_samples: int, n_variables: int) -> Costs:
        """Return the price of a parameter and of a blanket variable."""
        others = max(n_variables - 1, 1)
        return Costs(math.log(n_samples) / 2, float(self.gamma) * math.log(others))

    def score(self, table: BlanketTable) -> float:
        """Score the blanket whose table this is."""
        costs = self.costs(table.n_samples, table.n_variables)
        likelihood = fit_logistic(Table(table.configurations, table.counts)).log_likelihood
        size = table.n_blanket
        return likelihood - (size + 1) * costs.parameter - size * costs.variable
