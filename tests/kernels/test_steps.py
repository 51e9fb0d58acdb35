"""Neighbourhoods, triangles and the test of chosen pairs: every native kernel is its NumPy definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.weights import Weights
from markhood.kernels import steps
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs
from markhood.kernels.reference import steps as reference
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.levels import chain
from oracles.packing import samples_with_levels

graphs = st.integers(1, 90).flatmap(
    lambda n: st.tuples(
        st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2).filter(lambda p: p[0] < p[1]))
    )
)


@given(graph=graphs, depth=st.integers(1, 4))
def test_property_within_steps(graph, depth):
    n, pairs = graph
    joined = Lists.of([sorted({i + j - v for i, j in pairs if v in (i, j)}) for v in range(n)])
    targets = np.arange(n)
    found, expected = (of.within_steps(joined, targets, depth) for of in (steps, reference))
    assert [own.tolist() for own in found] == [own.tolist() for own in expected]


@given(graph=graphs, data=st.data())
def test_property_weakest_of_triangles(graph, data):
    n, pairs = graph
    pairs = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    strength = st.sampled_from([1.0, 1.0 + 1e-10, 2.0, 2.5, 3.0])  # some within a tie
    drawn = data.draw(st.lists(strength, min_size=len(pairs), max_size=len(pairs)))
    found, expected = (
        of.weakest_of_triangles(pairs, np.array(drawn), n) for of in (steps, reference)
    )
    assert found.tolist() == expected.tolist()


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    kinds=st.lists(st.booleans(), min_size=6, max_size=6),
    is_weighted=st.booleans(),
)
def test_property_associated_among(seed, kinds, is_weighted):
    rng = np.random.default_rng(seed)
    values = chain(seed, 120, (2, 3, 5, 2, 4, 3), strength=0.7)
    weights = Weights(rng.integers(1, 4, 120)) if is_weighted else None
    bits = samples_with_levels(values, weights).with_order(tuple(kinds)).bits
    every = np.column_stack(np.triu_indices(6, 1))
    pairs = rng.permutation(every)[:9]  # in any order, which is kept
    costs = Costs(1.0, 0.5)
    expected = ReferenceKernels().associated_among(bits, pairs, costs)
    for name in NativeKernels.available():
        found = NativeKernels(name).associated_among(bits, pairs, costs)
        assert found.pairs.tolist() == expected.pairs.tolist()
        assert found.ratios == pytest.approx(expected.ratios, rel=0, abs=1e-7)
