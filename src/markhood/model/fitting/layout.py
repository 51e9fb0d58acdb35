"""`Layout`: which numbers a model on a graph has, and where each is in one vector.

    log p(x) = sum_i mu_i(x_i) + sum_{ij in E} s_i(x_i)' B_ij s_j(x_j) - log Z

First come the fields, mu_i(k) for every level k but the first, then the couplings B_ij, row after
row. Where there are real covariates z, sum_i s_i(x_i)' C_i z is added, and the C_i come last, row after row. The scores s_i(k) are centred: k - (r - 1)/2 where levels are steps, else an indicator of each level but
the first, less 1/r. So B is what it is with plain scores, tables are zero-sum, fields are those of
neighbours halfway (spins' fields, but for a factor), and no number depends on which level is the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from markhood.data.variables import Variables
from markhood.graph.checks import read_only
from markhood.kernels.lists import Lists
from markhood.model.neighbours import both_ends


@cache
def centred_scores(n_levels: int, is_ordered: bool) -> NDArray[np.float64]:
    """Return the scores of a variable's levels, of shape (n_levels, n_scores).

    Examples
    --------
    >>> centred_scores(3, True).ravel().tolist(), centred_scores(2, False).ravel().tolist()
    ([-1.0, 0.0, 1.0], [-0.5, 0.5])
    """
    if is_ordered:
        steps: NDArray[np.float64] = np.arange(n_levels, dtype=np.float64)[:, None]
        return read_only(steps - (n_levels - 1) / 2)
    return read_only(np.eye(n_levels)[:, 1:] - np.float64(1 / n_levels))


@dataclass(frozen=True, eq=False)
class Layout:
    """The parameters of a model on a graph.

    Attributes
    ----------
    variables : Variables
        With their levels.
    edges : ndarray of shape (n_edges, 2), dtype int64
    n_reals : int, default=0
        Number of real covariates.
    has_own_reals : bool, default=False
        Whether the values of these covariates differ for each variable, as rest scores do.
    """

    variables: Variables
    edges: NDArray[np.int64]
    n_reals: int = 0
    has_own_reals: bool = False

    @property
    def n_real_columns(self) -> int:
        """Number of columns of real covariates over all variables."""
        return self.n_reals * (len(self.variables) if self.has_own_reals else 1)

    @cached_property
    def n_levels(self) -> NDArray[np.int64]:
        """How many levels each variable has; a constant one counts as binary."""
        levels = self.variables.levels or ()
        return np.array([max(2, len(own)) for own in levels], dtype=np.int64)

    @cached_property
    def scores(self) -> tuple[NDArray[np.float64], ...]:
        """Each variable's scores, of shape (n_levels, n_scores)."""
        both = zip(self.n_levels.tolist(), self.variables.is_ordered, strict=True)
        return tuple(centred_scores(r, steps) for r, steps in both)

    @cached_property
    def n_scores(self) -> NDArray[np.int64]:
        """In how many numbers each variable enters."""
        return np.array([s.shape[1] for s in self.scores], dtype=np.int64)

    @cached_property
    def field_starts(self) -> NDArray[np.int64]:
        """Where the fields of each variable begin, and end: of shape (n_variables + 1,)."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.n_levels - 1)])

    @cached_property
    def coupling_starts(self) -> NDArray[np.int64]:
        """Where the couplings of each edge begin, and end: of shape (n_edges + 1,)."""
        lengths = self.n_scores[self.edges[:, 0]] * self.n_scores[self.edges[:, 1]]
        first = self.field_starts[-1:]
        return np.concatenate([first, first + np.cumsum(lengths)])

    @cached_property
    def real_starts(self) -> NDArray[np.int64]:
        """Where the slopes of each variable on the real covariates begin, and end: of shape (n_variables + 1,)."""
        first = self.coupling_starts[-1:]
        return np.concatenate([first, first + np.cumsum(self.n_scores * self.n_reals)])

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        return int(self.real_starts[-1])

    @cached_property
    def neighbours(self) -> Lists:
        """Each variable's neighbours, ascending."""
        return self._both_ends[0]

    @cached_property
    def _both_ends(self) -> tuple[Lists, NDArray[np.int64]]:
        return both_ends(len(self.variables), self.edges)

    def places(self, variable: int) -> NDArray[np.int64]:
        """Return where the parameters of a variable's regression are in the vector.

        Its fields, then its slopes: a row for each of its scores, a column for each of its
        neighbours', and for each real covariate.
        """
        lists, sides = self._both_ends
        own = int(self.n_scores[variable])
        blocks = []
        for position in range(*lists.starts[variable : variable + 2].tolist()):
            edge, is_second = sides[position] % len(self.edges), sides[position] >= len(self.edges)
            start, stop = self.coupling_starts[edge : edge + 2].tolist()
            numbers = np.arange(start, stop)
            blocks.append(numbers.reshape(-1, own).T if is_second else numbers.reshape(own, -1))
        reals = np.arange(*self.real_starts[variable : variable + 2].tolist())
        blocks.append(reals.reshape(own, self.n_reals))
        fields = np.arange(*self.field_starts[variable : variable + 2].tolist())
        slopes = np.concatenate([np.empty((own, 0), np.int64), *blocks], axis=1)
        return np.concatenate([fields, slopes.ravel()])

    def fields_of(self, parameters: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return each variable's fields, a zero-sum vector of n_levels numbers."""
        found = []
        for start, stop in zip(self.field_starts[:-1], self.field_starts[1:], strict=True):
            field = np.concatenate([np.zeros(1), parameters[start:stop]])
            found.append(field - field.mean())
        return found

    def blocks_of(self, parameters: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return each edge's couplings, of shape (n_scores_i, n_scores_j)."""
        shapes = self.n_scores[self.edges].tolist()
        starts = self.coupling_starts.tolist()
        return [
            parameters[a:b].reshape(shape)
            for a, b, shape in zip(starts[:-1], starts[1:], shapes, strict=True)
        ]

    def slopes_of(self, parameters: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return what each variable's levels gain per unit of the real covariates, (n_reals, n_levels), zero-sum."""
        starts = self.real_starts.tolist()
        return [
            (scores @ parameters[a:b].reshape(scores.shape[1], -1)).T
            for scores, a, b in zip(self.scores, starts[:-1], starts[1:], strict=True)
        ]

    def tables_of(self, parameters: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return each edge's couplings as a zero-sum table, a row for each level of its first end."""
        return [
            self.scores[i] @ block @ self.scores[j].T
            for (i, j), block in zip(self.edges.tolist(), self.blocks_of(parameters), strict=True)
        ]
