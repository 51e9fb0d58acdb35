"""Rank all pairs by the couplings of one Potts model (plmDCA).

The model has a coupling table for every pair, and its likelihood is intractable. Its
pseudo-likelihood is a penalised multinomial regression of every variable on all others:

    sum_i [ -log p(x_i | others) + 0.01 |h_i|^2 + sum_j lambda_ij / 2 |J_ij|^2 ],
    lambda_ij = penalty (d - 1) sqrt((r_i - 1) (r_j - 1))

The default penalty of 0.01 gives 0.2 (L - 1) for the 21 letters of a protein, as in CCMpred and
EVcouplings. Both regressions of a pair have a table for it; the coupling is their zero-sum mean.
The score of a pair is the Frobenius norm of the table, without the gap level "-", minus the average
product. For binary variables it is the absolute log odds ratio, uncorrected.

**Independent regressions.** The joint maximum ties the two tables of a pair and must update all of
them together. Independent regressions (Ekeberg, Hartonen and Aurell 2014) are tiles that run on
threads or clusters and can be checkpointed; `benchmarks/alignments.py` compares the two (plmc is
the joint one). Several variables share a tile, depending on their numbers of levels alone, so the
result does not depend on the number of threads.

**Covariates** are in every node's regression with a penalty no larger than that of fields, and have
no regressions themselves: they are not ranked, and not part of the average product. A missing value
adds nothing to the log odds, but a sample with a missing covariate is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.data.samples import Samples
from markhood.data.storage.memory import available_memory, readable
from markhood.errors import InputError
from markhood.graph.numbering import in_order
from markhood.kernels.networks import PottsFits, PottsPenalty
from markhood.search.ranking import Means, Ranking, signal
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, timed

FIELD_PENALTY = 0.01
COLUMNS_PER_TILE = 64  # columns that the kernel sums at a time; a binary target has one
MOST_TARGETS = 64
BYTES_PER_COUPLING = 9  # at peak: the tiles' tables and their concatenation
GAP = "-"
MIXTURE = "mixture"

Tables = NDArray[np.float32]


def pseudo_likelihood(job: Job, *, penalty: float, top: int | None) -> SearchResult:
    """Rank all pairs, and join the `top` best, or those above the background of scores.

    Parameters
    ----------
    job : Job
    penalty : float
        Penalty of couplings, as in the formula above.
    top : int, optional
        Number of edges in addition to the required ones; by default the scores decide.
    """
    seconds: dict[str, float] = {}
    with timed(seconds, "couplings"):
        tables, converged = _fitted(job, penalty)
    with timed(seconds, "ranking"):
        nodes = job.samples.pick(np.arange(job.n_nodes))
        n_levels = np.diff(nodes.starts) + 1
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_levels)])
        scores = _sizes(nodes, tables, starts)
        varying = np.flatnonzero(~nodes.is_constant)
        pairs = varying[np.column_stack(np.triu_indices(len(varying), 1))]
        errors = _errors(job)[pairs].prod(axis=1) if nodes.is_binary else None
        if errors is None:
            means = Means.from_sums(scores.sum(axis=1), len(varying))
            scores[tuple(pairs.T)] -= means.expected(pairs)
        edges = _chosen(job, pairs, scores[tuple(pairs.T)], errors, top)
    return SearchResult(
        edges,
        or_edges=edges,
        ranking=Ranking(
            pairs,
            scores[tuple(pairs.T)],
            scores[tuple(edges.T)],
            [_coupling(tables, starts, i, j) for i, j in edges.tolist()],
        ),
        evaluations={"couplings": np.bincount([job.n_variables - 1] * job.n_nodes)},
        seconds=seconds,
        not_converged={
            "couplings": np.append(~converged, np.zeros(job.n_variables - job.n_nodes, np.int64))
        },
    )


def _fitted(job: Job, penalty: float) -> tuple[Tables, Bools]:
    """Fit every node's regression on all other variables; columns are the levels of targets.

    Rows of covariates are removed from the result. Also returns which nodes' fits converged.
    """
    n_levels = np.diff(job.samples.starts) + 1
    n_rows, n_nodes, scorer = int(n_levels.sum()), job.n_nodes, job.scorer
    of_nodes = int(n_levels[:n_nodes].sum())
    _require_room(n_nodes, n_rows)
    prior = penalty_for(n_levels, penalty, job.n_variables - n_nodes)

    def fit(tile: range) -> PottsFits:
        found = scorer.potts(np.arange(tile.start, tile.stop), prior)
        if of_nodes == n_rows:
            return found
        return found._replace(table=np.delete(found.table, np.s_[of_nodes:-1], axis=0))

    parts = list(job.runner.map("couplings", fit, tiles_of(n_levels[:n_nodes].tolist())))
    tables = [np.empty((of_nodes + 1, 0), np.float32), *(part.table for part in parts)]
    converged = [np.empty(0, np.bool_), *(part.converged for part in parts)]
    return np.hstack(tables), np.concatenate(converged)


def penalty_for(n_levels: Ints, penalty: float, n_covariates: int = 0) -> PottsPenalty:
    """Return the penalty for these numbers of levels; each table of a pair has half."""
    n_nodes = len(n_levels) - n_covariates
    own = np.sqrt(0.5 * penalty * max(1, n_nodes - 1) * (n_levels - 1.0))
    # The penalty of two variables is the product of theirs.
    own[n_nodes:] = FIELD_PENALTY / own[:n_nodes].max(initial=1e-300)
    return PottsPenalty(FIELD_PENALTY, own)


def bytes_of_couplings(n_rows: int) -> int:
    """Return the memory of the tables of all pairs, for this total number of levels."""
    return BYTES_PER_COUPLING * n_rows**2


def _require_room(n_variables: int, n_rows: int) -> None:
    needed, available = bytes_of_couplings(n_rows), available_memory()
    if available is not None and needed > available:
        raise InputError(
            "memory",
            "",
            f"The couplings of all pairs of {n_variables} variables with {n_rows} levels in total "
            f"need about {readable(needed)} of memory, but only {readable(available)} is "
            "available: use fewer columns, or a method that screens pairs first, such as plrhc.",
        )


def tiles_of(n_levels: Sequence[int]) -> list[range]:
    """Cut variables into tiles of at most `COLUMNS_PER_TILE` columns, or of one variable.

    Examples
    --------
    >>> tiles_of([21, 21, 20, 2, 2, 21])
    [range(0, 5), range(5, 6)]
    """
    tiles, first, filled = [], 0, 0
    for v, levels in enumerate(n_levels):
        n = 1 if levels == 2 else levels
        if v > first and (filled + n > COLUMNS_PER_TILE or v - first == MOST_TARGETS):
            tiles.append(range(first, v))
            first, filled = v, 0
        filled += n
    return [*tiles, range(first, len(n_levels))] if len(n_levels) else []


def _coupling(tables: Tables, starts: Ints, i: int, j: int) -> Floats:
    """Return the zero-sum mean of a pair's two tables, with one row per level of i."""
    of_i, of_j = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
    table = (tables[of_i, of_j] + tables[of_j, of_i].T) / np.float64(2)
    table -= table.mean(axis=0)
    return np.asarray(table - table.mean(axis=1, keepdims=True))


def _sizes(samples: Samples, tables: Tables, starts: Ints) -> Floats:
    """Return the size of each pair's coupling, of shape (n_variables, n_variables).

    Constant variables have size zero.
    """
    d, n_levels, first = samples.n_variables, np.diff(starts), starts[:-1]
    owners = np.repeat(np.arange(d), n_levels)
    counted = np.concatenate([_counted(values) for values in samples.levels])
    sizes = np.zeros((d, d))
    for i in range(d):
        of_i = slice(starts[i], starts[i + 1])
        rows = (tables[of_i][:, : len(owners)] + tables[:-1, of_i].T) / np.float64(2)
        rows -= rows.mean(axis=0)
        rows -= (np.add.reduceat(rows, first, axis=1) / n_levels)[:, owners]
        squares = (rows[counted[of_i]] ** 2).sum(axis=0) * counted
        sizes[i] = np.sqrt(np.add.reduceat(squares, first))
    if samples.is_binary:
        sizes *= 2  # the log odds ratio
    np.fill_diagonal(sizes, 0.0)
    sizes[samples.is_constant] = sizes[:, samples.is_constant] = 0.0
    return np.maximum(sizes, sizes.T)  # equal up to rounding


def _counted(values: Sequence[object]) -> Bools:
    """Return the levels that count in a norm: all but a gap, if there are more than two."""
    if len(values) <= 2:
        return np.ones(2, np.bool_)
    return np.array([value != GAP for value in values])


def _errors(job: Job) -> Floats:
    """Return a factor for each binary node; the product of a pair's is its standard error.

    It is that of a log odds ratio under independence given the covariates, (N v_i v_j)^(-1/2) with
    the variances v.
    """
    n = job.samples.total_weight
    spread = job.scorer.spreads(np.arange(job.n_nodes))[:, 0]
    return np.asarray(1 / np.sqrt(np.sqrt(n) * np.clip(spread, 1 / n**2, None)))


def _chosen(job: Job, pairs: Ints, scores: Floats, errors: Floats | None, top: int | None) -> Ints:
    """Return the edges: the best allowed pairs, and the required ones."""
    known = job.constraints
    may = known.allows(*pairs.T) & ~known.requires(pairs) & known.reports(pairs)
    if top is None:
        best = pairs[may & signal(scores, errors)]
    else:
        falling = np.argsort(-scores[may], kind="stable")
        best = pairs[may][falling[:top]]
    edges = np.concatenate([best, known.required])
    return edges[in_order(edges)]
