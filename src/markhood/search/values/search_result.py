"""`SearchResult`: what a search ends with, before anyone asks what its edges mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.scores.scorer import Pairs
from markhood.search.ranking import Ranking
from markhood.search.values.probabilities import EdgeProbabilities


@dataclass(frozen=True, eq=False)
class Slopes:
    """Coefficients that a search found on its way: a number for every member of every blanket."""

    members: Lists
    values: NDArray[np.float64]

    @classmethod
    def at(cls, edges: NDArray[np.int64], ends: NDArray[np.float64], n_variables: int) -> Slopes:
        """Return the slopes whose numbers at the two ends of every edge are these.

        Examples
        --------
        >>> edges = np.array([[0, 1], [0, 2]])
        >>> Slopes.at(edges, np.array([[1.0, 2.0], [3.0, 4.0]]), 3).of(edges).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        both = np.concatenate([edges, edges[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        return cls(Lists.of_neighbours(edges, n_variables), ends.T.ravel()[order])

    def of(self, edges: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return each edge's slopes at its two ends, zero where it is in no blanket.

        Examples
        --------
        >>> Slopes(Lists.of([[1], []]), np.array([2.0])).of(np.array([[0, 1]])).tolist()
        [[2.0, 0.0]]
        """
        targets = np.repeat(np.arange(len(self.members)), np.diff(self.members.starts)).tolist()
        ends = zip(targets, self.members.values.tolist(), strict=True)
        known = dict(zip(ends, self.values.tolist(), strict=True))
        found = [[known.get((i, j), 0.0), known.get((j, i), 0.0)] for i, j in edges.tolist()]
        return np.array(found, dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Everything that a search found; edges are i < j, in lexicographic order.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
        The graph.
    or_edges : ndarray of shape (n_or_edges, 2), dtype int64
        The union of all blankets.
    screened : Pairs or None
        The pairs that passed the screen, where there was one; only the strongest where search spaces were bounded.
    n_screened : int or None
        How many passed, where not all are in ``screened``.
    slopes : Slopes or None
        Where the search has coefficients of its own, they are the couplings.
    probabilities : EdgeProbabilities or None
        Of all pairs that may be edges, where the search has them; the couplings are then these.
    ranking : Ranking or None
        All pairs and their scores, where the search ranks them; evidence and couplings are then these.
    is_marginal : bool
        Whether an edge speaks of its two ends alone, whatever else they are joined to.
    columns : dict of str to ndarray
        Further numbers of the edges, by name; not a number where an edge has none.
    evaluations : dict of str to ndarray
        Phase -> how many blankets of each size were scored.
    seconds : dict of str to float
        Phase -> time it took.
    n_cut : int
        For how many variables not all candidates were looked at.
    not_converged : dict of str to ndarray of shape (n_variables,)
        Phase -> how many fits of each variable did not converge.
    """

    edges: NDArray[np.int64]
    or_edges: NDArray[np.int64]
    screened: Pairs | None = None
    n_screened: int | None = None
    slopes: Slopes | None = None
    probabilities: EdgeProbabilities | None = None
    ranking: Ranking | None = None
    is_marginal: bool = False
    columns: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    evaluations: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    n_cut: int = 0
    not_converged: dict[str, NDArray[np.int64]] = field(default_factory=dict)


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Note how long a phase takes."""
    start = perf_counter()
    yield
    seconds[phase] = perf_counter() - start
