"""Select pairs by their marginal dependence: those that pass the screen, or the best ones.

Pairs are ranked by one of three numbers. The evidence is that of the screen: the likelihood ratio
minus the penalty. The mutual information is the likelihood ratio per sample, without a penalty:
where an edge has hundreds of parameters, as between two columns of a protein, no pair passes the
screen, but the best pairs are still the contacts. Variables with many levels, or related samples,
raise the mutual information of all pairs of a variable; the average-product correction (Dunn, Wahl
and Gloor, 2008) subtracts the part that both ends share with all variables,

    MI_ij - MI_i MI_j / MI,         MI_i and MI being the means over i's pairs, and over all.

With covariates, all three are conditional on them (`scores/given.py`): the mutual information is
then that of the coupling, which is the same in every configuration of the covariates.

Nearby pairs along a genome are not reported, and do not count among the best. If indirect pairs are
removed, nearby pairs are kept for that step, because a distant pair may be indirect through them.

No d x d array is needed: a tile returns its best pairs, and the best of these are kept. The
correction therefore counts all pairs twice, the first time for the means.

Find pairs that are dependent only through a third variable, by the data processing inequality. In a
chain i - k - j, the mutual information of the ends is at most that of either link: MI_ij <=
min(MI_ik, MI_kj). ARACNE (Margolin et al., 2006) inverts this, and takes the weakest pair of every
triangle as indirect. All triangles are examined before any pair is removed, so their order does not
matter. If several pairs tie for the weakest, as with three copies, none is removed.

The weakest pair of three directly dependent variables is removed too: the rule is fast, but does
not replace a Markov blanket.

The Chow-Liu forest: the forest with the highest likelihood. It is the maximum spanning forest of
the pairs, weighted by their likelihood ratios. If the penalty of the screen is subtracted from the
weights, only pairs that pass can be edges. Without the penalty the forest is a tree, as in the
original algorithm, wherever the data allow it. Required edges weigh more than all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.graph.numbering import in_order, pair_numbers, positions_of
from markhood.kernels.steps import weakest_of_triangles
from markhood.kernels.ties import TIE, levelled
from markhood.scores.scorer import Pairs, Tile
from markhood.search.ranking import PAIRS_PER_VARIABLE, Means
from markhood.search.screen import screen, tested_pairs
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, timed

RankedBy = Literal["evidence", "mi", "mi_apc"]


def pairwise(
    job: Job,
    gamma: float,
    ranking: RankedBy = "evidence",
    top: int | None = None,
    remove_indirect: bool = False,
) -> SearchResult:
    """Return allowed pairs that pass the screen or rank highest, and the required ones.

    With ``remove_indirect`` the pair of every triangle with the least mutual information is
    removed.
    """
    seconds: dict[str, float] = {}
    columns: dict[str, Floats] = {}
    screened = None
    if ranking == "evidence":
        with timed(seconds, "screen"):
            screened = (
                screen(job, gamma, fitted=job.constraints.reports)
                if top is None
                else best_pairs(job, gamma, top, unreported=remove_indirect)
            )
        edges, ratios = screened.edges, screened.gains + job.scorer.prices(screened.edges, gamma)
    else:
        if top is None:
            top = int(np.ceil(PAIRS_PER_VARIABLE * job.n_nodes))
        with timed(seconds, "screen"):
            means = mean_ratios(job) if ranking == "mi_apc" else None
            best = best_pairs(job, None, top, means, unreported=remove_indirect)
        edges, ratios = best.edges, best.gains
        if means is not None:
            ratios = ratios + means.expected(edges)
    if remove_indirect:
        with timed(seconds, "triangles"):
            edges = edges[~weakest_of_triangles(edges, ratios, job.n_variables)]
    edges = job.constraints.applied_to(edges)
    if ranking != "evidence":
        at, is_best = positions_of(edges, best.edges)
        columns[ranking] = np.full(len(edges), np.nan)
        columns[ranking][is_best] = best.gains[at[is_best]] / job.samples.total_weight
    return SearchResult(
        edges,
        or_edges=edges,
        screened=screened,
        is_marginal=True,
        columns=columns,
        evaluations=tested_pairs(job),
        seconds=seconds,
    )


def mean_ratios(job: Job) -> Means:
    """Average the likelihood ratios over all pairs of variables that vary."""
    scorer = job.scorer  # not the job: its runner may hold a connection

    def add_up(tile: Tile) -> tuple[Floats, Floats]:
        pairs = scorer.pairs(tile, None)
        i, j = pairs.edges.T
        rows, columns = tile
        of_rows, of_columns = np.zeros(len(rows)), np.zeros(len(columns))
        np.add.at(of_rows, i - rows.start, pairs.gains)
        np.add.at(of_columns, j - columns.start, pairs.gains)
        return of_rows, of_columns

    sums, tiles = np.zeros(job.n_variables), scorer.tiles()
    for (rows, columns), own in zip(tiles, job.runner.map("means", add_up, tiles), strict=True):
        sums[rows.start : rows.stop] += own[0]
        sums[columns.start : columns.stop] += own[1]
    return Means.from_sums(sums, int(np.count_nonzero(~job.samples.is_constant[: job.n_nodes])))


def best_pairs(
    job: Job,
    gamma: float | None,
    top: int,
    means: Means | None = None,
    *,
    unreported: bool = False,
) -> Pairs:
    """Return the ``top`` best allowed and reported pairs, in lexicographic order.

    Pairs are ranked by their gains in the screen or, with ``gamma=None``, by their ratios, minus
    the average product if means are given. ``unreported`` also returns the
    pairs that are not reported and score at least as high as the last reported one.
    """
    scorer, constraints = job.scorer, job.constraints

    def rank(tile: Tile) -> tuple[Pairs, Pairs]:
        found = scorer.pairs(tile, gamma)
        allowed = constraints.allows(*found.edges.T)
        edges, scores = found.edges[allowed], found.gains[allowed]
        if means is not None:
            scores = scores - means.expected(edges)
        far = constraints.reports(edges)
        kept = ~far & unreported
        return highest(Pairs(edges[far], scores[far]), top), Pairs(edges[kept], scores[kept])

    best, near = _none(), _none()
    for own, own_near in job.runner.map("screen", rank, scorer.tiles()):
        best = highest(_joined(best, own), top)
        near = _joined(near, own_near)
    as_good = near.gains >= best.gains.min(initial=np.inf)
    best = _joined(best, Pairs(near.edges[as_good], near.gains[as_good]))
    order = in_order(best.edges)
    return Pairs(best.edges[order], best.gains[order])


def _none() -> Pairs:
    return Pairs(np.empty((0, 2), dtype=np.int64), np.empty(0))


def _joined(first: Pairs, second: Pairs) -> Pairs:
    edges = np.concatenate([first.edges, second.edges])
    return Pairs(edges, np.concatenate([first.gains, second.gains]))


def highest(pairs: Pairs, top: int) -> Pairs:
    """Return the best pairs, best first; ties go to the lower index.

    Examples
    --------
    >>> pairs = Pairs(np.array([[0, 2], [0, 1], [1, 2]]), np.array([1.0, 1.0, 3.0]))
    >>> highest(pairs, 2).edges.tolist()
    [[1, 2], [0, 1]]
    """
    edges, scores = pairs
    if len(scores) > top:  # sorting all pairs of a tile would take longer than counting them
        is_near = scores >= np.partition(scores, -top)[-top] - TIE
        edges, scores = edges[is_near], scores[is_near]
    order = np.lexsort((pair_numbers(edges), -levelled(scores)))[:top]
    return Pairs(edges[order], scores[order])


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
