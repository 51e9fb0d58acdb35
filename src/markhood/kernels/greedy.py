"""Grow and shrink: the greedy search for one variable's blanket.

    1. add the best candidate; stop if it does not improve the score
    2. take out the best member while that improves it (never from a blanket of two: with one
       variable left the score is a pair's, and the better of the pairs was chosen already)
    3. go on with 1

A target may have members that it keeps: the search starts from them, and they never go. Then a
blanket of two means two besides the kept ones, and a pair's score one that has them too.

This is the definition; `native/search/blankets.hpp` is the same for the built-in criteria, and a
criterion written in Python takes this road.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.kernels.ties import TIE, best_of

# From a target and its blanket, ascending, to a number.
Score = Callable[[int, Sequence[int]], float]


def grow_and_shrink(
    score: Callable[[Sequence[int]], float],
    candidates: Sequence[int],
    evaluations: Counter[int],
    kept: Sequence[int] = (),
) -> tuple[list[int], float]:
    """Search among ``candidates`` (ascending) for the blanket with a high score.

    Parameters
    ----------
    score : callable
        From a blanket, a sorted sequence of variables, to a number.
    candidates : sequence of int
    evaluations : Counter
        Is added to: how many blankets of each size were scored.
    kept : sequence of int, ascending
        Members from the start, never taken out.

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

    blanket = list(kept)
    reached = score(blanket)
    while additions := [sorted([*blanket, c]) for c in candidates if c not in blanket]:
        grown, improved = try_all(additions)
        if not improved > reached + TIE:
            break
        blanket, reached = grown, improved
        while len(blanket) > len(kept) + 2:
            free = [out for out in blanket if out not in kept]
            shrunk, improved = try_all([[b for b in blanket if b != out] for out in free])
            if not improved > reached + TIE:
                break
            blanket, reached = shrunk, improved
    return blanket, reached


def grow_blankets(
    score: Score, targets: NDArray[np.int64], candidates: Lists, kept: Lists | None = None
) -> Blankets:
    """Search for each target's blanket among its candidates, from the members that it keeps."""
    evaluations: Counter[int] = Counter()
    kept = Lists.empty(len(targets)) if kept is None else kept
    found = [
        grow_and_shrink(partial(score, target), space.tolist(), evaluations, members.tolist())
        for target, space, members in zip(targets.tolist(), candidates, kept, strict=True)
    ]
    return Blankets(
        Lists.of([blanket for blanket, _ in found]),
        np.array([reached for _, reached in found]),
        counts_by_size(evaluations),
        0,
        np.zeros(len(found), np.int64),
    )


def toggle_scores(
    score: Score, targets: NDArray[np.int64], blankets: Lists, toggles: Lists
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Score each target's blanket, and it with each of ``toggles`` put in or taken out."""
    scores, toggled = [], []
    for target, blanket, variables in zip(targets.tolist(), blankets, toggles, strict=True):
        members = set(blanket.tolist())
        scores.append(score(target, sorted(members)))
        toggled += [score(target, sorted(members ^ {v})) for v in variables.tolist()]
    return np.array(scores), np.array(toggled)


def counts_by_size(evaluations: Counter[int]) -> NDArray[np.int64]:
    """Return evaluation counts as an array indexed by blanket size."""
    counts = np.zeros(max(evaluations, default=0) + 1, dtype=np.int64)
    for size, n in evaluations.items():
        counts[size] = n
    return counts
