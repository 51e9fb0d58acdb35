"""L1 logistic regression per node with scikit-learn: what one would write in an afternoon.

    EBIC = -2 log-likelihood + J log N + 2 gamma J log(d - 1),    J neighbours, gamma = 1/4

chooses among 20 penalties from the least that leaves no neighbour down to a fiftieth of it; two
nodes are joined where each chose the other (AND). liblinear is the faster of the two solvers that
know the penalty. It penalises the intercept too, hence the scaling, which makes that a tenth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from peer import Edges, Table, edges_where, package_version, why_no_package

GAMMA = 0.25
PENALTIES = np.geomspace(1.0, 0.02, 20)


class L1Logistic:
    """The path, on standardised columns."""

    name = "scikit-learn-l1"

    def why_absent(self) -> str | None:
        """Say where scikit-learn is missing; markhood itself depends on it."""
        return why_no_package("scikit-learn", "sklearn")

    def version(self) -> str:
        """Return scikit-learn's version."""
        return package_version("scikit-learn")

    def load(self) -> Callable[[Table], Edges]:
        """Import scikit-learn."""
        from sklearn.linear_model import LogisticRegression

        # The option has changed its name: `penalty` is deprecated from 1.8 on.
        is_new = LogisticRegression().get_params()["penalty"] == "deprecated"
        option = {"l1_ratio": 1.0} if is_new else {"penalty": "l1"}
        model = LogisticRegression(solver="liblinear", intercept_scaling=10.0, **option)

        def learn(table: Table) -> Edges:
            deviations = table.std(axis=0)
            columns = (table - table.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
            chosen = [_neighbours(model, columns, table, node) for node in range(table.shape[1])]
            return edges_where(np.array(chosen) & np.array(chosen).T)

        return learn


def _neighbours(model, columns: NDArray[np.float64], table: Table, node: int) -> NDArray[np.bool_]:
    """Return which variables the best model of the path has."""
    n_samples, n_variables = table.shape
    value = table[:, node]
    chosen = np.zeros(n_variables, dtype=bool)
    if value.min() == value.max():
        return chosen
    others = np.delete(np.arange(n_variables), node)
    predictors = columns[:, others]
    largest = np.abs(predictors.T @ (value - value.mean())).max()
    least = np.inf
    for penalty in largest * PENALTIES:
        model.set_params(C=1.0 / penalty).fit(predictors, value)
        logit = model.decision_function(predictors)
        likelihood = np.sum(value * logit - np.logaddexp(0.0, logit))
        kept = model.coef_[0] != 0
        price = np.log(n_samples) + 2 * GAMMA * np.log(n_variables - 1)
        ebic = -2 * likelihood + kept.sum() * price
        if ebic < least:
            least = ebic
            chosen[others] = kept
    return chosen


PEERS = (L1Logistic(),)
