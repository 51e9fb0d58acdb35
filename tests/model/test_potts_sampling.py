"""Samples of Potts models against exact probabilities, and every backend against the others.

As in `test_sampling`, samples are independent: one of each of many chains, or exact ones.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.stats import chisquare

from markhood.data.samples import words_per_row
from markhood.graph.graph import Graph
from markhood.kernels.networks import Chains
from markhood.kernels.tables import codes
from markhood.model.potts.exact import States
from markhood.model.potts.model import PottsModel
from markhood.model.potts.network import potts_network
from markhood.model.sampling.gibbs import pack_levels
from messages import refuses
from model.blocks import in_blocks
from model.potts_enumerated import marginal, probabilities
from model.strategies import potts_models

FALSE_ALARM_RATE = 1e-3
LEVELS = [3, 2, 4, 3]


def potts(edges, seed):
    rng = np.random.default_rng(seed)
    tables = [rng.normal(0.0, 0.4, (LEVELS[i], LEVELS[j])) for i, j in edges]
    return PottsModel(Graph("abcd", edges), tables, [rng.normal(0.0, 0.3, r) for r in LEVELS])


loopy = potts([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 1)
forest = potts([(0, 2), (1, 2), (2, 3)], 2)


def p_values(samples, model):
    """Test the tables of all pairs of variables, and the whole distribution."""
    probability, _ = probabilities(model)
    levels, n = model.n_levels.tolist(), len(samples)
    groups = [(i, j) for j in range(len(levels)) for i in range(j)] + [tuple(range(len(levels)))]
    found = []
    for group in groups:
        shape = [levels[v] for v in group]
        at = np.ravel_multi_index(tuple(samples[:, v] for v in group), shape)
        expected = n * np.array(marginal(probability, group, shape))
        assert expected.min() > 5
        found.append(chisquare(np.bincount(at, minlength=len(expected)), expected).pvalue)
    return np.array(found)


def assert_distributed(samples, model):
    found = p_values(samples, model)
    assert found.min() > FALSE_ALARM_RATE / len(found)


@pytest.mark.parametrize("model", [loopy, forest], ids=["loopy", "forest"])
def test_oracle_gibbs_draws_the_distribution(model):
    n = 1 << 15
    samples = model.sample(n, seed=1, method="gibbs", burn_in=200, thinning=1, chains=n)
    assert_distributed(samples, model)


def test_oracle_exact_samples_are_distributed():
    assert_distributed(forest.sample(1 << 15, seed=3), forest)
    assert_distributed(loopy.sample(1 << 15, seed=3, method="exact"), loopy)


def test_example_the_chi_squared_test_has_power():
    n = 1 << 15
    unmixed = loopy.sample(n, seed=1, method="gibbs", burn_in=0, thinning=1, chains=n)
    assert p_values(unmixed, loopy).min() < 1e-6
    wrong = PottsModel(loopy.graph, [1.2 * table for table in loopy.tables], loopy.fields)
    assert p_values(wrong.sample(n, seed=1), loopy).min() < 1e-6


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(model=potts_models(most=8, spread=20.0))
def test_property_native_is_the_reference_to_the_bit(model, native, reference):
    settings = {"seed": 5, "method": "gibbs", "burn_in": 2, "thinning": 3, "chains": 19}
    expected = model.sample(60, kernels=reference, **settings)
    np.testing.assert_array_equal(model.sample(60, kernels=native, **settings), expected)


def test_example_many_levels(native, reference):
    rng = np.random.default_rng(3)
    levels = [64, 2, 17, 256]
    edges = [(0, 1), (0, 2), (1, 3), (2, 3)]
    tables = [rng.normal(size=(levels[i], levels[j])) for i, j in edges]
    model = PottsModel(Graph("abcd", edges), tables)
    settings = {"seed": 5, "method": "gibbs", "burn_in": 3, "thinning": 2}
    samples = model.sample(200, kernels=native, **settings)
    np.testing.assert_array_equal(samples, model.sample(200, kernels=reference, **settings))
    assert (samples.max(axis=0) < levels).all()
    assert samples[:, 3].max() > 100


def test_example_weights_beyond_a_double(native, reference):
    """Use four constant neighbours, whose product of factors underflows in between."""
    tables = [[[0.0, 0.0], [0.0, s * 500.0], [0.0, s * 250.0]] for s in (1, 1, -1, -1)]
    fields = [[0.0, 0.3, -0.2], *[[0.0, 600.0]] * 4]
    fields[3] = fields[4] = [0.0, 679.0]
    model, n = PottsModel(Graph("abcde", [(0, k) for k in range(1, 5)]), tables, fields), 4096
    settings = {"seed": 7, "method": "gibbs", "burn_in": 3, "thinning": 1}
    samples = model.sample(n, kernels=native, chains=n, **settings)
    assert samples[:, 1:].all()
    expected = np.exp([0.0, 0.3, -0.2]) / np.exp([0.0, 0.3, -0.2]).sum()
    found = np.bincount(samples[:, 0], minlength=3) / n
    # Five standard errors: a false-alarm rate below one in a million.
    assert (abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / n)).all()
    few = model.sample(64, kernels=reference, chains=64, **settings)
    np.testing.assert_array_equal(few, model.sample(64, kernels=native, chains=64, **settings))


def test_property_threads_and_blocks_do_not_change_the_data():
    settings = {"seed": 11, "method": "gibbs", "burn_in": 20, "thinning": 2, "chains": 50}
    expected = loopy.sample(5000, **settings)
    np.testing.assert_array_equal(loopy.sample(5000, n_jobs=3, **settings), expected)
    blocks = in_blocks(loopy, 5000, **settings)
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.concatenate(blocks), expected)
    np.testing.assert_array_equal(loopy.sample(37, **settings), expected[:37])


@pytest.mark.parametrize("method", ["exact", "gibbs"])
@pytest.mark.parametrize("model", [loopy, forest], ids=["loopy", "forest"])
def test_property_packed_samples_are_the_same(model, method):
    settings = {"seed": 6, "burn_in": 10, "method": method}
    blocks = in_blocks(model, 2100, **settings)
    assert len(blocks) > 1
    whole = model.sample(2100, **settings), model.sample_packed(2100, **settings)
    in_parts = np.concatenate(blocks), model._packed(iter(blocks), 2100)
    for samples, packed in (whole, in_parts):
        found = np.column_stack([codes(packed.bits, v) for v in range(4)])
        np.testing.assert_array_equal(found, samples)
        assert packed.words.shape == (sum(LEVELS) - 4, words_per_row(2100))
    assert packed.names == model.graph.nodes
    assert packed.levels == tuple(tuple(range(r)) for r in LEVELS)


def test_example_levels_that_do_not_occur_are_none():
    values = np.array([[1, 2, 0, 0, 1, 3], [3, 2, 1, 0, 1, 1], [1, 2, 2, 0, 1, 0]], np.uint8)
    n_levels = np.array([4, 4, 4, 4, 2, 4])
    packed = pack_levels([values], 3, tuple("abcdef"), n_levels)
    assert packed.levels == ((1, 3), (2,), (0, 1, 2), (0,), (1,), (0, 1, 3))
    assert packed.words[:, 0].tolist() == [0b010, 0, 0b010, 0b100, 0, 0, 0b010, 0b001]
    assert packed.starts.tolist() == [0, 1, 2, 4, 5, 6, 8]
    assert packed.is_constant.tolist() == [False, True, False, True, True, False]


@pytest.mark.parametrize("model", [loopy, forest], ids=["loopy", "forest"])
def test_example_seeds(model):
    seeds = (9, np.random.SeedSequence(9), np.random.default_rng(9))
    first, *others = [model.sample(200, seed=seed) for seed in seeds]
    for other in others:
        np.testing.assert_array_equal(first, other)
    assert (first != model.sample(200, seed=10)).any()
    assert first.shape == (200, 4)
    assert first.dtype == np.uint8


def test_example_a_model_summarises_its_samples():
    samples = loopy.sample(1601, seed=1, method="gibbs", burn_in=100, thinning=5)
    found = loopy.convergence(samples)
    assert found.names[:3] == ("a = 1", "a = 2", "b = 1")
    assert len(found.names) == sum(LEVELS) - 4 + 1
    assert (found.r_hat < 1.1).all()
    assert (found.effective_samples > 400).all()


def test_example_small_networks_are_enumerated_and_others_not():
    assert isinstance(loopy._exact_sampler, States)
    edges = [(i, (i + 1) % 14) for i in range(14)]
    cycle = PottsModel(Graph([f"x{i}" for i in range(14)], edges), [np.eye(3)] * 14)
    assert cycle._exact_sampler is None
    assert cycle.sample(100, seed=1, burn_in=10).max() == 2


@pytest.mark.parametrize(
    "settings", [{"n_samples": 0}, {"thinning": 0}, {"burn_in": -1}, {"method": "magic"}]
)
def test_example_bad_settings_are_refused(settings):
    with refuses("option-value", *settings):
        loopy.sample(**{"n_samples": 10, **settings})


def test_example_absurd_tables_are_refused():
    with refuses("model-size"):
        PottsModel(Graph("ab", [(0, 1)]), [1000.0 * np.eye(3)]).sample(10, method="gibbs")


NETWORK = potts_network(loopy._neighbours, loopy.fields)
STATES = np.zeros((16, 4), np.uint8)
GENERATORS = np.ones((4, 16), np.uint32)
changed = NETWORK._replace


@pytest.mark.parametrize(
    ("network", "states", "message"),
    [
        (changed(factors=NETWORK.factors[:-1].copy()), STATES, "every level of every neighbour"),
        (changed(factor_starts=NETWORK.factor_starts[:-1].copy()), STATES, "a value per neighbour"),
        (changed(factor_starts=NETWORK.factor_starts - 1), STATES, "level of every neighbour"),
        (changed(field_factors=NETWORK.field_factors[:-1].copy()), STATES, "of field factors"),
        (changed(n_levels=NETWORK.n_levels + 4), STATES, "multiple of 4"),
        (changed(n_levels=NETWORK.n_levels * 0), STATES, "from 1 to 256"),
        (changed(order=NETWORK.order + 1), STATES, "row numbers"),
        (NETWORK, STATES + np.uint8(3), "level numbers"),
        (NETWORK, STATES[:8].copy(), r"\(16, n_variables\)"),
    ],
)  # fmt: skip
def test_example_wrong_sizes_are_checked_before_any_memory_is_read(
    native, network, states, message
):
    with pytest.raises(ValueError, match=message):
        native.gibbs(network, Chains(states, GENERATORS), 1, 1, 1)
