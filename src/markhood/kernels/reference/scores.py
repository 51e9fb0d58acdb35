"""The score of a blanket from its contingency table, in NumPy: BIC_gamma or a marginal likelihood.

    BIC_gamma  max log-likelihood - p * cost of a parameter - m * cost of a variable
    Dirichlet  log marginal likelihood - m * cost of a variable

for a blanket of m variables whose regression has p parameters. The criteria use it for single
tables, and the reference backend for all tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.protocol import Dirichlet, Pricing
from markhood.kernels.reference.regression import maximum
from markhood.kernels.tables import Table, n_coefficients


def score_of(table: Table, costs: Pricing) -> float:
    """Score the blanket with this table."""
    size = len(table.n_levels)
    if isinstance(costs, Dirichlet):
        return log_marginal(table.counts) - size * costs.variable
    reached = maximum(table, *costs.penalty).value
    return float(reached - n_coefficients(table) * costs.parameter - size * costs.variable)


def log_marginal(counts: NDArray[Any]) -> float:
    """Return the log marginal likelihood of a table with a Dirichlet prior of 1/2 per cell.

    It is the sum over rows of log G(r/2) - log G(n + r/2), and over their r cells of log G(n_x +
    1/2) - log G(1/2).
    """
    from scipy.special import gammaln

    prior = counts.shape[1] / 2
    rows = gammaln(prior) - gammaln(counts.sum(axis=1) + prior)
    return float(np.sum(rows) + np.sum(gammaln(counts + 0.5) - gammaln(0.5)))
