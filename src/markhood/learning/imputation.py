"""Learning where values are missing: several completed data sets, and what they agree on.

The data are completed by turns of learning and guessing, and sets are taken on the way:

    1. fill every missing value by chance, as often as its levels are seen in the variable
    2. search for a graph in the completed samples
    3. fit every variable's regression on its neighbours, and draw each missing value anew given the
       others of its sample, by its variable's regression; some sweeps of this are Gibbs sampling
       from the learned model
    4. go on with 2 until the graph settles
    5. for each set: fit and draw as in 3, and search again near what was found so far

A search is what takes the time, and two sets' samples hardly differ: so methods that can search
again among the neighbours that they found do so in 5 (`Method.search_again`), and ten sets take a few
times as long as complete data.

An edge of the answer is in more than half of the completed sets' graphs. Its `share` says in how many,
and `evidence_variance` how much its evidence differs between them: signs of how much the missing
values matter to it. Evidence, couplings and regressions are means over the sets, all of them on the
final graph.

The assumption is that values are missing at random: whether one is missing may depend on what was
observed in its sample, but not on the value itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.execution.runner import no_progress
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.tables import codes
from markhood.learning.describe import Learned, Numbers, numbers_of, regress, scaled
from markhood.learning.forecast import Forecast, forecast
from markhood.learning.methods import Method
from markhood.model.regressions import Regressions, softmax
from markhood.search.blankets import add_counts
from markhood.search.combine import edges_in_most
from markhood.search.found import Found
from markhood.search.job import Job
from markhood.search.probabilities import pooled

# A filling by chance weakens all couplings, and what a search then misses is drawn as if it were not
# there: with 30 % missing on grids of 64, 2 turns ended 20.5 edges from the complete data's graph,
# 6 turns 17.8 and 12 turns 17.0. Where few values are missing there is little to forget.
FIRST_TURNS = 6
MOST_TURNS = 20
MANY = 0.1  # as a share of all values: from here on all first turns are taken
EXPECTED_TURNS = 3  # two where few values are missing, seven where a third are
TURNS_PER_SET = 3
SWEEPS = 5  # of drawing after a fit


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

    def __post_init__(self) -> None:
        """Check the options."""
        if not isinstance(self.sets, Integral) or self.sets < 2:
            raise InputError(
                f"{option('imputations')} must be a whole number from 2 up, not {self.sets!r}."
            )
        if self.seed is not None and (not isinstance(self.seed, Integral) or self.seed < 0):
            raise InputError(
                f"{option('seed')} must be a whole number from 0 up, not {self.seed!r}."
            )


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
        Its graph has the annotations ``share`` and ``evidence_variance``.
    """
    quiet = replace(job, runner=replace(job.runner, progress=no_progress))
    start = perf_counter()
    values = Completed(job.samples, np.random.default_rng(imputation.seed))
    job.runner.progress("imputations", 0, imputation.sets)
    found = _settled(quiet, method, values)
    sets = []
    for k in range(imputation.sets):
        for _ in range(TURNS_PER_SET):
            completed = _drawn(quiet, found.edges, values)
            found = method.search_again(completed, found)
        sets.append((completed, found))
        job.runner.progress("imputations", k + 1, imputation.sets)
    return _combined(sets, perf_counter() - start)


def forecast_imputed(job: Job, method: Method, imputation: Imputation) -> Forecast:
    """Say what learning from samples with missing values will take, from one completed set."""
    filled = Completed(job.samples, np.random.default_rng(imputation.seed)).samples()
    said = forecast(job.on(filled), method)
    search = sum(said.seconds.values()) - said.seconds["evidence"]
    again = said.seconds.get("climb", search)
    turn = again + said.seconds["evidence"] / 2  # a fit takes about half of what evidence does
    seconds = {
        "settling": EXPECTED_TURNS * (search + said.seconds["evidence"] / 2),
        "sets": imputation.sets * (TURNS_PER_SET * turn + said.seconds["evidence"]),
    }
    return replace(said, seconds=seconds)


def _settled(job: Job, method: Method, values: Completed) -> Found:
    """Search and draw the missing values in turns until the graph stays as it is, but for chance.

    The answer has the last graph, and the unions of blankets of all searches.
    """
    first_turns = math.ceil(FIRST_TURNS * min(1.0, values.share_missing / MANY))
    found, changed = method.search(job.on(values.samples())), math.inf
    seen = pair_numbers(found.or_edges)
    for turn in range(1, MOST_TURNS + 1):
        before, changed_before = found, changed
        found = method.search(_drawn(job, found.edges, values))
        seen = np.union1d(seen, pair_numbers(found.or_edges))
        changed = len(np.setxor1d(pair_numbers(found.edges), pair_numbers(before.edges)))
        if turn >= first_turns and (not changed or changed >= changed_before):
            break
    return replace(found, or_edges=pairs_numbered(seen))


def _drawn(job: Job, edges: NDArray[np.int64], values: Completed) -> Job:
    """Draw the missing values anew, by regressions on a graph; return the job with them."""
    regressions = regress(job.on(values.samples()), edges)
    for _ in range(SWEEPS):
        values.draw_missing(regressions)
    return job.on(values.samples())


class Completed:
    """Samples whose missing values are guesses, which can be drawn anew.

    Parameters
    ----------
    samples : Samples
        With missing values.
    rng : numpy Generator
    """

    def __init__(self, samples: Samples, rng: np.random.Generator) -> None:
        self._source = samples
        self._rng = rng
        self._values = np.stack([codes(samples.bits, v) for v in range(samples.n_variables)])
        self._absent = {
            variable: np.flatnonzero(_unpacked(mask, samples.n_samples))
            for variable, mask in samples.missing.items()
        }
        for variable, absent in self._absent.items():
            seen = np.delete(self._values[variable], absent)
            self._values[variable, absent] = rng.choice(seen, size=len(absent))

    @property
    def share_missing(self) -> float:
        """How many of all values are guesses."""
        return sum(map(len, self._absent.values())) / self._values.size

    def draw_missing(self, regressions: Regressions) -> None:
        """Draw every missing value given the others of its sample, one variable after another."""
        margin = 1 / (2 * self._source.n_samples)  # off 0 and 1, where nothing would ever change
        for variable in self._rng.permutation(list(self._absent)).tolist():
            absent = self._absent[variable]
            neighbours = self._values[np.ix_(regressions.blankets[variable], absent)]
            chances = np.maximum(softmax(regressions.log_odds(variable, neighbours)), margin)
            steps = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)[:, :-1]
            self._values[variable, absent] = (self._rng.random((len(absent), 1)) > steps).sum(
                axis=1
            )

    def samples(self) -> Samples:
        """Return the samples as they are completed now."""
        source = self._source
        words = source.words.copy()
        for variable in self._absent:
            start, stop = source.starts[variable : variable + 2].tolist()
            levels = np.arange(1, stop - start + 1, dtype=np.uint16)[:, np.newaxis]
            packed = np.packbits(self._values[variable] == levels, axis=1, bitorder="little")
            words[start:stop].view(np.uint8)[:, : packed.shape[1]] = packed
        return replace(source, words=words, missing={})


def _unpacked(mask: NDArray[np.uint64], n_samples: int) -> NDArray[np.uint8]:
    return np.unpackbits(mask.view(np.uint8), count=n_samples, bitorder="little")


def _combined(sets: list[tuple[Job, Found]], seconds: float) -> Learned:
    """Keep the edges that most sets have, with means of what the sets say of them."""
    variables = sets[0][0].samples.variables
    of_sets = [found for _, found in sets]
    probable = [found.probabilities for found in of_sets if found.probabilities is not None]
    probabilities = pooled(probable) if probable else None
    edges, shares = edges_in_most([found.edges for found in of_sets])
    or_edges, _ = edges_in_most([found.or_edges for found in of_sets])
    if probabilities is not None:  # the mean over sets has all that they say of an edge
        edges, or_edges = probabilities.edges, _union(or_edges, probabilities.edges)
        numbers = pair_numbers(edges)
        shares = np.mean([np.isin(numbers, pair_numbers(f.edges)) for f in of_sets], axis=0)
    described = [
        numbers_of(job, replace(found, edges=edges, probabilities=probabilities))
        for job, found in sets
    ]
    evidence_ends = np.array([numbers.evidence_ends for numbers in described])
    coupling_ends = np.mean([numbers.coupling_ends for numbers in described], axis=0)
    coupling_tables = [
        None if tables[0] is None else np.mean(tables, axis=0)
        for tables in zip(*(numbers.coupling_tables for numbers in described), strict=True)
    ]
    graph = Graph(
        variables,
        edges,
        evidence_ends.mean(axis=0),
        coupling_ends,
        coupling_tables=coupling_tables,
        annotations={
            **scaled(sets[0][0], edges, coupling_ends, coupling_tables),
            "share": shares,
            "evidence_variance": evidence_ends.sum(axis=2).var(axis=0, ddof=1),
            **({} if probabilities is None else probabilities.of(edges)),
        },
    )
    screened = [found.screened.edges for found in of_sets if found.screened is not None]
    return Learned(
        graph=graph,
        screened_graph=Graph(variables, edges_in_most(screened)[0]) if screened else None,
        or_graph=Graph(variables, or_edges),
        blanket_scores=_mean_scores(described),
        regressions=_mean_regressions(described),
        evaluations={
            phase: add_counts([found.evaluations[phase] for found in of_sets])
            for phase in of_sets[0].evaluations
        },
        seconds={"imputation": seconds},
        n_cut=max(found.n_cut for found in of_sets),
        probabilities=probabilities,
    )


def _union(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    return pairs_numbered(np.union1d(pair_numbers(first), pair_numbers(second)))


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
