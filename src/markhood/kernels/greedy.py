"""Grow-shrink: the greedy search for the Markov blanket of one variable.

    1. add the best candidate; stop if it does not improve the score
    2. remove the best member while that improves the score (never from a blanket of two: with one
       variable left the score is a pair's, and the better of the pairs was chosen already)
    3. return to 1

A target may have kept members: the search starts from them and never removes them. A blanket of two
then means two in addition to the kept ones, and a pair's score includes the kept ones.

This is the definition. `native/search/blankets.hpp` implements it for the built-in criteria, and
criteria written in Python use this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.kernels.ties import TIE, best_of

# Takes a target and its blanket, ascending.
Score = Callable[[int, Sequence[int]], float]


def grow_and_shrink(
    score: Callable[[Sequence[int]], float],
    candidates: Sequence[int],
    evaluations: Counter[int],
    kept: Sequence[int] = (),
) -> tuple[list[int], float]:
    """Search among ``candidates`` (ascending) for a blanket with a high score.

    Parameters
    ----------
    score : callable
        Takes a blanket, a sorted sequence of variables, and returns a number.
    evaluations : Counter
        Number of scored blankets of each size; updated in place.
    kept : sequence of int, ascending
        Members from the start, which are never removed.
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
    score: Score, targets: Ints, candidates: Lists, kept: Lists | None = None
) -> Blankets:
    """Search for each target's blanket among its candidates, starting from its kept members."""
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
    score: Score, targets: Ints, blankets: Lists, toggles: Lists
) -> tuple[Floats, Floats]:
    """Score each target's blanket, and also with each of ``toggles`` added or removed."""
    scores, toggled = [], []
    for target, blanket, variables in zip(targets.tolist(), blankets, toggles, strict=True):
        members = set(blanket.tolist())
        scores.append(score(target, sorted(members)))
        toggled += [score(target, sorted(members ^ {v})) for v in variables.tolist()]
    return np.array(scores), np.array(toggled)


def counts_by_size(evaluations: Counter[int]) -> Ints:
    """Return evaluation counts as an array indexed by blanket size."""
    counts = np.zeros(max(evaluations, default=0) + 1, dtype=np.int64)
    for size, n in evaluations.items():
        counts[size] = n
    return counts
