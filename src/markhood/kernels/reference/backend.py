"""The definition of every kernel in NumPy, short and slow.

The other backends are tested against this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from markhood.kernels import flips, greedy
from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.networks import PottsFits, PottsPenalty, PottsSamples
from markhood.kernels.protocol import (
    AssociatedPairs,
    AssociatedTables,
    Blankets,
    Costs,
    FitPenalty,
    Fits,
    Flipped,
    L1Paths,
    Pricing,
    Residuals,
    Tiling,
    Unsound,
)
from markhood.kernels.reference import gibbs, graph_chain, independence, pair_fit, pseudo_likelihood
from markhood.kernels.reference.l1_path import l1_path
from markhood.kernels.reference.regression import fit_table, maximum
from markhood.kernels.reference.scores import score_of
from markhood.kernels.tables import (
    Table,
    blanket_table,
    likelihood_ratio,
    likelihood_ratios,
    n_levels,
    n_parameters,
    ordered,
    pair_table,
    weights_of,
)
from markhood.kernels.words import unpacked


class ReferenceKernels:
    """Kernels that define the correct results for the other backends."""

    name = "reference"
    gibbs = staticmethod(gibbs.gibbs)
    independence_tests = staticmethod(independence.independence_tests)
    fit_pairs = staticmethod(pair_fit.fit_pairs)
    sample_graphs = staticmethod(graph_chain.sample_graphs)

    def tiling(self, bits: Bits) -> Tiling:
        return Tiling(words=4e7, side=1024)

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the pairs of the tile with a likelihood ratio of at least ``least_ratio``."""
        pairs, joints = [], []
        for i in rows:
            j = np.arange(max(i + 1, columns.start), columns.stop)
            joint = np.bitwise_count(bits.words[i] & bits.words[j]).sum(axis=1, dtype=np.int64)
            passing = likelihood_ratios(joint, ones[i], ones[j], n_log_n) >= least_ratio
            pairs.append(np.column_stack([np.full(passing.sum(), i), j[passing]]))
            joints.append(joint[passing])
        return AssociatedPairs(
            np.concatenate([np.empty((0, 2), np.int64), *pairs]),
            np.concatenate([np.empty(0, np.int64), *joints]),
        )

    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        """Find the pairs of the tile whose likelihood ratio is at least their penalty."""
        pairs = [(i, j) for i in rows for j in range(max(i + 1, columns.start), columns.stop)]
        return self.associated_among(bits, np.array(pairs, np.int64).reshape(-1, 2), costs)

    def associated_among(
        self, bits: Bits, pairs: NDArray[np.int64], costs: Costs
    ) -> AssociatedTables:
        ratios = np.array([_pair_ratio(bits, i, j) for i, j in pairs.tolist()], np.float64)
        prices = n_parameters(bits, *pairs.T) * costs.parameter + costs.variable
        return AssociatedTables(pairs[ratios >= prices], ratios[ratios >= prices])

    def associated_residuals(
        self, bits: Bits, rows: range, columns: range, residuals: Residuals, least: float
    ) -> AssociatedTables:
        """Find the pairs i < j of binary variables whose residuals are correlated."""
        pairs = np.array([(i, j) for i in rows for j in columns if i < j], np.int64).reshape(-1, 2)
        ones = unpacked(bits.words, bits.n_samples).astype(np.float64)
        weights = weights_of(bits)
        joint = ((ones * weights) @ ones.T)[tuple(pairs.T)]
        scores = joint - (residuals.means @ residuals.means.T)[tuple(pairs.T)]
        variances = (residuals.variances @ residuals.variances.T)[tuple(pairs.T)]
        ones_i, ones_j = (ones @ weights)[pairs.T]
        expected = joint - scores
        rest = weights.sum() - ones_i - ones_j + expected
        cells = np.maximum([expected, ones_i - expected, ones_j - expected, rest], 1e-9)
        found = np.maximum(cells + np.outer([1, -1, -1, 1], scores), 0.0)
        ratios = (xlogy(found, found / cells) - (found - cells)).sum(axis=0)
        ratios /= (1 / cells).sum(axis=0) * np.maximum(variances, residuals.least_variance)
        return AssociatedTables(pairs[ratios >= least], ratios[ratios >= least])

    def toggle_scores(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        blankets: Lists,
        toggles: Lists,
        costs: Pricing,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return greedy.toggle_scores(_score(bits, costs), targets, blankets, toggles)

    def grow_blankets(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        return greedy.grow_blankets(_score(bits, costs), targets, candidates, kept)

    def climb_groups(
        self,
        bits: Bits,
        groups: Lists,
        blankets: Lists,
        partners: Lists,
        changes: NDArray[np.float64],
        costs: Pricing,
    ) -> Flipped:
        score = _score(bits, costs)
        return flips.climb_groups(score, groups, blankets, partners, changes)

    def fit_blankets(
        self, bits: Bits, targets: NDArray[np.int64], blankets: Lists, penalty: FitPenalty
    ) -> Fits:
        fits = [
            fit_table(blanket_table(bits, t, blanket.tolist()), *penalty)
            for t, blanket in zip(targets.tolist(), blankets, strict=True)
        ]
        return Fits(
            np.array([fit.maximum.value for fit in fits]),
            np.concatenate([np.empty(0), *(fit.coefficients for fit in fits)]),
            np.concatenate([np.empty(0, np.bool_), *(fit.infinite for fit in fits)]),
            np.array([fit.maximum.status for fit in fits], np.uint8),
        )

    def l1_paths(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        penalties: NDArray[np.float64],
        fractions: NDArray[np.float64],
        largest_support: int,
    ) -> L1Paths:
        """Fit each target's L1-penalised logistic regressions on its candidates."""
        points, supports = [], []
        for target, among in zip(targets.tolist(), candidates, strict=True):
            path = l1_path(bits, target, among, penalties[among], fractions, largest_support)
            points += path
            supports += [among[np.flatnonzero(point.slopes)] for point in path]
        shape = len(targets), len(fractions)
        return L1Paths(
            np.array([point.bound for point in points]).reshape(shape),
            np.array([point.intercept for point in points]).reshape(shape),
            np.array([point.log_likelihood for point in points]).reshape(shape),
            Lists.of(supports),
            np.concatenate([np.empty(0), *(p.slopes[np.flatnonzero(p.slopes)] for p in points)]),
            np.array([p.has_converged for p in points], np.bool_).reshape(shape)[:, -1],
        )

    def fit_potts(
        self,
        samples: PottsSamples,
        targets: NDArray[np.int64],
        penalty: PottsPenalty,
        tolerance: float,
        most_steps: int | None = None,
    ) -> PottsFits:
        return pseudo_likelihood.fit_potts(samples, targets, penalty)

    def unsound_variables(
        self, bits: Bits, masked: NDArray[np.int64], masks: NDArray[np.uint64]
    ) -> Unsound:
        starts = np.arange(len(bits.words) + 1) if bits.starts is None else bits.starts
        mask_of = dict(zip(masked.tolist(), masks, strict=True))
        past, two_levels = [], []
        for v, (first, end) in enumerate(pairwise(starts)):
            rows = [*bits.words[first:end], *([mask_of[v]] if v in mask_of else [])]
            ones = unpacked(np.array(rows), 64 * bits.words.shape[1])
            past += [v] if ones[:, bits.n_samples :].any() else []
            two_levels += [v] if (ones.sum(axis=0) > 1).any() else []
        return Unsound(*(next(iter(found), -1) for found in (past, two_levels)))


def _score(bits: Bits, costs: Pricing) -> greedy.Score:
    def score(target: int, blanket: Sequence[int]) -> float:
        return score_of(blanket_table(bits, target, blanket), costs)

    return score


def _pair_ratio(bits: Bits, i: int, j: int) -> float:
    """Return the log-likelihood ratio of an edge in the table of a pair, with both margins free.

    In a log-linear model with all margins of j, this compares the regression of i on j with the
    regression on a constant.
    """
    counts = pair_table(bits, i, j)
    saturated = (n_levels(bits, i) - 1) * (n_levels(bits, j) - 1)
    if n_parameters(bits, i, j) == saturated:
        return likelihood_ratio(counts)
    # Drop levels that do not occur. They still count as steps between the other levels.
    (occurs,) = np.nonzero(counts.sum(axis=0))
    table = Table(
        occurs[:, np.newaxis].astype(np.uint16),
        np.ascontiguousarray(counts[:, occurs].T),
        (counts.shape[1],),
        ordered(bits, [i, j]),
    )
    margin = counts.sum(axis=1)
    alone = np.sum(margin * np.log(np.where(margin > 0, margin / margin.sum(), 1.0)))
    return float(maximum(table).value - alone)
