"""`compare_groups()`: do groups have the same network? A permutation test.

The statistics are those of the network comparison test (van Borkulo and others, 2023), for every two groups:

    structure    the largest difference of a coupling
    strength     the difference of the sums of the sizes of all couplings
    edges, fields, centralities: each difference

The labels of two groups are permuted among their samples (`grouped`), and both networks are learned and fitted again each
time. P-values are adjusted by the largest difference in any pair of groups (`permutation`), and the smallest adjusted p-value tests
whether any two groups differ. Couplings that are learned again take part whether the data have that edge or not: the
edges of the data were chosen with the labels, and the largest among these alone was below 0.05 in 12 % of 200 pairs of
equal groups.

The family-wise error is controlled for any set of groups that are equal, whatever the others are: permutations of two groups
do not depend on a third. Pairs of groups are permuted independently of each other. Their differences depend on each other
in the data, which makes the adjustment for many groups a little too large.

Differences are compared in units. Those of groups g and h are divided by sqrt(1/n_g + 1/n_h), as in the Tukey-Kramer
test: a small group would otherwise decide the largest difference. Fields, and everything on a graph that is kept, vary
smoothly, so each is divided by its own standard deviation over the permutations. A coupling that is learned again is 0 in most
permutations or in few, and such a unit would make a rare edge large.

With ``relearn=False`` the graph is that of all groups together, and only couplings are fitted again: several times
faster, and as valid, because that graph does not depend on the labels. But it may lack an edge that has opposite signs
in two groups.

Missing values are imputed in each group by itself, in the data and under permuted labels, by one draw each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.learning.imputation.learn_imputed import completed_on, completed_search
from markhood.learning.methods import Method
from markhood.learning.request import Request
from markhood.scores.scorer import Scorer
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job
from markhood.stability.comparison import GroupComparison
from markhood.stability.grouped import Groups, for_each, read_groups
from markhood.stability.networks import Network, differences, network_of, union
from markhood.stability.permutation import MaxT
from markhood.stability.resampling import derived_seed


def compare_groups(
    *tables: Any,
    by: Any = None,
    pairs: Any = None,
    method: Any = "plrhc",
    permutations: int = 1000,
    relearn: bool = True,
    names: Sequence[str] | None = None,
    weights: Any = None,
    progress: Progress = no_progress,
    **options: Any,
) -> GroupComparison:
    """Test whether groups have the same network.

    Parameters
    ----------
    *tables : array, data frame, sparse matrix, Samples or path
        The samples of each group; or of all groups in one table, with `by`. One mapping of names to tables gives the
        groups names.
    by : str or sequence of n_samples labels, optional
        The group of every sample: labels, or the name of their column. Samples without a label are left out.
    pairs : str or sequence of labels, optional
        Paired samples: the person of every sample, as labels (of several tables, a sequence for each) or the name of
        their column. Labels are then permuted among the samples of a person only. Persons that do not have exactly
        one sample in each group are left out.
    method : str, default="plrhc"
        As for `learn`.
    permutations : int, default=1000
        Number of permutations.
    relearn : bool, default=True
        Whether to learn all graphs again in each permutation; else the graph is that of all groups together.
    names : sequence of str, optional
        Names of the groups, where they are several tables; by default a, b, c, ...
    weights : array-like of shape (n_samples,) or str, optional
        As for `learn`; of several tables, a sequence of arrays, one for each, or the name of a column of all.
    progress : callable, optional
        Called with the name of a phase, tiles done and tiles in all.
    **options
        Of `learn` and of the method: ``gamma=0.25``, ``n_jobs=2``, ``seed=1``, ...

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
    request = Request.from_call(method, options, progress)
    if by is None and len(tables) == 1 and isinstance(tables[0], Mapping):
        names, tables = list(tables[0]), tuple(tables[0].values())
    given = [weights] if len(tables) == 1 else for_each("weights", weights, len(tables))
    requests = [replace(request, reading=replace(request.reading, weights=own)) for own in given]
    groups = read_groups(list(zip(requests, tables, strict=True)), names, by, pairs)
    return compare(request, groups, permutations, relearn)


def compare(request: Request, groups: Groups, permutations: int, relearn: bool) -> GroupComparison:
    """Do what `compare_groups` says, with groups that have been read."""
    if not isinstance(permutations, Integral) or isinstance(permutations, bool) or permutations < 1:
        raise InputError(
            f"{option('permutations')} must be a whole number from 1 up, not {permutations!r}."
        )
    groups = replace(groups, samples=request.prepared(groups.samples))
    start = request.seed
    study = {"groups": groups.identity, "permutations": int(permutations), "relearn": relearn}
    with request.job(groups.samples, study) as job:
        learner = _Learner(groups, job.scorer, job.constraints, request.method, start)
        if not relearn:
            learner = replace(learner, kept=learner.found(groups.samples, 0, len(groups.names))[1])
        networks = learner.networks(groups.rows(), 0)
        edges = union([one.edges for one in networks])

        def permuted(number: int) -> dict[str, NDArray[np.float64]]:
            rng = np.random.default_rng(np.random.SeedSequence(start, spawn_key=(number,)))
            both = learner.networks(groups.permuted(rng), number + 1)
            return differences(list(zip(both[::2], both[1::2], strict=True)), edges)

        found = list(job.runner.map("permutations", permuted, range(int(permutations))))
    return GroupComparison(
        groups.names,
        groups.sizes,
        tuple(one.graph(groups.samples) for one in networks),
        edges,
        _tested(differences(list(combinations(networks, 2)), edges), found, groups.sizes, relearn),
        tuple(one.centralities for one in networks),
    )


def _tested(
    own: Mapping[str, NDArray[np.float64]],
    permuted: Sequence[Mapping[str, NDArray[np.float64]]],
    sizes: Sequence[int],
    relearn: bool,
) -> dict[str, MaxT]:
    """Test every family of differences."""
    units = np.array([[np.sqrt(1 / n + 1 / m)] for n, m in combinations(sizes, 2)])
    structure = np.array([own["structure"], *(one["structure"] for one in permuted)])
    largest = (structure / units).max(axis=(1, 2))
    tests = {}
    for name, signed in own.items():
        is_whole = name in ("structure", "strength")
        is_smooth = name == "fields" or not (relearn or is_whole)
        tests[name] = MaxT.of(
            signed,
            np.array([one[name] for one in permuted]),
            None if is_smooth else units,
            largest if name == "edges" and relearn else None,
        )
    return tests


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns the networks of groups, whatever the labels are.

    It has what a tile of work needs of a job; the runner may hold a connection, which cannot be sent.
    """

    groups: Groups
    scorer: Scorer
    knowledge: Constraints
    method: Method
    start: int  # what all seeds are derived from
    kept: NDArray[np.int64] | None = None  # the graph that all groups have; None to learn each

    def networks(self, rows: Sequence[NDArray[np.int64]], number: int) -> list[Network]:
        """Return the network of each set of rows; `number` is 0 for the data, and differs between permutations."""
        taken = (self.groups.samples.take(own) for own in rows)
        return [network_of(*self.found(own, number, k)) for k, own in enumerate(taken)]

    def found(self, samples: Samples, *key: int) -> tuple[Job, NDArray[np.int64]]:
        """Return a job with complete samples, and the edges that it found in them."""
        seed = derived_seed(self.start, *key)
        job = Job(samples, self.scorer.on(samples), Runner(1), self.knowledge, seed)
        rng = np.random.default_rng(seed)
        if self.kept is not None:
            return completed_on(job, self.kept, rng)[0], self.kept
        found, completed = completed_search(job, self.method, rng)
        return completed[0], found.edges
