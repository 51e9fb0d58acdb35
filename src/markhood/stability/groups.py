"""`compare_groups()`: a permutation test of whether groups have the same network.

The statistics are those of the network comparison test (van Borkulo et al., 2023) for each pair of
groups:

    structure    the largest difference between couplings
    strength     the difference between the sums of |coupling|
    edges, fields, centralities: each difference

The labels of two groups are permuted among their samples (`grouped`), and both networks are learned
and fitted again for each permutation. P-values are adjusted with the largest difference in any pair
of groups (`permutation`); the smallest adjusted p-value tests whether any two groups differ. The
maximum is taken over all couplings of a permutation, not only over the edges of the data. These
were selected with the labels, so a maximum over them alone is anticonservative.

The family-wise error is controlled for any set of equal groups, whatever the other groups are,
because permutations of two groups do not depend on a third. Pairs of groups are permuted
independently although their differences are dependent in the data, which makes the adjustment
slightly conservative with many groups.

Differences are scaled before they are compared. Those of groups g and h are divided by sqrt(1/n_g +
1/n_h), as in the Tukey-Kramer test; otherwise a small group would determine the largest difference.
Fields, and all statistics on a fixed graph, are divided by their own standard deviation over the
permutations instead. Relearned couplings are not: they are 0 in most permutations if the edge is
rare, and a small standard deviation would inflate it.

With ``relearn=False`` the graph is that of the pooled groups, and only the couplings are fitted
again. This is several times faster and equally valid, because the pooled graph does not depend on
the labels, but it may lack an edge that has opposite signs in two groups.

Missing values are imputed separately in each group, once in the data and once per permutation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.learning.imputation.learn_imputed import completed_on, completed_search
from markhood.learning.methods import Method
from markhood.learning.request import Request
from markhood.options import check_value
from markhood.scores.scorer import Scorer
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job
from markhood.stability.comparison import GroupComparison
from markhood.stability.grouped import Groups, for_each, read_groups
from markhood.stability.networks import Network, differences, network_of, union
from markhood.stability.permutation import MaxT
from markhood.stability.resampling import MOST_REPLICATES, derived_seed


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
        One table per group, one mapping of group names to tables, or one table of all groups with
        `by`.
    by : str or sequence of n_samples labels, optional
        Group labels, or the name of their column. Samples without a label are left out.
    pairs : str or sequence of labels, optional
        For paired samples, the labels of the persons (with several tables, one sequence per table),
        or the name of their column. Group labels are then permuted within persons only. Persons
        without exactly one sample in each group are left out.
    method : str, default="plrhc"
        As for `learn`.
    permutations : int, default=1000
        Number of permutations.
    relearn : bool, default=True
        Whether to learn the graphs again for each permutation. Otherwise all groups have the graph
        of the pooled data.
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
    request = Request.from_call(method, options, progress)
    if by is None and len(tables) == 1 and isinstance(tables[0], Mapping):
        names, tables = list(tables[0]), tuple(tables[0].values())
    given = [weights] if len(tables) == 1 else for_each("weights", weights, len(tables))
    requests = [replace(request, reading=replace(request.reading, weights=own)) for own in given]
    groups = read_groups(list(zip(requests, tables, strict=True)), names, by, pairs)
    return compare(request, groups, permutations, relearn)


def compare(request: Request, groups: Groups, permutations: int, relearn: bool) -> GroupComparison:
    """Implement `compare_groups` for groups that have been read."""
    check_value("permutations", permutations, int, low=1, high=MOST_REPLICATES)
    check_value("relearn", relearn, bool)
    groups = replace(groups, samples=request.prepared(groups.samples))
    start = request.seed
    study = {"groups": groups.identity, "permutations": int(permutations), "relearn": relearn}
    with request.job(groups.samples, study) as job:
        learner = _Learner(groups, job.scorer, job.constraints, request.method, start)
        if not relearn:
            pooled = learner.found(groups.samples, 0, len(groups.names))[1]
            learner = replace(learner, fixed=pooled)
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
    """Compute the p-values of each family of differences."""
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
    """Learn the networks of groups for given labels.

    Has the parts of a job that a tile of work needs; a runner may hold a connection, which cannot
    be pickled.
    """

    groups: Groups
    scorer: Scorer
    knowledge: Constraints
    method: Method
    start: int  # the seed from which all seeds are derived
    fixed: NDArray[np.int64] | None = None  # edges of the pooled graph; None to learn each graph

    def networks(self, rows: Sequence[NDArray[np.int64]], number: int) -> list[Network]:
        """Return the network of each set of rows; `number` is 0 for the data itself."""
        taken = (self.groups.samples.take(own) for own in rows)
        return [network_of(*self.found(own, number, k)) for k, own in enumerate(taken)]

    def found(self, samples: Samples, *key: int) -> tuple[Job, NDArray[np.int64]]:
        """Return a job with complete samples, and the edges that were learned from them."""
        seed = derived_seed(self.start, *key)
        job = Job(samples, self.scorer.on(samples), Runner(1), self.knowledge, seed)
        rng = np.random.default_rng(seed)
        if self.fixed is not None:
            return completed_on(job, self.fixed, rng)[0], self.fixed
        found, completed = completed_search(job, self.method, rng)
        return completed[0], found.edges
