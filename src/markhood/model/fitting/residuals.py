"""Score residuals: the gradient of the log pseudo-likelihood of each sample.

Their sum is 0 at the maximum, and sums of their squares estimate its uncertainty. The sandwich
needs the gradients along a few directions only, so the matrix of all samples and parameters is not
formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.pseudo_likelihood import PseudoLikelihood
from markhood.model.potts.exact import log_sum_exp

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
