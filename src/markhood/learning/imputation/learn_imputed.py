"""Learn from data with missing values: search several imputed data sets and combine the results.

    1. fill every missing value at random from the observed values of its variable
    2. search for a graph in the imputed samples
    3. fit every variable's regression on its neighbours, and redraw each missing value given the
       others of its sample; a few such sweeps are Gibbs sampling from the learned model
    4. repeat from 2 until the graph is stable
    5. for each data set: fit and draw as in 3, and search again near the earlier results; then, if
       another method chose the graphs for drawing, search once with the method itself
    6. draw as many data sets again, all on the consensus graph, by regressions fitted to a
    bootstrap
       of the samples (`imputed_samples.py`), and describe the graph in each

Searches do not use the bootstrap: its noise moved graphs slightly away from that of the complete
data (2.2 instead of 1.8 edges, ten variables with 30 % missing).

Searches dominate the time, and two imputed data sets differ little. Methods that can search again
among known neighbours do so in step 5 (`Method.search_again`), and ten data sets take only a few
times as long as complete data. Values are drawn on graphs of `Method.settling`: of the method
itself if its graphs are those of penalised regressions or of pairs, and otherwise of PLRHC. Other
criteria may join a variable to more neighbours than a regression on few samples can have, and some
methods take much longer.

An edge of the result is in more than half of the imputed data sets' graphs. Its `share` is that
fraction, and `evidence_variance` is the variance of its evidence between the data sets of step 6;
both show how much the missing values matter. Couplings and regressions are means over these data
sets. Evidence is their mean minus the contribution of the imputed values themselves
(`imputed_samples.py`), that is, the evidence of the observed values.

A method that samples graphs (`bayes`) replaces steps 4 and 5 by chains over graphs and values:
`sampled.py`.

Values must be missing at random: whether one is missing may depend on the observed values of its
sample, but not on the value itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.execution.runner import no_progress
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.learning.describe import LearnedGraph, Numbers, learned_graph, numbers_of
from markhood.learning.forecast.forecast import Forecast
from markhood.learning.imputation.imputed_samples import ImputedSamples, surplus_of
from markhood.learning.imputation.sampled import SWEEPS_OF_VALUES
from markhood.model.regressions import Regressions
from markhood.scores.discrete import scorer_for
from markhood.scores.scorer import Pairs
from markhood.search.blankets import add_counts, edges_in_most
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult, Slopes

if TYPE_CHECKING:
    from markhood.learning.methods.method import Method

# Random filling weakens all couplings, and an edge that a search misses is not used for drawing.
# With 30 % missing on grids of 64, the graph was 20.5 edges from that of the complete data after
# 2 turns, 17.8 after 6 and 17.0 after 12. Few missing values need fewer turns.
FIRST_TURNS = 6
MOST_TURNS = 20
MANY = 0.1  # share of missing values from which on all first turns are taken
TURNS_PER_SET = 3
SWEEPS = 5  # draws per fit
TURN_OF_CHAIN = 0.25  # relative to chains on complete data; all pairs are refitted


@dataclass(frozen=True)
class Imputation:
    """How missing values are imputed."""

    sets: int = 10  # number of imputed data sets
    seed: int | None = 0  # random seed. None draws a different one on every call


def learn_imputed(job: Job, method: Method, imputation: Imputation) -> LearnedGraph:
    """Learn from samples with missing values: impute several times, search, and combine.

    Returns
    -------
    LearnedGraph
        The graph has the annotation ``evidence_variance``, and ``share`` if the data sets have
        graphs of their own.
    """
    start = perf_counter()
    quiet = replace(job, runner=replace(job.runner, progress=no_progress))
    values = ImputedSamples(job.samples, np.random.default_rng(imputation.seed))
    job.runner.progress("settling", 0, 1)
    settled = _settled(_for_drawing(quiet, method), method.settling, values)
    found, columns = method.search_completed(job, quiet, values, settled, imputation)
    sets = []
    for k in range(imputation.sets):
        job.runner.progress("evidence", k, imputation.sets)
        for _ in range(TURNS_PER_SET):
            completed = drawn(quiet, found.edges, values, by_chance=True)
        sets.append(completed)
    return _described(sets, values, found, columns, perf_counter() - start)


def completed_search(
    job: Job, method: Method, rng: np.random.Generator, sets: int = 1
) -> tuple[SearchResult, list[Job]]:
    """Search samples that may have missing values; a fast form for many data sets.

    Draws of the missing values alternate with searches until the graph is stable, with one sweep
    per turn. Each data set is then drawn on the previous graph, by regressions fitted to the
    imputed samples, and searched. One imputation per data set is enough where many data sets are
    compared (bootstrap replicates, permuted groups), because the spread between them includes that
    of the drawn values. The bootstrap step of `learn_imputed` is omitted, because these data sets
    are themselves resampled.

    Parameters
    ----------
    method : Method
        A method that accepts missing values searches once, without imputation.

    Returns
    -------
    found : SearchResult
        The graph; with several data sets, the edges that more than half of them have.
    jobs : list of Job
        The job on each imputed data set. Couplings and fields are means over these. Without missing
        values, the job itself.
    """
    if not job.samples.missing:
        return method.search(job), [job]
    if method.takes_missing:
        found = method.search(job)
        return found, completed_on(job, found.edges, rng, sets)
    values = ImputedSamples(job.samples, rng)
    settled = _settled(_for_drawing(job, method), method.settling, values, sweeps=1)
    searched = list(_searched_sets(job, method, values, settled, sets, turns=1))
    return _in_most([found for _, found in searched], job.n_variables)[0], [
        completed for completed, _ in searched
    ]


def completed_on(job: Job, edges: Ints, rng: np.random.Generator, sets: int = 1) -> list[Job]:
    """Impute samples on a given graph; return a job per data set."""
    if not job.samples.missing:
        return [job]
    values = ImputedSamples(job.samples, rng)
    for _ in range(FIRST_TURNS):
        drawn(job, edges, values, sweeps=1)
    return [drawn(job, edges, values) for _ in range(sets)]


def forecast_imputed(job: Job, method: Method, imputation: Imputation) -> Forecast:
    """Forecast learning with missing values from one imputed data set."""
    values = ImputedSamples(job.samples, np.random.default_rng(imputation.seed))
    completed, settling = job.on(values.samples()), method.settling
    complete = method.forecast(completed)
    settled = complete if settling is method else settling.forecast(completed)
    turn = _seconds_of_draws(job, values)  # nearly independent of the graph
    evidence = complete.seconds["evidence"]
    search, own_search = (
        sum(one.seconds.values()) - one.seconds["evidence"] for one in (settled, complete)
    )
    fit = evidence / 2  # a fit takes about half the time of the evidence
    seconds = {"settling": (_first_turns(job, values) + 1) * (search + fit + turn)}
    if "chains" in complete.seconds:
        sweeps = SWEEPS_OF_VALUES / SWEEPS * int(getattr(method, "chains", 1))
        chains = TURN_OF_CHAIN * complete.seconds["chains"] + sweeps * turn
        seconds["chains"] = 1.5 * imputation.sets * chains
    else:
        again = settled.seconds.get("climb", search)
        seconds["sets"] = imputation.sets * TURNS_PER_SET * (again + fit + turn)
        seconds["sets"] += 0 if settling is method else imputation.sets * own_search
    seconds["evidence"] = imputation.sets * (TURNS_PER_SET * (fit + turn) + 3 * evidence)
    return replace(complete, seconds=seconds)


def _seconds_of_draws(job: Job, values: ImputedSamples) -> float:
    """Time one round of drawing on the empty graph."""
    quiet = replace(job, runner=replace(job.runner, progress=no_progress, checkpoint=None))
    start = perf_counter()
    drawn(quiet, np.empty((0, 2), np.int64), values)
    return perf_counter() - start


def search_in_sets(
    job: Job,
    quiet: Job,
    method: Method,
    values: ImputedSamples,
    settled: SearchResult,
    imputation: Imputation,
) -> tuple[SearchResult, dict[str, Floats]]:
    """Search each imputed data set; return the edges of most of them, with their shares."""
    job.runner.progress("imputations", 0, imputation.sets)
    of_sets = []
    for _, found in _searched_sets(quiet, method, values, settled, imputation.sets, TURNS_PER_SET):
        of_sets.append(found)
        job.runner.progress("imputations", len(of_sets), imputation.sets)
    return _in_most(of_sets, job.n_variables)


def _searched_sets(
    job: Job,
    method: Method,
    values: ImputedSamples,
    settled: SearchResult,
    sets: int,
    turns: int,
) -> Iterator[tuple[Job, SearchResult]]:
    """Draw and search data sets; ``settled`` has the graph for the first draw."""
    for_drawing, settling, found = _for_drawing(job, method), method.settling, settled
    for _ in range(sets):
        for _ in range(turns):
            completed = drawn(for_drawing, settled.edges, values)
            settled = settling.search_again(completed, settled)
        own = job.on(completed.samples)
        found = settled if settling is method else method.search_again(own, found)
        yield own, found


def _for_drawing(job: Job, method: Method) -> Job:
    """Return the job with the criterion of the method whose graphs values are drawn on."""
    criterion = method.settling.scored_by
    return replace(job, scorer=scorer_for(job.samples, criterion, job.scorer.kernels))


def _settled(
    job: Job, method: Method, values: ImputedSamples, sweeps: int = SWEEPS
) -> SearchResult:
    """Alternate between searching and drawing until the graph is stable up to chance.

    The result has the last graph, and the union of blankets over all searches.
    """
    first_turns = _first_turns(job, values)
    found, changed = method.search(job.on(values.samples())), math.inf
    seen = pair_numbers(found.or_edges)
    for turn in range(1, MOST_TURNS + 1):
        before, changed_before = found, changed
        found = method.search(drawn(job, found.edges, values, sweeps=sweeps))
        seen = np.union1d(seen, pair_numbers(found.or_edges))
        changed = len(np.setxor1d(pair_numbers(found.edges), pair_numbers(before.edges)))
        if turn >= first_turns and (not changed or changed >= changed_before):
            break
    return replace(found, or_edges=pairs_numbered(seen))


def _first_turns(job: Job, values: ImputedSamples) -> int:
    masks, covariates = values.is_missing, job.constraints.covariates.tolist()
    # Imputed values of a covariate affect every pair.
    shares = [values.share_missing, *(float(masks[c].mean()) for c in covariates if c in masks)]
    return math.ceil(FIRST_TURNS * min(1.0, max(shares) / MANY))


def drawn(
    job: Job, edges: Ints, values: ImputedSamples, *, by_chance: bool = False, sweeps: int = SWEEPS
) -> Job:
    """Draw the missing values from the regressions on a graph; return the job with them.

    The regressions are fitted to the imputed samples or, with ``by_chance``, to a bootstrap of
    them.
    """
    fitted = values.resampled() if by_chance else values.samples()
    regressions = values.drawn_by(job.on(fitted), edges)
    for _ in range(sweeps):
        values.draw_missing(regressions)
    return job.on(values.samples())


def _in_most(
    of_sets: list[SearchResult], n_variables: int
) -> tuple[SearchResult, dict[str, Floats]]:
    """Keep the edges that most data sets have, with their shares."""
    edges, shares = edges_in_most([found.edges for found in of_sets])
    or_edges, _ = edges_in_most([found.or_edges for found in of_sets])
    screened = [found.screened.edges for found in of_sets if found.screened is not None]
    passed = edges_in_most(screened)[0] if screened else None
    slopes = [found.slopes.of(edges) for found in of_sets if found.slopes is not None]
    agreed = replace(
        of_sets[-1],
        edges=edges,
        or_edges=or_edges,
        screened=None if passed is None else Pairs(passed, np.full(len(passed), np.nan)),
        slopes=Slopes.at(edges, np.mean(slopes, axis=0), n_variables) if slopes else None,
        evaluations={
            phase: add_counts([found.evaluations[phase] for found in of_sets])
            for phase in of_sets[0].evaluations
        },
        not_converged={
            phase: add_counts([found.not_converged[phase] for found in of_sets])
            for phase in of_sets[0].not_converged
        },
        n_cut=max(found.n_cut for found in of_sets),
    )
    return agreed, {"share": shares}


def _described(
    sets: list[Job],
    values: ImputedSamples,
    found: SearchResult,
    columns: dict[str, Floats],
    seconds: float,
) -> LearnedGraph:
    """Combine the descriptions of a graph's edges over the data sets."""
    is_reported = sets[0].constraints.reports(found.edges)
    described = [numbers_of(job, found) for job in sets]
    evidence_ends = np.array([numbers.evidence_ends for numbers in described])
    combined = Numbers(
        evidence_ends.mean(axis=0) - _surplus(sets, values, found)[is_reported],
        _mean_of_sets([numbers.coupling_ends for numbers in described]),
        [
            None if tables[0] is None else _mean_of_sets(tables)
            for tables in zip(*(numbers.coupling_tables for numbers in described), strict=True)
        ],
        _mean_scores(described),
        _mean_regressions(described),
        add_counts([numbers.not_converged for numbers in described]),
    )
    screened = found.screened
    if screened is not None:
        screened = Pairs(screened.edges, np.full(len(screened.edges), np.nan))
    of_sets = {"evidence_variance": evidence_ends.sum(axis=2).var(axis=0, ddof=1)}
    changes = {"seconds": {"imputation": seconds}, "n_screened": None, "ranking": None}
    found = replace(found, columns=columns, screened=screened)
    return learned_graph(sets[0], found, combined, of_sets, **changes)


def _surplus(sets: list[Job], values: ImputedSamples, found: SearchResult) -> Floats:
    """Return the contribution of imputed values to the evidence at each end of each edge."""
    d, edges = sets[0].n_variables, found.edges
    targets, (blankets, ends) = np.arange(d), Lists.from_both_ends(edges, d)
    if found.is_marginal:
        targets, others = edges.ravel(), np.ascontiguousarray(edges[:, ::-1].ravel())
        blankets = Lists(np.arange(len(targets) + 1), others)
        ends = np.arange(len(targets)).reshape(-1, 2)
    samples = [job.samples for job in sets]
    blankets = sets[0].constraints.adjusted(targets, blankets)
    of_members = surplus_of(
        samples, values.is_missing, targets, blankets, sets[0].runner, sets[0].scorer.kernels
    )
    return np.asarray(of_members[blankets.values < sets[0].n_nodes][ends])


def _mean_of_sets(values: Sequence[Any]) -> Floats:
    """Return the mean over data sets, 0 where some are infinite with different signs."""
    with np.errstate(invalid="ignore"):
        mean = np.mean(values, axis=0)
    return np.where(np.isnan(mean), 0.0, mean)


def _mean_scores(described: list[Numbers]) -> Floats | None:
    scores = [numbers.scores for numbers in described if numbers.scores is not None]
    return np.mean(scores, axis=0) if scores else None


def _mean_regressions(described: list[Numbers]) -> Regressions | None:
    """Return the means of regressions on the same blankets."""
    of_sets = [numbers.regressions for numbers in described if numbers.regressions is not None]
    if not of_sets:
        return None
    return replace(
        of_sets[0],
        coefficients=_mean_of_sets([r.coefficients for r in of_sets]),
        infinite=np.any([r.infinite for r in of_sets], axis=0),
    )
