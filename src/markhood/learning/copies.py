"""Columns that are copies of others, or nearly: what the option `identical` stands for.

Exact copies are found by `markhood.data.identical`. Nearly identical ones are looked for among the pairs that
pass the screen, and measured by Cohen's kappa, the agreement beyond chance

    kappa = (share of samples that agree - share expected by chance) / (1 - that share):

two rare variants agree in nearly every sample because nearly every sample has neither, and are not alike for
that. Of a binary column the opposite is tried too. Likeness is not handed on: every member is that much alike
the one that stands for it. Those with the most alike ones come first, and take them.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.identical import Alike, with_alike_grouped
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError, option, warn
from markhood.execution.runner import Runner
from markhood.scores.scorer import Pairs, Scorer, Tile
from markhood.search.leaders import leaders

WORDS = ("auto", "keep", "group")
SCREEN_GAMMA = 0.5
PAIRS_PER_BLOCK = 1 << 16
FEWEST = 10  # copies of which somebody should hear: a star of so many is no accident


def check_identical(given: Any) -> None:
    """Raise for an option that is none."""
    is_share = isinstance(given, Real) and not isinstance(given, bool) and 0 < given <= 1
    if not is_share and not (isinstance(given, str) and given in WORDS):
        raise InputError(
            f"{option('identical')} must be one of {', '.join(WORDS)}, or a number above 0 and at most 1 "
            f"such as 0.99, not {given!r}."
        )


def warn_of_copies(n_copies: int) -> None:
    """Say that many columns are copies of others, where nobody said what to do about it."""
    if n_copies >= FEWEST:
        warn(
            f"{n_copies} columns are copies of others: {option('identical', 'group')} makes one node of each "
            f"set of them, {option('identical', 'keep')} leaves them as they are."
        )


def told_of_copies(variables: Variables, how: Any, n_copies: int) -> dict[str, Any]:
    """Return what the provenance says of copies: that there are some, or what became of them."""
    if variables.members is None:
        return {"copies": n_copies} if n_copies else {}
    sizes = [1 + len(own) for own in variables.members]
    return {
        "identical": {
            "how": float(how) if isinstance(how, Real) else "group",
            "columns": sum(sizes),
            "nodes": len(sizes),
            "largest_group": max(sizes),
        }
    }


def require_two_groups(
    pairs: NDArray[np.int64], node: NDArray[np.int64], columns: Sequence[str]
) -> None:
    """Raise where two columns that are to be joined are one node."""
    for i, j in pairs[node[pairs[:, 0]] == node[pairs[:, 1]]].tolist():
        raise InputError(
            f"{columns[i]!r} and {columns[j]!r} are copies and become one node, which cannot be joined to "
            f"itself: take the pair out of {option('required_edges')}, or give {option('identical', 'keep')}."
        )


def pairs_of_groups(
    pairs: NDArray[np.int64], node: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return pairs of columns as pairs of the nodes that stand for them, each once, and which they were.

    Examples
    --------
    >>> pairs_of_groups(np.array([[0, 1], [1, 2], [0, 2]]), np.array([0, 0, 1]))
    (array([[0, 1]]), array([1]))
    """
    ends = np.sort(node[pairs], axis=1)
    two = np.flatnonzero(ends[:, 0] != ends[:, 1])
    found, first = np.unique(ends[two], axis=0, return_index=True)
    return found, two[first]


def with_nearly_alike_grouped(
    samples: Samples, scorer: Scorer, runner: Runner, least: float, labels: NDArray[np.int64]
) -> Samples:
    """Return samples in which one variable stands for all whose agreement with it is that large."""
    if samples.missing:
        raise InputError(
            f"Columns that nearly agree are not looked for among missing values: choose "
            f"{option('identical', 'group')}, or {option('missing', 'drop')}."
        )

    def nearly_alike(tile: Tile) -> Pairs:
        edges = scorer.pairs(tile, SCREEN_GAMMA).edges
        kappas = [
            agreement(samples, edges[k : k + PAIRS_PER_BLOCK])
            for k in range(0, len(edges), PAIRS_PER_BLOCK)
        ]
        kappa = np.concatenate([np.empty(0), *kappas])
        kept = np.abs(kappa) >= least
        return Pairs(edges[kept], kappa[kept])

    tiles = list(runner.map("identical", nearly_alike, scorer.tiles()))
    edges = np.concatenate([np.empty((0, 2), np.int64), *(found.edges for found in tiles)])
    kappa = np.concatenate([np.empty(0), *(found.gains for found in tiles)])
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    edges, opposite = edges[same], kappa[same] < 0
    node = leaders(edges, samples.n_variables)
    alike = Alike(node, np.zeros(samples.n_variables, np.bool_))
    for first, second in ((0, 1), (1, 0)):
        led = node[edges[:, first]] == edges[:, second]
        alike.opposite[edges[led, first]] = opposite[led]
    return with_alike_grouped(samples, alike)


def agreement(samples: Samples, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Cohen's kappa of pairs of variables: negative for a binary one and its near opposite.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1]])
    >>> agreement(samples, np.array([[0, 1], [0, 2]])).tolist()
    [-1.0, 0.0]
    """
    n_rows = np.diff(samples.starts)
    found = np.zeros(len(pairs))
    comparable = n_rows[pairs[:, 0]] == n_rows[pairs[:, 1]]
    for r in np.unique(n_rows[pairs[comparable]]).tolist():
        at = np.flatnonzero(comparable & (n_rows[pairs[:, 0]] == r))
        rows = samples.starts[pairs[at]][:, :, None] + np.arange(r)
        differ = np.zeros((len(at), samples.words.shape[1]), np.uint64)
        for k in range(r):
            differ |= samples.words[rows[:, 0, k]] ^ samples.words[rows[:, 1, k]]
        agree = 1 - np.bitwise_count(differ).sum(axis=1) / samples.n_samples
        shares = samples.ones[rows] / samples.n_samples
        shares = np.concatenate([1 - shares.sum(axis=2, keepdims=True), shares], axis=2)
        by_chance = (shares[:, 0] * shares[:, 1]).sum(axis=1)
        found[at] = (agree - by_chance) / (1 - by_chance)
        if r == 1:  # the opposite agrees where this does not
            opposite = (by_chance - agree) / by_chance
            found[at] = np.where(opposite > found[at], -opposite, found[at])
    return found
