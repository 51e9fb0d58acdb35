"""`SearchResult`: the result of a search, before its edges are described."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.lists import Lists
from markhood.scores.scorer import Pairs, Scorer
from markhood.search.ranking import Ranking
from markhood.search.values.probabilities import EdgeProbabilities


@dataclass(frozen=True, eq=False)
class Slopes:
    """Coefficients from a search: one per member of every blanket."""

    members: Lists
    values: Floats

    @classmethod
    def at(cls, edges: Ints, ends: Floats, n_variables: int) -> Slopes:
        """Return slopes with these values at both ends of every edge.

        Examples
        --------
        >>> edges = np.array([[0, 1], [0, 2]])
        >>> Slopes.at(edges, np.array([[1.0, 2.0], [3.0, 4.0]]), 3).of(edges).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        both = np.concatenate([edges, edges[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        return cls(Lists.of_neighbours(edges, n_variables), ends.T.ravel()[order])

    def of(self, edges: Ints) -> Floats:
        """Return each edge's slopes at both ends; zero if it is in no blanket.

        Examples
        --------
        >>> Slopes(Lists.of([[1], []]), np.array([2.0])).of(np.array([[0, 1]])).tolist()
        [[2.0, 0.0]]
        """
        targets = np.repeat(np.arange(len(self.members)), self.members.lengths).tolist()
        ends = zip(targets, self.members.values.tolist(), strict=True)
        known = dict(zip(ends, self.values.tolist(), strict=True))
        found = [[known.get((i, j), 0.0), known.get((j, i), 0.0)] for i, j in edges.tolist()]
        return np.array(found, dtype=np.float64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of the graph at the end of a search, by one scorer.

    ``scores`` has the score of every variable, ``gains`` what each edge adds to the scores of its
    two ends; NaN where that is not known exactly.
    """

    scorer: Scorer
    scores: Floats
    edges: Ints
    gains: Floats


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search; edges are i < j, in lexicographic order."""

    edges: Ints  # (n_edges, 2): the graph
    or_edges: Ints  # (n_or_edges, 2): the union of all blankets
    # Pairs that passed the screen, if there was one; only the strongest with bounded search spaces.
    screened: Pairs | None = None
    # Number of pairs that passed, if ``screened`` does not contain all.
    n_screened: int | None = None
    evidence: Evidence | None = None  # found on the way
    slopes: Slopes | None = None  # the couplings, if the search has coefficients of its own
    # Probabilities and couplings of all candidate pairs, if the search estimates them.
    probabilities: EdgeProbabilities | None = None
    # All pairs with their scores and couplings, if the search ranks them.
    ranking: Ranking | None = None
    is_marginal: bool = False  # whether edges are described by their two ends alone
    # Further columns of the edges, by name; NaN where an edge has no value.
    columns: dict[str, Floats] = field(default_factory=dict)
    # Number of blankets scored, by phase and blanket size.
    evaluations: dict[str, Ints] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # duration of each phase
    n_cut: int = 0  # number of variables whose search space was cut
    # (n_variables,): number of fits of each variable that did not converge, by phase.
    not_converged: dict[str, Ints] = field(default_factory=dict)


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Record the duration of a phase."""
    start = perf_counter()
    yield
    seconds[phase] = perf_counter() - start
