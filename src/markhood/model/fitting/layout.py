"""`Layout`: the parameters of a model on a graph, and their positions in one vector.

    log p(x) = sum_i mu_i(x_i) + sum_{ij in E} s_i(x_i)' B_ij s_j(x_j) - log Z

The fields mu_i(k) of all levels k but the first come first, then the couplings B_ij row by row.
With continuous covariates z, the term sum_i s_i(x_i)' C_i z is added, and the C_i come last. The
scores s_i(k) are centred: k - (r - 1)/2 for ordered levels, else the indicators of all levels but
the first minus 1/r. With centred scores B is the same as with plain scores, tables are zero-sum,
fields are those at the mean score of the neighbours, and no result depends on the reference level.

The weak normal prior of fields and couplings, which does not depend on the order of levels. A
coupling that is one number is N(0, scale^2). The prior of a table is such that the log odds ratio
of any two levels of one variable and any two of the other is N(0, scale^2), so a table of two
binary variables has the prior of one number. The priors of fields, and of slopes on standardised
covariates, are four times as wide, because the frequencies of levels may be anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.variables import Variables
from markhood.graph.checks import read_only
from markhood.kernels.lists import Lists
from markhood.model.neighbours import both_ends

SCALE = 2.5  # the usual weakly informative prior of logistic regression
FIELD_FACTOR = 4.0


@cache
def centred_scores(n_levels: int, is_ordered: bool) -> Floats:
    """Return the scores of the levels of a variable, shape (n_levels, n_scores).

    Examples
    --------
    >>> centred_scores(3, True).ravel().tolist(), centred_scores(2, False).ravel().tolist()
    ([-1.0, 0.0, 1.0], [-0.5, 0.5])
    """
    if is_ordered:
        steps: Floats = np.arange(n_levels, dtype=np.float64)[:, None]
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
        Number of continuous covariates.
    has_own_reals : bool, default=False
        Whether the values of these covariates differ between variables, as rest scores do.
    """

    variables: Variables
    edges: Ints
    n_reals: int = 0
    has_own_reals: bool = False

    @property
    def n_real_columns(self) -> int:
        """Number of columns of continuous covariates over all variables."""
        return self.n_reals * (len(self.variables) if self.has_own_reals else 1)

    @cached_property
    def n_levels(self) -> Ints:
        """Number of levels of each variable; a constant one counts as binary."""
        levels = self.variables.levels or ()
        return np.array([max(2, len(own)) for own in levels], dtype=np.int64)

    @cached_property
    def scores(self) -> tuple[Floats, ...]:
        """Scores of each variable, shape (n_levels, n_scores)."""
        both = zip(self.n_levels.tolist(), self.variables.is_ordered, strict=True)
        return tuple(centred_scores(r, steps) for r, steps in both)

    @cached_property
    def n_scores(self) -> Ints:
        """Number of scores of each variable."""
        return np.array([s.shape[1] for s in self.scores], dtype=np.int64)

    @cached_property
    def field_starts(self) -> Ints:
        """Start of the fields of each variable, and the end: shape (n_variables + 1,)."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.n_levels - 1)])

    @cached_property
    def coupling_starts(self) -> Ints:
        """Start of the couplings of each edge, and the end: shape (n_edges + 1,)."""
        lengths = self.n_scores[self.edges[:, 0]] * self.n_scores[self.edges[:, 1]]
        first = self.field_starts[-1:]
        return np.concatenate([first, first + np.cumsum(lengths)])

    @cached_property
    def real_starts(self) -> Ints:
        """Start of the covariate slopes of each variable, and the end: shape (n_variables + 1,)."""
        first = self.coupling_starts[-1:]
        return np.concatenate([first, first + np.cumsum(self.n_scores * self.n_reals)])

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        return int(self.real_starts[-1])

    @cached_property
    def neighbours(self) -> Lists:
        """Neighbours of each variable, ascending."""
        return self._both_ends[0]

    @cached_property
    def _both_ends(self) -> tuple[Lists, Ints]:
        return both_ends(len(self.variables), self.edges)

    def positions(self, variable: int) -> Ints:
        """Return the positions of the parameters of the regression of a variable.

        First its fields, then its slopes: a row for each of its scores, and a column for each score
        of its neighbours and each covariate.
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

    def fields_of(self, parameters: Floats) -> list[Floats]:
        """Return the fields of each variable, a zero-sum vector of length n_levels."""
        found = []
        for start, stop in zip(self.field_starts[:-1], self.field_starts[1:], strict=True):
            field = np.concatenate([np.zeros(1), parameters[start:stop]])
            found.append(field - field.mean())
        return found

    def blocks_of(self, parameters: Floats) -> list[Floats]:
        """Return the couplings of each edge, shape (n_scores_i, n_scores_j)."""
        shapes = self.n_scores[self.edges].tolist()
        starts = self.coupling_starts.tolist()
        return [
            parameters[a:b].reshape(shape)
            for a, b, shape in zip(starts[:-1], starts[1:], shapes, strict=True)
        ]

    def slopes_of(self, parameters: Floats) -> list[Floats]:
        """Return the zero-sum covariate effects on the levels, shape (n_reals, n_levels) each."""
        starts = self.real_starts.tolist()
        return [
            (scores @ parameters[a:b].reshape(scores.shape[1], -1)).T
            for scores, a, b in zip(self.scores, starts[:-1], starts[1:], strict=True)
        ]

    def tables_of(self, parameters: Floats) -> list[Floats]:
        """Return the zero-sum table of each edge, with a row for each level of its first end."""
        return [
            self.scores[i] @ block @ self.scores[j].T
            for (i, j), block in zip(self.edges.tolist(), self.blocks_of(parameters), strict=True)
        ]


def precision(layout: Layout, scale: float) -> Any:
    """Return the block-diagonal precision matrix of the parameters.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> layout = Layout(Variables(("a", "b"), ((0, 1), (0, 1))), np.array([[0, 1]]))
    >>> precision(layout, 2.0).diagonal().tolist()
    [0.015625, 0.015625, 0.25]
    """
    from scipy.sparse import block_diag, coo_array

    known: dict[tuple[int, ...], Floats] = {}
    wide = (FIELD_FACTOR * scale) ** 2
    blocks = [2 * _centring(r) / wide for r in layout.n_levels.tolist()]
    for i, j in layout.edges.tolist():
        key = tuple(layout.n_levels[[i, j]].tolist() + layout.n_scores[[i, j]].tolist())
        if key not in known:
            both = np.kron(_roughness(*key[0::2]), _roughness(*key[1::2]))
            known[key] = np.asarray(both / scale**2)
        blocks.append(known[key])
    if layout.n_reals:
        blocks += [
            np.asarray(np.kron(_roughness(r, q) / wide, np.eye(layout.n_reals)), np.float64)
            for r, q in zip(layout.n_levels.tolist(), layout.n_scores.tolist(), strict=True)
        ]
    # The result is a sparse array if at least one block is.
    return block_diag([coo_array(blocks[0]), *blocks[1:]], format="csr")


def _centring(n_levels: int) -> Floats:
    """Return the cross-products of the centred indicators of all levels but the first."""
    scores = centred_scores(n_levels, False)
    return scores.T @ scores


def _roughness(n_levels: int, n_scores: int) -> Floats:
    """Return the factor of one end in the precision of a coupling."""
    return np.eye(1) if n_scores == 1 else 2 * _centring(n_levels)
