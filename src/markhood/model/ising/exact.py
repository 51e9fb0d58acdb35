"""The result of exact inference in an Ising model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Exact:
    """Normalising constant and marginals."""

    log_partition: float  # log Z
    marginals: NDArray[np.float64]  # (n_variables,): probability that each variable is one
    # (n_edges, 2, 2): entry ``[e, a, b]`` is the probability that edge e = (i, j) has x_i = a and
    # x_j = b.
    pair_marginals: NDArray[np.float64]
