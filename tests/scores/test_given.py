"""Pairs given covariates: ratios by iterative proportional fitting; the screen loses no pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.weights import Weights
from markhood.kernels.lists import Lists
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.scores.bic import Bic
from markhood.scores.discrete import DiscreteScorer
from markhood.scores.given import spreads_within
from oracles.log_linear import ratio_without_interaction
from oracles.packing import samples_with_levels


def confounded(seed, n_samples=300, levels=(2, 2, 2, 2, 3), strength=1.5):
    """The last variable moves all others; the second also depends on the first."""
    rng = np.random.default_rng(seed)
    cause = rng.integers(0, levels[-1], n_samples)
    scores = strength * cause[:, None] + rng.logistic(size=(n_samples, len(levels) - 1))
    scores[:, 1] += 1.5 * (scores[:, 0] > np.median(scores[:, 0]))
    cut = [
        np.digitize(own, np.quantile(own, np.arange(1, r) / r))
        for own, r in zip(scores.T, levels, strict=False)
    ]
    return np.column_stack([*cut, cause])


def all_pairs(n):
    return np.column_stack(np.triu_indices(n, 1))


@pytest.mark.parametrize("levels", [(2, 2, 2, 2, 2), (2, 2, 2, 2, 3), (3, 2, 4, 2, 2)])
def test_oracle_a_ratio_is_that_of_the_log_linear_model_without_interaction(kernels, levels):
    values = confounded(1, levels=levels)
    scorer = DiscreteScorer(samples_with_levels(values), kernels=kernels).given(1)
    expected = [
        ratio_without_interaction(values[:, i], values[:, j], values[:, -1])
        for i, j in all_pairs(4).tolist()
    ]
    found = [scorer.pairs(tile, None) for tile in scorer.tiles()]
    edges = np.concatenate([pairs.edges for pairs in found])
    np.testing.assert_array_equal(edges, all_pairs(4))
    gains = np.concatenate([pairs.gains for pairs in found])
    np.testing.assert_allclose(gains, expected, atol=1e-4)
    np.testing.assert_allclose(
        scorer.dependence(np.arange(4)).ratios[edges[:, 0], edges[:, 1]], expected, atol=1e-4
    )


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    levels=st.sampled_from([(2,) * 9, (2,) * 7 + (3, 2), (3, 2, 2, 4, 2, 2, 3, 2, 2)]),
    ordered=st.booleans(),
    is_weighted=st.booleans(),
    n_covariates=st.integers(1, 2),
    gamma=st.sampled_from([0.0, 0.5]),
)
def test_property_strata_spare_fits_and_lose_no_pair(
    seed, levels, ordered, is_weighted, n_covariates, gamma
):
    values = confounded(seed, 250, levels)
    weights = Weights(np.random.default_rng(seed).integers(1, 4, 250)) if is_weighted else None
    samples = samples_with_levels(values, weights).with_order((ordered,) * len(levels))
    scorer = DiscreteScorer(samples).given(n_covariates)
    pairs = all_pairs(len(levels) - n_covariates)
    alone = scorer._ratios(pairs) - scorer.prices(pairs, gamma)
    found = [scorer.pairs(tile, gamma) for tile in scorer.tiles()]
    edges = np.concatenate([np.empty((0, 2), np.int64), *(f.edges for f in found)])
    np.testing.assert_array_equal(edges, pairs[alone > 1e-9])


def test_property_indicators_of_a_covariate_are_its_levels():
    """Kernels fit a nominal covariate as binary indicators; the reference uses its levels."""
    values = confounded(3, levels=(2, 2, 2, 2, 4))
    samples = samples_with_levels(values)
    pairs, scale = all_pairs(4), 0.8
    native = DiscreteScorer(samples).given(1).pair_factors(pairs, scale)
    fits = ReferenceKernels().fit_pairs(
        samples.bits, pairs, *[Lists.empty(len(pairs))] * 2, scale, n_covariates=1
    )
    by_levels = fits.joint - fits.apart - np.log(scale) - fits.log_determinants / 2
    np.testing.assert_allclose(native, by_levels, atol=0.05)


def test_oracle_spreads_are_residual_variances():
    values = confounded(2, levels=(2, 2, 2, 2, 3))
    samples = samples_with_levels(values)
    strata = values[:, -1]
    means = np.array([[values[strata == k, v].mean() for k in range(3)] for v in range(4)])
    residuals = values[:, :4].T - means[:, strata]
    expected = (residuals**2).sum(axis=1) / (len(values) - 2)
    spreads = DiscreteScorer(samples, Bic()).given(1).spreads(np.arange(4))
    np.testing.assert_allclose(spreads[:, 0], expected)
    none = np.zeros(len(values), np.int64)
    np.testing.assert_allclose(
        spreads_within(samples, np.arange(4), none)[:, 0], values[:, :4].var(axis=0)
    )
