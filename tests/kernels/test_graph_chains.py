"""A chain over graphs: where it settles, and that every backend walks the same way."""

import os
import threading

import numpy as np
import pytest

from markhood.data.weights import Weights
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import GraphChain, PairPrior
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.reference.pair_fit import fit_pair, step_unit
from oracles.graph_chain import settled_probabilities
from oracles.networks import network
from oracles.packing import pack, samples_with_levels


def all_pairs(n_variables):
    return np.array([(i, j) for i in range(n_variables) for j in range(i + 1, n_variables)])


def prior_of(
    pairs,
    density=0.2,
    log_odds=None,
    *,
    learns=False,
    scale=1.0,
    shape=0.0,
    background=0.0,
    expected=0.0,
    periods=None,
):
    log_odds = np.full(len(pairs), np.nan) if log_odds is None else np.array(log_odds)
    bins = (np.array([-1.5, 0.5]), np.array([20.0, 3.0])) if learns else (np.empty(0), np.empty(0))
    periods = np.ones(len(pairs), np.uint8) if periods is None else np.array(periods, np.uint8)
    expected = np.full(len(pairs), expected)
    return PairPrior(log_odds, *bins, scale, shape, background, expected, density, learns, periods)


def chain_of(pairs, seed=1):
    state = np.random.SeedSequence(seed).generate_state(4, np.uint32)
    return GraphChain(np.zeros(len(pairs), np.uint8), state)


def copied_at_random(n_levels, share, n_rows=120, n_variables=4):
    rng = np.random.default_rng(1)
    values = rng.integers(0, n_levels, (n_rows, n_variables))
    for j in range(1, n_variables):
        values[:, j] = np.where(rng.random(n_rows) < share, values[:, j - 1], values[:, j])
    return values


@pytest.mark.parametrize(
    ("values", "n_covariates"),
    [
        (network(6, 120, 3, strength=1.2), 0),
        (network(6, 120, 4, strength=1.2), 0),
        (network(6, 120, 5, strength=1.2), 2),
        (copied_at_random(4, 0.25), 0),  # up to twelve scores of neighbours: most fits are steps
    ],
)
def test_oracle_averages_are_those_of_the_distribution_it_settles_in(values, n_covariates):
    bits, pairs = samples_with_levels(values).bits, all_pairs(values.shape[1] - n_covariates)
    density, scale = 0.3, 0.8
    odds = np.log(density / (1 - density))

    def probability(pair, graph):
        edges = {tuple(e) for e, there in zip(pairs.tolist(), graph, strict=True) if there}
        i, j = pairs[pair].tolist()
        given = [sorted(w for e in edges if v in e for w in e if w not in (i, j)) for v in (i, j)]
        fitted = fit_pair(bits, i, j, *given, scale, n_covariates)
        return 1 / (1 + np.exp(-fitted.log_bayes_factor(scale) - odds))

    expected = settled_probabilities(probability, len(pairs))
    assert np.any((expected > 0.1) & (expected < 0.9))  # or it would be no test
    for periods in (None, 1 + np.arange(len(pairs)) % 3 * 4):
        prior = prior_of(pairs, density, scale=scale, periods=periods)
        sums, _ = NativeKernels().sample_graphs(
            bits, pairs, prior, chain_of(pairs), 100, 20_000, n_covariates
        )
        np.testing.assert_allclose(sums.probabilities / 20_000, expected, atol=0.02)


@pytest.mark.parametrize(("n_levels", "most"), [(2, 2), (3, 9)])
def test_property_no_variable_has_more_slopes_than_allowed(kernels, n_levels, most):
    """Of its neighbours: two in both cases."""
    rng = np.random.default_rng(2)
    values = np.repeat(rng.integers(0, n_levels, (150, 1)), 4, axis=1)
    values = np.where(
        rng.random(values.shape) < 0.2, rng.integers(0, n_levels, values.shape), values
    )
    bits, pairs = samples_with_levels(values).bits, all_pairs(4)
    prior = prior_of(pairs, 0.9)._replace(most_slopes=most)
    sums, end = kernels.sample_graphs(bits, pairs, prior, chain_of(pairs), 2, 6)
    degrees = np.bincount(pairs[end.present > 0].ravel(), minlength=4)
    assert degrees.max() == 2
    free, _ = kernels.sample_graphs(bits, pairs, prior_of(pairs, 0.9), chain_of(pairs), 2, 6)
    assert free.probabilities.sum() > sums.probabilities.sum() + 6
    full = chain_of(pairs)._replace(present=np.ones(len(pairs), np.uint8))
    required = prior._replace(log_odds=np.full(len(pairs), np.inf))
    kept, _ = kernels.sample_graphs(bits, pairs, required, full, 0, 3)
    np.testing.assert_array_equal(kept.probabilities, 3)


@pytest.mark.parametrize("n_covariates", [0, 2])
def test_oracle_every_instruction_set_walks_as_the_twin_does(native_kernels, n_covariates):
    values = network(2, 200, 6, strength=1.5)
    bits, pairs = pack(values), all_pairs(6 - n_covariates)
    log_odds = np.full(len(pairs), np.nan)
    log_odds[[0, 3]] = np.inf, -1.0
    periods = 1 + np.arange(len(pairs)) % 3
    prior = prior_of(pairs, 0.2, log_odds, learns=True, periods=periods)
    prior = prior._replace(most_slopes=2)
    walk = bits, pairs, prior, chain_of(pairs), 3, 12, n_covariates
    expected, end = ReferenceKernels().sample_graphs(*walk)
    sums, reached = native_kernels.sample_graphs(*walk)
    np.testing.assert_array_equal(reached.present, end.present)
    np.testing.assert_array_equal(reached.generator, end.generator)
    assert sums.n_fits == expected.n_fits
    for got, wanted in zip(sums[:4], expected[:4], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("n_covariates", [0, 1])
@pytest.mark.parametrize("kinds", [(True, True, True, True), (True, False, True, False)])
def test_oracle_every_instruction_set_walks_as_the_twin_does_among_levels(
    native_kernels, kinds, n_covariates
):
    rng = np.random.default_rng(4)
    values = rng.integers(0, 3, (200, 4))
    values[:, 1] = np.where(rng.random(200) < 0.4, values[:, 0], values[:, 1])
    weights = Weights(rng.integers(1, 3, 200))
    bits = samples_with_levels(values, weights).with_order(kinds).bits
    pairs = all_pairs(4 - n_covariates)
    prior = prior_of(pairs, learns=True)
    walk = bits, pairs, prior, chain_of(pairs), 1, 4, n_covariates
    expected, end = ReferenceKernels().sample_graphs(*walk)
    sums, reached = native_kernels.sample_graphs(*walk)
    np.testing.assert_array_equal(reached.present, end.present)
    assert sums.n_fits == expected.n_fits
    for got, wanted in zip(sums[:4], expected[:4], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("n_levels", [2, 3])
def test_property_fits_that_were_handed_over_change_nothing(native_kernels, n_levels):
    values = np.random.default_rng(4).integers(0, n_levels, (150, 5))
    bits, pairs = samples_with_levels(values).bits, all_pairs(5)
    prior, empty = prior_of(pairs, learns=True), np.empty(0, np.int64)
    _, settled = native_kernels.sample_graphs(
        bits, pairs[1:], prior_of(pairs[1:]), chain_of(pairs[1:])._replace(fits=empty), 0, 5
    )
    anew, alone = native_kernels.sample_graphs(bits, pairs, prior, chain_of(pairs, 2), 1, 5)
    again, reached = native_kernels.sample_graphs(
        bits, pairs, prior, chain_of(pairs, 2)._replace(fits=settled.fits), 1, 5
    )
    assert alone.fits is None
    assert again.n_fits < anew.n_fits
    assert len(reached.fits) > len(settled.fits)
    np.testing.assert_array_equal(reached.present, alone.present)
    for got, wanted in zip(again[:4], anew[:4], strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("spoil", [lambda fits: fits, lambda fits: fits[: len(fits) // 2 + 1]])
def test_example_fits_of_another_scale_or_cut_short_do_no_harm(spoil):
    bits, pairs = pack(network(3, 150, 5, strength=1.0)), all_pairs(5)
    start = chain_of(pairs)._replace(fits=np.empty(0, np.int64))
    fits = NativeKernels().sample_graphs(bits, pairs, prior_of(pairs), start, 0, 5)[1].fits
    for scale in (1.0, 0.5):
        prior = prior_of(pairs, scale=scale)
        anew, _ = NativeKernels().sample_graphs(bits, pairs, prior, start, 0, 5)
        given = start._replace(fits=spoil(fits))
        got, _ = NativeKernels().sample_graphs(bits, pairs, prior, given, 0, 5)
        np.testing.assert_array_equal(got.probabilities, anew.probabilities)


def test_example_what_is_certain_beforehand_stays(kernels):
    values = network(7, 150, 5, strength=1.0)
    bits, pairs = pack(values), all_pairs(5)
    log_odds = np.full(len(pairs), np.nan)
    log_odds[2], log_odds[5] = np.inf, -np.inf
    sums, end = kernels.sample_graphs(
        bits, pairs, prior_of(pairs, 0.5, log_odds), chain_of(pairs), 1, 5
    )
    assert sums.probabilities[2] == 5
    assert end.present[2] == 1
    assert sums.probabilities[5] == 0
    assert end.present[5] == 0


@pytest.mark.parametrize("n_sweeps", [1, 9, 10, 21])
def test_example_a_seldom_visit_counts_for_the_sweeps_without(kernels, n_sweeps):
    bits, pairs = pack(network(7, 150, 5, strength=1.0)), all_pairs(5)
    log_odds = np.full(len(pairs), np.inf)
    prior = prior_of(pairs, 0.5, log_odds, periods=[1, 4, 10, 10, 30] * 2)
    sums, _ = kernels.sample_graphs(bits, pairs, prior, chain_of(pairs), 0, n_sweeps)
    np.testing.assert_array_equal(sums.probabilities, n_sweeps)


@pytest.mark.skipif(os.name == "nt", reason="there a signal to oneself is the end")
def test_example_ctrl_c_ends_a_chain(ctrl_c):
    """One of so many sweeps would take hours."""
    values = np.random.default_rng(0).integers(0, 2, size=(500, 40), dtype=np.uint8)
    bits, pairs = pack(values), all_pairs(40)
    threading.Timer(0.5, ctrl_c).start()
    with pytest.raises(KeyboardInterrupt):
        NativeKernels().sample_graphs(bits, pairs, prior_of(pairs, 0.5), chain_of(pairs), 0, 10**7)


def test_example_the_density_is_the_mean_probability_of_all_pairs(kernels):
    bits, pairs = pack(network(3, 150, 5, strength=1.0)), all_pairs(5)
    log_odds = np.full(len(pairs), 0.3)  # only the bins count
    for factors, counts, expected in (
        ([-1.5, 4.0], [20.0, 3.0], None),
        ([0.0, -np.inf], [20.0, 10.0], 0.5 / 10.5),  # says nothing but for the pairs of the prior
        ([0.5], [20.0], 0.25),  # never higher
        ([], [], 0.2),
    ):
        prior = prior_of(pairs, 0.2, log_odds, learns=True)
        prior = prior._replace(bin_log_bayes_factors=np.array(factors), bin_counts=np.array(counts))
        sums, _ = kernels.sample_graphs(bits, pairs, prior, chain_of(pairs), 0, 15)
        density = sums.densities[-1]
        if expected is None:
            p = 1 / (1 + np.exp(-np.array(factors)) * (1 / density - 1))
            expected = (counts @ p + 0.5) / 23.5
        assert density == pytest.approx(expected)


@pytest.mark.parametrize(
    ("shape", "background", "expected"),
    [
        (-0.7, 0.0, 0.0),
        (-0.2, 0.4, 0.0),
        (0.0, 0.2, 0.5),
        (0.4, 0.0, 0.0),
        (0.9, 0.1, 0.0),
        (0.0, 0.0, -0.6),
        (0.6, 0.3, 1.2),
    ],
)
def test_oracle_priors_of_couplings_are_integrals(kernels, shape, background, expected):
    """The likelihood being normal, Bayes factor, mean and variance are integrals over the coupling."""
    values = np.random.default_rng(1).integers(0, 3, (80, 2))
    values[:, 1] = np.where(np.arange(80) % 4 == 0, values[:, 0], values[:, 1])
    bits = samples_with_levels(values).with_order((True, True)).bits
    scale, unit, pairs = 1.3, step_unit(3) ** 2, np.array([[0, 1]])
    fit = fit_pair(bits, 0, 1, [], [], scale)
    mode, variance = fit.coupling[0] / unit, fit.variance[0] / unit**2
    x = np.linspace(-12, 12, 20_001)

    def normal(mean, square):
        return np.exp(-((x - mean) ** 2) / (2 * square)) / np.sqrt(2 * np.pi * square)

    square = scale**2
    if shape > 0:
        narrow = square * (1 - shape**2)
        mixture = (normal(shape * scale, narrow) + normal(-shape * scale, narrow)) / 2
    else:
        mixture = (normal(0, square * (1 + shape)) + normal(0, square * (1 - shape))) / 2
    assert np.trapezoid(x**2 * mixture, x) == pytest.approx(square, rel=1e-3)
    weights = normal(mode, variance) / normal(0, square) * mixture
    total = np.trapezoid(weights, x)
    odds = np.exp(fit.log_bayes_factor(scale)) * total
    likelihood = normal(mode, variance) / normal(0, square)
    ratios = likelihood / likelihood[len(x) // 2]  # relative to that of no coupling
    if background:
        odds /= np.trapezoid(ratios * normal(expected, background**2), x)
    else:
        odds /= np.interp(expected, x, ratios)
    prior = prior_of(pairs, 0.5, scale=scale, shape=shape, background=background, expected=expected)
    sums, _ = kernels.sample_graphs(bits, pairs, prior, chain_of(pairs), 0, 1)
    assert sums.probabilities[0] == pytest.approx(odds / (1 + odds), rel=1e-4)
    mean = np.trapezoid(x * weights, x) / total
    second = np.trapezoid(x**2 * weights, x) / total
    assert sums.couplings[0] / sums.probabilities[0] == pytest.approx(unit * mean, rel=1e-3)
    assert sums.squares[0] / sums.probabilities[0] == pytest.approx(unit**2 * second, rel=1e-3)


def test_example_levels_are_sampled_too():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 3, (400, 4))
    values[:, 1] = np.where(rng.random(400) < 0.6, values[:, 0], values[:, 1])
    samples, pairs = samples_with_levels(values), all_pairs(4)
    sums, _ = NativeKernels().sample_graphs(
        samples.bits, pairs, prior_of(pairs), chain_of(pairs), 1, 4
    )
    assert sums.probabilities[0] / 4 > 0.99
    assert sums.probabilities[1:].max() / 4 < 0.5
    assert len(sums.couplings) == 9 * len(pairs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairs": np.array([[0, 2], [0, 1]])}, "ascend"),
        ({"log_odds": np.zeros(3)}, "odds, an expected coupling, a period and a state"),
        ({"expected": np.zeros(1)}, "odds, an expected coupling, a period and a state"),
        ({"periods": np.zeros(2, np.uint8)}, "period must be positive"),
        ({"density": 1.0}, "between 0 and 1"),
        ({"scale": -1.0}, "positive"),
        ({"shape": 1.0}, "between -1 and 1"),
        ({"background": -0.1}, "must not be negative"),
    ],
)
def test_example_chains_of_wrong_sizes(change, message):
    pairs = change.pop("pairs", np.array([[0, 1], [0, 2]]))
    prior = prior_of(pairs)._replace(**change)
    bits = pack(network(1, 50, 4))
    with pytest.raises(ValueError, match=message):
        NativeKernels().sample_graphs(bits, pairs, prior, chain_of(pairs), 0, 1)
