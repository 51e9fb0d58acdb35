"""How far each sample is from what a model expects of it: the gradient of its own log-likelihood.

The sum over samples is zero at a maximum; the sum of squares says how uncertain the maximum is. Every number of a
sample's gradient is a product of two columns, or a sum of two products, so that only the
parameters that are asked for are ever multiplied out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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
    levels : ndarray of shape (n_samples, n_fields)
        Whether each level but the first is there, less its probability given the others.
    scores : ndarray of shape (n_samples, n_scores)
        The same of scores.
    values : ndarray of shape (n_samples, n_scores)
        The scores themselves; zero where unknown.
    columns : Columns
        Which of them make each parameter's gradient.
    """

    levels: NDArray[np.float64]
    scores: NDArray[np.float64]
    values: NDArray[np.float64]
    columns: Columns

    def of(self, parameters: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the gradients along some parameters, of shape (n_samples, len(parameters))."""
        field, first, second = (own[parameters] for own in self.columns.of_parameters)
        found = np.where(field >= 0, self.levels[:, field], 0.0)
        for ends in (first, second):
            known = np.flatnonzero(ends[:, 0] >= 0)
            found[:, known] += self.scores[:, ends[known, 0]] * self.values[:, ends[known, 1]]
        return found


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns of `Surprises` each parameter of a pseudo-likelihood goes with."""

    likelihood: PseudoLikelihood

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the scores of each variable begin, and end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.likelihood.layout.n_scores)])

    @cached_property
    def of_parameters(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return, of each parameter, its column of levels, and its pairs of surprise and value.

        -1 where it has none. A shared coupling has two pairs, one from each end.
        """
        layout, n = self.likelihood.layout, self.likelihood.n_parameters
        field, pairs = np.full(n, -1), np.full((2, n, 2), -1)
        for v, places in enumerate(self.likelihood.places):
            r, f = layout.scores[v].shape
            field[places[: r - 1]] = np.arange(*layout.field_starts[v : v + 2])
            others = [np.arange(*self.starts[j : j + 2]) for j in layout.neighbours[v].tolist()]
            columns = np.concatenate([np.empty(0, np.int64), *others])
            own = np.repeat(np.arange(*self.starts[v : v + 2]), len(columns))
            slopes = places[r - 1 :]
            which = (pairs[0, slopes, 0] >= 0).astype(np.int64)
            pairs[which, slopes, 0], pairs[which, slopes, 1] = own, np.tile(columns, f)
        return field, pairs[0], pairs[1]

    def at(self, parameters: NDArray[np.float64], observed: Observed) -> Surprises:
        """Return the surprises of some samples."""
        layout = self.likelihood.layout
        values = np.zeros((observed.n_samples, int(self.starts[-1])))
        scores = np.zeros_like(values)
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
        return Surprises(levels, scores, values, self)

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

        _, *pairs = self.of_parameters
        rows, columns, entries = [], [], []
        for ends in pairs:
            known = np.flatnonzero(ends[:, 0] >= 0)
            rows.append(ends[known, 1])
            columns.append(ends[known, 0])
            entries.append(parameters[known])
        n = int(self.starts[-1])
        numbers = np.concatenate(rows), np.concatenate(columns)
        return coo_array((np.concatenate(entries), numbers), shape=(n, n)).tocsr()
