"""Samples against exact probabilities, and every backend and thread count against the others.

The chi-squared tests take one draw from each of many independent chains (or independent exact
samples), so that their samples are independent. Each asks whether any of its tables has a p-value
below 0.001 over the number of tables: a false-alarm rate of at most one in a thousand for a new
seed, and, the seeds being fixed, none from run to run.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.stats import chisquare

from markhood.data.samples import words_per_row
from markhood.graph.graph import Graph
from markhood.kernels.generator import next_random
from markhood.model.ising.model import IsingModel
from markhood.model.sampling.gibbs import colouring
from messages import refuses
from model.blocks import in_blocks
from model.enumerated import pair_table, probabilities
from model.strategies import models

FALSE_ALARM_RATE = 1e-3
PAIRS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]
loopy = IsingModel(
    Graph("abcdef", PAIRS),
    [1.2, -0.8, 0.9, -1.5, 0.7, 1.1, -2.0],
    [-0.4, 0.3, 0.2, -0.6, 0.5, 0.8],
)
forest = IsingModel(
    Graph("abcdef", [(2, 0), (2, 1), (1, 3), (4, 5)]),
    [1.4, -1.1, 2.0, -0.9],
    [0.3, -0.5, 0.1, -0.8, 0.6, 0.2],
)


def p_values(samples, model):
    """Test the tables of all pairs of variables, and the whole distribution."""
    probability, _ = probabilities(model)
    d, n = model.n_variables, len(samples)
    values = samples.astype(np.int64)
    found = []
    for i in range(d):
        for j in range(i):
            observed = np.bincount(2 * values[:, i] + values[:, j], minlength=4)
            expected = n * np.ravel(pair_table(probability, i, j))
            found.append(chisquare(observed, expected).pvalue)
    states = values @ (1 << np.arange(d)[::-1])
    expected = n * np.array(list(probability.values()))
    assert expected.min() > 5
    found.append(chisquare(np.bincount(states, minlength=2**d), expected).pvalue)
    return np.array(found)


def assert_distributed(samples, model):
    found = p_values(samples, model)
    assert found.min() > FALSE_ALARM_RATE / len(found)


def test_oracle_gibbs_draws_the_distribution():
    n = 1 << 15
    assert_distributed(loopy.sample(n, seed=1, burn_in=200, thinning=1, chains=n), loopy)


def test_oracle_gibbs_draws_a_forest_too():
    n = 1 << 15
    samples = forest.sample(n, seed=2, method="gibbs", burn_in=200, thinning=1, chains=n)
    assert_distributed(samples, forest)


def test_oracle_ancestral_samples_are_distributed():
    assert_distributed(forest.sample(1 << 15, seed=3), forest)


def test_example_the_chi_squared_test_has_power():
    n = 1 << 15
    unmixed = loopy.sample(n, seed=1, burn_in=0, thinning=1, chains=n)
    assert p_values(unmixed, loopy).min() < 1e-6
    wrong = IsingModel(loopy.graph, loopy.couplings + 0.1, loopy.fields)
    samples = wrong.sample(n, seed=1, burn_in=200, thinning=1, chains=n)
    assert p_values(samples, loopy).min() < 1e-6


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(model=models(most=9))
def test_property_native_is_the_reference_to_the_bit(model, native, reference):
    settings = {"seed": 5, "method": "gibbs", "burn_in": 2, "thinning": 3, "chains": 19}
    expected = model.sample(60, kernels=reference, **settings)
    np.testing.assert_array_equal(model.sample(60, kernels=native, **settings), expected)


def far_beyond_a_double():
    """Use four neighbours that are always 1, whose product of factors overflows in between."""
    couplings = np.array([500.0, 500.0, -500.0, -500.0])
    fields = np.array([0.3, 30.0, 30.0, 530.0, 530.0])
    return IsingModel(Graph("abcde", [(0, k) for k in range(1, 5)]), couplings, fields)


def test_example_odds_beyond_a_double(native, reference):
    model, n = far_beyond_a_double(), 4096
    settings = {"seed": 7, "method": "gibbs", "burn_in": 3, "thinning": 1}
    samples = model.sample(n, kernels=native, chains=n, **settings)
    assert samples[:, 1:].all()
    expected = model.marginals()[0]
    assert expected == pytest.approx(1 / (1 + np.exp(-0.3)))
    # Five standard errors: a false-alarm rate below one in a million.
    assert abs(samples[:, 0].mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / n)
    few = model.sample(64, kernels=reference, chains=64, **settings)
    np.testing.assert_array_equal(few, model.sample(64, kernels=native, chains=64, **settings))


def test_property_threads_do_not_change_the_data():
    settings = {"seed": 11, "burn_in": 20, "thinning": 2, "chains": 50}
    expected = loopy.sample(1000, **settings)
    for n_jobs in (2, 3):
        np.testing.assert_array_equal(loopy.sample(1000, n_jobs=n_jobs, **settings), expected)


def test_property_blocks_do_not_change_the_data():
    expected = loopy.sample(5000, seed=4, burn_in=10, thinning=1)
    blocks = in_blocks(loopy, 5000, 4, burn_in=10, thinning=1)
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.concatenate(blocks), expected)


def test_property_fewer_samples_are_the_first_of_more():
    more = loopy.sample(1000, seed=4, burn_in=10, thinning=2)
    np.testing.assert_array_equal(loopy.sample(37, seed=4, burn_in=10, thinning=2), more[:37])


@pytest.mark.parametrize("model", [loopy, forest])
def test_example_seeds(model):
    seeds = (9, np.random.SeedSequence(9), np.random.default_rng(9))
    first, *others = [model.sample(200, seed=seed, burn_in=5) for seed in seeds]
    for other in others:
        np.testing.assert_array_equal(first, other)
    assert (first != model.sample(200, seed=10, burn_in=5)).any()
    assert first.shape == (200, 6)
    assert first.dtype == np.uint8


@pytest.mark.parametrize("model", [loopy, forest])
def test_property_packed_samples_are_the_same(model):
    n = 2100
    blocks = in_blocks(model, n, 6)
    assert len(blocks) > 1
    whole = model.sample(n, seed=6, burn_in=10), model.sample_packed(n, seed=6, burn_in=10)
    in_parts = np.concatenate(blocks), model._packed(iter(blocks), n)
    for samples, packed in (whole, in_parts):
        bits = np.unpackbits(packed.words.view(np.uint8), axis=1, count=n, bitorder="little")
        np.testing.assert_array_equal(bits.T, samples)
    assert packed.words.shape == (6, words_per_row(n))
    assert packed.names == model.graph.nodes
    assert packed.levels == ((0, 1),) * 6


def test_example_packed_constant_variable_keeps_its_levels():
    packed = IsingModel(Graph("ab", []), [], [0.0, 40.0]).sample_packed(100, seed=1)
    assert packed.levels == ((0, 1), (0, 1))
    assert packed.is_constant.tolist() == [False, True]


def test_example_a_single_variable_without_edges():
    samples = IsingModel(Graph("a", []), [], [2.0]).sample(20000, seed=1, method="gibbs")
    # Five standard errors: a false-alarm rate below one in a million.
    assert abs(samples.mean() - 0.8808) < 5 * np.sqrt(0.8808 * 0.1192 / 20000)


@settings(max_examples=40, deadline=None)
@given(model=models(most=9))
def test_property_neighbours_never_share_a_colour(model):
    colours = colouring(model._neighbours.lists)
    i, j = model.graph.edges.T
    assert (colours[i] != colours[j]).all()


def test_golden_random_numbers_are_those_of_xoshiro():
    state = np.array([[1], [2], [3], [4]], dtype=np.uint32)
    drawn = [int(next_random(state)[0]) for _ in range(6)]
    assert drawn == [641, 1573767, 3222811527, 3517856514, 836907274, 4247214768]


@pytest.mark.parametrize(
    "settings",
    [
        {"n_samples": 0},
        {"n_samples": -3},
        {"thinning": 0},
        {"chains": 0},
        {"n_jobs": 0},
        {"burn_in": -1},
        {"method": "magic"},
    ],
)
def test_example_bad_settings_are_refused(settings):
    with refuses("option-value", *settings):
        loopy.sample(**{"n_samples": 10, **settings})
    with refuses("model-size", "method"):
        loopy.sample(10, method="exact")


def test_example_absurd_couplings_are_refused():
    with refuses("model-size"):
        IsingModel(Graph("ab", [(0, 1)]), [1000.0]).sample(10, method="gibbs")
