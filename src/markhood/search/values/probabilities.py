"""`EdgeProbabilities`: how probable every pair that may be an edge is, and how strong it then is.

Pairs of small probability are kept too: that a pair is no edge is a finding as well. Which pairs make the
graph is a choice that can be made again without another search.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.graph.numbering import places_of

INTERVAL = 1.959964  # standard deviations either side that hold 95 % of a normal distribution


@dataclass(frozen=True)
class Choice:
    """Which pairs make the graph.

    Attributes
    ----------
    fdr : float or None
        The largest set of the likeliest pairs whose mean 1 - P is this at most.
    min_probability : float
        Without a rate, the pairs whose probability is above this.
    """

    fdr: float | None = None
    min_probability: float = 0.5

    def among(self, probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return which of these are chosen, ascending.

        Examples
        --------
        >>> p = np.array([0.6, 0.99, 0.9, 0.2])
        >>> Choice().among(p).tolist(), Choice(fdr=0.06).among(p).tolist()
        ([0, 1, 2], [1, 2])
        """
        if self.fdr is None:
            return np.flatnonzero(probabilities > self.min_probability)
        order = np.argsort(-probabilities, kind="stable")
        expected = np.cumsum(1.0 - probabilities[order]) / np.arange(1, len(order) + 1)
        return np.sort(order[: np.count_nonzero(expected <= self.fdr)])


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """What chains over graphs say of the candidate pairs.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), dtype int64
        Candidates, i < j in lexicographic order.
    probabilities : ndarray of shape (n_pairs,), dtype float64
    couplings, deviations : ndarray, dtype float64
        Mean and standard deviation of each coupling given that it is there: a log odds ratio a
        pair, or where a variable has more levels the entries of the zero-sum table; pair k's are
        those from ``starts[k]`` to ``starts[k + 1]``.
    starts : ndarray of shape (n_pairs + 1,), dtype int64
    density, scale : float
        Of edges, and of couplings.
    chain_probabilities : ndarray of shape (n_chains, n_pairs), dtype float64
    n_fits : int
        Pairs fitted, by all chains.
    choice : Choice
        Which pairs make the graph.
    sweeps : int or None
        Sweeps over which each chain was averaged; None where missing values were drawn between the sweeps.
    """

    pairs: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    couplings: NDArray[np.float64]
    deviations: NDArray[np.float64]
    starts: NDArray[np.int64]
    density: float
    scale: float
    chain_probabilities: NDArray[np.float64]
    n_fits: int
    choice: Choice = field(default_factory=Choice)
    sweeps: int | None = None

    @property
    def disagreement(self) -> float:
        """The largest difference between two chains' probabilities of a pair."""
        return float(np.ptp(self.chain_probabilities, axis=0).max(initial=0.0))

    @property
    def edges(self) -> NDArray[np.int64]:
        """The pairs that make the graph."""
        return self.pairs[self.choice.among(self.probabilities)]

    def of(self, edges: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        """Return columns of edges: their probability, and the 95 % interval of their coupling.

        A coupling that is a table has no interval here, but one for each cell: see `deviations_of`.
        Pairs that are no candidates have the probability zero.
        """
        at, is_known = places_of(edges, self.pairs)
        columns = {name: np.full(len(edges), np.nan) for name in ("coupling_low", "coupling_high")}
        probability = np.zeros(len(edges))
        probability[is_known] = self.probabilities[at[is_known]]
        single = is_known & (np.diff(self.starts)[at] == 1) if len(self.pairs) else is_known
        first = self.starts[at[single]]
        half = INTERVAL * self.deviations[first]
        columns["coupling_low"][single] = self.couplings[first] - half
        columns["coupling_high"][single] = self.couplings[first] + half
        return {"probability": probability, **columns}

    def couplings_of(
        self, edges: NDArray[np.int64], n_levels: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], list[NDArray[np.float64] | None]]:
        """Return the mean couplings of edges as numbers and, of more than two levels, as tables."""
        own = self._entries_of(edges, n_levels, self.couplings)
        tables = [table if table.size > 1 else None for table in own]
        return np.array([np.linalg.norm(t) if t.size > 1 else t.item() for t in own]), tables

    def deviations_of(
        self, edges: NDArray[np.int64], n_levels: NDArray[np.int64]
    ) -> list[NDArray[np.float64]]:
        """Return the standard deviations of couplings: (1, 1), or one for each cell of a table."""
        return self._entries_of(edges, n_levels, self.deviations)

    def _entries_of(
        self, edges: NDArray[np.int64], n_levels: NDArray[np.int64], values: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Pick what belongs to each edge, a row for each level of its first end; zeros if unknown."""
        at, is_known = places_of(edges, self.pairs)
        found = []
        for k, (i, j) in enumerate(edges.tolist()):
            shape = int(n_levels[i]), int(n_levels[j])
            start, stop = self.starts[at[k] : at[k] + 2].tolist() if is_known[k] else (0, 0)
            shape = (
                (1, 1) if shape == (2, 2) or stop - start == 1 else shape
            )  # ordered ends: a number
            found.append((values[start:stop] if is_known[k] else np.zeros(shape)).reshape(shape))
        return found
