import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from markhood.kernels.words import packed, unpacked


@given(st.lists(st.booleans(), max_size=200))
def test_oracle_bits_of_integers(bits):
    n_words = len(bits) // 64 + 1
    (words,) = packed(np.array([bits], dtype=np.bool_).reshape(1, -1), n_words)
    whole = sum(bit << k for k, bit in enumerate(bits))
    assert words.tolist() == [whole >> 64 * k & 2**64 - 1 for k in range(n_words)]
    assert unpacked(words, len(bits)).tolist() == bits


def test_example_rows_of_another_layout():
    words = np.arange(12, dtype=np.uint64).reshape(2, 6)
    assert unpacked(words[:, ::3], 64).tolist() == unpacked(words[:, ::3].copy(), 64).tolist()
    assert packed(np.zeros((2, 3, 5)), 8).shape == (2, 3, 8)
