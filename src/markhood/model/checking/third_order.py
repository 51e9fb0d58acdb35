"""Score tests of third-order interactions, which no pairwise network has.

A third-order term adds theta s_i(x_i) s_j(x_j) s_k(x_k) to the log-probability. In the regression
of x_i it is the slope of s_i on the product z = s_j s_k, and likewise for the other two ends. At
theta = 0 its score in one regression, with the part removed that the parameters of the regression
explain, is

    u_i = sum over samples of (r_i z - b' A^-1 g),    b = cross-information of theta and the rest,

with r_i the residual of the score s_i, g the gradient of the other parameters and A their
information. The test statistic is the sum over the three ends in units of its standard deviation.
The variance is the information of each end plus the products of the contributions of different
ends, as for standard errors (`fitting/sandwich.py`), times N / (N - number of parameters).

**Regressions on all other variables.** If there are few enough, all regressions have all other
variables. No graph is then assumed, so that an edge that the graph lacks cannot be mistaken for a
third-order term, and all triples are tested; in an exclusive or (XOR) of three variables no pair is
dependent, and the graph has no edges there. Otherwise the regressions have the neighbours in the
graph, and only its triangles are tested.

**Correction.** Triangles of the graph and other triples share the family-wise error in equal parts
(Bonferroni within each), because a third-order term among variables that are also joined in pairs
is more plausible. A nominal variable has several scores; a triple then has the smallest p-value of
its combinations, times their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.fit import separate_regressions
from markhood.model.fitting.layout import Layout
from markhood.model.fitting.pseudo_likelihood import Information, PseudoLikelihood
from markhood.model.fitting.sandwich import ResidualColumns, Residuals

MOST_WORK = 3e10  # multiplications for all triples
SAMPLES_PER_SCORE = 5  # at least, for regressions on all other variables
MOST_COMBINATIONS = 512  # of scores: triples of variables with many categories are not tested
BLOCK = 1 << 23  # numbers in memory at a time
LEAST_INFORMATION = 5.0  # of a triple: below this its statistic is not nearly normal

Triple = tuple[int, int, int]


class Tested(NamedTuple):
    """Tests of triples of variables.

    ``triples`` of shape (n, 3); the ``effects`` (one-step estimates of theta) and their
    ``errors``, ``p_values`` and ``adjusted`` p-values, of shape (n,); ``in_graph`` marks triangles
    of the graph; ``has_all`` is whether all triples were tested.
    """

    triples: Ints
    effects: Floats
    errors: Floats
    p_values: Floats
    adjusted: Floats
    in_graph: Bools
    has_all: bool


def third_order_tests(layout: Layout, observed: Observed) -> Tested:
    """Test the triangles of a graph and, if feasible, all other triples; samples are complete."""
    d = len(layout.variables)
    m = int(layout.n_scores.sum())
    work = observed.n_samples * float(m) ** 4 / 2
    has_all = work <= MOST_WORK and m < observed.weights.sum() / SAMPLES_PER_SCORE
    triangles = set(_triangles(layout))
    listed = combinations(range(d), 3) if has_all else sorted(triangles)
    triples = [t for t in listed if layout.n_scores[list(t)].prod() <= MOST_COMBINATIONS]
    if has_all:
        every = np.column_stack(np.triu_indices(d, 1))
        layout = Layout(layout.variables, every, layout.n_reals, layout.has_own_reals)
    found = _score_tests(layout, observed, triples) if triples else np.empty((0, 3))
    in_graph = np.array([triple in triangles for triple in triples], np.bool_)
    families = [in_graph, ~in_graph]
    n_families = sum(bool(own.any()) for own in families)
    adjusted = np.ones(len(triples))
    for own in families:
        adjusted[own] = np.minimum(1, found[own, 2] * own.sum() * n_families)
    effects, errors, p_values = found.T
    numbers = np.array(triples, np.int64).reshape(-1, 3)
    return Tested(numbers, effects, errors, p_values, adjusted, in_graph, has_all)


def _triangles(layout: Layout) -> Iterator[Triple]:
    near = [set(own.tolist()) for own in layout.neighbours]
    for i, j in layout.edges.tolist():
        for k in sorted(near[i] & near[j]):
            if k > j:
                yield i, j, k


def _score_tests(layout: Layout, observed: Observed, triples: list[Triple]) -> Floats:
    """Return the effect, its error and the p-value of each triple, shape (n, 3)."""
    from scipy.special import ndtr

    likelihood, parameters, curvature = separate_regressions(layout, observed)
    columns = ResidualColumns(likelihood)
    residuals = columns.at(parameters, observed)
    ends = [
        _End.of(v, likelihood, residuals, columns, curvature, observed)
        for v in range(len(layout.variables))
    ]
    starts = columns.starts
    combined: list[tuple[int, Triple]] = []  # scores of each triple
    for t, triple in enumerate(triples):
        spans = [range(*starts[v : v + 2].tolist()) for v in triple]
        combined += [(t, (a, b, c)) for a in spans[0] for b in spans[1] for c in spans[2]]
    owners = np.repeat(np.arange(len(layout.variables)), np.diff(starts))
    statistics = np.zeros((len(combined), 3))  # score, its variance, and information
    size = max(1, BLOCK // (4 * observed.n_samples))
    for first, stop in pairwise([*range(0, len(combined), size), len(combined)]):
        block = np.array([scores for _, scores in combined[first:stop]])
        statistics[first:stop] = _block(block, owners, ends, residuals, observed)
    score, variance, information = statistics.T
    n, n_fitted = float(observed.weights.sum()), max(len(own) for own in likelihood.positions)
    variance = variance * n / max(1.0, n - n_fitted)  # as HC1: residuals are smaller than errors
    is_sound = variance > LEAST_INFORMATION / 64  # in units of products of centred 0/1 scores
    z = np.where(is_sound, score / np.sqrt(np.where(is_sound, variance, 1)), 0.0)
    p_values = 2 * ndtr(-np.abs(z))
    found = np.ones((len(triples), 3))
    bounds = np.searchsorted([t for t, _ in combined], np.arange(len(triples) + 1))
    for t, (first, stop) in enumerate(pairwise(bounds.tolist())):
        best = first + int(np.argmin(p_values[first:stop]))
        effect, error = np.nan, np.nan
        if is_sound[best]:
            effect = score[best] / information[best]
            error = np.sqrt(variance[best]) / information[best]
        found[t] = effect, error, min(1.0, (stop - first) * p_values[best])
    return found


def _block(
    block: Ints, owners: Ints, ends: list[_End], residuals: Residuals, observed: Observed
) -> Floats:
    """Return the score, its variance and the information of triples of scores, shape (n, 3)."""
    values, weights = residuals.values, observed.weights
    parts = np.zeros((3, len(block), observed.n_samples))
    information = np.zeros(len(block))
    for end in range(3):
        others = block[:, [k for k in range(3) if k != end]]
        for column in np.unique(block[:, end]).tolist():
            own = np.flatnonzero(block[:, end] == column)
            products = values[others[own, 0]] * values[others[own, 1]]
            one = ends[int(owners[column])]
            parts[end, own], information[own] = one.contributions(
                column, products, weights, information[own]
            )
    if observed.clusters is not None or not observed.are_counts:
        return np.column_stack([_empirical(parts.sum(axis=0) * weights, observed), information])
    together = parts.sum(axis=0)
    across = (weights * (together**2 - (parts**2).sum(axis=0))).sum(axis=1)
    return np.column_stack([together @ weights, information + across, information])


def _empirical(contributions: Floats, observed: Observed) -> Floats:
    """Return sums and their variances from the samples or the clusters of samples."""
    factor = 1.0
    if observed.clusters is not None:
        n = int(observed.clusters.max()) + 1
        sums = np.zeros((n, len(contributions)))
        np.add.at(sums, observed.clusters, contributions.T)
        contributions, factor = sums.T, n / max(1, n - 1)
    return np.column_stack([contributions.sum(axis=1), factor * (contributions**2).sum(axis=1)])


@dataclass(frozen=True, eq=False)
class _End:
    """One regression: its gradients, and the information of all of its parameters."""

    first: int  # column of its first score
    residual: Floats  # of its scores, shape (f, n_samples)
    gradients: Floats  # of its parameters, shape (q, n_samples)
    covariances: Floats  # of its scores and parameters' features, (f, u, n_samples)
    scores: Floats  # covariances of its scores, shape (f, f, n_samples)
    values: Floats  # of the predictors, shape (q_slopes / f, n_samples)
    solve: Any  # the inverse of the information

    @classmethod
    def of(
        cls,
        variable: int,
        likelihood: PseudoLikelihood,
        residuals: Residuals,
        columns: ResidualColumns,
        information: Information,
        observed: Observed,
    ) -> _End:
        layout = likelihood.layout
        own_scores = layout.scores[variable]
        r, f = own_scores.shape
        first = int(columns.starts[variable])
        levels = residuals.levels[slice(*layout.field_starts[variable : variable + 2].tolist())]
        residual = residuals.scores[first : first + f]
        values = residuals.values[columns.of_neighbours[variable]]
        codes = observed.codes[variable]
        probabilities = np.zeros((r, observed.n_samples))
        probabilities[1:] = (codes == np.arange(1, r)[:, None]) - levels
        probabilities[0] = 1 - probabilities[1:].sum(axis=0)
        features = np.concatenate([np.eye(r)[:, 1:], own_scores], axis=1)
        means = features.T @ probabilities
        spread = np.einsum("ku,kv,kn->uvn", features, features, probabilities)
        spread -= means[:, None] * means[None]
        gradients = np.concatenate([levels, *(residual[a] * values for a in range(f))])
        positions = likelihood.positions[variable]
        inverse = np.linalg.pinv(information.block(positions), hermitian=True)
        return cls(
            first,
            residual,
            gradients,
            spread[r - 1 :, : r - 1],
            spread[r - 1 :, r - 1 :],
            values,
            inverse,
        )

    def contributions(
        self, column: int, products: Floats, weights: Floats, information: Floats
    ) -> tuple[Floats, Floats]:
        """Return the contributions of samples to scores, and the information added to that given.

        Parameters
        ----------
        column : int
            The score of this end.
        products : ndarray of shape (n, n_samples)
            The products of the other two scores.
        weights : ndarray of shape (n_samples,)
        information : ndarray of shape (n,)
        """
        a, f = column - self.first, len(self.residual)
        weighted = products * weights
        cross = [weighted @ self.covariances[a].T]
        cross += [(weighted * self.scores[a, b]) @ self.values.T for b in range(f)]
        among = np.concatenate(cross, axis=1)
        along = among @ self.solve
        own = (weighted * products) @ self.scores[a, a] - (along * among).sum(axis=1)
        return self.residual[a] * products - along @ self.gradients, information + own
