"""The exact likelihood, for graphs with a junction tree.

    l(theta) = theta' (sum over samples of the statistics) - N log Z(theta),

where the statistics are indicators of levels and products of scores. The junction tree gives their
expectations and thus the gradient. The information matrix contains covariances of statistics that
the tree does not give, so it is computed by differences of the gradient, once, at the maximum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.errors import InputError, option
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.layout import Layout
from markhood.model.potts.exact import MOST_STATES, JunctionTree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_PARAMETERS = 1000
_DIFFERENCE = 1e-4


@dataclass(frozen=True, eq=False)
class ExactLikelihood:
    """The log-likelihood of complete samples as a function of the parameters.

    Parameters
    ----------
    layout : Layout
    observed : Observed
    """

    layout: Layout
    observed: Observed

    def __post_init__(self) -> None:
        """Check that the samples are complete and the parameters not too many."""
        if (self.observed.codes == Observed.UNKNOWN).any():
            raise InputError(
                "missing-values",
                "method",
                f"{option('method', 'likelihood')} requires complete samples: use "
                f"{option('missing', 'drop')} or {option('method', 'pseudo-likelihood')}.",
            )
        if self.layout.n_parameters > MOST_PARAMETERS:
            raise InputError(
                "model-size",
                "method",
                f"The model has {self.layout.n_parameters} parameters, but "
                f"{option('method', 'likelihood')} supports at most {MOST_PARAMETERS}: use "
                f"{option('method', 'pseudo-likelihood')}.",
            )

    @cached_property
    def tree(self) -> JunctionTree:
        """The junction tree of the graph."""
        found = JunctionTree.of(self.layout.n_levels.tolist(), self.layout.edges)
        if found is None:
            raise InputError(
                "model-size",
                "method",
                f"The graph has too many cycles for {option('method', 'likelihood')} (tables of "
                f"more than {MOST_STATES} numbers): use {option('method', 'pseudo-likelihood')}.",
            )
        return found

    @cached_property
    def sums(self) -> Floats:
        """The sums of the statistics over samples."""
        every = np.arange(self.layout.n_parameters)
        return self.observed.weights @ self.statistics(self.observed, every)

    def statistics(self, observed: Observed, parameters: Ints) -> Floats:
        """Return the statistics of given parameters, shape (n_samples, len(parameters))."""
        layout, columns = self.layout, []
        for v, codes in enumerate(observed.codes):
            columns.append(np.eye(int(layout.n_levels[v]))[codes, 1:])
        for i, j in layout.edges.tolist():
            first, second = (layout.scores[v][observed.codes[v]] for v in (i, j))
            columns.append((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))
        return np.concatenate(columns, axis=1)[:, parameters]

    def expected(self, parameters: Floats) -> tuple[float, Floats]:
        """Return log Z, and the expectations of the statistics."""
        layout = self.layout
        fields = [
            np.concatenate([np.zeros(1), parameters[a:b]])
            for a, b in zip(layout.field_starts[:-1], layout.field_starts[1:], strict=True)
        ]
        exact = self.tree.exact(layout.edges, tuple(layout.tables_of(parameters)), tuple(fields))
        means = [marginal[1:] for marginal in exact.marginals]
        for (i, j), pair in zip(layout.edges.tolist(), exact.pair_marginals, strict=True):
            means.append((layout.scores[i].T @ pair @ layout.scores[j]).ravel())
        return exact.log_partition, np.concatenate(means)

    def maximum(self, precision: csr_array, start: Floats, max_steps: int) -> Floats:
        """Return the maximum of the posterior under a normal prior."""
        from scipy.optimize import minimize

        n = float(self.observed.weights.sum())

        def loss(parameters: Floats) -> tuple[float, Floats]:
            log_partition, means = self.expected(parameters)
            shrinkage = precision @ parameters
            value = parameters @ self.sums - n * log_partition - parameters @ shrinkage / 2
            return -value / n, -(self.sums - n * means - shrinkage) / n

        options: Any = {"maxiter": 5 * max_steps, "ftol": 1e-15, "gtol": 1e-9}
        climb: Any = minimize
        return np.asarray(climb(loss, start, jac=True, method="L-BFGS-B", options=options).x)

    def information(self, parameters: Floats) -> csr_array:
        """Return minus the Hessian, by central differences of the gradient."""
        from scipy.sparse import csr_array as sparse

        n, columns = float(self.observed.weights.sum()), []
        for k in range(len(parameters)):
            step = np.zeros(len(parameters))
            step[k] = _DIFFERENCE
            ahead, behind = self.expected(parameters + step)[1], self.expected(parameters - step)[1]
            columns.append(n * (ahead - behind) / (2 * _DIFFERENCE))
        found = np.array(columns)
        return sparse((found + found.T) / 2)


@dataclass(frozen=True, eq=False)
class ExactGradients:
    """Gradients of the log-likelihoods of single samples: observed minus expected statistics."""

    likelihood: ExactLikelihood
    observed: Observed
    means: Floats

    def parts(self, near: Ints, solution: Floats) -> Iterator[Floats]:
        """Yield the gradients along directions of given parameters, in a single part."""
        found = self.likelihood.statistics(self.observed, near) - self.means[near]
        yield solution.T @ found.T
