from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from markhood.kernels.reference.backend import ReferenceKernels
from markhood.kernels.tables import likelihood_ratios
from oracles.counting import joint_count, likelihood_ratio, n_log_n
from oracles.networks import independent, network
from oracles.packing import pack

AROUND_WORDS = [2, 63, 64, 65, 511, 512, 513]
AROUND_BLOCKS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33]
MOST_PAIRS = 1e-12  # a bound that nearly all pairs reach


def found_by(kernels, values, rows, columns, least_ratio):
    ones = values.sum(axis=0, dtype=np.int64)
    found = kernels.associated_pairs(
        pack(values), ones, n_log_n(len(values)), rows, columns, least_ratio
    )
    triples = np.column_stack([found.pairs, found.joint]).tolist()
    assert len(triples) == len({(i, j) for i, j, _ in triples})
    return sorted(map(tuple, triples))


def by_brute_force(values, least_ratio, d):
    return [
        (i, j, joint_count(values, i, j))
        for i in range(d)
        for j in range(i + 1, d)
        if likelihood_ratio(values, i, j) >= least_ratio
    ]


@pytest.mark.parametrize("n_samples", AROUND_WORDS)
def test_oracle_joint_counts_around_word_boundaries(kernels, n_samples):
    values = network(1, n_samples, 9)
    whole = range(9)
    assert found_by(kernels, values, whole, whole, MOST_PAIRS) == by_brute_force(
        values, MOST_PAIRS, 9
    )


@pytest.mark.parametrize("d", AROUND_BLOCKS)
def test_oracle_joint_counts_around_block_boundaries(kernels, d):
    values = network(2, 70, d)
    whole = range(d)
    expected = by_brute_force(values, MOST_PAIRS, d)
    assert found_by(kernels, values, whole, whole, MOST_PAIRS) == expected
    assert d < 4 or expected


@pytest.mark.parametrize("least_ratio", [1e-6, 0.3, 2.0, 6.1, 40.0, 1e4])
def test_oracle_only_pairs_that_reach_the_bound(kernels, least_ratio):
    values = network(3, 300, 20, strength=2.0)
    expected = by_brute_force(values, least_ratio, 20)
    assert found_by(kernels, values, range(20), range(20), least_ratio) == expected
    assert (len(expected) > 0) == (least_ratio < 1e4)


def test_example_duplicates_and_complements_reach_their_entropy(kernels):
    values = network(4, 100, 3)
    values[:, 1] = values[:, 0]
    values[:, 2] = 1 - values[:, 0]
    entropy = likelihood_ratio(values, 0, 0)
    below = found_by(kernels, values, range(3), range(3), entropy * (1 - 1e-12))
    assert [(i, j) for i, j, _ in below] == [(0, 1), (0, 2), (1, 2)]
    assert found_by(kernels, values, range(3), range(3), entropy * (1 + 1e-9)) == []


def test_example_constant_variables_are_never_associated(kernels):
    values = network(5, 100, 6)
    values[:, 1], values[:, 4] = 0, 1
    found = found_by(kernels, values, range(6), range(6), MOST_PAIRS)
    assert found
    assert {1, 4}.isdisjoint({v for i, j, _ in found for v in (i, j)})


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    d=st.integers(2, 70),
    row_cuts=st.sets(st.integers(1, 69), max_size=4),
    column_cuts=st.sets(st.integers(1, 69), max_size=4),
    seed=st.integers(0, 5),
)
def test_property_tiles_add_up_to_the_whole(native_kernels, d, row_cuts, column_cuts, seed):
    values = network(seed, 80, d)

    def ranges(cuts):
        ends = [0, *sorted(c for c in cuts if c < d), d]
        return [range(a, b) for a, b in pairwise(ends)]

    tiles = [(rows, columns) for rows in ranges(row_cuts) for columns in ranges(column_cuts)]
    parts = [t for tile in tiles for t in found_by(native_kernels, values, *tile, 0.5)]
    whole = found_by(ReferenceKernels(), values, range(d), range(d), 0.5)
    assert sorted(parts) == whole


def test_oracle_likelihood_ratio_is_n_times_the_mutual_information():
    values = independent(6, 250, 12)
    values[:, 3] = values[:, 2]
    values[:, 5] = 0
    i, j = np.triu_indices(12, k=1)
    ones = values.sum(axis=0, dtype=np.int64)
    joint = np.array([joint_count(values, a, b) for a, b in zip(i, j, strict=True)])
    ratios = likelihood_ratios(joint, ones[i], ones[j], n_log_n(250))
    expected = [
        250 * mutual_info_score(values[:, a], values[:, b]) for a, b in zip(i, j, strict=True)
    ]
    np.testing.assert_allclose(ratios, expected, rtol=0, atol=1e-9)
    assert max(expected) > 1
