"""A network in one-hot coding: a column for each level of each variable, and one sparse matrix.

With Y the indicators of samples, all conditional log odds are fields + Y couplings; the indicators
of an unknown value are all 0. Prediction, completion and annealing use this form; the Gibbs sampler
and the exact sums have their own.

Estimation of log Z by annealed importance sampling. Chains start from the network without
couplings, whose Z_0 is known, and make one sweep in each of the networks with couplings multiplied
by 0 = b_0 < ... < b_T = 1. The weight of a chain is the product of the ratios of the unnormalised
probabilities of its states in successive networks; the expectation of the mean weight is Z / Z_0.
The standard error of its logarithm comes from the variation between chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.kernels.lists import Lists
from markhood.model.sampling.gibbs import Seed, colouring, require_counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class OneHot:
    """A network of variables with levels."""

    n_levels: Ints  # shape (n_variables,)
    edges: Ints  # shape (n_edges, 2)
    # (n_columns,): fields of the levels of all variables, one variable after another.
    fields: Floats
    couplings: csr_array  # (n_columns, n_columns): symmetric

    @classmethod
    def of(cls, edges: Ints, tables: Sequence[Floats], fields: Sequence[Floats]) -> OneHot:
        """Combine tables and fields in one matrix and one vector."""
        from scipy.sparse import coo_array

        n_levels = np.array([len(field) for field in fields], np.int64)
        starts = np.cumsum(n_levels) - n_levels
        rows, columns, entries = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for (i, j), table in zip(edges.tolist(), tables, strict=True):
            a, b = np.indices(table.shape)
            rows.append((starts[i] + a).ravel())
            columns.append((starts[j] + b).ravel())
            entries.append(table.ravel())
        n = int(n_levels.sum())
        numbers = np.concatenate(rows), np.concatenate(columns)
        half = coo_array((np.concatenate(entries), numbers), shape=(n, n)).tocsr()
        return cls(n_levels, edges, np.concatenate(fields), (half + half.T).tocsr())

    @cached_property
    def starts(self) -> Ints:
        """The first column of each variable."""
        return np.cumsum(self.n_levels) - self.n_levels

    @cached_property
    def owners(self) -> Ints:
        """The variable of each column."""
        return np.repeat(np.arange(len(self.n_levels)), self.n_levels)

    @cached_property
    def colours(self) -> list[Ints]:
        """Variables by colour of a colouring, in which neighbours have different colours."""
        colours = colouring(Lists.of_neighbours(self.edges, len(self.n_levels)))
        return [np.flatnonzero(colours == c) for c in range(int(colours.max(initial=-1)) + 1)]

    def columns_of(self, variables: Ints) -> Ints:
        """Return the columns of given variables, one variable after another."""
        lengths = self.n_levels[variables]
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[variables] - before, lengths) + np.arange(lengths.sum())

    def indicators(self, codes: NDArray[np.uint16], known: Bools | None = None) -> Floats:
        """Return indicators, shape (n_samples, n_columns), of codes (n_variables, n_samples)."""
        found = np.zeros((codes.shape[1], len(self.fields)))
        variable, sample = np.nonzero(np.ones_like(codes, np.bool_) if known is None else known)
        found[sample, self.starts[variable] + codes[variable, sample]] = 1.0
        return found

    def logits(self, indicators: Floats) -> Floats:
        """Return the log odds of each level given all other variables that are known."""
        return np.asarray(self.fields + indicators @ self.couplings)

    def normalised(self, logits: Floats, variables: Ints | None = None) -> Floats:
        """Return log-probabilities from log odds, for each variable or for given ones."""
        n_levels = self.n_levels if variables is None else self.n_levels[variables]
        starts = np.cumsum(n_levels) - n_levels
        highest = np.repeat(np.maximum.reduceat(logits, starts, axis=1), n_levels, axis=1)
        sums = np.add.reduceat(np.exp(logits - highest), starts, axis=1)
        return np.asarray(logits - highest - np.repeat(np.log(sums), n_levels, axis=1))

    def drawn(self, log_chances: Floats, variables: Ints, rng: np.random.Generator) -> Floats:
        """Draw a level of each given variable by the Gumbel-max trick, as indicators."""
        noisy = log_chances + rng.gumbel(size=log_chances.shape)
        n_levels = self.n_levels[variables]
        starts = np.cumsum(n_levels) - n_levels
        highest = np.repeat(np.maximum.reduceat(noisy, starts, axis=1), n_levels, axis=1)
        return np.asarray((noisy == highest).astype(np.float64))


class Estimate(NamedTuple):
    """An estimate and its standard error, which is 0 if the value is exact."""

    value: float
    error: float


def annealed_log_partition(
    network: OneHot, seed: Seed = None, *, chains: int = 128, steps: int = 1000
) -> Estimate:
    """Estimate log Z.

    Parameters
    ----------
    steps : int, default=1000
        Number of annealing steps, with one sweep each.

    Examples
    --------
    >>> tables, fields = [np.array([[0.0, 0.0], [0.0, 2.0]])], [np.zeros(2), np.zeros(2)]
    >>> network = OneHot.of(np.array([[0, 1]]), tables, fields)
    >>> found = annealed_log_partition(network, 1, steps=200)
    >>> bool(abs(found.value - np.log(3 + np.exp(2))) < 4 * found.error)
    True
    """
    require_counts(chains=chains, steps=steps)
    rng = np.random.default_rng(seed)
    variables = np.arange(len(network.n_levels))
    alone = np.tile(network.fields, (chains, 1))
    states = network.drawn(network.normalised(alone), variables, rng)
    known = float(np.log(np.add.reduceat(np.exp(network.fields), network.starts)).sum())
    schedule = np.linspace(0.0, 1.0, steps + 1)
    colours = [(own, network.columns_of(own)) for own in network.colours]
    parts = [network.couplings[:, columns] for _, columns in colours]
    logs = np.zeros(chains)
    for before, after in pairwise(schedule):
        together = np.einsum("cy,cy->c", states @ network.couplings, states) / 2
        logs += (after - before) * together
        for (own, columns), part in zip(colours, parts, strict=True):
            logits = network.fields[columns] + after * np.asarray(states @ part)
            states[:, columns] = network.drawn(network.normalised(logits, own), own, rng)
    highest = logs.max()
    weights = np.exp(logs - highest)
    error = float(weights.std(ddof=1) / weights.mean() / np.sqrt(chains)) if chains > 1 else np.inf
    return Estimate(float(known + highest + np.log(weights.mean())), error)
