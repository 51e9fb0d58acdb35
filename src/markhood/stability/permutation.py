"""Permutation tests of many differences with the max-T adjustment.

Let T be the test statistic of a difference in the data and T* the one under permuted labels; larger
values are stronger evidence. The data count as one of the permutations.

    p            share of the permutations with T* >= T
    p adjusted   share of the permutations in which the largest T* of the family is >= T

This is the single-step method of Westfall and Young (1993). It controls the family-wise error and
allows for dependence between the differences. A family is all differences of one kind in all pairs
of groups, whose statistics must be comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9  # statistics that differ by rounding count as equal


class Tally(NamedTuple):
    """Some permutations of a family, compared with the data.

    ``as_large`` of shape (n_pairs, n) is the number of permutations with T* >= T, ``any_as_large``
    of shape (n,) the number in which the largest over the pairs is, and ``largest`` of shape
    (n_permutations,) the largest T* of the family.
    """

    as_large: NDArray[np.int64]
    any_as_large: NDArray[np.int64]
    largest: NDArray[np.float64]

    @classmethod
    def of(cls, observed: NDArray[np.float64], permuted: NDArray[np.float64]) -> Tally:
        """Compare statistics of shape (n_permutations, n_pairs, n) with those of the data."""
        least = observed - TOLERANCE
        return cls(
            (permuted >= least).sum(axis=0),
            (permuted.max(axis=1) >= least.max(axis=0)).sum(axis=0),
            permuted.max(axis=(1, 2), initial=-np.inf),
        )


@dataclass(frozen=True, eq=False)
class MaxT:
    """A family of differences with their p-values."""

    signed: NDArray[np.float64]  # (n_pairs, n): the differences between the groups of each pair
    p_values: NDArray[np.float64]  # (n_pairs, n), as the next
    adjusted: NDArray[np.float64]
    # (n,): p-value of the largest statistic over the pairs: whether any two groups differ.
    p_any: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        signed: NDArray[np.float64],
        observed: NDArray[np.float64],
        permutations: Sequence[Tally],
    ) -> MaxT:
        """Compute p-values from the statistics of the data and of all permutations.

        Parameters
        ----------
        signed : ndarray of shape (n_pairs, n)
            The differences to report.
        observed : ndarray of shape (n_pairs, n)
            Their test statistics.

        Examples
        --------
        >>> observed = np.array([[1.0, 0.5]])
        >>> permuted = np.array([[[0.1, 3.0]], [[0.2, 0.1]], [[0.3, 0.7]]])
        >>> tests = MaxT.of(-observed, observed, [Tally.of(observed, permuted)])
        >>> tests.p_values.tolist(), tests.adjusted.tolist()
        ([[0.25, 0.75]], [[0.5, 0.75]])
        """
        largest = np.sort(
            np.concatenate(
                [[observed.max(initial=-np.inf)], *(tally.largest for tally in permutations)]
            )
        )
        n = len(largest)
        first = np.searchsorted(largest, observed - TOLERANCE)
        return cls(
            signed,
            np.asarray(1 + sum(tally.as_large for tally in permutations)) / n,
            (n - first) / n,
            np.asarray(1 + sum(tally.any_as_large for tally in permutations)) / n,
        )
