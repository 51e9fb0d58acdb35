"""Neighbourhoods and triangles by products of adjacency matrices: defines `kernels/steps.py`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.ties import TIE


def within_steps(neighbours: Lists, targets: NDArray[np.int64], depth: int) -> Lists:
    """List the variables within ``depth`` steps of each target, ascending, without the target."""
    is_joined = np.eye(len(neighbours), dtype=np.bool_)
    for variable, own in enumerate(neighbours):
        is_joined[variable, own] = True
    near = np.linalg.matrix_power(is_joined.astype(np.float64), depth) > 0
    np.fill_diagonal(near, val=False)
    return Lists.of([np.flatnonzero(near[target]) for target in targets])


def weakest_of_triangles(
    pairs: NDArray[np.int64], strengths: NDArray[np.float64], n_variables: int
) -> NDArray[np.bool_]:
    """Return whether each pair is the weakest of a triangle of pairs, by more than a tie."""
    of = np.full((n_variables, n_variables), -np.inf)
    of[tuple(pairs.T)] = of[tuple(pairs.T[::-1])] = strengths
    sides = np.minimum(of[pairs[:, 0]], of[pairs[:, 1]])
    return np.asarray(sides.max(axis=1, initial=-np.inf) > strengths + TIE)
