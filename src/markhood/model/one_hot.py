"""A network in one-hot coding: a column for each level of each variable, and one sparse matrix.

With Y the indicators of samples, all conditional log odds are fields + Y couplings; the indicators
of an unknown value are all 0. Prediction, completion and annealing use this form; the Gibbs sampler
and the exact sums have their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.model.sampling.gibbs import colouring

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class OneHot:
    """A network of variables with levels."""

    n_levels: NDArray[np.int64]  # shape (n_variables,)
    edges: NDArray[np.int64]  # shape (n_edges, 2)
    # (n_columns,): fields of the levels of all variables, one variable after another.
    fields: NDArray[np.float64]
    couplings: csr_array  # (n_columns, n_columns): symmetric

    @classmethod
    def of(
        cls,
        edges: NDArray[np.int64],
        tables: Sequence[NDArray[np.float64]],
        fields: Sequence[NDArray[np.float64]],
    ) -> OneHot:
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
    def starts(self) -> NDArray[np.int64]:
        """The first column of each variable."""
        return np.cumsum(self.n_levels) - self.n_levels

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The variable of each column."""
        return np.repeat(np.arange(len(self.n_levels)), self.n_levels)

    @cached_property
    def colours(self) -> list[NDArray[np.int64]]:
        """Variables by colour of a colouring, in which neighbours have different colours."""
        colours = colouring(Lists.of_neighbours(self.edges, len(self.n_levels)))
        return [np.flatnonzero(colours == c) for c in range(int(colours.max(initial=-1)) + 1)]

    def columns_of(self, variables: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the columns of given variables, one variable after another."""
        lengths = self.n_levels[variables]
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[variables] - before, lengths) + np.arange(lengths.sum())

    def indicators(
        self, codes: NDArray[np.uint16], known: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return indicators, shape (n_samples, n_columns), of codes (n_variables, n_samples)."""
        found = np.zeros((codes.shape[1], len(self.fields)))
        variable, sample = np.nonzero(np.ones_like(codes, np.bool_) if known is None else known)
        found[sample, self.starts[variable] + codes[variable, sample]] = 1.0
        return found

    def logits(self, indicators: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of each level given all other variables that are known."""
        return np.asarray(self.fields + indicators @ self.couplings)

    def normalised(
        self, logits: NDArray[np.float64], variables: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return log-probabilities from log odds, for each variable or for given ones."""
        n_levels = self.n_levels if variables is None else self.n_levels[variables]
        starts = np.cumsum(n_levels) - n_levels
        highest = np.repeat(np.maximum.reduceat(logits, starts, axis=1), n_levels, axis=1)
        sums = np.add.reduceat(np.exp(logits - highest), starts, axis=1)
        return np.asarray(logits - highest - np.repeat(np.log(sums), n_levels, axis=1))

    def drawn(
        self,
        log_chances: NDArray[np.float64],
        variables: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Draw a level of each given variable by the Gumbel-max trick, as indicators."""
        noisy = log_chances + rng.gumbel(size=log_chances.shape)
        n_levels = self.n_levels[variables]
        starts = np.cumsum(n_levels) - n_levels
        highest = np.repeat(np.maximum.reduceat(noisy, starts, axis=1), n_levels, axis=1)
        return np.asarray((noisy == highest).astype(np.float64))
