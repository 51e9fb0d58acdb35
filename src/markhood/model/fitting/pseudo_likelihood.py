"""The joint pseudo-likelihood, in which both ends of an edge share its coupling.

    l(theta) = sum_s w_s sum_i log p(x_si | neighbours of i)

is a concave function of fields and couplings. The regression of variable i has the features
phi(k) = (indicators of its levels, s_i(k) times the scores of the neighbours); the gradient is the
sum of observed minus expected features, and the Hessian minus the sum of their covariances. If
couplings are not shared, the same sum separates into one regression per variable, and the two
estimates of each coupling are averaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.reference.newton import Likelihood
from markhood.model.fitting.contingency import Observed, Stack, stacked_tables
from markhood.model.fitting.information import Information
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
    def positions(self) -> list[Ints]:
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

    def value(self, parameters: Floats) -> float:
        """Return the log pseudo-likelihood."""
        return sum(float((s.counts * self.logs(s, parameters)).sum()) for s in self.stacks)

    def gradient(self, parameters: Floats) -> Floats:
        """Return the gradient."""
        return self.summed(
            s.counts - s.totals[..., None] * np.exp(self.logs(s, parameters)) for s in self.stacks
        )

    def curvature(self, parameters: Floats) -> Information:
        """Return the information matrix: minus the Hessian."""
        return Information(self, parameters)

    def summed(self, values: Iterable[Floats]) -> Floats:
        """Return the sums of the features, weighted by these values of the cells of each stack."""
        sums = []
        for stack, own in zip(self.stacks, values, strict=True):
            by_score = (own @ stack.scores).transpose(0, 2, 1) @ stack.design
            sums += [own.sum(axis=1)[:, 1:].ravel(), by_score.ravel()]
        found = np.bincount(self._summed_positions, np.concatenate(sums), self.n_parameters)
        return np.asarray(found, np.float64)

    @cached_property
    def _summed_positions(self) -> Ints:
        """Where `summed` adds the sums of all stacks: fields and slopes of each."""
        parts = []
        for stack in self.stacks:
            own, r = self.stack_positions(stack), len(stack.scores)
            parts += [own[:, : r - 1].ravel(), own[:, r - 1 :].ravel()]
        return np.concatenate(parts)

    @cached_property
    def is_wide(self) -> bool:
        """Whether the information matrices of the regressions have more entries than the tables."""
        widths = np.array([len(positions) for positions in self.positions], np.float64)
        rows = [s.design.shape[1] * widths[s.variables].sum() for s in self.stacks]
        return bool((widths**2).sum() > sum(rows))

    def spread(self, step: Floats) -> float:
        """Return the largest change of log odds by a step."""
        return max(float(np.ptp(self.linear(s, step), axis=2).max(initial=0)) for s in self.stacks)

    def stack_positions(self, stack: Stack) -> Ints:
        """Return the positions of the parameters of each regression of a stack, shape (g, w)."""
        return self._stack_positions[int(stack.variables[0])]

    @cached_property
    def _stack_positions(self) -> dict[int, Ints]:
        own = self.positions
        return {
            int(s.variables[0]): np.stack([own[v] for v in s.variables.tolist()])
            for s in self.stacks
        }

    def linear(self, stack: Stack, parameters: Floats) -> Floats:
        """Return the linear predictor of each level in each configuration, shape (g, n_rows, r)."""
        own = parameters[self.stack_positions(stack)]
        r, f = stack.scores.shape
        fields = np.concatenate([np.zeros((len(own), 1)), own[:, : r - 1]], axis=1)
        slopes = own[:, r - 1 :].reshape(len(own), f, -1)
        return fields[:, None, :] + stack.design @ slopes.transpose(0, 2, 1) @ stack.scores.T

    def logs(self, stack: Stack, parameters: Floats) -> Floats:
        """Return the log-probabilities."""
        linear = self.linear(stack, parameters)
        return np.asarray(linear - log_sum_exp(linear)[..., None])
