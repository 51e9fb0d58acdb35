"""From blankets, which need not agree, to a graph: by OR or by AND."""

from __future__ import annotations

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
    asserted = np.sort(np.column_stack([targets, blankets.values]), axis=1)
    edges, times = np.unique(asserted, axis=0, return_counts=True)
    return edges if rule == "or" else edges[times == 2]
