"""Grow and shrink: the greedy search for one variable's blanket.

    1. add the best candidate; stop if it does not improve the score
    2. take out the best member while that improves it (never from a blanket of two: with one
       variable left the score is a pair's, and the better of the pairs was chosen already)
    3. go on with 1

This is the definition; `native/blankets.hpp` is the same for the built-in criteria, and a
criterion written in Python takes this road.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

TIE = 1e-9  # scores this near are equal: rounding never decides an edge

Score = Callable[[Sequence[int]], float]


def best_of(scores: Sequence[float]) -> int:
    """Return the lowest position whose score is within a tie of the best."""
    return int(np.argmax(np.asarray(scores) >= max(scores) - TIE))


def grow_and_shrink(
    score: Score, candidates: Sequence[int], evaluations: Counter[int]
) -> tuple[list[int], float]:
    """Search among ``candidates`` (ascending) for the blanket with a high score.

    Parameters
    ----------
    score : callable
        From a blanket, a sorted sequence of variables, to a number.
    candidates : sequence of int
    evaluations : Counter
        Is added to: how many blankets of each size were scored.

    Returns
    -------
    blanket : list of int, ascending
    score : float
    """

    def try_all(blankets: list[list[int]]) -> tuple[list[int], float]:
        evaluations[len(blankets[0])] += len(blankets)
        scores = [score(tried) for tried in blankets]
        best = best_of(scores)
        return blankets[best], scores[best]

    blanket: list[int] = []
    reached = score(blanket)
    while additions := [sorted([*blanket, c]) for c in candidates if c not in blanket]:
        grown, improved = try_all(additions)
        if not improved > reached + TIE:
            break
        blanket, reached = grown, improved
        while len(blanket) > 2:
            shrunk, improved = try_all([[b for b in blanket if b != out] for out in blanket])
            if not improved > reached + TIE:
                break
            blanket, reached = shrunk, improved
    return blanket, reached
