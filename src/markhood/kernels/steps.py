"""What is near in a graph, for a few variables at a time and without the interpreter's lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.kernels import _native
from markhood.kernels.lists import Lists


def within_steps(neighbours: Lists, targets: NDArray[np.int64], depth: int) -> Lists:
    """List the variables within ``depth`` steps of each target, ascending, without itself.

    Examples
    --------
    >>> chain = Lists.of([[1], [0, 2], [1, 3], [2]])
    >>> [near.tolist() for near in within_steps(chain, np.array([0, 2]), 2)]
    [[1, 2], [0, 1, 3]]
    """
    starts, found = _native.within_steps(neighbours.starts, neighbours.values, targets, depth)
    return Lists(starts, found)
