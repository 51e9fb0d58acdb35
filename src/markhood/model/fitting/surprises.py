"""How far each sample is from what a model expects of it: the gradient of its own log-likelihood.

The sum over samples is zero at a maximum; sums of squares say how uncertain the maximum is. What is asked
for is the gradient along a few directions, so the gradients themselves, a number for each sample and
parameter, are never written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from markhood.model.fitting.pseudo_likelihood import PseudoLikelihood
from markhood.model.fitting.tables import Observed
from markhood.model.potts.exact import log_sum_exp

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Surprises:
    """Gradients of some samples' own log pseudo-likelihoods at some parameters.

    Attributes
    ----------
    levels : ndarray of shape (n_fields, n_samples)
        Whether each level but the first is there, less its probability given the others.
    scores : ndarray of shape (n_scores, n_samples)
        The same of scores.
    values : ndarray of shape (n_scores + n_reals, n_samples)
        The scores themselves, zero where unknown, and the real covariates.
    columns : Columns
        Which of them make each parameter's gradient.
    """

    levels: NDArray[np.float64]
    scores: NDArray[np.float64]
    values: NDArray[np.float64]
    columns: Columns

    def parts(
        self, near: NDArray[np.int64], solution: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Return the gradients along some directions, each regression's apart.

        Parameters
        ----------
        near : ndarray of shape (n_near,)
            The parameters that the directions have, ascending.
        solution : ndarray of shape (n_near, n_directions)

        Yields
        ------
        ndarray of shape (n_directions, n_samples)
        """
        likelihood, layout = self.columns.likelihood, self.columns.likelihood.layout
        for v in self.columns.users(near):
            r, f = layout.scores[v].shape
            places = likelihood.places[v]
            at = np.minimum(np.searchsorted(near, places), len(near) - 1)
            own = solution[at] * (near[at] == places)[:, None]
            fields = slice(*layout.field_starts[v : v + 2].tolist())
            part = own[: r - 1].T @ self.levels[fields]
            values = self.values[self.columns.of_neighbours[v]]
            slopes = own[r - 1 :].reshape(f, len(values), solution.shape[1])
            for column, along in enumerate(slopes, int(self.columns.starts[v])):
                part += self.scores[column] * (along.T @ values)
            yield part


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns of `Surprises` each parameter of a pseudo-likelihood goes with."""

    likelihood: PseudoLikelihood

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Return where the scores of each variable begin, and end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.likelihood.layout.n_scores)])

    @cached_property
    def of_neighbours(self) -> list[NDArray[np.int64]]:
        """Return the columns of each variable's neighbours' scores, and of the real covariates."""
        layout = self.likelihood.layout
        every = [np.arange(a, b) for a, b in pairwise(self.starts.tolist())]
        reals = int(self.starts[-1]) + np.arange(layout.n_reals)
        step = layout.n_reals if layout.has_own_reals else 0
        return [
            np.concatenate([*(every[j] for j in layout.neighbours[v]), reals + v * step])
            for v in range(len(layout.variables))
        ]

    @cached_property
    def _users(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the two variables, or the one twice, whose regressions have each parameter."""
        places = np.concatenate(self.likelihood.places)
        lengths = [len(own) for own in self.likelihood.places]
        owners = np.repeat(np.arange(len(lengths)), lengths)
        first, last = (np.zeros(self.likelihood.n_parameters, np.int64) for _ in range(2))
        first[places[::-1]], last[places] = owners[::-1], owners
        return first, last

    def users(self, parameters: NDArray[np.int64]) -> list[int]:
        """Return the variables whose regressions have any of these parameters."""
        first, last = self._users
        found: list[int] = np.unique(np.concatenate([first[parameters], last[parameters]])).tolist()
        return found

    def at(self, parameters: NDArray[np.float64], observed: Observed) -> Surprises:
        """Return the surprises of some samples."""
        layout = self.likelihood.layout
        n = int(self.starts[-1])
        values = np.zeros((observed.n_samples, n + layout.n_real_columns))
        scores = np.zeros((observed.n_samples, n))
        if layout.n_reals:
            values[:, n:] = observed.reals.reshape(-1, observed.n_samples).T
        levels = np.zeros((observed.n_samples, int(layout.field_starts[-1])))
        is_known = observed.codes != Observed.UNKNOWN
        for alike in self._alike:
            columns = self.starts[alike][:, None] + np.arange(layout.n_scores[alike[0]])
            codes = np.where(is_known[alike], observed.codes[alike], 0).T
            own = layout.scores[int(alike[0])][codes] * is_known[alike].T[..., None]
            values[:, columns] = own
        pull = np.asarray(values @ self._slopes(parameters))
        complete = is_known.all()
        for alike in self._alike:
            own_scores = layout.scores[int(alike[0])]
            r, f = own_scores.shape
            columns = self.starts[alike][:, None] + np.arange(f)
            places = layout.field_starts[alike][:, None] + np.arange(r - 1)
            fields = parameters[np.stack([self.likelihood.places[v][: r - 1] for v in alike])]
            logs = pull[:, columns] @ own_scores.T
            logs[..., 1:] += fields
            chances = np.exp(logs - log_sum_exp(logs)[..., None])
            codes = np.where(is_known[alike], observed.codes[alike], 0).T
            seen = np.eye(r)[codes] - chances
            if not complete:
                seen *= np.stack([self._has_all(is_known, v) for v in alike.tolist()], axis=1)[
                    ..., None
                ]
            levels[:, places] = seen[..., 1:]
            scores[:, columns] = seen @ own_scores
        # A column's samples side by side: few columns are read at a time.
        turned = [np.ascontiguousarray(own.T) for own in (levels, scores, values)]
        return Surprises(turned[0], turned[1], turned[2], self)

    def _has_all(self, is_known: NDArray[np.bool_], variable: int) -> NDArray[np.bool_]:
        """Whether a variable's regression has each sample: it and its neighbours are known."""
        blanket = self.likelihood.layout.neighbours[variable]
        return np.asarray(is_known[variable] & is_known[blanket].all(axis=0))

    @cached_property
    def _alike(self) -> list[NDArray[np.int64]]:
        """Variables by how many levels and scores they have."""
        layout = self.likelihood.layout
        shapes = np.column_stack([layout.n_levels, layout.n_scores])
        kinds, which = np.unique(shapes, axis=0, return_inverse=True)
        return [np.flatnonzero(which.ravel() == k) for k in range(len(kinds))]

    def _slopes(self, parameters: NDArray[np.float64]) -> csr_array:
        """Return what takes all variables' values to the pulls on their scores."""
        from scipy.sparse import coo_array

        layout = self.likelihood.layout
        rows, columns, entries = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for v, places in enumerate(self.likelihood.places):
            r, f = layout.scores[v].shape
            others = self.of_neighbours[v]
            rows.append(np.tile(others, f))
            columns.append(np.repeat(np.arange(*self.starts[v : v + 2].tolist()), len(others)))
            entries.append(parameters[places[r - 1 :]])
        n = int(self.starts[-1])
        numbers = np.concatenate(rows), np.concatenate(columns)
        shape = n + layout.n_real_columns, n
        return coo_array((np.concatenate(entries), numbers), shape=shape).tocsr()
