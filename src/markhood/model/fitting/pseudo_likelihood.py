"""The joint pseudo-likelihood, in which both ends of an edge share its coupling.

    l(theta) = sum_s w_s sum_i log p(x_si | neighbours of i)

is a concave function of fields and couplings. The regression of variable i has the features
phi(k) = (indicators of its levels, s_i(k) times the scores of the neighbours); the gradient is the
sum of observed minus expected features, and the Hessian minus the sum of their covariances. If
couplings are not shared, the same sum separates into one regression per variable, and the two
estimates of each coupling are averaged.

The information matrix of a pseudo-likelihood: minus the Hessian, plus the precision of a prior. A
regression with w parameters has w^2 entries, which are far more than the numbers of its table if
the levels or neighbours are many for the samples. The matrix is then never assembled: its products
with vectors are changes of the expected features, and a dense block of some parameters is summed
where one is needed.

Sparse linear equations of Newton steps. Small systems are solved directly, large ones by conjugate
gradients. These need only the memory of the matrix, while the Cholesky factor of a large random
graph is nearly dense.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.reference.newton import Likelihood
from markhood.model.fitting.contingency import Observed, Stack, stacked_tables
from markhood.model.fitting.layout import Layout
from markhood.model.potts.exact import log_sum_exp

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_DENSE = 1500  # parameters of a system that is solved directly
_RELATIVE_TOLERANCE = 1e-2  # of a step; the next step corrects the rest
_MOST_PRODUCTS = 200  # in a step: more do not pay where the data are separated
_ENTRIES = 1 << 20  # of a sparse matrix that are looked up at a time


@dataclass(frozen=True, eq=False)
class Information:
    """The information at some parameters.

    Parameters
    ----------
    likelihood : PseudoLikelihood
    parameters : ndarray of shape (n_parameters,)
    precision : csr_array of shape (n_parameters, n_parameters), optional
        Precision of the prior.
    """

    likelihood: PseudoLikelihood
    parameters: Floats
    precision: csr_array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.parameters), len(self.parameters)

    def __add__(self, precision: csr_array) -> Information:
        """Return the information with a prior of this precision."""
        return replace(self, precision=precision)

    def __matmul__(self, direction: Floats) -> Floats:
        """Return the product with a vector."""
        if not self.likelihood.is_wide:
            return np.asarray(self.matrix @ direction)
        changes = (self._change(s, p, direction) for s, p in self._probabilities)
        found = self.likelihood.summed(changes)
        return found if self.precision is None else found + self.precision @ direction

    def _change(self, stack: Stack, probabilities: Floats, direction: Floats) -> Floats:
        """Return the change of the expected counts along a direction."""
        change = self.likelihood.linear(stack, direction)
        change -= (probabilities * change).sum(axis=2, keepdims=True)
        return stack.totals[..., None] * probabilities * change

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        found = np.zeros(len(self.parameters))
        for stack, probabilities in self._probabilities:
            positions = self.likelihood.stack_positions(stack)
            np.add.at(found, positions, _diagonal(stack, probabilities))
        return found if self.precision is None else found + self.precision.diagonal()

    @cached_property
    def matrix(self) -> csr_array:
        """The matrix."""
        from scipy.sparse import coo_array

        rows, columns, entries = [], [], []
        for stack, probabilities in self._probabilities:
            positions = self.likelihood.stack_positions(stack)
            width = positions.shape[1]
            rows.append(np.repeat(positions, width, axis=1).ravel())
            columns.append(np.tile(positions, (1, width)).ravel())
            entries.append(_matrices(stack, probabilities).ravel())
        numbers = np.concatenate(rows), np.concatenate(columns)
        found = coo_array((np.concatenate(entries), numbers), shape=self.shape).tocsr()
        return found if self.precision is None else (found + self.precision).tocsr()

    def block(self, near: Ints) -> Floats:
        """Return the rows and columns of some parameters, ascending, as a dense matrix."""
        if not self.likelihood.is_wide:
            return dense_block(self.matrix, near, near)
        found = np.zeros((len(near), len(near)))
        if self.precision is not None:
            found += dense_block(self.precision, near, near)
        within = np.full(len(self.parameters), -1)
        within[near] = np.arange(len(near))
        for stack, probabilities in self._probabilities:
            at = within[self.likelihood.stack_positions(stack)]
            for k, own in enumerate(at):
                inside = np.flatnonzero(own >= 0)
                if len(inside):
                    part = _matrices(stack.only(k), probabilities[k : k + 1])[0]
                    part = part if len(inside) == len(own) else part[np.ix_(inside, inside)]
                    for row, entries in zip(own[inside], part, strict=True):  # without copies
                        found[row, own[inside]] += entries
        return found

    @cached_property
    def _probabilities(self) -> list[tuple[Stack, Floats]]:
        own = self.likelihood
        return [(stack, np.exp(own.logs(stack, self.parameters))) for stack in own.stacks]


def dense_block(matrix: csr_array, rows: Ints, columns: Ints) -> Floats:
    """Return rows and (ascending) columns as a dense array, faster than the indexing of scipy."""
    found = np.zeros((len(rows), len(columns)))
    at_once = max(1, _ENTRIES // max(1, int(np.diff(matrix.indptr).max(initial=0))))
    for first in range(0, len(rows), at_once):
        some = rows[first : first + at_once]
        starts, stops = matrix.indptr[some], matrix.indptr[some + 1]
        lengths = stops - starts
        before = np.cumsum(lengths) - lengths
        entries = np.repeat(starts - before, lengths) + np.arange(lengths.sum())
        row = np.repeat(np.arange(first, first + len(some)), lengths)
        column = np.searchsorted(columns, matrix.indices[entries])
        inside = columns[np.minimum(column, len(columns) - 1)] == matrix.indices[entries]
        found[row[inside], column[inside]] = matrix.data[entries[inside]]
    return found


def _diagonal(stack: Stack, probabilities: Floats) -> Floats:
    """Return the diagonals of the information of each regression, shape (g, w)."""
    r = len(stack.scores)
    features = np.concatenate([np.eye(r)[:, 1:], stack.scores], axis=1)
    variances = probabilities @ features**2 - (probabilities @ features) ** 2
    variances *= stack.totals[..., None]
    slopes = variances[..., r - 1 :].transpose(0, 2, 1) @ stack.design**2
    return np.concatenate([variances[..., : r - 1].sum(axis=1), slopes.reshape(len(slopes), -1)], 1)


def _matrices(stack: Stack, probabilities: Floats) -> Floats:
    """Return the information matrix of each regression, shape (g, w, w)."""
    r, f = stack.scores.shape
    g, _, q = stack.design.shape
    # The covariance of indicators and scores in each configuration, (g, n_rows, u, u).
    features = np.concatenate([np.eye(r)[:, 1:], stack.scores], axis=1)
    means = probabilities @ features
    spread = np.einsum("gsk,ku,kv->gsuv", probabilities, features, features, optimize=True)
    spread = (spread - means[..., :, None] * means[..., None, :]) * stack.totals[..., None, None]
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


class SparseEquations:
    """The linear solver of `newton`."""

    def factorise(self, matrix: Information, *, is_new: bool) -> None:
        """Keep a positive definite matrix."""
        n = matrix.shape[0]
        self._matrix = matrix.block(np.arange(n)) if n <= MOST_DENSE else matrix

    def solve(self, right: Floats) -> Floats:
        """Solve the system, large ones to the relative tolerance of a step."""
        if isinstance(self._matrix, np.ndarray):
            return np.asarray(np.linalg.solve(self._matrix, right))
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import LinearOperator, cg

        scaling = diags_array(1 / self._matrix.diagonal())
        product = LinearOperator(self._matrix.shape, self._matrix.__matmul__, dtype=np.float64)
        return np.asarray(
            cg(product, right, M=scaling, rtol=_RELATIVE_TOLERANCE, maxiter=_MOST_PRODUCTS)[0]
        )


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
    def average(self) -> csr_array | None:
        """The matrix from this vector to that of the layout: means of the estimates of a number.

        None if couplings are shared, so that both vectors are the same.
        """
        from scipy.sparse import coo_array

        if self.is_shared:
            return None
        columns = np.concatenate(self.positions)
        rows = np.concatenate([self.layout.positions(v) for v in range(len(self.positions))])
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
