"""What a search found, described: the graph with the evidence and the couplings of its edges.

The evidence of an edge is what the total score gains by it in this graph, per end. Its coupling is
the conditional log odds ratio, of a step where levels are ordered, once from each end's regression on
its blanket, infinite where the data are separated; of other levels it is a table, and its size a number.
Where a search has coefficients of its own, those are the couplings; where it has probabilities, the
couplings are means given that the edge is there, and finite, and each edge has its probability and an
interval. Marginal edges are described by their two ends: each end's regression is on the other and on the covariates alone.
Where a search ranks all pairs, an edge's evidence is its score, which is no likelihood ratio.

Edges that are not to be reported (near pairs along a genome) are left out here, and not before: they stand in the
blankets on which the others are described, and their own evidence is not worked out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import shared_out
from markhood.graph.graph import Graph
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Fits, Status
from markhood.learning.edge_columns import edge_columns
from markhood.model.regressions import Regressions
from markhood.model.zero_sum import zero_sum
from markhood.scores.scorer import Pairs
from markhood.search.ranking import Ranking
from markhood.search.values.found import Found, timed
from markhood.search.values.job import Job
from markhood.search.values.knowledge import Knowledge
from markhood.search.values.probabilities import EdgeProbabilities

VARIABLES_PER_TILE = 64


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything that learning ends with.

    Attributes
    ----------
    graph : Graph
        The answer.
    screened : Pairs or None
        The pairs that passed the screen, where there was one; with ``max_candidates`` those that mattered to it.
    or_edges : ndarray of shape (n_edges, 2)
        The union of all blankets.
    blanket_scores : ndarray of shape (n_variables,), or None
        The score of every variable in ``graph``, 0 for a constant one; None where edges are
        described by their ends alone.
    regressions : Regressions or None
        Of every variable on its neighbours in ``graph``; None likewise.
    evaluations : dict of str to ndarray
        Phase -> how many blankets of each size were scored.
    seconds : dict of str to float
        Phase -> time it took.
    n_cut : int
        For how many variables not all candidates were looked at.
    found_edges : ndarray of shape (n_found, 2)
        The edges of ``graph``, and those that were found and are not reported.
    probabilities : EdgeProbabilities or None
        Of all pairs that may be edges, where the search has them.
    n_screened : int or None
        How many pairs passed the screen, where there was one; near ones too.
    largest_blanket : int or None
        How many neighbours a variable has at most in the union of all blankets.
    ranking : Ranking or None
        All pairs and their scores, where the search ranks them.
    is_marginal : bool
        Whether an edge describes its two ends alone, whatever else they are joined to.
    not_converged : dict of str to ndarray of shape (n_variables,)
        Phase -> how many fits of each variable did not converge.
    """

    graph: Graph
    screened: Pairs | None
    or_edges: NDArray[np.int64]
    blanket_scores: NDArray[np.float64] | None
    regressions: Regressions | None
    evaluations: dict[str, NDArray[np.int64]]
    seconds: dict[str, float]
    n_cut: int
    found_edges: NDArray[np.int64]
    probabilities: EdgeProbabilities | None = None
    n_screened: int | None = None
    largest_blanket: int | None = None
    ranking: Ranking | None = None
    is_marginal: bool = False
    not_converged: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @cached_property
    def screened_graph(self) -> Graph | None:
        """The pairs that passed the screen, with what they gain in it; None where there was no screen."""
        if self.screened is None:
            return None
        ends = np.column_stack([self.screened.gains] * 2)
        return Graph(self.graph.variables, self.screened.edges, ends, None, self.graph.provenance)

    @cached_property
    def or_graph(self) -> Graph:
        """The union of all blankets."""
        return Graph(self.graph.variables, self.or_edges, provenance=self.graph.provenance)


def describe(job: Job, found: Found) -> Learned:
    """Score and fit every edge that a search found, and put everything together."""
    seconds = dict(found.seconds)
    with timed(seconds, "evidence"):
        numbers = numbers_of(job, found)
    known, n_nodes = job.knowledge, job.n_nodes
    variables = job.samples.variables.pick(range(n_nodes))
    is_reported = known.reports(found.edges)
    edges = found.edges[is_reported]
    screened = found.screened
    if screened is not None:
        of_nodes = (screened.edges[:, 1] < n_nodes) & known.reports(screened.edges)
        screened = Pairs(screened.edges[of_nodes], screened.gains[of_nodes])
    return Learned(
        graph=Graph(
            variables,
            edges,
            numbers.evidence_ends,
            numbers.coupling_ends,
            coupling_tables=numbers.coupling_tables,
            annotations={
                **edge_columns(job.samples, edges, numbers.coupling_ends, numbers.coupling_tables),
                **({} if found.probabilities is None else found.probabilities.of(edges)),
                **{name: column[is_reported] for name, column in found.columns.items()},
            },
        ),
        screened=screened,
        or_edges=found.or_edges[known.reports(found.or_edges)],
        blanket_scores=numbers.scores,
        regressions=numbers.regressions,
        evaluations=found.evaluations,
        seconds=seconds,
        n_cut=found.n_cut,
        found_edges=found.edges,
        probabilities=found.probabilities,
        n_screened=_n_screened(found),
        largest_blanket=int(np.bincount(found.or_edges.ravel(), minlength=1).max()),
        ranking=found.ranking,
        is_marginal=found.is_marginal,
        not_converged=found.not_converged | {"evidence": numbers.not_converged},
    )


def _n_screened(found: Found) -> int | None:
    """Return how many pairs passed the screen, kept or not."""
    if found.n_screened is not None or found.screened is None:
        return found.n_screened
    return len(found.screened.edges)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A graph's numbers: scores of shape (n_variables,); the ends of reported edges, (n_edges, 2).

    ``not_converged`` counts the fits of each variable, or of no variable at all, that did not converge.

    ``coupling_tables`` has a zero-sum table for every edge, None where a single number says it all;
    it is empty where none has one.
    """

    evidence_ends: NDArray[np.float64]
    coupling_ends: NDArray[np.float64]
    coupling_tables: list[NDArray[np.float64] | None]
    scores: NDArray[np.float64] | None = None
    regressions: Regressions | None = None
    not_converged: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


def numbers_of(job: Job, found: Found) -> Numbers:
    """Score and fit every edge that a search found and that is reported."""
    reported = found.edges[job.knowledge.reports(found.edges)]
    if found.ranking is not None:
        return _of_ranking(job, found)
    if found.is_marginal:
        return _of_pairs(job, reported)
    numbers = _of_blankets(job, found.edges, reported)
    if found.slopes is not None:
        return replace(numbers, coupling_ends=found.slopes.of(reported))
    if found.probabilities is not None:
        return replace(numbers, **_mean_couplings(job, reported, found.probabilities))
    return numbers


def _of_ranking(job: Job, found: Found) -> Numbers:
    """Take evidence and couplings from a search that has both; the two ends have half, or the same."""
    assert found.ranking is not None
    reported = np.flatnonzero(job.knowledge.reports(found.edges))
    tables = [found.ranking.tables[k] for k in reported.tolist()]
    couplings = np.array([4 * t[0, 0] if t.shape == (2, 2) else np.linalg.norm(t) for t in tables])
    of_levels = [None if table.shape == (2, 2) else table for table in tables]
    return Numbers(
        np.column_stack([found.ranking.edge_scores[reported] / 2] * 2),
        np.column_stack([couplings] * 2),
        [] if (job.samples.bits.n_scores == 1).all() else of_levels,
    )


def _mean_couplings(
    job: Job, edges: NDArray[np.int64], probabilities: EdgeProbabilities
) -> dict[str, Any]:
    """Return the mean couplings as the fields of `Numbers`; both ends have the same."""
    means, tables = probabilities.couplings_of(edges, np.diff(job.samples.starts) + 1)
    return {
        "coupling_ends": np.column_stack([means, means]),
        "coupling_tables": [] if (job.samples.bits.n_scores == 1).all() else tables,
    }


def regress(job: Job, edges: NDArray[np.int64], of_covariates: Lists | None = None) -> Regressions:
    """Fit every node's regression on its neighbours in a graph, and each covariate's on a blanket, if one is given."""
    blankets, scorer = _blankets(job, edges), job.scorer
    if of_covariates is not None:
        blankets = Lists.joined([blankets.part(range(job.n_nodes)), of_covariates])

    def fit(tile: range) -> Fits:
        return scorer.fitted(np.arange(tile.start, tile.stop), blankets.part(tile))

    fits = list(job.runner.map("regressions", fit, shared_out(job.n_variables, VARIABLES_PER_TILE)))
    return _joined(job, blankets, fits)


def couplings_of(
    job: Job, edges: NDArray[np.int64], is_marginal: bool = False
) -> NDArray[np.float64]:
    """Fit the couplings of a graph's edges at their two ends, of shape (n_edges, 2)."""
    if is_marginal:
        return _of_pairs(job, edges).coupling_ends
    return couplings_at_ends(job, regress(job, edges), edges)


def _of_blankets(job: Job, edges: NDArray[np.int64], reported: NDArray[np.int64]) -> Numbers:
    """Describe some edges of a graph given all other neighbours of their ends."""
    neighbours, ends = Lists.from_both_ends(reported, job.n_variables)
    blankets, scorer = _blankets(job, edges), job.scorer

    def score_and_fit(tile: range) -> tuple[NDArray[np.float64], NDArray[np.float64], Fits]:
        targets, members = np.arange(tile.start, tile.stop), blankets.part(tile)
        own = neighbours.part(tile)
        scores, without = scorer.toggled(targets, members, own)
        gained = np.repeat(scores, np.diff(own.starts)) - without
        return scores, gained, scorer.fitted(targets, members)

    tiles = list(
        job.runner.map("evidence", score_and_fit, shared_out(job.n_variables, VARIABLES_PER_TILE))
    )
    scores = np.concatenate([np.empty(0), *(scores for scores, _, _ in tiles)])
    scores[job.samples.is_constant] = 0.0  # there is nothing to score
    gained = np.concatenate([np.empty(0), *(gained for _, gained, _ in tiles)])
    regressions = _joined(job, blankets, [fits for _, _, fits in tiles])
    return Numbers(
        gained[ends],
        couplings_at_ends(job, regressions, edges)[job.knowledge.reports(edges)],
        coupling_tables_of(regressions, reported),
        scores,
        regressions,
        not_converged_in(np.arange(job.n_variables), [fits for _, _, fits in tiles]),
    )


def _blankets(job: Job, edges: NDArray[np.int64]) -> Lists:
    """List the neighbours of every variable, and the covariates with them."""
    neighbours, _ = Lists.from_both_ends(edges, job.n_variables)
    return job.knowledge.adjusted(np.arange(job.n_variables), neighbours)


def couplings_at_ends(
    job: Job, regressions: Regressions, edges: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the coupling of every edge at its two ends."""
    along, covariates = regressions.couplings(), job.knowledge.covariates
    is_neighbour = ~np.isin(regressions.blankets.values, covariates)
    _, ends = Lists.from_both_ends(edges, job.n_variables)
    return np.asarray((along[is_neighbour] if len(covariates) else along)[ends])


def _of_pairs(job: Job, edges: NDArray[np.int64]) -> Numbers:
    """Describe every edge by its two ends, given the covariates: as a graph of its own for each."""
    scorer, known = job.scorer, job.knowledge

    def score_and_fit(tile: range) -> tuple[NDArray[np.float64], Fits]:
        ends = edges[tile.start : tile.stop]
        targets, others = ends.ravel(), ends[:, ::-1].ravel()
        alone = Lists(np.arange(len(targets) + 1), others)
        blankets = known.adjusted(targets, alone)
        scores, without = scorer.toggled(targets, blankets, alone)
        return scores - without, scorer.fitted(targets, blankets)

    tiles = list(
        job.runner.map("evidence", score_and_fit, shared_out(len(edges), VARIABLES_PER_TILE))
    )
    gained = np.concatenate([np.empty(0), *(gained for gained, _ in tiles)])
    # Each end of each edge as a variable of its own, whose blanket is the other end, and the covariates after all of them.
    ends, n_ends = np.arange(2 * len(edges)), 2 * len(edges)
    others = Lists(
        np.arange(n_ends + 1), np.ascontiguousarray(ends.reshape(-1, 2)[:, ::-1].ravel())
    )
    last = np.arange(n_ends, n_ends + len(known.covariates))
    blankets = Knowledge(covariates=last).adjusted(ends, others)
    lengths = np.diff(job.samples.starts)[known.covariates]
    of_reals = job.samples.n_reals * job.samples.bits.n_scores[known.covariates]
    fields = np.zeros(int((lengths + of_reals).sum()))
    coefficients = [*(fit.coefficients for _, fit in tiles), fields]
    regressions = Regressions(
        job.samples.variables.pick([*edges.ravel().tolist(), *known.covariates.tolist()]),
        Lists.joined([blankets, Lists.empty(len(last))]),
        np.concatenate(coefficients),
        np.concatenate([*(fit.infinite for _, fit in tiles), fields > 0]),
        job.samples.n_reals,
    )
    return Numbers(
        gained.reshape(-1, 2),
        regressions.couplings()[blankets.values < n_ends].reshape(-1, 2),
        coupling_tables_of(regressions, ends.reshape(-1, 2)),
        not_converged=not_converged_in(edges.ravel(), [fits for _, fits in tiles]),
    )


def not_converged_in(targets: NDArray[np.int64], fits: list[Fits]) -> NDArray[np.int64]:
    """Count the fits of each variable that did not converge."""
    statuses = np.concatenate([np.empty(0, np.uint8), *(fit.statuses for fit in fits)])
    return np.bincount(targets[statuses == Status.NOT_CONVERGED])


def _joined(job: Job, blankets: Lists, fits: list[Fits]) -> Regressions:
    return Regressions(
        job.samples.variables,
        blankets,
        np.concatenate([np.empty(0), *(fit.coefficients for fit in fits)]),
        np.concatenate([np.empty(0, np.bool_), *(fit.infinite for fit in fits)]),
        job.samples.n_reals,
    )


def coupling_tables_of(
    regressions: Regressions, edges: NDArray[np.int64]
) -> list[NDArray[np.float64] | None]:
    """Return the table of every edge that has one; nothing where none can."""
    if (regressions.n_scores == 1).all():
        return []
    return [_table(regressions, i, j) for i, j in edges.tolist()]


def _table(regressions: Regressions, i: int, j: int) -> NDArray[np.float64] | None:
    """Return the mean of the two ends' zero-sum tables, a row for each level of i."""
    if regressions.n_scores[i] == regressions.n_scores[j] == 1:
        return None  # its coupling is one number
    of_j = int(np.searchsorted(regressions.blankets[i], j))
    of_i = int(np.searchsorted(regressions.blankets[j], i))
    return zero_sum((regressions.table(i, of_j) + regressions.table(j, of_i).T) / 2)
