"""When two scores are equal: rounding never decides an edge.

Kernels add up in different orders, so equal scores may differ in their last digits. Within `TIE`
they are equal, the lower index wins, and only what is more than a tie is an improvement. So all
backends, instruction sets and numbers of threads find the same graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TIE = 1e-9


def best_of(scores: Sequence[float]) -> int:
    """Return the lowest position whose score is within a tie of the best."""
    return int(np.argmax(np.asarray(scores) >= max(scores) - TIE))


def levelled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores of which those that tie are the same number, so that they can be sorted.

    A score ties with the next higher one; each becomes the highest of those that it is so joined
    to. (Rounding to multiples of a tie would part two scores that lie on either side of a half.)

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
