"""Compare the data with samples of a model: pairs, triples and sum scores.

    pairs       covariances of the scores of two variables
    triples     third central moments of the scores of three variables
    sum score   distribution of the sum of the level numbers of all binary and ordered variables

Samples of the size of the data are drawn from the model, again and again. A moment is expressed in
standard deviations of its values in these samples, and the largest one is compared with the largest
ones of the samples, which gives a p-value for all moments together. The distribution of the sum
score is compared by sum_t (share_t - expected_t)^2 / expected_t.

The parameters were estimated from the same data, so the data are closer to the model than its
samples are. The p-values are therefore somewhat too large: alarms are rarer than their level.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.model.fitting.layout import Layout

MOST_TRIPLES = 20_000
MOST_SUMS = 40  # classes of the sum score


class Compared(NamedTuple):
    """Numbers of the data, and their means and quantiles over samples of the model.

    All of shape (n,); ``z`` is the difference from the mean in standard deviations over samples.
    ``p_value`` concerns all numbers together.
    """

    observed: Floats
    expected: Floats
    low: Floats
    high: Floats
    z: Floats
    p_value: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """The numbers that are compared, for level numbers of shape (n_samples, n_variables)."""

    layout: Layout
    pairs: Ints  # of score columns
    triples: Ints
    summed: Ints  # variables in the sum score

    @classmethod
    def of(cls, layout: Layout, triples: Ints) -> Statistics:
        """Choose the statistics of a model; ``triples`` are those of variables to compare."""
        starts = np.concatenate([[0], np.cumsum(layout.n_scores)])
        owners = np.repeat(np.arange(len(layout.variables)), layout.n_scores)
        pairs = np.array(
            [(a, b) for a, b in combinations(range(len(owners)), 2) if owners[a] != owners[b]],
            np.int64,
        ).reshape(-1, 2)
        single = layout.n_scores == 1
        kept = triples[single[triples].all(axis=1)][:MOST_TRIPLES]
        return cls(layout, pairs, starts[kept], np.flatnonzero(single))

    def values(
        self, codes: NDArray[np.integer], weights: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return the moments of pairs and triples, and the shares of sum scores."""
        share = np.full(len(codes), 1 / len(codes)) if weights is None else weights / weights.sum()
        columns = [scores[codes[:, v]] for v, scores in enumerate(self.layout.scores)]
        centred = np.concatenate(columns, axis=1)
        centred = centred - share @ centred
        covariances = (centred * share[:, None]).T @ centred
        return (
            covariances[self.pairs[:, 0], self.pairs[:, 1]],
            self._third_moments(centred, share),
            self._sums(codes, share),
        )

    def _third_moments(self, centred: Floats, share: Floats) -> Floats:
        found = np.empty(len(self.triples))
        for a in np.unique(self.triples[:, 0]).tolist():
            own = np.flatnonzero(self.triples[:, 0] == a)
            moments = (centred * (share * centred[:, a])[:, None]).T @ centred
            found[own] = moments[self.triples[own, 1], self.triples[own, 2]]
        return found

    def _sums(self, codes: NDArray[np.integer], share: Floats) -> Floats:
        most = int((self.layout.n_levels[self.summed] - 1).sum())
        sums = codes[:, self.summed].sum(axis=1) // self.sum_width
        return np.asarray(
            np.bincount(sums, share, minlength=most // self.sum_width + 1), np.float64
        )

    @property
    def sum_width(self) -> int:
        """Number of sum scores in a class."""
        return 1 + int((self.layout.n_levels[self.summed] - 1).sum()) // MOST_SUMS


def compared(observed: Floats, drawn: Floats, by_largest: bool = True) -> Compared:
    """Compare numbers with those of samples of a model, shape (n_replicates, n).

    Parameters
    ----------
    by_largest : bool, default=True
        Whether the p-value is that of the largest deviation; otherwise of the sum of squares in
        units of the expected values.
    """
    expected, spread = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    units = np.where(spread > 0, spread, np.inf)
    scale = units if by_largest else np.sqrt(np.where(expected > 0, expected, np.inf))
    sizes = [np.abs((own - expected) / scale) for own in (observed[None], drawn)]
    ones = [s.max(axis=1, initial=0) if by_largest else (s**2).sum(axis=1) for s in sizes]
    p_value = (1 + int((ones[1] >= ones[0][0]).sum())) / (1 + len(drawn))
    if not by_largest and (observed[expected == 0] > 0).any():  # a sum score that never occurs
        p_value = 1 / (1 + len(drawn))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return Compared(observed, expected, low, high, (observed - expected) / units, p_value)
