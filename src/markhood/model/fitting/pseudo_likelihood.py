"""The joint pseudo-likelihood, in which both ends of an edge share its coupling.

    l(theta) = sum_s w_s sum_i log p(x_si | neighbours of i)

is a concave function of fields and couplings. The regression of variable i has the features
phi(k) = (indicators of its levels, s_i(k) times the scores of the neighbours); the gradient is the
sum of observed minus expected features, and the Hessian minus the sum of their covariances. If
couplings are not shared, the same sum separates into one regression per variable, and the two
estimates of each coupling are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.reference.newton import Likelihood
from markhood.model.fitting.contingency import Observed, Stack, stacked_tables
from markhood.model.fitting.layout import Layout
from markhood.model.potts.exact import log_sum_exp

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class PseudoLikelihood(Likelihood):
    """The log pseudo-likelihood of samples as a function of a vector.

    Parameters
    ----------
    layout : Layout
    observed : Observed
    is_shared : bool, default=True
        Whether both ends of an edge share its coupling. Otherwise the vector has the parameters of
        one regression after another, and `average` combines them.
    """

    layout: Layout
    observed: Observed
    is_shared: bool = True

    @cached_property
    def stacks(self) -> list[Stack]:
        """The contingency tables of all regressions."""
        return list(stacked_tables(self.layout, self.observed))

    @cached_property
    def positions(self) -> list[NDArray[np.int64]]:
        """Where each regression's parameters are in the vector."""
        own = [self.layout.positions(variable) for variable in range(len(self.layout.variables))]
        if self.is_shared:
            return own
        ends = np.cumsum([len(positions) for positions in own])
        return [np.arange(e - len(p), e) for e, p in zip(ends.tolist(), own, strict=True)]

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        if self.is_shared:
            return self.layout.n_parameters
        return sum(len(positions) for positions in self.positions)

    @cached_property
    def average(self) -> csr_array:
        """The matrix from this vector to that of the layout: means of the estimates of a number."""
        from scipy.sparse import coo_array

        columns = np.concatenate(self.positions)
        rows = np.concatenate([self.layout.positions(v) for v in range(len(self.positions))])
        if self.is_shared:
            rows = columns = np.arange(self.n_parameters)
        share = 1 / np.bincount(rows, minlength=self.layout.n_parameters)[rows]
        shape = (self.layout.n_parameters, self.n_parameters)
        return coo_array((share, (rows, columns)), shape=shape).tocsr()

    def value(self, parameters: NDArray[np.float64]) -> float:
        """Return the log pseudo-likelihood."""
        return sum(float((s.counts * self._logs(s, parameters)).sum()) for s in self.stacks)

    def gradient(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient."""
        gradient = np.zeros(self.n_parameters)
        for stack in self.stacks:
            probabilities = np.exp(self._logs(stack, parameters))
            np.add.at(gradient, self._positions(stack), _gradient(stack, probabilities))
        return gradient

    def curvature(self, parameters: NDArray[np.float64]) -> csr_array:
        """Return the information matrix: minus the Hessian."""
        from scipy.sparse import coo_array

        rows, columns, entries = [], [], []
        for stack in self.stacks:
            positions = self._positions(stack)
            width = positions.shape[1]
            rows.append(np.repeat(positions, width, axis=1).ravel())
            columns.append(np.tile(positions, (1, width)).ravel())
            entries.append(_information(stack, np.exp(self._logs(stack, parameters))).ravel())
        numbers = np.concatenate(rows), np.concatenate(columns)
        shape = (self.n_parameters, self.n_parameters)
        return coo_array((np.concatenate(entries), numbers), shape=shape).tocsr()

    def spread(self, step: NDArray[np.float64]) -> float:
        """Return the largest change of log odds by a step."""
        return max(float(np.ptp(self._linear(s, step), axis=2).max(initial=0)) for s in self.stacks)

    def _positions(self, stack: Stack) -> NDArray[np.int64]:
        return np.stack([self.positions[v] for v in stack.variables.tolist()])

    def _linear(self, stack: Stack, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the linear predictor of each level in each configuration, shape (g, n_rows, r)."""
        own = parameters[self._positions(stack)]
        r, f = stack.scores.shape
        fields = np.concatenate([np.zeros((len(own), 1)), own[:, : r - 1]], axis=1)
        slopes = own[:, r - 1 :].reshape(len(own), f, -1)
        return fields[:, None, :] + stack.design @ slopes.transpose(0, 2, 1) @ stack.scores.T

    def _logs(self, stack: Stack, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probabilities."""
        linear = self._linear(stack, parameters)
        return np.asarray(linear - log_sum_exp(linear)[..., None])


def _gradient(stack: Stack, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gradient of each regression, shape (g, w)."""
    residuals = stack.counts - stack.counts.sum(axis=2, keepdims=True) * probabilities
    by_score = (residuals @ stack.scores).transpose(0, 2, 1) @ stack.design
    return np.concatenate(
        [residuals.sum(axis=1)[:, 1:], by_score.reshape(len(by_score), -1)], axis=1
    )


def _information(stack: Stack, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the information matrix of each regression, shape (g, w, w)."""
    r, f = stack.scores.shape
    g, _, q = stack.design.shape
    totals = stack.counts.sum(axis=2)
    # The covariance of indicators and scores in each configuration, (g, n_rows, u, u).
    features = np.concatenate([np.eye(r)[:, 1:], stack.scores], axis=1)
    means = probabilities @ features
    spread = np.einsum("gsk,ku,kv->gsuv", probabilities, features, features, optimize=True)
    spread = (spread - means[..., :, None] * means[..., None, :]) * totals[..., None, None]
    information = np.empty((g, r - 1 + f * q, r - 1 + f * q))
    information[:, : r - 1, : r - 1] = spread[:, :, : r - 1, : r - 1].sum(axis=1)
    across = stack.design.transpose(0, 2, 1)
    for a in range(f):
        rows = slice(r - 1 + a * q, r - 1 + (a + 1) * q)
        mixed = across @ spread[:, :, r - 1 + a, : r - 1]
        information[:, rows, : r - 1] = mixed
        information[:, : r - 1, rows] = mixed.transpose(0, 2, 1)
        for b in range(f):
            columns = slice(r - 1 + b * q, r - 1 + (b + 1) * q)
            weighted = stack.design * spread[:, :, r - 1 + a, r - 1 + b, None]
            information[:, rows, columns] = across @ weighted
    return information
