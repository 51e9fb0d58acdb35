"""Standard errors: the sandwich covariance of Godambe.

    covariance = H^-1 (J + P) H^-1,    H = information + P,    J = covariance of the gradient,

with P the precision of the prior, which counts as one more observation. The gradient of a
pseudo-likelihood is a sum over regressions, which use each sample several times. The variance of
the contribution of one regression is its information matrix; empirical squares would be too small
for rare levels. J is therefore the information plus the empirical products of the contributions of
different regressions. With survey weights, J is the empirical second moment with squared weights,
because a sample of weight 2 is still one sample. With C clusters, it is that of the sums over the
samples of each cluster, times C / (C - 1).

The result is the variances of linear functions of the parameters. With many parameters, each
function is solved for within the parameters of the regressions of its variable and the neighbours;
the effect of other parameters is of the order of a product of two couplings. Where these are more
than `MOST_NEAR`, only those of the variable's own regression are used. Standard errors of complete
graphs of 6 to 8 variables with 5 to 8 levels are then 2 to 9 % too small.

Score residuals: the gradient of the log pseudo-likelihood of each sample. Their sum is 0 at the
maximum, and sums of their squares estimate its uncertainty. The sandwich needs the gradients along
a few directions only, so the matrix of all samples and parameters is not formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.execution.runner import cut
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.pseudo_likelihood import PseudoLikelihood, dense_block
from markhood.model.potts.exact import log_sum_exp

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_NEAR = 2000  # parameters that are solved for together, except in a large regression
_CHUNK = 1 << 24  # gradients in memory at a time
_FUNCTIONS = 512  # solved for at a time


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of samples, from which the gradients of their log pseudo-likelihoods follow.

    Attributes
    ----------
    levels : ndarray of shape (n_fields, n_samples)
        Indicators of all levels but the first, minus their conditional probabilities.
    scores : ndarray of shape (n_scores, n_samples)
        Scores minus their conditional expectations.
    values : ndarray of shape (n_scores + n_reals, n_samples)
        Scores, 0 for unknown values, and continuous covariates.
    columns : ResidualColumns
        The rows of these arrays that each parameter needs.
    """

    levels: Floats
    scores: Floats
    values: Floats
    columns: ResidualColumns

    def parts(self, near: Ints, solution: Floats) -> Iterator[Floats]:
        """Yield the contribution of each regression to the gradients along given directions.

        Parameters
        ----------
        near : ndarray of shape (n_near,)
            The parameters of the directions, ascending.
        solution : ndarray of shape (n_near, n_directions)

        Yields
        ------
        ndarray of shape (n_directions, n_samples)
        """
        likelihood, layout = self.columns.likelihood, self.columns.likelihood.layout
        for v in self.columns.users(near):
            r, f = layout.scores[v].shape
            positions = likelihood.positions[v]
            at = np.minimum(np.searchsorted(near, positions), len(near) - 1)
            is_near = near[at] == positions
            fields = slice(*layout.field_starts[v : v + 2].tolist())
            part = (solution[at[: r - 1]] * is_near[: r - 1, None]).T @ self.levels[fields]
            # Of a neighbour's regression often only the slopes of one edge are near.
            at, is_near = at[r - 1 :].reshape(f, -1), is_near[r - 1 :].reshape(f, -1)
            some = np.flatnonzero(is_near.any(axis=0))
            values = self.values[self.columns.of_neighbours[v][some]]
            slopes = solution[at[:, some]] * is_near[:, some, None]
            for column, along in enumerate(slopes, int(self.columns.starts[v])):
                part += self.scores[column] * (along.T @ values)
            yield part


@dataclass(frozen=True, eq=False)
class ResidualColumns:
    """The rows of `Residuals` that belong to each parameter of a pseudo-likelihood."""

    likelihood: PseudoLikelihood

    @cached_property
    def starts(self) -> Ints:
        """Start of the scores of each variable, and the end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.likelihood.layout.n_scores)])

    @cached_property
    def of_neighbours(self) -> list[Ints]:
        """Columns of the scores of the neighbours of each variable, and of the covariates."""
        layout = self.likelihood.layout
        every = [np.arange(a, b) for a, b in pairwise(self.starts.tolist())]
        reals = int(self.starts[-1]) + np.arange(layout.n_reals)
        step = layout.n_reals if layout.has_own_reals else 0
        return [
            np.concatenate([*(every[j] for j in layout.neighbours[v]), reals + v * step])
            for v in range(len(layout.variables))
        ]

    @cached_property
    def _users(self) -> tuple[Ints, Ints]:
        """The two variables, or one twice, whose regressions have each parameter."""
        positions = np.concatenate(self.likelihood.positions)
        lengths = [len(own) for own in self.likelihood.positions]
        owners = np.repeat(np.arange(len(lengths)), lengths)
        first, last = (np.zeros(self.likelihood.n_parameters, np.int64) for _ in range(2))
        first[positions[::-1]], last[positions] = owners[::-1], owners
        return first, last

    def users(self, parameters: Ints) -> list[int]:
        """Return the variables whose regressions have any of the given parameters."""
        first, last = self._users
        found: list[int] = np.unique(np.concatenate([first[parameters], last[parameters]])).tolist()
        return found

    def at(self, parameters: Floats, observed: Observed) -> Residuals:
        """Return the residuals of samples."""
        layout = self.likelihood.layout
        n = int(self.starts[-1])
        values = np.zeros((observed.n_samples, n + layout.n_real_columns))
        scores = np.zeros((observed.n_samples, n))
        if layout.n_reals:
            values[:, n:] = observed.reals.reshape(-1, observed.n_samples).T
        levels = np.zeros((observed.n_samples, int(layout.field_starts[-1])))
        is_known = observed.codes != Observed.UNKNOWN
        for group in self._same_shape:
            columns = self.starts[group][:, None] + np.arange(layout.n_scores[group[0]])
            codes = np.where(is_known[group], observed.codes[group], 0).T
            own = layout.scores[int(group[0])][codes] * is_known[group].T[..., None]
            values[:, columns] = own
        linear = np.asarray(values @ self._slopes(parameters))
        complete = is_known.all()
        for group in self._same_shape:
            own_scores = layout.scores[int(group[0])]
            r, f = own_scores.shape
            columns = self.starts[group][:, None] + np.arange(f)
            at = layout.field_starts[group][:, None] + np.arange(r - 1)
            fields = parameters[np.stack([self.likelihood.positions[v][: r - 1] for v in group])]
            logs = linear[:, columns] @ own_scores.T
            logs[..., 1:] += fields
            probabilities = np.exp(logs - log_sum_exp(logs)[..., None])
            codes = np.where(is_known[group], observed.codes[group], 0).T
            residuals = np.eye(r)[codes] - probabilities
            if not complete:
                is_used = np.stack([self._is_used(is_known, v) for v in group.tolist()], axis=1)
                residuals *= is_used[..., None]
            levels[:, at] = residuals[..., 1:]
            scores[:, columns] = residuals @ own_scores
        # Contiguous over samples, because only a few columns are read at a time.
        by_column = [np.ascontiguousarray(own.T) for own in (levels, scores, values)]
        return Residuals(by_column[0], by_column[1], by_column[2], self)

    def _is_used(self, is_known: Bools, variable: int) -> Bools:
        """Return whether the regression of a variable uses each sample (no missing values)."""
        blanket = self.likelihood.layout.neighbours[variable]
        return np.asarray(is_known[variable] & is_known[blanket].all(axis=0))

    @cached_property
    def _same_shape(self) -> list[Ints]:
        """Variables grouped by their numbers of levels and scores."""
        layout = self.likelihood.layout
        shapes = np.column_stack([layout.n_levels, layout.n_scores])
        kinds, which = np.unique(shapes, axis=0, return_inverse=True)
        return [np.flatnonzero(which.ravel() == k) for k in range(len(kinds))]

    def _slopes(self, parameters: Floats) -> csr_array:
        """Return the matrix from the values to the linear predictors of the scores."""
        from scipy.sparse import coo_array

        layout = self.likelihood.layout
        rows, columns, entries = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for v, positions in enumerate(self.likelihood.positions):
            r, f = layout.scores[v].shape
            others = self.of_neighbours[v]
            rows.append(np.tile(others, f))
            columns.append(np.repeat(np.arange(*self.starts[v : v + 2].tolist()), len(others)))
            entries.append(parameters[positions[r - 1 :]])
        n = int(self.starts[-1])
        numbers = np.concatenate(rows), np.concatenate(columns)
        shape = n + layout.n_real_columns, n
        return coo_array((np.concatenate(entries), numbers), shape=shape).tocsr()


# Rows of functions, the parameters near them, the functions a and the solutions x of H x = a.
Solution = tuple[Ints, Ints, Floats, Floats]


class Gradients(Protocol):
    """Gradients of the log-likelihoods of samples."""

    def parts(self, near: Ints, solution: Floats) -> Iterator[Floats]:
        """Yield the contribution of each regression to the gradients along given directions."""


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The uncertainty of a vector of parameters.

    Attributes
    ----------
    information : callable
        From parameters to the information among them, with the precision of the prior, dense.
    precision : csr_array of shape (n_parameters, n_parameters)
        Precision of the prior.
    observed : Observed
    gradients : callable
        From samples to their gradients.
    near : callable
        From a variable to the parameters near it.
    most_together : int, default=400
        Number of parameters up to which all are solved for together.
    """

    information: Callable[[Ints], Floats]
    precision: csr_array
    observed: Observed
    gradients: Callable[[Observed], Gradients]
    near: Callable[[int], Ints]
    most_together: int = 400

    def variances(self, functions: csr_array, owners: Ints) -> Floats:
        """Return the variance of linear functions of the parameters.

        Parameters
        ----------
        functions : csr_array of shape (n_functions, n_parameters)
        owners : ndarray of shape (n_functions,)
            The variable that each function belongs to.
        """
        parts = list(self._parts(max(64, _CHUNK // max(1, functions.shape[1]))))
        solutions: Iterable[Solution] = self._solutions(functions, owners)
        if len(parts) > 1:
            solutions = list(solutions)
        are_counts = self.observed.are_counts and self.observed.clusters is None
        found = np.zeros(functions.shape[0])
        for k, (part, starts) in enumerate(parts):
            weights = self.observed.weights[part]
            reals = self.observed.reals[..., part]
            gradients = self.gradients(Observed(self.observed.codes[:, part], weights, reals=reals))
            for rows, near, wanted, solution in solutions:
                if k == 0:
                    # H x = a, so x'Hx = x'a.
                    within = wanted if are_counts else self.precision[near][:, near] @ solution
                    found[rows] = np.einsum("pk,pk->k", solution, within)
                total, squares = np.zeros((len(rows), len(weights))), np.zeros(len(rows))
                for own in gradients.parts(near, solution):
                    total += own
                    squares += own**2 @ weights
                if are_counts:
                    found[rows] += total**2 @ weights - squares
                elif starts is None:
                    found[rows] += total**2 @ weights**2
                else:
                    sums = np.add.reduceat(total * weights, starts, axis=1)
                    found[rows] += self._few_clusters * (sums**2).sum(axis=1)
        return np.maximum(found, 0.0)

    @property
    def _few_clusters(self) -> float:
        assert self.observed.clusters is not None
        n_clusters = int(self.observed.clusters.max()) + 1
        return n_clusters / max(1, n_clusters - 1)

    def _parts(self, size: int) -> Iterator[tuple[slice | Ints, Ints | None]]:
        """Yield samples to process at a time; whole clusters, with the start of each cluster."""
        clusters = self.observed.clusters
        if clusters is None:
            for tile in cut(self.observed.n_samples, size):
                yield slice(tile.start, tile.stop), None
            return
        order = np.argsort(clusters, kind="stable")
        starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
        first = np.flatnonzero(np.diff(starts // size, prepend=-1))  # clusters that begin a part
        ends = [*starts[first[1:]].tolist(), len(order)]
        for own, end in zip(np.split(starts, first[1:]), ends, strict=True):
            yield order[own[0] : end], own - own[0]

    def _solutions(self, functions: csr_array, owners: Ints) -> Iterator[Solution]:
        """Solve H x = a for all functions a; yield them by owner."""
        from scipy.linalg import lu_factor, lu_solve

        n = functions.shape[1]
        if n <= self.most_together:
            everything = np.arange(n)
            wanted = functions.toarray().T
            solution = np.asarray(np.linalg.solve(self.information(everything), wanted), np.float64)
            yield np.arange(len(owners), dtype=np.int64), everything, wanted, solution
            return
        by_owner = np.argsort(owners, kind="stable")
        first = np.flatnonzero(np.diff(owners[by_owner], prepend=-1))
        factorised: Ints | None = None
        for rows in np.split(by_owner, first[1:]):
            near = self.near(int(owners[rows[0]]))
            if factorised is None or not np.array_equal(near, factorised):
                factor = lu_factor(self.information(near), overwrite_a=True)
                factorised = near
            for part in cut(len(rows), _FUNCTIONS):
                some = rows[part.start : part.stop]
                wanted = dense_block(functions, some, near).T
                yield some, near, wanted, lu_solve(factor, wanted)
