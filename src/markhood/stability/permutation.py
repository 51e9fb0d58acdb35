"""Permutation tests of many differences with the max-T adjustment.

Let T be the absolute difference in the data and T* the one under permuted labels. The data count as
one of the permutations.

    p            share of the permutations with T* >= T
    p adjusted   share of the permutations in which the largest T* of the family is >= T

This is the single-step method of Westfall and Young (1993). It controls the family-wise error and
allows for dependence between the differences. A family is all differences of one kind in all pairs
of groups, each divided by a unit that makes them comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1 - 1e-12  # values that differ by rounding count as equal


@dataclass(frozen=True, eq=False)
class MaxT:
    """A family of differences with their p-values.

    Attributes
    ----------
    signed : ndarray of shape (n_pairs, n)
        The differences between the groups of each pair.
    p_values, adjusted : ndarray of shape (n_pairs, n)
    p_any : ndarray of shape (n,)
        P-value of the largest scaled difference over the pairs: whether any two groups differ.
    """

    signed: NDArray[np.float64]
    p_values: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    p_any: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        signed: NDArray[np.float64],
        permuted: NDArray[np.float64],
        units: NDArray[np.float64] | None = None,
        largest: NDArray[np.float64] | None = None,
    ) -> MaxT:
        """Compare differences with those under permuted labels.

        Parameters
        ----------
        signed : ndarray of shape (n_pairs, n)
        permuted : ndarray of shape (n_permutations, n_pairs, n)
        units : ndarray of shape (n_pairs, 1), optional
            By default the standard deviation of each difference over the permutations.
        largest : ndarray of shape (1 + n_permutations,), optional
            The largest scaled difference of the family, in the data and in each permutation; by
            default that of `signed` and `permuted`.

        Examples
        --------
        >>> permuted = np.array([[[0.1, 3.0]], [[0.2, 1.0]], [[0.3, 2.0]]])
        >>> tests = MaxT.of(np.array([[-1.0, 1.5]]), permuted)
        >>> tests.p_values.tolist(), tests.adjusted.tolist()
        ([[0.25, 0.75]], [[0.5, 0.75]])
        """
        sizes = np.abs(np.concatenate([signed[None], permuted]))
        spread = sizes.std(axis=0) if units is None else units
        scaled = sizes / np.where(spread > 0, spread, 1.0)
        if largest is None:
            largest = scaled.max(axis=(1, 2), initial=0.0)
        as_large = np.sort(largest)
        first = np.searchsorted(as_large, scaled[0] * TOLERANCE)
        return cls(
            signed,
            _share_as_large(sizes),
            (len(as_large) - first) / len(as_large),
            _share_as_large(scaled.max(axis=1)),
        )


def _share_as_large(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the rows, the first included, with values as large as in the first."""
    return np.asarray((values >= values[0] * TOLERANCE).mean(axis=0))
