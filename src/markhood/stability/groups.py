"""`compare_groups()`: a permutation test of whether groups have the same network.

The statistics are those of the network comparison test (van Borkulo et al., 2023) for each pair of
groups:

    structure    the largest difference between couplings
    strength     the difference between the sums of |coupling|
    edges, fields, centralities: each difference

Couplings are those of regressions on all other variables, under a normal prior, and not those of
two learned graphs: a coupling that is in one graph only because it barely passed the search, or
that is 0 in most permutations, makes the largest difference noisy. The labels of two groups are
permuted among their samples (`grouped`); `score_tests` computes all permutations from one fit to
both groups. P-values are adjusted with the largest statistic in any pair of groups (`comparison`);
the smallest adjusted p-value tests whether any two groups differ.

The family-wise error is controlled for any set of equal groups, whatever the other groups are,
because permutations of two groups do not depend on a third. Pairs of groups are permuted
independently although their differences are dependent in the data, which makes the adjustment
slightly conservative with many groups.

Statistics of couplings and fields have the same distribution under permutations, up to their
degrees of freedom. Differences of strength and centralities between groups g and h are divided by
sqrt(1/n_g + 1/n_h), as in the Tukey-Kramer test; otherwise a small group would determine the
largest difference.

If there are too many variables for regressions on all others, the pairs that pass the screen of all
groups together are compared. These do not depend on the labels, so the test is valid, but a pair
with opposite signs in two groups may be missing.

Degree, closeness and betweenness are properties of learned graphs. They are tested with
``relearn=True`` only, which learns both graphs again for each permutation. Missing values are
imputed in both groups together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.errors import warn
from markhood.execution.runner import Progress, Runner, cut, no_progress
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.methods import Method
from markhood.learning.provenance import version
from markhood.learning.request import Request
from markhood.options import documented
from markhood.scores.scorer import Scorer
from markhood.search.screen import screen
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job
from markhood.stability.comparison import GroupComparison, MaxT, Tally
from markhood.stability.grouped import Groups, for_each, read_groups
from markhood.stability.networks import (
    COUPLING_MEASURES,
    GRAPH_MEASURES,
    Network,
    differences,
    network_of,
)
from markhood.stability.resampling import derived_seed
from markhood.stability.score_tests import ScoreTest
from markhood.stability.studies import GroupOptions

STANDARDISED = ("structure", "edges", "fields")  # statistics that are comparable as they are
GAMMA = 0.5
# Bounds of regressions on all other variables: multiplications, and values of influences.
MOST_WORK = 1e10
MOST_VALUES = 5e7
PERMUTATIONS_PER_TILE = 100
TILE_VALUES = 1 << 22  # values of one family in a tile


@documented(GroupOptions)
def compare_groups(
    *tables: Any,
    by: Any = None,
    pairs: Any = None,
    method: Any = "plrhc",
    permutations: int = 1000,
    relearn: bool = False,
    names: Sequence[str] | None = None,
    weights: Any = None,
    progress: Progress = no_progress,
    **options: Any,
) -> GroupComparison:
    """Test whether groups have the same network.

    Parameters
    ----------
    *tables : array, data frame, sparse matrix, Samples or path
        One table per group, one mapping of group names to tables, or one table of all groups with
        `by`.
    {parameters}
    method : str, default="plrhc"
        As for `learn`.
    names : sequence of str, optional
        Names of the groups if there are several tables; by default a, b, c, ...
    weights : array-like of shape (n_samples,) or str, optional
        As for `learn`; with several tables, one array per table or the name of a column.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method: ``gamma=0.25``, ``n_jobs=2``, ``seed=1``, ...

    Returns
    -------
    GroupComparison

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, size=(400, 3))
    >>> group = np.repeat(["old", "young"], 200)
    >>> x[:, 1] = np.where((group == "old") & (rng.random(400) < 0.8), x[:, 0], x[:, 1])
    >>> found = compare_groups(x, by=group, permutations=50, n_jobs=1)
    >>> found.edge_rows()[0]["source"], found.p_structure < 0.05
    ('x0', True)
    """
    study = GroupOptions(by=by, pairs=pairs, permutations=permutations, relearn=relearn)
    request = Request.from_call(method, options, progress)
    if by is None and len(tables) == 1 and isinstance(tables[0], Mapping):
        names, tables = list(tables[0]), tuple(tables[0].values())
    given = [weights] if len(tables) == 1 else for_each("weights", weights, len(tables))
    requests = [
        request if own is None else replace(request, reading=replace(request.reading, weights=own))
        for own in given
    ]
    groups = read_groups(list(zip(requests, tables, strict=True)), names, by, pairs)
    return compare(request, groups, study)


def compare(request: Request, groups: Groups, study: GroupOptions) -> GroupComparison:
    """Implement `compare_groups` for groups that have been read."""
    groups = replace(groups, samples=request.prepared(groups.samples))
    request = request.with_safe_gamma(groups.samples)
    request.copies(groups.samples).warn()
    samples, n = groups.samples, int(study.permutations)
    facts = {"groups": groups.identity, "permutations": n, "relearn": study.relearn}
    with request.job(samples, facts) as job:
        learner = _Learner(groups, job.scorer, job.constraints, request.method, request.seed)
        sets = request.imputation.sets
        pairs = compared_pairs(job)
        learned = [learner.found(rows, sets, 0, k) for k, rows in enumerate(groups.rows())]
        full = [network_of(jobs, pairs, samples) for jobs, _ in learned]
        tests = learner.score_tests(pairs, sets)
        families = _couplings_tested(tests, groups, full, job.runner, n, request.seed)
        graphs = [network_of(jobs, edges, samples) for jobs, edges in learned]
        measures = [one.measures(COUPLING_MEASURES) for one in full]
        if study.relearn:
            families |= _graphs_tested(learner, graphs, job.runner, n)
            of_graphs = [one.measures(GRAPH_MEASURES) for one in graphs]
            measures = [a | b for a, b in zip(measures, of_graphs, strict=True)]
    origin = {"version": version(), **request.as_json(), **request.method.description}
    return GroupComparison(
        groups.names,
        groups.sizes,
        tuple(one.graph(samples, origin) for one in graphs),
        full[0].edges,
        np.array([one.numbers for one in full]),
        n,
        families,
        tuple(measures),
    )


def compared_pairs(job: Job) -> Ints:
    """Return all pairs that may be edges or, if these are too many, those that pass a screen."""
    n_scores = np.asarray(job.samples.bits.n_scores[: job.n_nodes], np.float64)
    n_entries = n_scores * (n_scores.sum() - n_scores)  # coefficients of each regression
    work = float((n_entries**2 * (job.samples.n_samples + n_entries)).sum())
    is_small = work <= MOST_WORK and job.samples.n_samples * n_entries.sum() / 2 <= MOST_VALUES
    if is_small:
        return job.constraints.applied_to(np.column_stack(np.triu_indices(job.n_nodes, 1)))
    passing = screen(job, GAMMA)
    sizes = job.samples.n_samples * n_scores[passing.edges].prod(axis=1)
    order = np.argsort(-passing.gains, kind="stable")
    kept = np.sort(order[np.cumsum(sizes[order]) <= MOST_VALUES])
    pairs = job.constraints.applied_to(passing.edges[kept])
    warn(
        "pairs-screened",
        "",
        f"{job.n_nodes} variables are too many for regressions on all others: the {len(pairs)} "
        "pairs that are dependent in all groups together are compared.",
    )
    return pairs


def _couplings_tested(
    tests: Sequence[ScoreTest],
    groups: Groups,
    networks: Sequence[Network],
    runner: Runner,
    permutations: int,
    seed: int,
) -> dict[str, MaxT]:
    """Test the differences between couplings and fields."""
    in_pairs = [np.flatnonzero(np.isin(groups.numbers, pair)) for pair in groups.pairs]
    units = _units(groups)

    def statistics(labels: Sequence[Bools]) -> dict[str, Floats]:
        found = [test.statistics(own) for test, own in zip(tests, labels, strict=True)]
        both = {name: np.stack([one[name] for one in found], axis=1) for name in found[0]}
        return {
            name: values if name in STANDARDISED else np.abs(values) / units
            for name, values in both.items()
        }

    second = [
        groups.numbers[rows] == pair[1] for rows, pair in zip(in_pairs, groups.pairs, strict=True)
    ]
    observed = {name: own[0] for name, own in statistics([own[None] for own in second]).items()}

    def permuted(numbers: range) -> dict[str, tuple[Any, ...]]:
        labels = [np.zeros((len(numbers), len(rows)), np.bool_) for rows in in_pairs]
        for k, number in enumerate(numbers):
            drawn = groups.permuted(_random(seed, number))
            for own, rows, chosen in zip(labels, in_pairs, drawn[1::2], strict=True):
                own[k, np.searchsorted(rows, chosen)] = True
        found = statistics(labels)
        return {name: tuple(Tally.of(observed[name], own)) for name, own in found.items()}

    size = max(1, min(PERMUTATIONS_PER_TILE, TILE_VALUES // max(1, len(tests[0].edges))))
    tallies = list(runner.map("permutations", permuted, cut(permutations, size)))
    signed = [differences(*pair) for pair in combinations(networks, 2)]
    return {
        name: MaxT.of(
            np.array([own[name] for own in signed]), own, [Tally(*tally[name]) for tally in tallies]
        )
        for name, own in observed.items()
    }


def _graphs_tested(
    learner: _Learner, networks: Sequence[Network], runner: Runner, permutations: int
) -> dict[str, MaxT]:
    """Test the differences between centralities of graphs, learned again for each permutation."""
    groups, units = learner.groups, _units(learner.groups)

    def gaps(pairs: Iterable[tuple[Network, Network]]) -> dict[str, Floats]:
        found = [tuple(one.measures(GRAPH_MEASURES) for one in pair) for pair in pairs]
        return {m: np.array([b[m] - a[m] for a, b in found]) for m in GRAPH_MEASURES}

    signed = gaps(combinations(networks, 2))

    def permuted(number: int) -> dict[str, tuple[Any, ...]]:
        rows = groups.permuted(_random(learner.seed, number))
        learned = [learner.found(own, 1, number + 1, k) for k, own in enumerate(rows)]
        both = [network_of(jobs, edges, groups.samples) for jobs, edges in learned]
        found = gaps(zip(both[::2], both[1::2], strict=True))
        return {
            m: tuple(Tally.of(np.abs(signed[m]) / units, np.abs(own)[None] / units))
            for m, own in found.items()
        }

    tallies = list(runner.map("graphs", permuted, range(permutations)))
    return {
        f"centrality_{m}": MaxT.of(
            own, np.abs(own) / units, [Tally(*tally[m]) for tally in tallies]
        )
        for m, own in signed.items()
    }


def _units(groups: Groups) -> Floats:
    """Return the scale of the differences between two groups, of shape (n_pairs, 1)."""
    return np.array([[np.sqrt(1 / n + 1 / m)] for n, m in combinations(groups.sizes, 2)])


def _random(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of a permutation."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learn the graphs of groups for given labels.

    Has the parts of a job that a tile of work needs; a runner may hold a connection, which cannot
    be pickled.
    """

    groups: Groups
    scorer: Scorer
    knowledge: Constraints
    method: Method
    seed: int  # all other seeds are derived from it

    def found(self, rows: Ints, sets: int, *key: int) -> tuple[list[Job], Ints]:
        """Return jobs with complete samples of some rows, and the edges learned from them."""
        job = self._job(rows, *key)
        found, jobs = completed_search(job, self.method, np.random.default_rng(job.seed), sets)
        return jobs, found.edges

    def score_tests(self, edges: Ints, sets: int) -> list[ScoreTest]:
        """Fit every two groups together, with missing values imputed in both together."""
        groups, tests = self.groups, []
        for k, pair in enumerate(groups.pairs):
            rows = np.flatnonzero(np.isin(groups.numbers, pair))
            key = 0, len(groups.names) + k
            has_missing = bool(groups.samples.missing)
            jobs = self.found(rows, sets, *key)[0] if has_missing else [self._job(rows, *key)]
            tests.append(ScoreTest.of(jobs, edges, groups.sizes[pair[1]]))
        return tests

    def _job(self, rows: Ints, *key: int) -> Job:
        samples = self.groups.samples.take(rows)
        seed = derived_seed(self.seed, *key)
        return Job(samples, self.scorer.on(samples), Runner(1), self.knowledge, seed)
