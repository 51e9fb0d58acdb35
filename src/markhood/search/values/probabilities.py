"""`EdgeProbabilities`: how probable every pair that may be an edge is, and how strong it then is.

Pairs of small probability are kept too: that a pair is no edge is a finding as well. Which pairs make the
graph is a choice that can be made again without another search.

Two numbers show whether the chains agree about a pair; both are of its indicator, 1 where it is an edge. Its mean in half a
chain is estimated by the mean of the conditional probabilities there, p_h, which has less noise than a mean of draws:

    R-hat = sqrt((W + B) / W),      W = mean of p_h (1 - p_h),      B = variance of p_h over half chains,

1 where all halves agree, and large only where they differ by more than the indicator varies. The effective sample size is
how many independent draws of the indicator would give the mean p with the same error, by batch means over m parts of
the chains:

    ESS = p (1 - p) / (variance over parts / m),

so that sqrt(p (1 - p) / ESS) is the standard error of p. It often exceeds the number of sweeps, because a sweep adds a probability
and not a 0 or a 1; it is at most 10^6, where the error is below 0.0005 whatever p is. A pair that all sweeps
are sure of has R-hat 1 and that size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from markhood.graph.numbering import positions_of

LARGEST_SIZE = 1e6
PARTS = 4  # of each chain, over which batch means are taken
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
class Draws:
    """Where chains were: after each sweep where draws are kept, else after a few parts of each chain.

    Attributes
    ----------
    edges : ndarray of shape (n_chains, n_draws, n_pairs), dtype uint8
        Which pairs were edges.
    probabilities : ndarray of shape (n_chains, n_draws, n_pairs), dtype float64
        The mean, since the draw before, of each pair's probability given all other edges.
    densities : ndarray of shape (n_chains, n_sweeps), dtype float64
        After every sweep.
    """

    edges: NDArray[np.uint8]
    probabilities: NDArray[np.float64]
    densities: NDArray[np.float64]

    def means(self, n_parts: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the means over parts of the chains, of shape (n_chains * n_parts, len(pairs))."""
        cut = np.array_split(self.probabilities[:, :, pairs], n_parts, axis=1)
        return np.concatenate([part.mean(axis=1) for part in cut])

    def agreement(self, pairs: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        """Return R-hat and the effective sample size of some pairs; nothing where there is one part.

        Examples
        --------
        >>> half = np.array([[[0.5, 1.0, 0.2]], [[0.5, 1.0, 0.8]]])
        >>> draws = Draws(np.zeros((2, 1, 3), np.uint8), half, np.zeros((2, 10)))
        >>> found = draws.agreement(np.arange(3))
        >>> found["rhat"].round(2).tolist(), found["ess"].round(2).tolist()
        ([1.0, 1.0, 1.46], [1000000.0, 1000000.0, 2.78])
        """
        n_chains, n_draws, _ = self.probabilities.shape
        if n_chains * n_draws < 2:
            return {}
        halves, parts = (self.means(min(n, n_draws), pairs) for n in (2, PARTS))
        within, between = (halves * (1 - halves)).mean(axis=0), halves.var(axis=0, ddof=1)
        p, noise = parts.mean(axis=0), parts.var(axis=0, ddof=1) / len(parts)
        certain = np.where(between > 0, np.inf, 0.0)  # where every half is sure of 0 or of 1
        rhat = np.sqrt(1 + np.divide(between, within, where=within > 0, out=certain))
        is_noisy = noise * LARGEST_SIZE > p * (1 - p)
        size = np.divide(p * (1 - p), noise, where=is_noisy, out=np.full_like(p, LARGEST_SIZE))
        return {"rhat": rhat, "ess": size}


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
    draws : Draws or None
        Where the chains were.
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
    draws: Draws | None = None

    @property
    def disagreement(self) -> float:
        """The largest difference between two chains' probabilities of a pair."""
        return float(np.ptp(self.chain_probabilities, axis=0).max(initial=0.0))

    @property
    def edges(self) -> NDArray[np.int64]:
        """The pairs that make the graph."""
        return self.pairs[self.choice.among(self.probabilities)]

    def of(self, edges: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        """Return columns of edges: their probability, the 95 % interval of their coupling, R-hat and the effective sample size.

        A coupling that is a table has no interval here, but one for each cell: see `deviations_of`.
        Pairs that are no candidates have the probability zero, and no R-hat.
        """
        at, is_known = positions_of(edges, self.pairs)
        columns = {name: np.full(len(edges), np.nan) for name in ("coupling_low", "coupling_high")}
        probability = np.zeros(len(edges))
        probability[is_known] = self.probabilities[at[is_known]]
        single = is_known & (np.diff(self.starts)[at] == 1) if len(self.pairs) else is_known
        first = self.starts[at[single]]
        half = INTERVAL * self.deviations[first]
        columns["coupling_low"][single] = self.couplings[first] - half
        columns["coupling_high"][single] = self.couplings[first] + half
        agreement = self.draws.agreement(at) if self.draws is not None and is_known.all() else {}
        return {"probability": probability, **columns, **agreement}

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
        at, is_known = positions_of(edges, self.pairs)
        found = []
        for k, (i, j) in enumerate(edges.tolist()):
            shape = int(n_levels[i]), int(n_levels[j])
            start, stop = self.starts[at[k] : at[k] + 2].tolist() if is_known[k] else (0, 0)
            shape = (
                (1, 1) if shape == (2, 2) or stop - start == 1 else shape
            )  # ordered ends: a number
            found.append((values[start:stop] if is_known[k] else np.zeros(shape)).reshape(shape))
        return found
