"""The joint pseudo-likelihood: every variable given its neighbours, each coupling shared by its two ends.

    l(theta) = sum_s w_s sum_i log p(x_si | neighbours of i),

a concave function of fields and couplings. A variable's regression has the features
phi(k) = (indicators of its levels, s_i(k) times the neighbours' scores); gradient and Hessian are sums of
observed less expected features, and of their covariances. Where couplings are not shared the same sum
falls apart into the variables' own regressions, whose two answers for an edge are then averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.reference.newton import Likelihood
from markhood.model.fitting.layout import Layout
from markhood.model.fitting.tables import Observed, Stack, stacked_tables
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
        Whether both ends of an edge have one coupling; else the vector has the regressions'
        parameters one after another, and `average` joins them.
    """

    layout: Layout
    observed: Observed
    is_shared: bool = True

    @cached_property
    def stacks(self) -> list[Stack]:
        """All tables."""
        return list(stacked_tables(self.layout, self.observed))

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """Where each regression's parameters are in the vector."""
        own = [self.layout.places(variable) for variable in range(len(self.layout.variables))]
        if self.is_shared:
            return own
        ends = np.cumsum([len(places) for places in own])
        return [np.arange(e - len(p), e) for e, p in zip(ends.tolist(), own, strict=True)]

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        if self.is_shared:
            return self.layout.n_parameters
        return sum(len(places) for places in self.places)

    @cached_property
    def average(self) -> csr_array:
        """What takes the vector to that of the layout: the mean of all that stand for one number."""
        from scipy.sparse import coo_array

        columns = np.concatenate(self.places)
        rows = np.concatenate([self.layout.places(v) for v in range(len(self.places))])
        if self.is_shared:
            rows = columns = np.arange(self.n_parameters)
        share = 1 / np.bincount(rows, minlength=self.layout.n_parameters)[rows]
        shape = (self.layout.n_parameters, self.n_parameters)
        return coo_array((share, (rows, columns)), shape=shape).tocsr()

    def value(self, parameters: NDArray[np.float64]) -> float:
        """Return the log pseudo-likelihood."""
        return sum(float((s.counts * self._logs(s, parameters)).sum()) for s in self.stacks)

    def gradient(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives."""
        gradient = np.zeros(self.n_parameters)
        for stack in self.stacks:
            chances = np.exp(self._logs(stack, parameters))
            np.add.at(gradient, self._places(stack), _gradient(stack, chances))
        return gradient

    def curvature(self, parameters: NDArray[np.float64]) -> csr_array:
        """Return the information: minus the second derivatives."""
        from scipy.sparse import coo_array

        rows, columns, entries = [], [], []
        for stack in self.stacks:
            places = self._places(stack)
            width = places.shape[1]
            rows.append(np.repeat(places, width, axis=1).ravel())
            columns.append(np.tile(places, (1, width)).ravel())
            entries.append(_information(stack, np.exp(self._logs(stack, parameters))).ravel())
        numbers = np.concatenate(rows), np.concatenate(columns)
        shape = (self.n_parameters, self.n_parameters)
        return coo_array((np.concatenate(entries), numbers), shape=shape).tocsr()

    def spread(self, step: NDArray[np.float64]) -> float:
        """Return by how much a step changes log odds at most."""
        return max(float(np.ptp(self._linear(s, step), axis=2).max(initial=0)) for s in self.stacks)

    def _places(self, stack: Stack) -> NDArray[np.int64]:
        return np.stack([self.places[v] for v in stack.variables.tolist()])

    def _linear(self, stack: Stack, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of each level in each configuration, of shape (g, n_rows, r)."""
        own = parameters[self._places(stack)]
        r, f = stack.scores.shape
        fields = np.concatenate([np.zeros((len(own), 1)), own[:, : r - 1]], axis=1)
        slopes = own[:, r - 1 :].reshape(len(own), f, -1)
        return fields[:, None, :] + stack.design @ slopes.transpose(0, 2, 1) @ stack.scores.T

    def _logs(self, stack: Stack, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probabilities."""
        linear = self._linear(stack, parameters)
        return np.asarray(linear - log_sum_exp(linear)[..., None])


def _gradient(stack: Stack, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each regression's gradient, of shape (g, w)."""
    surprise = stack.counts - stack.counts.sum(axis=2, keepdims=True) * chances
    by_score = (surprise @ stack.scores).transpose(0, 2, 1) @ stack.design
    return np.concatenate(
        [surprise.sum(axis=1)[:, 1:], by_score.reshape(len(by_score), -1)], axis=1
    )


def _information(stack: Stack, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each regression's information, of shape (g, w, w)."""
    r, f = stack.scores.shape
    g, _, q = stack.design.shape
    totals = stack.counts.sum(axis=2)
    # The covariance of indicators and scores in each configuration, (g, n_rows, u, u).
    features = np.concatenate([np.eye(r)[:, 1:], stack.scores], axis=1)
    means = chances @ features
    spread = np.einsum("gsk,ku,kv->gsuv", chances, features, features, optimize=True)
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
