"""Ties between scores, so that rounding never decides an edge.

Kernels add numbers in different orders, so equal scores may differ in their last digits. Scores
within `TIE` are treated as equal, the lower index wins, and an improvement must exceed a tie. All
backends, instruction sets and numbers of threads therefore find the same graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from markhood.arrays import Floats

TIE = 1e-9


def best_of(scores: Sequence[float]) -> int:
    """Return the lowest position whose score is within a tie of the best."""
    return int(np.argmax(np.asarray(scores) >= max(scores) - TIE))


def levelled(scores: Floats) -> Floats:
    """Return the scores with tied scores made equal, so that they can be sorted.

    A score ties with the next higher one if they differ by at most `TIE`. Each score becomes the
    highest of its chain of ties. (Rounding to multiples of `TIE` could separate two scores on
    either side of a rounding boundary.)

    Examples
    --------
    >>> levelled(np.array([2.0, 1.0 - 1e-14, 1.0, 3.0])).tolist()
    [2.0, 1.0, 1.0, 3.0]
    """
    order = np.argsort(-scores)
    falling = scores[order]
    with np.errstate(invalid="ignore"):  # infinities, which tie
        is_lower = falling[:-1] - falling[1:] > TIE
    places = np.arange(len(order))
    highest = np.maximum.accumulate(np.where(np.r_[True, is_lower][: len(order)], places, 0))
    level = np.empty_like(scores)
    level[order] = falling[highest]
    return level
