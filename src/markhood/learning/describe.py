"""Describe a search result: compute evidence and couplings for the edges of the graph.

The evidence of an edge is the gain in the total score from including it, per end. Its coupling is
the conditional log odds ratio (per step where levels are ordered), once from each end's regression
on its blanket, and infinite where the data are separated. For nominal levels the coupling is a
table, summarised by one number. Where a search has coefficients of its own, those are the
couplings. Where it has probabilities, couplings are finite means conditional on the edge being
present, and each edge has a probability and an interval. Marginal edges are described by their two
ends alone: each end is regressed on the other and on the covariates. Where a search ranks all
pairs, the evidence of an edge is its ranking score, which is not a likelihood ratio.

Edges that are not reported (nearby pairs along a genome) are removed here and not earlier, because
they belong to the blankets on which other edges are conditioned. Their own evidence is not
computed.

Compute the columns that every graph's edges have; `COLUMNS` lists them. `markhood.graph.columns`
documents the meaning of each column.

**standardized**: couplings on a common scale, multiplied by the standard deviations of both ends.
A coupling of ordered levels is per step, and a step of a variable with ten levels is smaller than
one of a variable with three. The product with both standard deviations measures the effect in
typical samples. It equals the root mean square of the pair's table, with rows and columns centred
by level frequencies under independence. An edge with a coupling table is therefore measured in the
same way, without a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.graph.graph import Graph
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Fits, Status
from markhood.kernels.tables import codes
from markhood.model.coding import zero_sum
from markhood.model.regressions import Regressions
from markhood.scores.scorer import Pairs
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job
from markhood.search.values.probabilities import EdgeProbabilities
from markhood.search.values.search_result import SearchResult, timed

Tables = Sequence[Floats | None]
Column = Callable[[Samples, Ints, Floats, Tables], Floats | None]
VARIABLES_PER_TILE = 64


def edge_columns(
    samples: Samples, edges: Ints, coupling_ends: Floats, tables: Tables
) -> dict[str, Floats]:
    """Return all columns that apply to these data, by name."""
    with np.errstate(invalid="ignore"):  # of infinities of both signs
        couplings = coupling_ends.mean(axis=1)
    found = {name: column(samples, edges, couplings, tables) for name, column in COLUMNS.items()}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def standardized(samples: Samples, edges: Ints, couplings: Floats, tables: Tables) -> Floats | None:
    """Return standardised couplings, of shape (n_edges,); None if no levels are ordered.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
    couplings : ndarray of shape (n_edges,)
        Per step of each end; may be infinite.
    tables : sequence of ndarray or None
        Coupling tables of edges that have one; empty if none has.
    """
    if samples.variables.ordered is None:
        return None
    shares = {v: _shares(samples, v) for v in np.unique(edges).tolist()}
    deviations = {v: _deviation(p) for v, p in shares.items()}
    found = np.array(
        [
            c * deviations[i] * deviations[j]
            for c, (i, j) in zip(couplings, edges.tolist(), strict=True)
        ]
    )
    for k, table in enumerate(tables):
        if table is not None and np.isfinite(couplings[k]):
            i, j = edges[k].tolist()
            found[k] = _size(table, shares[i], shares[j])
    return found


def _shares(samples: Samples, variable: int) -> Floats:
    n_levels = int(samples.starts[variable + 1] - samples.starts[variable]) + 1
    weights = None if samples.weights is None else samples.weights.counts
    counts = np.bincount(codes(samples.bits, variable), weights, n_levels)
    return np.asarray(counts / counts.sum())


def _deviation(shares: Floats) -> float:
    steps = np.arange(len(shares))
    mean = float(shares @ steps)
    return float(np.sqrt(shares @ (steps - mean) ** 2))


def _size(table: Floats, rows: Floats, columns: Floats) -> float:
    centred = table - (table @ columns)[:, None] - rows @ table + rows @ table @ columns
    return float(np.sqrt(rows @ centred**2 @ columns))


COLUMNS: Mapping[str, Column] = {
    "standardized": standardized,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedGraph(SearchResult):
    """The result of learning: a search result, and the graph that describes its edges.

    ``screened`` and ``or_edges`` have the pairs that are reported. ``edges`` and ``n_screened``
    include those that are not.
    """

    graph: Graph
    # (n_variables,): the score of every variable in ``graph``, 0 for a constant one; None for
    # marginal edges.
    blanket_scores: Floats | None
    # Regressions of every variable on its neighbours in ``graph``; None for marginal edges.
    regressions: Regressions | None
    # Largest number of neighbours of a variable in the union of all blankets.
    largest_blanket: int | None = None

    @cached_property
    def screened_graph(self) -> Graph | None:
        """The pairs that passed the screen, with their gains; None if there was no screen."""
        if self.screened is None:
            return None
        ends = np.column_stack([self.screened.gains] * 2)
        return Graph(self.graph.variables, self.screened.edges, ends, None, self.graph.provenance)

    @cached_property
    def or_graph(self) -> Graph:
        """The union of all blankets."""
        return Graph(self.graph.variables, self.or_edges, provenance=self.graph.provenance)


def describe(job: Job, found: SearchResult) -> LearnedGraph:
    """Score and fit every edge of a search result."""
    seconds = dict(found.seconds)
    if job.earlier is not None and "screen" in seconds:
        seconds["screen"] += job.earlier.seconds
    with timed(seconds, "evidence"):
        numbers = numbers_of(job, found)
    n_screened = found.n_screened
    if n_screened is None and found.screened is not None:
        n_screened = len(found.screened.edges)
    largest = int(np.bincount(found.or_edges.ravel(), minlength=1).max())
    changes = {"seconds": seconds, "n_screened": n_screened, "largest_blanket": largest}
    return learned_graph(job, found, numbers, {}, **changes)


def learned_graph(
    job: Job, found: SearchResult, numbers: Numbers, columns: dict[str, Floats], **changes: Any
) -> LearnedGraph:
    """Make the graph of the reported edges, with further columns of them, and change the result."""
    known, n_nodes = job.constraints, job.n_nodes
    is_reported = known.reports(found.edges)
    edges, screened = found.edges[is_reported], found.screened
    if screened is not None:
        of_nodes = (screened.edges[:, 1] < n_nodes) & known.reports(screened.edges)
        screened = Pairs(screened.edges[of_nodes], screened.gains[of_nodes])
    graph = Graph(
        job.samples.variables.pick(range(n_nodes)),
        edges,
        numbers.evidence_ends,
        numbers.coupling_ends,
        coupling_tables=numbers.coupling_tables,
        annotations={
            **edge_columns(job.samples, edges, numbers.coupling_ends, numbers.coupling_tables),
            **{name: column[is_reported] for name, column in found.columns.items()},
            **columns,
            **({} if found.probabilities is None else found.probabilities.of(edges)),
        },
    )
    own = {
        "screened": screened,
        "evidence": None,
        "or_edges": found.or_edges[known.reports(found.or_edges)],
        "not_converged": found.not_converged | {"evidence": numbers.not_converged},
        "blanket_scores": numbers.scores,
        "regressions": numbers.regressions,
    }
    return LearnedGraph(graph=graph, **vars(found) | own | changes)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Scores, evidence and couplings of a graph.

    Scores have shape (n_variables,), the values at the ends of reported edges (n_edges, 2).
    ``not_converged`` counts the fits of each variable that did not converge; it may be empty.
    ``coupling_tables`` has a zero-sum table for every edge, or None where one number suffices; it
    is empty where no edge has a table.
    """

    evidence_ends: Floats
    coupling_ends: Floats
    coupling_tables: list[Floats | None]
    scores: Floats | None = None
    regressions: Regressions | None = None
    not_converged: Ints = field(default_factory=lambda: np.empty(0, np.int64))


def numbers_of(job: Job, found: SearchResult) -> Numbers:
    """Score and fit every reported edge of a search result."""
    reported = found.edges[job.constraints.reports(found.edges)]
    if found.ranking is not None:
        return _of_ranking(job, found)
    if found.is_marginal:
        return _of_pairs(job, reported)
    numbers = _of_blankets(job, found, reported)
    if found.slopes is not None:
        return replace(numbers, coupling_ends=found.slopes.of(reported))
    if found.probabilities is not None:
        return replace(numbers, **_mean_couplings(job, reported, found.probabilities))
    return numbers


def _of_ranking(job: Job, found: SearchResult) -> Numbers:
    """Take evidence and couplings from a ranking; each end gets half the score."""
    assert found.ranking is not None
    reported = np.flatnonzero(job.constraints.reports(found.edges))
    tables = [found.ranking.tables[k] for k in reported.tolist()]
    couplings = np.array([4 * t[0, 0] if t.shape == (2, 2) else np.linalg.norm(t) for t in tables])
    of_levels = [None if table.shape == (2, 2) else table for table in tables]
    return Numbers(
        np.column_stack([found.ranking.edge_scores[reported] / 2] * 2),
        np.column_stack([couplings] * 2),
        [] if (job.samples.bits.n_scores == 1).all() else of_levels,
    )


def _mean_couplings(job: Job, edges: Ints, probabilities: EdgeProbabilities) -> dict[str, Any]:
    """Return the mean couplings as the fields of `Numbers`, the same at both ends."""
    means, tables = probabilities.couplings_of(edges, np.diff(job.samples.starts) + 1)
    return {
        "coupling_ends": np.column_stack([means, means]),
        "coupling_tables": [] if (job.samples.bits.n_scores == 1).all() else tables,
    }


def regress(job: Job, edges: Ints, of_covariates: Lists | None = None) -> Regressions:
    """Regress every node on its neighbours, and each covariate on its blanket if given."""
    blankets, scorer = _blankets(job, edges), job.scorer
    if of_covariates is not None:
        blankets = Lists.joined([blankets.part(range(job.n_nodes)), of_covariates])

    def fit(tile: range) -> Fits:
        return scorer.fitted(np.arange(tile.start, tile.stop), blankets.part(tile))

    fits = list(job.runner.map("regressions", fit, job.tiles(job.n_variables, VARIABLES_PER_TILE)))
    return _joined(job, blankets, fits)


def couplings_of(job: Job, edges: Ints, is_marginal: bool = False) -> Floats:
    """Fit the couplings of a graph's edges at both ends, of shape (n_edges, 2)."""
    if is_marginal:
        return _of_pairs(job, edges).coupling_ends
    return couplings_at_ends(job, regress(job, edges), edges)


def _of_blankets(job: Job, found: SearchResult, reported: Ints) -> Numbers:
    """Describe edges of a graph conditional on all other neighbours of their ends."""
    neighbours, ends = Lists.from_both_ends(reported, job.n_variables)
    edges, blankets, scorer = found.edges, _blankets(job, found.edges), job.scorer
    scores, gained = np.full(job.n_variables, np.nan), np.full(len(neighbours.values), np.nan)
    known = found.evidence
    if known is not None and known.scorer is scorer and np.array_equal(known.edges, edges):
        scores[:] = known.scores
        gained[ends] = known.gains[job.constraints.reports(edges)]
    is_left = np.isnan(gained)
    left = neighbours.where(is_left)
    is_open = np.isnan(scores) | (left.lengths > 0)

    def score_and_fit(tile: range) -> tuple[Floats, Floats, Fits]:
        targets = tile.start + np.flatnonzero(is_open[tile.start : tile.stop])
        own = left.pick(targets)
        of_blankets, without = scorer.toggled(targets, blankets.pick(targets), own)
        more = np.repeat(of_blankets, own.lengths) - without
        everyone = np.arange(tile.start, tile.stop)
        return of_blankets, more, scorer.fitted(everyone, blankets.part(tile))

    tiles = list(
        job.runner.map("evidence", score_and_fit, job.tiles(job.n_variables, VARIABLES_PER_TILE))
    )
    scores[is_open] = np.concatenate([np.empty(0), *(of_blankets for of_blankets, _, _ in tiles)])
    scores[job.samples.is_constant] = 0.0  # a constant variable has no score
    gained[is_left] = np.concatenate([np.empty(0), *(more for _, more, _ in tiles)])
    regressions = _joined(job, blankets, [fits for _, _, fits in tiles])
    return Numbers(
        gained[ends],
        couplings_at_ends(job, regressions, edges)[job.constraints.reports(edges)],
        coupling_tables_of(regressions, reported),
        scores,
        regressions,
        not_converged_in(np.arange(job.n_variables), [fits for _, _, fits in tiles]),
    )


def _blankets(job: Job, edges: Ints) -> Lists:
    """List the neighbours of every variable, with the covariates."""
    neighbours, _ = Lists.from_both_ends(edges, job.n_variables)
    return job.constraints.adjusted(np.arange(job.n_variables), neighbours)


def couplings_at_ends(job: Job, regressions: Regressions, edges: Ints) -> Floats:
    """Return the coupling of every edge at both ends."""
    along, covariates = regressions.couplings(), job.constraints.covariates
    is_neighbour = ~np.isin(regressions.blankets.values, covariates)
    _, ends = Lists.from_both_ends(edges, job.n_variables)
    return np.asarray((along[is_neighbour] if len(covariates) else along)[ends])


def _of_pairs(job: Job, edges: Ints) -> Numbers:
    """Describe every edge by its two ends, conditional on the covariates only."""
    scorer, known = job.scorer, job.constraints

    def score_and_fit(tile: range) -> tuple[Floats, Fits]:
        ends = edges[tile.start : tile.stop]
        targets, others = ends.ravel(), ends[:, ::-1].ravel()
        alone = Lists(np.arange(len(targets) + 1), others)
        blankets = known.adjusted(targets, alone)
        scores, without = scorer.toggled(targets, blankets, alone)
        return scores - without, scorer.fitted(targets, blankets)

    tiles = list(
        job.runner.map("evidence", score_and_fit, job.tiles(len(edges), VARIABLES_PER_TILE))
    )
    gained = np.concatenate([np.empty(0), *(gained for gained, _ in tiles)])
    # Each end of each edge becomes a variable whose blanket is the other end; covariates come last.
    ends, n_ends = np.arange(2 * len(edges)), 2 * len(edges)
    others = Lists(
        np.arange(n_ends + 1), np.ascontiguousarray(ends.reshape(-1, 2)[:, ::-1].ravel())
    )
    last = np.arange(n_ends, n_ends + len(known.covariates))
    blankets = Constraints(covariates=last).adjusted(ends, others)
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


def not_converged_in(targets: Ints, fits: list[Fits]) -> Ints:
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


def coupling_tables_of(regressions: Regressions, edges: Ints) -> list[Floats | None]:
    """Return the coupling tables of the edges; an empty list if no edge has one."""
    if (regressions.n_scores == 1).all():
        return []
    return [_table(regressions, i, j) for i, j in edges.tolist()]


def _table(regressions: Regressions, i: int, j: int) -> Floats | None:
    """Return the mean of the two ends' zero-sum tables, with one row per level of i."""
    if regressions.n_scores[i] == regressions.n_scores[j] == 1:
        return None  # its coupling is one number
    of_j = int(np.searchsorted(regressions.blankets[i], j))
    of_i = int(np.searchsorted(regressions.blankets[j], i))
    return zero_sum((regressions.table(i, of_j) + regressions.table(j, of_i).T) / 2)
