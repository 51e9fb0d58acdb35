"""The result of exact inference in an Ising model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Exact:
    """Normalising constant and marginals.

    Attributes
    ----------
    log_partition : float
        log Z.
    marginals : ndarray of shape (n_variables,)
        Probability that each variable is one.
    pair_marginals : ndarray of shape (n_edges, 2, 2)
        Entry ``[e, a, b]`` is the probability that edge e = (i, j) has x_i = a and x_j = b.
    """

    log_partition: float
    marginals: NDArray[np.float64]
    pair_marginals: NDArray[np.float64]
