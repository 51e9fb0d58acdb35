"""Graph neighbourhoods and the weakest edges of triangles; these functions release the GIL."""

from __future__ import annotations

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.kernels import _native
from markhood.kernels.lists import Lists
from markhood.kernels.ties import TIE


def within_steps(neighbours: Lists, targets: Ints, depth: int) -> Lists:
    """List the variables within ``depth`` steps of each target, ascending, without the target.

    Examples
    --------
    >>> chain = Lists.of([[1], [0, 2], [1, 3], [2]])
    >>> [near.tolist() for near in within_steps(chain, np.array([0, 2]), 2)]
    [[1, 2], [0, 1, 3]]
    """
    return Lists(*_native.within_steps(neighbours.arrays, targets, depth))


def weakest_of_triangles(pairs: Ints, strengths: Floats, n_variables: int) -> Bools:
    """Return whether each pair, i < j, is the weakest of a triangle of pairs, by more than a tie.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> weakest_of_triangles(pairs, np.array([3.0, 1.0, 2.0]), 3).tolist()
    [False, True, False]
    >>> weakest_of_triangles(pairs, np.array([3.0, 1.0, 1.0]), 3).tolist()
    [False, False, False]
    """
    pairs, order = np.ascontiguousarray(pairs), np.argsort(-strengths, kind="stable")
    return _native.weakest_of_triangles(pairs, strengths, order, n_variables, TIE).view(np.bool_)
