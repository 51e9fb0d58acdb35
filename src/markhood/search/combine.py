"""From blankets, which need not agree, to a graph: by OR or by AND."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists


def combine(blankets: Lists, rule: Literal["or", "and"]) -> NDArray[np.int64]:
    """Return the edges, i < j in lexicographic order, that either or both of the ends assert.

    Examples
    --------
    >>> blankets = Lists.of([[1, 2], [0], []])
    >>> combine(blankets, "or").tolist(), combine(blankets, "and").tolist()
    ([[0, 1], [0, 2]], [[0, 1]])
    """
    targets = np.repeat(np.arange(len(blankets)), np.diff(blankets.starts))
    lower, upper = np.minimum(targets, blankets.values), np.maximum(targets, blankets.values)
    # One number an edge, in lexicographic order: sorts far faster than pairs do.
    numbers, times = np.unique(lower * len(blankets) + upper, return_counts=True)
    if rule == "and":
        numbers = numbers[times == 2]
    return np.column_stack(np.divmod(numbers, max(1, len(blankets))))


def edges_in_most(
    graphs: Sequence[NDArray[np.int64]], n_variables: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges that more than half of several graphs have, and their share of them.

    Examples
    --------
    >>> edges, shares = edges_in_most([np.array([[0, 1], [1, 2]]), np.array([[0, 1]])], 3)
    >>> edges.tolist(), shares.tolist()
    ([[0, 1]], [1.0])
    """
    numbers = [edges[:, 0] * n_variables + edges[:, 1] for edges in graphs]
    found, times = np.unique(np.concatenate(numbers), return_counts=True)
    is_usual = 2 * times > len(graphs)
    return np.column_stack(np.divmod(found[is_usual], n_variables)), times[is_usual] / len(graphs)
