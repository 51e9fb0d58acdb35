"""Combine blankets, which may disagree, into a graph by the OR or AND rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists


def combine(blankets: Lists, rule: Literal["or", "and"]) -> NDArray[np.int64]:
    """Return the edges, i < j in lexicographic order, in the blankets of either or both ends.

    Examples
    --------
    >>> blankets = Lists.of([[1, 2], [0], []])
    >>> combine(blankets, "or").tolist(), combine(blankets, "and").tolist()
    ([[0, 1], [0, 2]], [[0, 1]])
    """
    targets = np.repeat(np.arange(len(blankets)), np.diff(blankets.starts))
    asserted = pair_numbers(np.column_stack([targets, blankets.values]))
    numbers, times = np.unique(asserted, return_counts=True)
    return pairs_numbered(numbers[times == 2] if rule == "and" else numbers)


def edges_in_most(
    graphs: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges in more than half of several graphs, with their shares.

    Examples
    --------
    >>> edges, shares = edges_in_most([np.array([[0, 1], [1, 2]]), np.array([[0, 1]])])
    >>> edges.tolist(), shares.tolist()
    ([[0, 1]], [1.0])
    """
    numbers = np.concatenate([pair_numbers(edges) for edges in graphs])
    found, times = np.unique(numbers, return_counts=True)
    is_usual = 2 * times > len(graphs)
    return pairs_numbered(found[is_usual]), times[is_usual] / len(graphs)
