"""Two variables given their neighbours: maxima, Bayes factors, and what must not change them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.weights import Weights
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY
from markhood.kernels.reference.pair_fit import (
    features_of,
    fit_pair,
    level_features,
    step_unit,
)
from oracles.networks import hub, network
from oracles.packing import pack, samples_with_levels
from oracles.pair_model import integrated_log_bayes_factor, maximum_of_levels, penalised_maximum


def fit(kernels, bits, i, j, given_i, given_j, scale):
    lists = Lists.of([given_i]), Lists.of([given_j])
    fits = kernels.fit_pairs(bits, np.array([[i, j]]), *lists, scale)
    return [float(numbers[0]) for numbers in fits]


def log_bayes_factor(fitted, scale):
    joint, apart, log_determinant, *_ = fitted
    return joint - apart - np.log(scale) - log_determinant / 2


NEIGHBOURS = [([], []), ([2], []), ([], [2, 3]), ([2], [2]), ([2, 3, 4], [3, 5, 6])]


@pytest.mark.parametrize(("given_i", "given_j"), NEIGHBOURS)
@pytest.mark.parametrize("scale", [0.3, 1.5])
def test_oracle_maxima_are_those_of_a_general_optimiser(kernels, given_i, given_j, scale):
    values = network(3, 400, 7, strength=1.5)
    joint, apart, _, coupling, _ = fit(kernels, pack(values), 0, 1, given_i, given_j, scale)
    with_edge, at = penalised_maximum(values, 0, 1, given_i, given_j, scale, coupled=True)
    without, _ = penalised_maximum(values, 0, 1, given_i, given_j, scale, coupled=False)
    assert joint == pytest.approx(with_edge, abs=1e-6)
    assert apart == pytest.approx(without, abs=1e-6)
    assert coupling == pytest.approx(at[-1], abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_samples=st.integers(20, 600),
    sizes=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    scale=st.sampled_from([0.2, 1.0, 3.0]),
)
def test_property_every_instruction_set_is_the_twin(seed, n_samples, sizes, scale):
    values = network(seed, n_samples, 9, strength=2.0)
    rng = np.random.default_rng(seed)
    lists = [sorted(rng.choice(np.arange(2, 9), size, replace=False)) for size in sizes]
    if np.ptp(values[:, :2], axis=0).min() == 0:
        return
    twin = fit_pair(pack(values), 0, 1, *lists, scale)
    for name in NativeKernels.available():
        joint, apart, determinant, coupling, variance = fit(
            NativeKernels(name), pack(values), 0, 1, *lists, scale
        )
        np.testing.assert_allclose([joint, apart], twin[:2], atol=1e-7)
        # A fit ends where a step promises a millionth: the Hessian is as far from the maximum's.
        assert determinant == pytest.approx(twin.log_determinant, abs=1e-2)
        assert coupling == pytest.approx(twin.coupling[0], abs=1e-4)
        assert variance == pytest.approx(twin.variance[0], rel=5e-3)


@pytest.mark.parametrize("scale", [0.3, np.inf])
def test_oracle_covariates_are_given_to_both_ends(kernels, scale):
    values = network(3, 400, 7, strength=1.5)
    lists = Lists.of([[2]]), Lists.of([[]])
    fits = kernels.fit_pairs(pack(values), np.array([[0, 1]]), *lists, scale, 2)
    ends = 0, 1, [2, 5, 6], [5, 6], scale
    with_edge, at = penalised_maximum(values, *ends, coupled=True, covariates=(5, 6))
    without, _ = penalised_maximum(values, *ends, coupled=False, covariates=(5, 6))
    assert fits.joint[0] == pytest.approx(with_edge, abs=1e-6)
    assert fits.apart[0] == pytest.approx(without, abs=1e-6)
    assert fits.couplings[0] == pytest.approx(at[-1], abs=1e-3)


@cache  # for all instruction sets
def maxima_beside_a_hub():
    """Fit a leaf and the hub of all others by a general optimiser."""
    values, ends = hub(5, 300, 25, 0.8), (0, 25, [3], list(range(1, 25)))
    (joint, at), (apart, _) = (
        penalised_maximum(values, *ends, 1.0, coupled=coupled) for coupled in (True, False)
    )
    return pack(values), ends, joint, apart, at[-1]


def test_oracle_a_hub_of_24_neighbours_is_no_table_of_all_configurations(native_kernels):
    bits, ends, *expected = maxima_beside_a_hub()
    joint, apart, _, coupling, _ = fit(native_kernels, bits, *ends, 1.0)
    np.testing.assert_allclose([joint, apart], expected[:2], atol=1e-5)
    assert coupling == pytest.approx(expected[2], abs=1e-3)


def test_oracle_more_neighbours_than_a_word_has_bits(native_kernels):
    bits, ends = pack(hub(5, 200, 66, 0.3)), (0, 66, [], list(range(1, 66)))
    joint, apart, _, coupling, _ = fit(native_kernels, bits, *ends, 0.3)
    twin = fit_pair(bits, *ends, 0.3)
    np.testing.assert_allclose([joint, apart], twin[:2], atol=1e-5)
    assert coupling == pytest.approx(twin.coupling[0], abs=1e-4)


@pytest.mark.parametrize("n_samples", [90, 700, 1100])  # whole words, and not
@pytest.mark.parametrize("n_given", [6, 7, 12])
def test_oracle_tables_however_they_are_counted(native_kernels, n_samples, n_given):
    """By intersections, by the numbers of configurations, or with every sample a row."""
    bits = pack(network(n_given, n_samples, 14, strength=1.0))
    ends = 0, 1, list(range(2, 2 + n_given // 2)), list(range(3, 2 + n_given))
    twin = fit_pair(bits, *ends, 0.7)
    joint, apart, determinant, coupling, _ = fit(native_kernels, bits, *ends, 0.7)
    np.testing.assert_allclose([joint, apart], twin[:2], atol=1e-6)
    assert determinant == pytest.approx(twin.log_determinant, abs=5e-3)
    assert coupling == pytest.approx(twin.coupling[0], abs=1e-4)


@pytest.mark.parametrize("n_samples", [60, 200])
@pytest.mark.parametrize("strength", [0.0, 1.0, 2.5])
def test_oracle_laplace_is_near_the_integral(kernels, n_samples, strength):
    rng = np.random.default_rng(n_samples)
    x = rng.integers(0, 2, n_samples)
    y = rng.random(n_samples) < 1 / (1 + np.exp(0.5 - strength * (x - 0.5)))
    values = np.column_stack([x, y]).astype(np.int64)
    laplace = log_bayes_factor(fit(kernels, pack(values), 0, 1, [], [], 1.5), 1.5)
    assert laplace == pytest.approx(integrated_log_bayes_factor(values, 1.5), abs=0.05)


def test_example_without_a_prior_and_other_neighbours_it_is_that_ends_own_ratio(kernels):
    values = network(8, 500, 6, strength=1.5)
    bits = pack(values)
    joint, apart, *_ = fit(kernels, bits, 0, 1, [], [2, 3, 5], np.inf)
    blankets = Lists.of([[1], []])
    fits = kernels.fit_blankets(bits, np.array([0, 0]), blankets, NO_PENALTY).log_likelihoods
    assert joint - apart == pytest.approx(fits[0] - fits[1], abs=1e-8)


def test_example_separated_data_without_a_prior_reach_the_supremum(kernels):
    values = np.repeat([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], 25, axis=0)
    joint, apart, *_ = fit(kernels, pack(values), 0, 1, [2], [2], np.inf)
    assert apart == pytest.approx(-200 * np.log(2), abs=1e-8)
    assert joint == pytest.approx(-100 * np.log(2), abs=1e-8)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(3)))
def test_property_which_level_comes_first_changes_nothing(seed, order):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (300, 4))
    values[:, 1] = np.where(rng.random(300) < 0.4, values[:, 0], values[:, 1])
    renamed = values.copy()
    renamed[:, 0] = np.array(order)[values[:, 0]]
    renamed[:, 2] = np.array(order)[values[:, 2]]
    here, there = (
        fit_pair(samples_with_levels(v).bits, 0, 1, [2], [3], 1.2) for v in (values, renamed)
    )
    assert there.log_bayes_factor(1.2) == pytest.approx(here.log_bayes_factor(1.2), abs=1e-6)
    moved = there.coupling.reshape(3, 3)[list(order)]
    np.testing.assert_allclose(moved, here.coupling.reshape(3, 3), atol=1e-5)
    np.testing.assert_allclose(here.coupling.reshape(3, 3).sum(axis=0), 0, atol=1e-9)


LEVELS = (3, 4, 2, 3, 5)
KINDS = {
    "ordered": (True,) * 5,
    "categories": (False,) * 5,
    "mixed": (True, False, True, False, True),
}


def with_levels(seed, n_samples, levels=LEVELS, kinds=KINDS["mixed"], weights=None):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n_samples, 1))
    scores = common + rng.normal(size=(n_samples, len(levels)))
    cuts = [np.quantile(scores[:, k], np.arange(1, r) / r) for k, r in enumerate(levels)]
    values = np.column_stack([np.digitize(scores[:, k], cut) for k, cut in enumerate(cuts)])
    return values, samples_with_levels(values, weights).with_order(kinds)


@cache  # for all kernels
def maxima_of_levels(kinds):
    values, samples = with_levels(3, 150, kinds=kinds)
    features = [features_of(samples.bits, v) for v in range(5)]
    ends = 0, 1, [2, 4], [3]
    joint, coupling = maximum_of_levels(values, features, ends, 0.8, coupled=True)
    apart, _ = maximum_of_levels(values, features, ends, 0.8, coupled=False)
    return features, joint, apart, coupling


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_oracle_maxima_of_any_levels_are_those_of_a_general_optimiser(kernels, kinds):
    _, samples = with_levels(3, 150, kinds=kinds)
    ends = 0, 1, [2, 4], [3]
    lists = Lists.of([ends[2]]), Lists.of([ends[3]])
    fits = kernels.fit_pairs(samples.bits, np.array([[0, 1]]), *lists, 0.8)
    features, joint, apart, coupling = maxima_of_levels(kinds)
    np.testing.assert_allclose([fits.joint[0], fits.apart[0]], [joint, apart], atol=1e-5)
    of_i, of_j = features[0], features[1]
    shown = of_i @ coupling.reshape(of_i.shape[1], of_j.shape[1]) @ of_j.T
    if coupling.size == 1:
        shown = coupling * step_unit(3) * step_unit(4)
    np.testing.assert_allclose(fits.couplings, shown.ravel(), atol=2e-3)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kinds=st.sampled_from(list(KINDS.values())),
    sizes=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    is_weighted=st.booleans(),
    n_covariates=st.integers(0, 2),
)
def test_property_every_instruction_set_is_the_twin_for_any_levels(
    seed, kinds, sizes, is_weighted, n_covariates
):
    rng = np.random.default_rng(seed)
    weights = Weights(rng.integers(1, 4, 150)) if is_weighted else None
    _, samples = with_levels(seed, 150, kinds=kinds, weights=weights)
    others = np.arange(2, 5 - n_covariates)
    given_i, given_j = (
        sorted(rng.choice(others, min(size, len(others)), replace=False)) for size in sizes
    )
    twin = fit_pair(samples.bits, 0, 1, given_i, given_j, 0.7, n_covariates)
    for name in NativeKernels.available():
        lists = Lists.of([given_i]), Lists.of([given_j])
        pairs = np.array([[0, 1]])
        fits = NativeKernels(name).fit_pairs(samples.bits, pairs, *lists, 0.7, n_covariates)
        np.testing.assert_allclose([fits.joint[0], fits.apart[0]], twin[:2], atol=1e-7)
        # Of the last factorisation, which may be a step before the maximum.
        assert fits.log_determinants[0] == pytest.approx(twin.log_determinant, abs=2e-2)
        np.testing.assert_allclose(fits.couplings, twin.coupling, atol=1e-3)
        np.testing.assert_allclose(fits.variances, twin.variance, rtol=2e-2)


# Of so many levels and neighbours second derivatives are added up by levels.
@pytest.mark.parametrize("kinds", [(False,) * 8, (False, True) * 4])
def test_example_letters_with_several_neighbours_are_the_twin(native_kernels, kinds):
    _, samples = with_levels(5, 400, levels=(5, 4, 5, 2, 5, 3, 5, 5), kinds=kinds)
    given_i, given_j = [2, 3, 4, 5], [4, 5, 6, 7]
    twin = fit_pair(samples.bits, 0, 1, given_i, given_j, 0.7)
    lists = Lists.of([given_i]), Lists.of([given_j])
    fits = native_kernels.fit_pairs(samples.bits, np.array([[0, 1]]), *lists, 0.7)
    np.testing.assert_allclose([fits.joint[0], fits.apart[0]], twin[:2], atol=1e-6)
    assert fits.log_determinants[0] == pytest.approx(twin.log_determinant, abs=5e-3)
    np.testing.assert_allclose(fits.couplings, twin.coupling, atol=1e-3)
    np.testing.assert_allclose(fits.variances, twin.variance, rtol=5e-3)


def test_property_letters_of_many_samples_are_those_of_few_with_weights(native_kernels):
    values, weighted = with_levels(
        6, 400, levels=(5,) * 10, kinds=(False,) * 10, weights=Weights(np.full(400, 60))
    )
    repeated = samples_with_levels(np.repeat(values, 60, axis=0))
    here, there = (
        native_kernels.fit_pairs(
            s.bits, np.array([[0, 1]]), Lists.of([[2, 3, 4, 5]]), Lists.of([[6, 7, 8, 9]]), 0.7
        )
        for s in (repeated, weighted)
    )
    for got, wanted in zip(there, here, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("levels", [6, 16])  # of 16 levels the log weights are 200 apart, of 6 not
def test_example_near_copies_of_many_steps_are_the_twin(native_kernels, levels):
    rng = np.random.default_rng(0)
    copied = rng.integers(0, levels, 300)
    above, below = ((rng.random(300) < 0.1).astype(int) for _ in range(2))
    values = np.column_stack([copied + above, copied - below, copied]).clip(0, levels - 1)
    bits = samples_with_levels(values).with_order((True,) * 3).bits
    twin = fit_pair(bits, 0, 1, [2], [2], 100.0)
    fitted = fit(native_kernels, bits, 0, 1, [2], [2], 100.0)
    np.testing.assert_allclose(fitted[:2], twin[:2], atol=1e-6)
    assert fitted[2] == pytest.approx(twin.log_determinant, abs=5e-3)


@pytest.mark.parametrize("scale", [1.0, np.inf])
def test_property_binary_variables_are_the_same_by_either_road(native_kernels, scale):
    values = network(3, 300, 6, strength=1.5)
    by_levels = replace(samples_with_levels(values).bits, starts=np.arange(7))
    pairs, lists = np.array([[0, 1], [2, 4]]), (Lists.of([[2, 3], []]), Lists.of([[3, 5], [0]]))
    here = native_kernels.fit_pairs(pack(values), pairs, *lists, scale)
    there = native_kernels.fit_pairs(by_levels, pairs, *lists, scale)
    assert not by_levels.is_plain
    for got, wanted in zip(there, here, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-4)


def test_property_a_weight_is_a_sample_repeated(kernels):
    values, _ = with_levels(8, 120)
    weights = np.random.default_rng(1).integers(1, 4, 120)
    repeated = samples_with_levels(np.repeat(values, weights, axis=0)).with_order(KINDS["mixed"])
    weighted = samples_with_levels(values, Weights(weights)).with_order(KINDS["mixed"])
    here, there = (
        kernels.fit_pairs(s.bits, np.array([[0, 1]]), Lists.of([[2]]), Lists.of([[3]]), 1.0)
        for s in (repeated, weighted)
    )
    for got, wanted in zip(there, here, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-6)


def test_example_an_ordered_coupling_turns_with_its_scale(kernels):
    values, samples = with_levels(8, 300, kinds=KINDS["ordered"])
    turned = values.copy()
    turned[:, 0] = 2 - values[:, 0]
    again = samples_with_levels(turned).with_order(KINDS["ordered"])
    here, there = (
        kernels.fit_pairs(s.bits, np.array([[0, 1]]), Lists.of([[2]]), Lists.of([[3]]), 1.0)
        for s in (samples, again)
    )
    np.testing.assert_allclose(there.joint - there.apart, here.joint - here.apart, atol=1e-6)
    np.testing.assert_allclose(there.couplings, -here.couplings, atol=1e-6)
    assert len(here.couplings) == 1


@pytest.mark.parametrize("levels", [2, 3, 6])
def test_example_any_two_levels_are_at_distance_one(levels):
    features = level_features(levels)
    apart = np.linalg.norm(features[:, None] - features[None, :], axis=2)
    np.testing.assert_allclose(apart, 1 - np.eye(levels), atol=1e-12)


def test_example_exchanging_the_ends_exchanges_nothing_else(kernels):
    values = network(4, 300, 6)
    swapped = values[:, [1, 0, 2, 3, 4, 5]]
    here = fit(kernels, pack(values), 0, 1, [2, 3], [4], 1.0)
    there = fit(kernels, pack(swapped), 0, 1, [4], [2, 3], 1.0)
    np.testing.assert_allclose(here, there, atol=1e-6)


@pytest.mark.parametrize(
    ("pairs", "scale", "message"),
    [
        ([[1, 0]], 1.0, "lower first"),
        ([[0, 6]], 1.0, "lower first"),
        ([[0, 1]], 0.0, "positive"),
    ],
)
def test_example_pairs_that_are_none(pairs, scale, message):
    bits, none = pack(network(1, 50, 6)), Lists.of([[]])
    with pytest.raises(ValueError, match=message):
        NativeKernels().fit_pairs(bits, np.array(pairs), none, none, scale)
