"""The Chow-Liu forest: the forest with the highest likelihood.

It is the maximum spanning forest of the pairs, weighted by their likelihood ratios. If the penalty
of the screen is subtracted from the weights, only pairs that pass can be edges. Without the penalty
the forest is a tree, as in the original algorithm, wherever the data allow it. Required edges
weigh more than all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from markhood.arrays import Ints
from markhood.errors import InputError
from markhood.graph.numbering import in_order
from markhood.kernels.ties import levelled
from markhood.scores.scorer import Pairs
from markhood.search.screen import screen, tested_pairs
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, timed


def chow_liu(job: Job, gamma: float, forest: bool) -> SearchResult:
    """Find the forest with the highest likelihood.

    With ``forest=False`` pairs have no penalty, so that the forest is a tree where possible.
    """
    require_forest(job.constraints, job.samples.names)
    seconds: dict[str, float] = {}
    with timed(seconds, "screen"):
        screened = screen(job, gamma if forest else None)
    with timed(seconds, "forest"):
        edges = spanning_forest(screened, job.n_variables, job.constraints)
    return SearchResult(
        edges,
        or_edges=edges,
        screened=screened,
        evaluations=tested_pairs(job),
        seconds=seconds,
    )


def require_forest(constraints: Constraints, names: Sequence[str]) -> None:
    """Raise if the required edges contain a cycle."""
    required = constraints.required
    within = spanning_forest(Pairs(required, np.ones(len(required))), len(names))
    closing = required[~Constraints(required=within).requires(required)]
    if len(closing):
        source, target = (names[end] for end in closing[0])
        raise InputError(
            "constraints",
            "required_edges",
            f"The required edges form a cycle with {source!r} - {target!r}, which a forest cannot "
            "contain: remove one of them, or use another method.",
        )


def spanning_forest(
    pairs: Pairs, n_variables: int, constraints: Constraints = NO_CONSTRAINTS
) -> Ints:
    """Return the edges, i < j in lexicographic order, of the forest with the largest gains.

    Examples
    --------
    >>> triangle = Pairs(np.array([[0, 1], [0, 2], [1, 2]]), np.array([3.0, 1.0, 2.0]))
    >>> spanning_forest(triangle, 3).tolist()
    [[0, 1], [1, 2]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    among = constraints.applied_to(pairs.edges)
    gains = np.full(len(among), np.inf)
    gains[~constraints.requires(among)] = pairs.gains[
        constraints.allows(*pairs.edges.T) & ~constraints.requires(pairs.edges)
    ]
    # Ranks instead of gains: ties go to the earlier pair, and no weight is zero.
    order = np.lexsort((np.arange(len(gains)), -levelled(gains)))
    ranks = np.empty(len(order), dtype=np.float64)
    ranks[order] = np.arange(1, len(order) + 1)
    shape = (n_variables, n_variables)
    weights: Any = csr_array((ranks, among.T), shape=shape)
    forest = minimum_spanning_tree(weights).tocoo()
    edges = np.sort(np.column_stack([forest.row, forest.col]).astype(np.int64), axis=1)
    return edges[in_order(edges)]
