"""Replicates: a graph with finite couplings from each resampled data set.

Each data set is resampled first, and its missing values are imputed afterwards, once per data set
(`completed_search`). The replicates therefore reflect both sampling variation and the uncertainty
of the missing values.

Resampled data sets are often separated, so that maximum-likelihood estimates are infinite.
Couplings are therefore fitted under a weak prior, in the graph and in all replicates: slopes are
normal with mean 0 and standard deviation 2.5 (log odds). The coupling of an edge is the mean of the
estimates from the regressions of its two ends; a pair without an edge has coupling 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.errors import InputError, option
from markhood.execution.runner import Runner
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.protocol import FitPenalty
from markhood.learning.describe import couplings_of
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.methods import Method
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.resampling import Resampling, derived_seed

if TYPE_CHECKING:
    from scipy.sparse import csc_array

PRIOR_DEVIATION = 2.5
WEAK = Bic(0.0, FitPenalty(l2=1 / (2 * PRIOR_DEVIATION**2)))


class Replicate(NamedTuple):
    """Edges i < j in lexicographic order, and their couplings."""

    edges: Ints
    couplings: Floats


@dataclass(frozen=True, eq=False)
class Replicates:
    """The graphs of many data sets.

    Attributes
    ----------
    n_variables : int
    pairs : ndarray of shape (n_pairs, 2)
        All pairs that are an edge of at least one graph, i < j, in lexicographic order.
    couplings : csc_array of shape (n_replicates, n_pairs)
        Couplings of the edges. A stored entry is an edge, even if its coupling is 0.
    """

    n_variables: int
    pairs: Ints
    couplings: csc_array

    @classmethod
    def of(cls, found: Sequence[Replicate], n_variables: int) -> Replicates:
        """Combine replicates.

        Examples
        --------
        >>> one = Replicate(np.array([[0, 1]]), np.array([2.0]))
        >>> other = Replicate(np.array([[0, 1], [1, 2]]), np.array([1.0, -1.0]))
        >>> Replicates.of([one, other], 3).shares.tolist()
        [1.0, 0.5]
        """
        from scipy.sparse import csc_array

        numbers = [pair_numbers(one.edges) for one in found]
        joined = np.concatenate([np.empty(0, np.int64), *numbers])
        distinct, columns = np.unique(joined, return_inverse=True)
        rows = np.repeat(np.arange(len(found)), [len(own) for own in numbers])
        order = np.lexsort((rows, columns))
        values = np.concatenate([np.empty(0), *(one.couplings for one in found)])[order]
        starts = np.searchsorted(columns[order], np.arange(len(distinct) + 1))
        # Not built from coordinates, because scipy might drop entries that are 0.
        shape = (len(found), len(distinct))
        return cls(
            n_variables,
            pairs_numbered(distinct),
            csc_array((values, rows[order], starts), shape=shape),
        )

    @property
    def n_replicates(self) -> int:
        """Number of data sets."""
        return int(self.couplings.shape[0])

    @cached_property
    def shares(self) -> Floats:
        """Share of the data sets in which each pair is an edge, of shape (n_pairs,)."""
        return np.diff(self.couplings.indptr) / max(1, self.n_replicates)

    def columns_of(self, edges: Ints) -> Floats:
        """Return the couplings of given pairs in all data sets, shape (n_replicates, n_edges)."""
        known = {number: k for k, number in enumerate(pair_numbers(self.pairs).tolist())}
        dense = np.zeros((self.n_replicates, len(edges)))
        for at, number in enumerate(pair_numbers(edges).tolist()):
            if number in known:
                dense[:, at] = self.couplings[:, [known[number]]].toarray()[:, 0]
        return dense

    def each(self) -> list[Replicate]:
        """Return a list of the replicates."""
        by_row = self.couplings.tocsr()
        by_row.sort_indices()
        cuts = by_row.indptr
        return [
            Replicate(self.pairs[by_row.indices[a:b]], by_row.data[a:b])
            for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        ]


def replicate(job: Job, method: Method, resampling: Resampling, n_replicates: int) -> Replicates:
    """Learn from each resampled data set, with a seed derived from the job's and its number."""
    scorer, samples, known, seed = job.scorer, job.samples, job.constraints, job.seed

    def learn(number: int) -> tuple[Ints, Floats]:
        drawn = resampling.drawn(samples, number)
        own = Job(drawn, scorer.on(drawn), Runner(1), known, derived_seed(seed, number, 0))
        rng = np.random.default_rng(derived_seed(seed, number, 1))
        found, completed = completed_search(own, method, rng)
        return reported_couplings(completed, found.edges, found.is_marginal)

    tiles = list(range(n_replicates))
    n_variables = job.n_variables - len(known.covariates)
    found = [_checked(one, n_variables) for one in job.runner.map("replicates", learn, tiles)]
    return Replicates.of(found, n_variables)


def _checked(one: Any, n_variables: int) -> Replicate:
    """Return a replicate; raise `InputError` for one that a checkpoint cannot have."""
    parts: Any = one if isinstance(one, tuple) and len(one) == 2 else (None, None)
    edges, couplings = parts
    is_sound = (
        isinstance(edges, np.ndarray)
        and isinstance(couplings, np.ndarray)
        and edges.dtype == np.int64
        and edges.shape == (len(edges), 2)
        and couplings.dtype == np.float64
        and couplings.shape == (len(edges),)
        and bool(((edges >= 0) & (edges < n_variables)).all())
    )
    if not is_sound:
        raise InputError(
            "checkpoint",
            "replicates",
            "A saved replicate has edges between variables that do not exist: remove the folder of "
            f"{option('checkpoint')}.",
        )
    return Replicate(edges, couplings)


def reported_couplings(
    jobs: Sequence[Job], edges: Ints, is_marginal: bool = False
) -> tuple[Ints, Floats]:
    """Return the edges to report, and their mean couplings over the imputed data sets."""
    reported = jobs[0].constraints.reports(edges)
    couplings = np.mean([_weak_couplings(job, edges, is_marginal) for job in jobs], axis=0)
    return edges[reported], couplings[reported]


def _weak_couplings(job: Job, edges: Ints, is_marginal: bool) -> Floats:
    """Return the couplings of edges under the weak prior, of shape (n_edges,)."""
    scorer = scorer_for(job.samples, WEAK, job.scorer.kernels)
    weak = replace(job, scorer=scorer, runner=Runner(1))
    return np.asarray(couplings_of(weak, edges, is_marginal).mean(axis=1))
