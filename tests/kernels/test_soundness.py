"""Rows that are not what kernels take for granted are found, on every backend."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.kernels.bits import Bits
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Unsound
from markhood.kernels.reference.backend import ReferenceKernels
from oracles.packing import samples_with_levels

NONE = np.empty(0, np.int64)


def masks(n, n_words):
    return np.zeros((n, n_words), np.uint64)


def set_one(words, row, sample):
    words[row, sample // 64] |= np.uint64(1) << np.uint64(sample % 64)


def test_example_each_kind_of_trouble(kernels):
    for n_samples in (1, 63, 64, 500, 512, 600):
        rng = np.random.default_rng(n_samples)
        values = np.column_stack([np.arange(n_samples) % r for r in (2, 3, 4, 2)])
        values = values[rng.permutation(n_samples)]
        if n_samples == 1:
            values[:] = 0
        bits = samples_with_levels(
            np.concatenate([values, np.arange(4)[:, None] % [2, 3, 4, 2]])
        ).bits
        n = bits.n_samples
        nothing = masks(0, bits.words.shape[1])
        assert kernels.unsound_variables(bits, NONE, nothing) == Unsound(-1, -1)
        words = bits.words.copy()
        if n < 64 * words.shape[1]:
            set_one(words, 4, n)
            past = kernels.unsound_variables(replace(bits, words=words), NONE, nothing)
            assert past == Unsound(2, -1)
        words = bits.words.copy()
        words[1] |= words[2]
        found = kernels.unsound_variables(replace(bits, words=words), NONE, nothing)
        assert found == Unsound(-1, 1)
        where = masks(1, words.shape[1])
        where[0] = bits.words[6]
        assert kernels.unsound_variables(bits, np.array([3]), where) == Unsound(-1, 3)
        assert kernels.unsound_variables(bits, np.array([0]), masks(1, words.shape[1])) == (-1, -1)


@given(st.data())
def test_property_any_bits_are_judged_as_the_twin_does(data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    n_words = data.draw(st.sampled_from([8, 16]))
    n_samples = data.draw(st.integers(0, 64 * n_words))
    words = np.zeros((sum(sizes), n_words), np.uint64)
    masked = np.array(sorted(data.draw(st.sets(st.integers(0, len(sizes) - 1)))), np.int64)
    where = masks(len(masked), n_words)
    for rows in (words, where):
        if len(rows):
            places = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, 64 * n_words - 1))
            for row, sample in data.draw(st.lists(places, max_size=6)):
                set_one(rows, row, sample)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    bits = Bits(words, n_samples, starts)
    expected = ReferenceKernels().unsound_variables(bits, masked, where)
    for name in NativeKernels.available():
        assert NativeKernels(name).unsound_variables(bits, masked, where) == expected
