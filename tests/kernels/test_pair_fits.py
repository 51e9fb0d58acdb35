"""Two variables given their neighbours: maxima, Bayes factors, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.pair_fit import fit_pair, level_features
from markhood.kernels.protocol import NO_PENALTY
from oracles.networks import hub, network
from oracles.packing import pack, samples_with_levels
from oracles.pair_model import integrated_log_bayes_factor, penalised_maximum


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
        assert determinant == pytest.approx(twin.log_determinant, abs=5e-3)
        assert coupling == pytest.approx(twin.coupling[0], abs=1e-4)
        assert variance == pytest.approx(twin.variance[0], rel=5e-3)


def test_oracle_a_hub_of_24_neighbours_is_no_table_of_all_configurations(native_kernels):
    values = hub(5, 500, 25, 0.8)
    others = list(range(1, 25))
    joint, apart, *_ = fit(native_kernels, pack(values), 0, 25, [3], others, 1.0)
    with_edge, _ = penalised_maximum(values, 0, 25, [3], others, 1.0, coupled=True)
    without, _ = penalised_maximum(values, 0, 25, [3], others, 1.0, coupled=False)
    np.testing.assert_allclose([joint, apart], [with_edge, without], atol=1e-5)


def test_oracle_more_neighbours_than_a_word_has_bits(native_kernels):
    values = hub(5, 300, 71, 0.3)
    others = list(range(1, 71))
    joint, apart, _, coupling, _ = fit(native_kernels, pack(values), 0, 71, [], others, 0.3)
    with_edge, at = penalised_maximum(values, 0, 71, [], others, 0.3, coupled=True)
    assert joint == pytest.approx(with_edge, abs=1e-4)
    assert coupling == pytest.approx(at[-1], abs=1e-2)
    assert apart < joint


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
