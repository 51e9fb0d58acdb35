"""Score tests of the differences between two groups, for many permutations of the labels at once.

Every variable is regressed on all compared variables, with both groups pooled and under the weak
prior. If the coefficients of the second group differ by delta, the score of delta is

    U = sum over samples r of (t_r - q) s_r,

with t_r = 1 in the second group, q its share of the samples, and s_r the gradient of the
log-likelihood of sample r at the pooled fit. The one-step ridge estimate of the difference is

    delta = (q (1 - q) I + P)^-1 U,

with I the information of all samples and P the precision of a normal prior. The prior has standard
deviation `PRIOR_DEVIATION` for variables with standard deviation 1; for two balanced binary
variables this is 0.5 on the scale of log odds. The precision of the coefficients of several levels
is the product of their covariance matrices, so that it does not depend on the reference level.

A difference depends linearly on the labels, so each sample has an *influence* on each coupling (the
mean over the regressions of both ends) and on each field. Influences are computed once, and a
permutation of the labels then takes one product.

The variance of a difference under permutations follows from the influences. The test statistic is
delta' V^-1 delta, approximately chi-squared; the cube-root transformation of Wilson and Hilferty
(1931) makes statistics with different degrees of freedom comparable. All statistics are computed in
the same way from the data and from permutations, so that p-values are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.data.rest_scores import of_target
from markhood.execution.runner import Runner
from markhood.graph.numbering import positions_of
from markhood.learning.describe import regress
from markhood.model.regressions import Regressions, level_numbers, real_numbers, softmax
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.replicates import WEAK

PRIOR_DEVIATION = 0.125
LEAST_PRECISION = 1e-6  # for coefficients of constant columns
NULL_EIGENVALUE = 1e-9  # relative to the largest; smaller ones belong to impossible differences


class Influence(NamedTuple):
    """The influence of each sample on differences between couplings and between fields.

    ``pooled`` of shape (n_entries,) are the pooled couplings, ``couplings`` (n_samples, n_entries)
    and ``fields`` (n_samples, n_field_entries) the influences. Couplings are scaled so that the
    norm of the entries of a pair is that of its zero-sum table.
    """

    pooled: Floats
    couplings: Floats
    fields: Floats


@dataclass(frozen=True, eq=False)
class ScoreTest:
    """Statistics of the differences between two groups, for any labels of their samples."""

    edges: Ints  # (n_edges, 2): the compared pairs, in lexicographic order
    # Starts of the entries of each pair, (n_edges + 1,), and of each field, (n_nodes + 1,).
    starts: Ints
    field_starts: Ints
    influence: Influence
    n_second: int  # number of samples in the second group

    @classmethod
    def of(cls, jobs: Sequence[Job], edges: Ints, n_second: int) -> ScoreTest:
        """Fit both groups together and keep the pairs to report.

        Influences are means over imputed data sets.
        """
        samples, reported = jobs[0].samples, jobs[0].constraints.reports(edges)
        n_entries = np.asarray(samples.bits.n_scores)[edges].prod(axis=1)
        n_levels = np.diff(samples.starts)[: jobs[0].n_nodes]
        share = n_second / samples.n_samples
        found = [_influence(job, edges, _starts(n_entries), share) for job in jobs]
        pooled, couplings, fields = (np.mean(own, axis=0) for own in zip(*found, strict=True))
        if not reported.all():
            kept = np.repeat(reported, n_entries)
            edges, n_entries = edges[reported], n_entries[reported]
            pooled, couplings = pooled[kept], couplings[:, kept]
        influence = Influence(pooled, couplings, fields)
        return cls(edges, _starts(n_entries), _starts(n_levels), influence, n_second)

    def statistics(self, labels: Bools) -> dict[str, Floats]:
        """Return the statistics of each family of differences under given labels.

        Parameters
        ----------
        labels : ndarray of shape (n_permutations, n_samples), dtype bool
            Whether each sample is in the second group.

        Returns
        -------
        dict of str to ndarray of shape (n_permutations, n)
            ``structure`` (the largest of ``edges``), ``edges`` and ``fields``, whose values
            increase with the size of a difference; and the differences ``strength``,
            ``centrality_strength`` and ``centrality_expected_influence``.
        """
        # The share varies over the permutations if labels of clusters of samples are permuted.
        second = labels.mean(axis=1, keepdims=True)
        centred = labels - second
        change = centred @ self.influence.couplings
        edges = _statistics(change, self.starts, self._roots)
        fields = _statistics(centred @ self.influence.fields, self.field_starts, self._field_roots)
        numbers = [
            self._numbers(self.influence.pooled + part * change) for part in (-second, 1 - second)
        ]
        sizes = np.abs(numbers[1]) - np.abs(numbers[0])
        return {
            "structure": edges.max(axis=1, initial=-np.inf)[:, None],
            "strength": sizes.sum(axis=1)[:, None],
            "edges": edges,
            "fields": fields,
            "centrality_strength": self._summed(sizes),
            "centrality_expected_influence": self._summed(numbers[1] - numbers[0]),
        }

    @cached_property
    def _roots(self) -> list[Floats]:
        return _inverse_roots(self.influence.couplings, self.starts, self.n_second)

    @cached_property
    def _field_roots(self) -> list[Floats]:
        return _inverse_roots(self.influence.fields, self.field_starts, self.n_second)

    def _numbers(self, couplings: Floats) -> Floats:
        """Return each coupling as one number: the norm of a table."""
        if len(self.starts) == couplings.shape[1] + 1:
            return couplings
        norms = np.sqrt(np.add.reduceat(couplings**2, self.starts[:-1], axis=1))
        return np.where(np.diff(self.starts) == 1, couplings[:, self.starts[:-1]], norms)

    def _summed(self, of_edges: Floats) -> Floats:
        """Sum numbers of edges over the edges of each node."""
        from scipy.sparse import csr_array

        ends = self.edges.ravel()
        shape = (len(self.field_starts) - 1, len(self.edges))
        incidence = csr_array(
            (np.ones(len(ends)), (ends, np.repeat(np.arange(len(self.edges)), 2))), shape=shape
        )
        return np.asarray(incidence @ of_edges.T).T


def _starts(lengths: Ints) -> Ints:
    return np.append(0, np.cumsum(lengths))


def _influence(job: Job, edges: Ints, starts: Ints, share: float) -> Influence:
    weak = replace(job, scorer=scorer_for(job.samples, WEAK, job.scorer.kernels), runner=Runner(1))
    regressions = regress(weak, edges)
    levels, reals = level_numbers(job.samples), real_numbers(job.samples)
    weighting = job.samples.bits.weighting
    weights = np.ones(levels.shape[1]) if weighting is None else weighting.weights
    pooled, couplings = np.zeros(starts[-1]), np.zeros((levels.shape[1], int(starts[-1])))
    fields = []
    for target in range(job.n_nodes):
        at = _entries(regressions.n_scores, target, edges, starts)
        own_reals = of_target(reals, target)
        own = _of_target(regressions, target, levels, own_reals, weights, share, len(at))
        fields.append(own.fields)
        pooled[at] += own.pooled / 2
        couplings[:, at] += own.couplings / 2
    for scale, own_entries in _scales(regressions, edges, starts):
        pooled[own_entries] = scale @ pooled[own_entries]
        couplings[:, own_entries] = couplings[:, own_entries] @ scale.T
    return Influence(pooled, couplings, np.hstack(fields))


def _of_target(
    regressions: Regressions,
    target: int,
    levels: NDArray[np.uint16],
    reals: Floats,
    weights: Floats,
    share: float,
    n_entries: int,
) -> Influence:
    """Compute influences in the regression of a variable; those of covariates are left out."""
    blanket, n_levels = regressions.blankets[target], int(regressions.n_levels[target])
    scores = [_scores(levels[member], regressions, member) for member in blanket.tolist()]
    columns = np.column_stack([reals.T, *scores])
    predictors = columns - np.average(columns, axis=0, weights=weights)
    indicators = np.eye(n_levels)
    steps = _scores(np.arange(n_levels, dtype=np.uint16), regressions, target)
    chances = softmax(regressions.log_odds(target, levels[blanket], reals))
    residuals = (indicators[levels[target]] - chances) * weights[:, None]
    of_slopes = predictors[:, :, None] * (residuals @ steps)[:, None]
    gradients = np.hstack([residuals[:, 1:], of_slopes.reshape(len(columns), -1)])
    own = steps[levels[target]] - np.average(steps[levels[target]], axis=0, weights=weights)
    widths = [1] * len(reals) + [own_scores.shape[1] for own_scores in scores]
    owners = np.repeat(np.arange(len(widths)), widths)
    moments = (predictors.T * weights) @ predictors * (owners[:, None] == owners)
    precision = np.kron(moments, (own.T * weights) @ own) / (weights.sum() * PRIOR_DEVIATION) ** 2
    prior = LEAST_PRECISION * np.eye(gradients.shape[1])
    prior[n_levels - 1 :, n_levels - 1 :] += precision
    information = share * (1 - share) * _information(chances, weights, steps, predictors)
    found = np.linalg.solve(information + prior, gradients.T).T
    first = n_levels - 1 + reals.shape[0] * steps.shape[1]
    of_nodes = slice(first, first + n_entries)
    coefficients = regressions.coefficients[regressions.starts[target] :]
    return Influence(coefficients[of_nodes], found[:, of_nodes], found[:, : n_levels - 1])


def _information(chances: Floats, weights: Floats, steps: Floats, predictors: Floats) -> Floats:
    """Return the information about thresholds and slopes, given the probabilities of the levels."""
    features = np.hstack([np.eye(len(steps))[:, 1:], steps])
    means = chances @ features
    first, width = len(steps) - 1, steps.shape[1]
    found = np.empty((first + predictors.shape[1] * width,) * 2)
    slots = [slice(k, k + 1) for k in range(first)]
    slots += [slice(first + k, None, width) for k in range(width)]
    columns = [np.ones((len(weights), 1))] * first + [predictors] * width
    for a, x in enumerate(columns):
        for b, z in enumerate(columns):
            products = chances @ (features[:, a] * features[:, b])
            covariances = weights * (products - means[:, a] * means[:, b])
            found[slots[a], slots[b]] = (x.T * covariances) @ z
    return found


def _scores(levels: NDArray[np.uint16], regressions: Regressions, variable: int) -> Floats:
    """Return the scores of level numbers, of shape (n, n_scores)."""
    if regressions.n_scores[variable] == 1:
        return levels[:, None].astype(np.float64)
    return np.eye(int(regressions.n_levels[variable]))[levels, 1:]


def _entries(n_scores: Ints, target: int, edges: Ints, starts: Ints) -> Ints:
    """Return the positions of a target's slopes among the entries of all pairs."""
    members = np.sort(edges[(edges == target).any(axis=1)].sum(axis=1) - target)
    pairs = np.sort(np.column_stack([np.full(len(members), target), members]), axis=1)
    at, _ = positions_of(pairs, edges)
    if (n_scores == 1).all():
        return starts[at]
    own, found = np.arange(n_scores[target]), []
    for member, start in zip(members.tolist(), starts[at].tolist(), strict=True):
        of_member = np.arange(n_scores[member])[:, None]
        is_first = target < member
        inner = own * len(of_member) + of_member if is_first else of_member * len(own) + own
        found.append(start + inner.ravel())
    return np.concatenate([np.empty(0, np.int64), *found])


def _scales(regressions: Regressions, edges: Ints, starts: Ints) -> list[tuple[Floats, slice]]:
    """Return matrices that make the norm of the entries of a pair that of its zero-sum table."""
    n_scores = regressions.n_scores
    found: list[tuple[Floats, slice]] = []
    roots: dict[int, Floats] = {}
    for (i, j), ends in zip(edges.tolist(), pairwise(starts.tolist()), strict=True):
        if n_scores[i] == n_scores[j] == 1:
            continue
        for k in {i, j} - roots.keys():
            every = np.arange(int(regressions.n_levels[k]), dtype=np.uint16)
            steps = _scores(every, regressions, k)
            centred = steps - steps.mean(axis=0)
            roots[k] = np.linalg.cholesky(centred.T @ centred).T
        scale = np.asarray(np.kron(roots[i], roots[j]), np.float64)
        found.append((scale, slice(*ends)))
    return found


def _inverse_roots(influence: Floats, starts: Ints, n_second: int) -> list[Floats]:
    """Return V^-1/2 of the difference of each pair, V its variance over all permutations."""
    n = len(influence)
    unit = n_second * (n - n_second) / (n * max(1, n - 1))
    centred = influence - influence.mean(axis=0)
    if len(starts) == influence.shape[1] + 1:
        deviations = np.sqrt(unit * (centred**2).sum(axis=0))
        return [np.divide(1.0, deviations, where=deviations > 0, out=np.zeros(len(deviations)))]
    found = []
    for a, b in pairwise(starts.tolist()):
        values, vectors = np.linalg.eigh(unit * centred[:, a:b].T @ centred[:, a:b])
        kept = values > NULL_EIGENVALUE * max(values.max(initial=0.0), 1e-300)
        found.append(vectors[:, kept] / np.sqrt(values[kept]))
    return found


def _statistics(change: Floats, starts: Ints, roots: list[Floats]) -> Floats:
    """Return comparable statistics of differences, of shape (n_permutations, n)."""
    if len(starts) == change.shape[1] + 1:
        return _comparable((change * roots[0]) ** 2, 1)
    found = np.full((len(change), len(starts) - 1), -np.inf)
    for k, ((a, b), root) in enumerate(zip(pairwise(starts.tolist()), roots, strict=True)):
        if root.shape[1]:
            found[:, k] = _comparable(((change[:, a:b] @ root) ** 2).sum(axis=1), root.shape[1])
    return found


def _comparable(squares: Floats, freedom: int) -> Floats:
    """Transform chi-squared values to the standard normal distribution."""
    variance = 2 / (9 * freedom)
    return np.asarray((np.cbrt(squares / freedom) - (1 - variance)) / np.sqrt(variance))
