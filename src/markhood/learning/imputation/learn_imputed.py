"""Learning where values are missing: several completed data sets, and what they agree on.

The data are completed by turns of learning and guessing, and sets are taken on the way:

    1. fill every missing value by chance, as often as its levels are seen in the variable
    2. search for a graph in the completed samples
    3. fit every variable's regression on its neighbours, and draw each missing value anew given the
       others of its sample, by its variable's regression; some sweeps of this are Gibbs sampling
       from the learned model
    4. go on with 2 until the graph settles
    5. for each set: fit and draw as in 3, and search again near what was found so far
    6. draw as many sets once more, all on the graph that the searches agree on, by regressions that are
       fitted to a bootstrap of the samples (`completed.py`), and describe it in each

The searches do without the bootstrap: what most sets have is one answer, and with its noise they were
a little further from the complete data's graph (2.2 edges instead of 1.8 of ten variables with 30 % missing).

A search is what takes the time, and two sets' samples hardly differ: so methods that can search
again among the neighbours that they found do so in 5 (`Method.search_again`), and ten sets take a few
times as long as complete data.

An edge of the answer is in more than half of the completed sets' graphs. Its `share` says in how many,
and `evidence_variance` how much its evidence differs between the sets of 6: signs of how much the missing
values matter to it. Couplings and regressions are means over these sets. Evidence is their mean less what
the guesses themselves add to it (`observed.py`): it is what the observed values say.

A method that samples graphs (`bayes`) replaces 4 and 5 by one chain over graphs and values: `sampled.py`.

The assumption is that values are missing at random: whether one is missing may depend on what was
observed in its sample, but not on the value itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from markhood.execution.runner import no_progress
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.learning.describe import Learned, Numbers, numbers_of
from markhood.learning.edge_columns import edge_columns
from markhood.learning.forecast.forecast import Forecast
from markhood.learning.imputation.completed import Completed
from markhood.learning.imputation.observed import surplus_of
from markhood.learning.imputation.sampled import SWEEPS_OF_VALUES
from markhood.model.regressions import Regressions
from markhood.scores.scorer import Pairs
from markhood.search.blankets import add_counts
from markhood.search.combine import edges_in_most
from markhood.search.values.found import Found, Slopes
from markhood.search.values.job import Job

if TYPE_CHECKING:
    from markhood.learning.methods.method import Method

# A filling by chance weakens all couplings, and what a search then misses is drawn as if it were not
# there: with 30 % missing on grids of 64, 2 turns ended 20.5 edges from the complete data's graph,
# 6 turns 17.8 and 12 turns 17.0. Where few values are missing there is little to forget.
FIRST_TURNS = 6
MOST_TURNS = 20
MANY = 0.1  # as a share of all values: from here on all first turns are taken
TURNS_PER_SET = 3
SWEEPS = 5  # of drawing after a fit
TURN_OF_CHAIN = 0.25  # of what chains take where nothing is missing: all pairs are fitted anew


@dataclass(frozen=True)
class Imputation:
    """How missing values are imputed.

    Parameters
    ----------
    sets : int, default=10
        How many completed data sets to learn from.
    seed : int or None, default=0
        What their random numbers start from; None for others every time.
    """

    sets: int = 10
    seed: int | None = 0


def learn_imputed(job: Job, method: Method, imputation: Imputation) -> Learned:
    """Learn from samples with missing values: complete them several times, search, and combine.

    Parameters
    ----------
    job : Job
        Its samples were read with ``missing="impute"``.
    method : Method
        What searches in completed samples.
    imputation : Imputation

    Returns
    -------
    Learned
        Its graph has the annotation ``evidence_variance``, and ``share`` where sets had graphs of
        their own.
    """
    start = perf_counter()
    quiet = replace(job, runner=replace(job.runner, progress=no_progress))
    values = Completed(job.samples, np.random.default_rng(imputation.seed))
    job.runner.progress("settling", 0, 1)
    settled = _settled(quiet, method.settling, values)
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
) -> tuple[Found, list[Job]]:
    """Search in samples that may have missing values, and complete them; quick, for many data sets.

    The missing values are drawn in turns with searches until the graph settles, one sweep a turn. Each set is
    then drawn on the graph found before it, by regressions that fit the completed samples best, and searched.
    One set of each data set is enough where many data sets are compared (bootstrap replicates, permuted
    groups): the spread between data sets contains that of the drawn values. The bootstrap of the samples that
    `learn_imputed` draws from is left out, because these data sets are themselves resampled.

    Parameters
    ----------
    job : Job
        With or without missing values in its samples.
    method : Method
        A method that takes missing values itself searches once, in the samples as they are.
    rng : numpy Generator
        Draws the missing values.
    sets : int, default=1
        Number of completed sets.

    Returns
    -------
    found : Found
        The graph; of several sets, with the edges that more than half of them have.
    jobs : list of Job
        The job on each completed set. Numbers that describe the graph (couplings, fields) are means over these.
        Without missing values it is the job itself, once.
    """
    if not job.samples.missing:
        return method.search(job), [job]
    if method.takes_missing:
        found = method.search(job)
        return found, completed_on(job, found.edges, rng, sets)
    values = Completed(job.samples, rng)
    found, of_sets, jobs = _settled(job, method.settling, values, sweeps=1), [], []
    for _ in range(sets):
        jobs.append(drawn(job, found.edges, values))
        found = method.search_again(jobs[-1], found)
        of_sets.append(found)
    return _in_most(of_sets, job.n_variables)[0], jobs


def completed_on(
    job: Job, edges: NDArray[np.int64], rng: np.random.Generator, sets: int = 1
) -> list[Job]:
    """Complete samples on a given graph; return the job on each set, or itself where nothing is missing."""
    if not job.samples.missing:
        return [job]
    values = Completed(job.samples, rng)
    for _ in range(FIRST_TURNS):
        drawn(job, edges, values, sweeps=1)
    return [drawn(job, edges, values) for _ in range(sets)]


def forecast_imputed(job: Job, method: Method, imputation: Imputation) -> Forecast:
    """Say what learning from samples with missing values will take, from one completed set."""
    values = Completed(job.samples, np.random.default_rng(imputation.seed))
    said = method.forecast(job.on(values.samples()))
    turn = _seconds_of_draws(job, values)  # whatever the graph is: most of it is for each variable
    chains, evidence = said.seconds.get("chains", 0.0), said.seconds["evidence"]
    search = sum(said.seconds.values()) - evidence - chains
    fit = evidence / 2  # a fit takes about half of what evidence does
    seconds = {"settling": (_first_turns(job, values) + 1) * (search + fit + turn)}
    if "chains" in said.seconds:
        sweeps = SWEEPS_OF_VALUES / SWEEPS * int(getattr(method, "chains", 1))
        seconds["chains"] = 1.5 * imputation.sets * (TURN_OF_CHAIN * chains + sweeps * turn)
    else:
        again = said.seconds.get("climb", search)
        seconds["sets"] = imputation.sets * TURNS_PER_SET * (again + fit + turn)
    seconds["evidence"] = imputation.sets * (TURNS_PER_SET * (fit + turn) + 3 * evidence)
    return replace(said, seconds=seconds)


def _seconds_of_draws(job: Job, values: Completed) -> float:
    """Time a turn of drawing on a graph without edges."""
    quiet = replace(job, runner=replace(job.runner, progress=no_progress, checkpoint=None))
    start = perf_counter()
    drawn(quiet, np.empty((0, 2), np.int64), values)
    return perf_counter() - start


def search_in_sets(
    job: Job,
    quiet: Job,
    method: Method,
    values: Completed,
    found: Found,
    imputation: Imputation,
) -> tuple[Found, dict[str, NDArray[np.float64]]]:
    """Search each completed set; return the graph of the edges in most of them, with their shares."""
    job.runner.progress("imputations", 0, imputation.sets)
    of_sets = []
    for k in range(imputation.sets):
        for _ in range(TURNS_PER_SET):
            found = method.search_again(drawn(quiet, found.edges, values), found)
        of_sets.append(found)
        job.runner.progress("imputations", k + 1, imputation.sets)
    return _in_most(of_sets, job.n_variables)


def _settled(job: Job, method: Method, values: Completed, sweeps: int = SWEEPS) -> Found:
    """Search and draw the missing values in turns until the graph stays as it is, but for chance.

    The answer has the last graph, and the unions of blankets of all searches.
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


def _first_turns(job: Job, values: Completed) -> int:
    masks, covariates = values.is_missing, job.knowledge.covariates.tolist()
    # What is imputed for a covariate matters to every pair.
    shares = [values.share_missing, *(float(masks[c].mean()) for c in covariates if c in masks)]
    return math.ceil(FIRST_TURNS * min(1.0, max(shares) / MANY))


def drawn(
    job: Job,
    edges: NDArray[np.int64],
    values: Completed,
    *,
    by_chance: bool = False,
    sweeps: int = SWEEPS,
) -> Job:
    """Draw the missing values from the regressions on a graph; return the job with them.

    The regressions are fitted to the completed samples or, ``by_chance``, to a bootstrap of these.
    """
    fitted = values.resampled() if by_chance else values.samples()
    regressions = values.drawn_by(job.on(fitted), edges)
    for _ in range(sweeps):
        values.draw_missing(regressions)
    return job.on(values.samples())


def _in_most(
    of_sets: list[Found], n_variables: int
) -> tuple[Found, dict[str, NDArray[np.float64]]]:
    """Keep the edges that most sets have; each with its share."""
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
    values: Completed,
    found: Found,
    columns: dict[str, NDArray[np.float64]],
    seconds: float,
) -> Learned:
    """Put together what the sets say of a graph's edges."""
    known, variables = sets[0].knowledge, sets[0].samples.variables.pick(range(sets[0].n_nodes))
    is_reported = known.reports(found.edges)
    edges = found.edges[is_reported]
    described = [numbers_of(job, found) for job in sets]
    evidence_ends = np.array([numbers.evidence_ends for numbers in described])
    coupling_ends = np.mean([numbers.coupling_ends for numbers in described], axis=0)
    coupling_tables = [
        None if tables[0] is None else np.mean(tables, axis=0)
        for tables in zip(*(numbers.coupling_tables for numbers in described), strict=True)
    ]
    graph = Graph(
        variables,
        edges,
        evidence_ends.mean(axis=0) - _surplus(sets, values, found)[is_reported],
        coupling_ends,
        coupling_tables=coupling_tables,
        annotations={
            **edge_columns(sets[0].samples, edges, coupling_ends, coupling_tables),
            **{name: column[is_reported] for name, column in columns.items()},
            "evidence_variance": evidence_ends.sum(axis=2).var(axis=0, ddof=1),
            **({} if found.probabilities is None else found.probabilities.of(edges)),
        },
    )
    screened = None
    if found.screened is not None:
        passed = found.screened.edges[known.reports(found.screened.edges)]
        screened = Pairs(passed, np.full(len(passed), np.nan))
    return Learned(
        graph=graph,
        screened=screened,
        or_edges=found.or_edges[known.reports(found.or_edges)],
        blanket_scores=_mean_scores(described),
        regressions=_mean_regressions(described),
        evaluations=found.evaluations,
        seconds={"imputation": seconds},
        n_cut=found.n_cut,
        found_edges=found.edges,
        probabilities=found.probabilities,
        is_marginal=found.is_marginal,
        not_converged=found.not_converged
        | {"evidence": add_counts([numbers.not_converged for numbers in described])},
    )


def _surplus(sets: list[Job], values: Completed, found: Found) -> NDArray[np.float64]:
    """Return what the sets' guesses add to the evidence of each end of each edge."""
    d, edges = sets[0].n_variables, found.edges
    targets, (blankets, ends) = np.arange(d), Lists.from_both_ends(edges, d)
    if found.is_marginal:
        targets, others = edges.ravel(), np.ascontiguousarray(edges[:, ::-1].ravel())
        blankets = Lists(np.arange(len(targets) + 1), others)
        ends = np.arange(len(targets)).reshape(-1, 2)
    samples = [job.samples for job in sets]
    blankets = sets[0].knowledge.adjusted(targets, blankets)
    of_members = surplus_of(
        samples, values.is_missing, targets, blankets, sets[0].runner, sets[0].scorer.kernels
    )
    return np.asarray(of_members[blankets.values < sets[0].n_nodes][ends])


def _mean_scores(described: list[Numbers]) -> NDArray[np.float64] | None:
    scores = [numbers.scores for numbers in described if numbers.scores is not None]
    return np.mean(scores, axis=0) if scores else None


def _mean_regressions(described: list[Numbers]) -> Regressions | None:
    """Return the means of regressions on the same blankets."""
    of_sets = [numbers.regressions for numbers in described if numbers.regressions is not None]
    if not of_sets:
        return None
    return replace(
        of_sets[0],
        coefficients=np.mean([r.coefficients for r in of_sets], axis=0),
        infinite=np.any([r.infinite for r in of_sets], axis=0),
    )
