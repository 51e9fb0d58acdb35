"""The test of independence on every backend, against exact arithmetic on the samples."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.reference.independence import log_independence as of_tables
from markhood.kernels.reference.independence import slice_tables
from oracles.independence import log_factorials, log_independence
from oracles.levels import chain
from oracles.networks import awkward, hub, independent, network
from oracles.packing import pack, samples_with_levels


def log_probabilities(kernels, values, targets, givens, others):
    return kernels.independence_tests(
        pack(values),
        np.array(targets, dtype=np.int64),
        Lists.of(givens),
        Lists.of(others),
        log_factorials(len(values)),
    )


@pytest.mark.parametrize(
    ("n_samples", "size"), [(1, 0), (2, 1), (63, 0), (64, 1), (65, 2), (511, 3), (513, 4), (700, 6)]
)
def test_oracle_exact_arithmetic(kernels, n_samples, size):
    values = network(size, n_samples, 11)
    given, others = list(range(2, 2 + size)), list(range(2 + size, 11))
    found = log_probabilities(kernels, values, [0], [given], [others])
    expected = [log_independence(values, 0, j, given)[0] for j in others]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("size", [7, 8, 9, 12, 30])
def test_oracle_large_conditioning_sets(kernels, size):
    """Past 256 slices the native table has no masks; with 30 variables nearly all are empty."""
    values = hub(size, 600, size, slope=0.4)
    values = np.column_stack([values, values[:, -1] ^ (np.arange(600) % 3 == 0), values[:, 0]])
    given, target = list(range(1, size)), size
    found = log_probabilities(kernels, values, [target], [given], [[size + 1, 0, size + 2]])
    expected = [log_independence(values, target, j, given)[0] for j in (size + 1, 0, size + 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=0)
    assert found[1] == found[2]


@pytest.mark.parametrize("size", [49, 50, 51, 400, 1100])
def test_example_so_large_that_no_slice_tells(kernels, size):
    """Every sample has a slice of its own, and the prior, one half, remains."""
    values = np.random.default_rng(size).integers(0, 2, size=(100, size + 2), dtype=np.uint8)
    found = log_probabilities(kernels, values, [0], [list(range(2, size + 2))], [[1]])
    assert found == pytest.approx(np.log(0.5), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_oracle_awkward_data(kernels, seed):
    values = awkward(seed, [20, 60, 200][seed % 3])
    others = list(range(3, values.shape[1]))
    found = log_probabilities(kernels, values, [0], [[1, 2]], [others])
    expected = [log_independence(values, 0, j, [1, 2])[0] for j in others]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=0)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), n=st.sampled_from([5, 64, 300, 5000]), data=st.data())
def test_property_same_as_the_reference(native_kernels, seed, n, data):
    values = independent(seed, n, 14) if seed % 2 else network(seed, n, 14)
    lists = st.lists(st.integers(1, 13), unique=True, min_size=1, max_size=13)
    parts = [data.draw(lists) for _ in range(3)]
    cuts = [data.draw(st.integers(0, len(part) - 1)) for part in parts]
    givens = [part[:cut] for part, cut in zip(parts, cuts, strict=True)]
    others = [part[cut:] for part, cut in zip(parts, cuts, strict=True)]
    expected = log_probabilities(ReferenceKernels(), values, [0, 0, 0], givens, others)
    found = log_probabilities(native_kernels, values, [0, 0, 0], givens, others)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=0)


def test_property_symmetric_to_the_last_bit(kernels):
    values = network(3, 20_000, 8)
    for z in ([], [3], [3, 5, 6, 7]):
        there = log_probabilities(kernels, values, [0], [z], [[1, 2]])
        back = log_probabilities(kernels, values, [1, 2], [z] * 2, [[0], [0]])
        assert there.tolist() == back.tolist()


def test_property_the_values_of_a_variable_may_be_swapped(kernels):
    values = network(4, 500, 6)
    swapped = values ^ np.array([1, 0, 1, 0, 1, 0], dtype=np.uint8)
    arguments = [0, 1], [[2, 3], []], [[4, 5], [4]]
    np.testing.assert_allclose(
        log_probabilities(kernels, values, *arguments),
        log_probabilities(kernels, swapped, *arguments),
        rtol=1e-13,
    )


def test_example_several_targets_at_once(kernels):
    values = network(5, 200, 7)
    lists = [[1, 2], [], [0, 1, 3]], [[3, 4, 5], [], [6]]
    together = log_probabilities(kernels, values, [0, 4, 2], *lists)
    alone = [
        log_probabilities(kernels, values, [t], [g], [o])
        for t, g, o in zip([0, 4, 2], *lists, strict=True)
    ]
    assert together.tolist() == np.concatenate(alone).tolist()
    assert log_probabilities(kernels, values, [], [], []).tolist() == []


def test_example_tests_in_one_call_do_not_depend_on_those_before(kernels):
    """Conditioning sets with the same first members share their slices."""
    bits = samples_with_levels(chain(3, 300, (4, 3, 5, 2, 6, 3), strength=0.5)).bits
    targets = np.array([0, 0, 0, 5, 5, 0])
    givens = [[1, 2, 3], [1, 2, 4], [1, 4], [1, 4], [1, 2, 3, 4], []]

    def run(which):
        lists = Lists.of([givens[k] for k in which]), Lists.of([[5 - targets[k]] for k in which])
        return kernels.independence_tests(bits, targets[which], *lists, log_factorials(300))

    together, alone = run(list(range(6))), np.concatenate([run([k]) for k in range(6)])
    np.testing.assert_array_equal(together, alone)
    assert len(set(alone)) == 6


def test_example_slices_without_samples_may_be_listed_or_not():
    values = independent(6, 12, 5)
    tables = slice_tables(pack(values), 0, np.array([2, 3, 4]), np.array([1]))
    padded = np.concatenate([tables, np.zeros((1, 8 - tables.shape[1], 2, 2), np.int64)], axis=1)
    assert tables.shape[1] < 8
    logs = log_factorials(12)
    np.testing.assert_allclose(of_tables(padded, 3, logs), of_tables(tables, 3, logs), rtol=1e-15)


def test_example_native_checks_its_arguments():
    values = network(1, 100, 5)
    bits, target, lists = pack(values), np.array([0]), Lists.of([[1]])
    kernels = NativeKernels()
    with pytest.raises(ValueError, match=r"n_samples \+ 3"):
        kernels.independence_tests(bits, target, lists, lists, log_factorials(99))
    for bad in (Lists.of([[5]]), Lists.of([[-1]])):
        with pytest.raises(ValueError, match="row numbers"):
            kernels.independence_tests(bits, target, bad, lists, log_factorials(100))
        with pytest.raises(ValueError, match="row numbers"):
            kernels.independence_tests(bits, target, lists, bad, log_factorials(100))
    with pytest.raises(ValueError, match="one list a target"):
        kernels.independence_tests(bits, target, Lists.of([[1], [2]]), lists, log_factorials(100))
