"""IBMAP-HC against scoring from scratch in exact arithmetic, and its invariances."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markhood.kernels.native import NativeKernels
from markhood.search.ibmap import Assertions, CachedTests, climb_assertions
from oracles.independence import Scorer
from oracles.jobs import job_of
from oracles.networks import awkward, hub, independent, network
from oracles.packing import samples_of


def learned(values, kernels=None, n_jobs=1):
    return climb_assertions(job_of(samples_of(values), kernels=kernels, n_jobs=n_jobs))


def varying(values):
    """Only the columns that have two values, so that nothing is left out."""
    return values[:, values.min(axis=0) < values.max(axis=0)]


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 20),
    pairs=st.lists(st.permutations(range(7)).map(lambda p: tuple(sorted(p[:2]))), max_size=15),
)
def test_property_after_every_flip_the_score_is_that_from_scratch(kernels, seed, pairs):
    values = varying(network(seed, 60, 7, strength=2.0))
    scorer = Scorer(values)
    state = Assertions(CachedTests(job_of(samples_of(values), kernels=kernels)))
    edges, before = set(), scorer.score(set())
    for i, j in (pair for pair in pairs if pair[1] < values.shape[1]):
        change = state.flip(i, j)
        edges ^= {(i, j)}
        expected = scorer.assertions(edges)
        for pair, log_probability in expected.items():
            assert state.log_probabilities[pair] == pytest.approx(log_probability, abs=1e-10)
        after = sum(expected.values())
        assert change == pytest.approx(after - before, abs=1e-9)
        assert state.score() == pytest.approx(after, abs=1e-9)
        assert sorted(edges) == list(map(tuple, np.argwhere(np.triu(state.adjacent)).tolist()))
        before = after
    np.testing.assert_array_equal(state.log_probabilities, state.log_probabilities.T)


@pytest.mark.parametrize(
    "values",
    [
        network(1, 150, 10, strength=3.0),
        network(2, 400, 8, strength=2.0),
        hub(3, 300, 7, slope=2.0),
        independent(4, 100, 8),
        varying(awkward(5, 60)),
        varying(awkward(8, 200)),
        network(9, 500, 2, strength=3.0),
    ],
    ids=["dense", "many", "hub", "coins", "awkward", "separated", "two"],
)
def test_oracle_the_same_climb_from_scratch(kernels, values):
    found = learned(values, kernels)
    edges, scores = Scorer(values).climb()
    assert list(map(tuple, found.edges.tolist())) == edges
    assert found.score == pytest.approx(scores[-1], abs=1e-9)
    said = Scorer(values).assertions(edges)
    expected = [said[edge] for edge in edges]
    np.testing.assert_allclose(found.log_probabilities, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_property_every_backend_and_thread_count_finds_the_same(kernels, seed):
    values = network(seed, 400, 40, strength=2.0)
    one = learned(values)
    assert len(one.edges) > 10
    for n_jobs in (1, 3):
        other = learned(values, kernels, n_jobs)
        assert other.edges.tolist() == one.edges.tolist()
        assert other.evaluations.tolist() == one.evaluations.tolist()
        assert other.score == pytest.approx(one.score, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_property_relabelling_permutes_a_clear_answer(seed):
    """Not every one: among variables of the same degree the index says who asserts a pair."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, size=(1500, 10), dtype=np.uint8)
    chain = [(0, 5), (5, 7), (7, 3), (1, 8), (8, 6), (2, 9)]
    for i, j in chain:
        values[:, j] = np.where(rng.random(1500) < 0.3 + 0.05 * j, values[:, i], values[:, j])
    edges = {tuple(e) for e in learned(values).edges.tolist()}
    assert edges >= {(min(pair), max(pair)) for pair in chain}
    order = rng.permutation(10)
    permuted = learned(values[:, order]).edges
    assert {tuple(sorted(order[e].tolist())) for e in permuted} == edges


def test_property_the_values_of_a_variable_may_be_swapped():
    values = network(6, 300, 20, strength=2.0)
    swapped = values ^ np.random.default_rng(6).integers(0, 2, size=20, dtype=np.uint8)
    assert learned(swapped).edges.tolist() == learned(values).edges.tolist()


def test_example_a_flip_and_back_changes_nothing_and_tests_nothing():
    values = network(7, 200, 12, strength=2.0)
    tests = CachedTests(job_of(samples_of(values)))
    state = Assertions(tests)
    state.flip(0, 3), state.flip(3, 5), state.flip(2, 3)
    before = state.log_probabilities.copy()
    there = state.flip(3, 8)
    made = tests.evaluations.copy()
    back = state.flip(3, 8)
    assert there == pytest.approx(-back, abs=1e-12)
    np.testing.assert_array_equal(state.log_probabilities, before)
    assert tests.evaluations == made


class Counting:
    """Kernels that keep what they were asked."""

    def __init__(self):
        self.asked = []

    def independence_tests(self, bits, targets, givens, others, log_factorials):
        for target, z, tried in zip(targets.tolist(), givens, others, strict=True):
            self.asked += [(target, tuple(z.tolist()), other) for other in tried.tolist()]
        return NativeKernels().independence_tests(bits, targets, givens, others, log_factorials)


def test_example_no_test_is_made_twice_and_all_are_counted():
    kernels = Counting()
    found = learned(network(8, 400, 25, strength=2.0), kernels)
    assert len(kernels.asked) == len(set(kernels.asked))
    sizes = np.bincount([len(z) for _, z, _ in kernels.asked])
    assert found.evaluations.tolist() == sizes.tolist()
    assert found.evaluations[0] == 25 * 24 // 2
    assert len(sizes) > 2


@pytest.mark.parametrize("constant", [0, 1])
def test_example_constant_variables_stay_alone(constant):
    values = network(9, 300, 8, strength=3.0)
    without = learned(values[:, [0, 1, 3, 4, 5, 7]])
    values[:, [2, 6]] = constant
    found = learned(values)
    kept = np.array([0, 1, 3, 4, 5, 7])
    assert found.edges.tolist() == kept[without.edges].tolist()
    assert found.score == without.score
    assert len(found.edges) > 0


@pytest.mark.parametrize("d", [0, 1, 2])
def test_example_nothing_to_join(kernels, d):
    values = np.zeros((10, d), dtype=np.uint8)
    found = learned(values, kernels)
    assert found.edges.shape == (0, 2)
    assert found.evaluations.tolist() == [0]
    assert found.score == 0.0


def test_example_ties_go_to_the_lower_pair():
    """A variable and its copies: all three pairs are equally improbable to be independent."""
    coin = np.random.default_rng(10).integers(0, 2, size=100, dtype=np.uint8)
    state = Assertions(CachedTests(job_of(samples_of(np.column_stack([coin, coin, coin])))))
    assert state.least_probable() == (0, 1)
    state.flip(0, 1)
    assert state.least_probable() == (0, 2)
