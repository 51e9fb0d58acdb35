from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.reading import Reading
from messages import refuses, warns

SIZES = [2, 63, 64, 65, 511, 512, 513, 1024, 1025]


def binary(n_samples, n_variables=5, seed=0):
    """Return zeros and ones, with both in every column."""
    table = np.random.default_rng(seed).integers(0, 2, (n_samples, n_variables))
    table[0], table[1] = 1, 0
    table[0, 0], table[1, 0] = 0, 1
    return table


@pytest.mark.parametrize("n_samples", SIZES)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("step", [64, 192, 512, 4096])
def test_oracle_chunks_decode_to_what_was_added(n_samples, known, step, decode):
    table = binary(n_samples)
    encoder = Encoder("abcde", n_samples if known else None)
    for row in range(0, n_samples, step):
        encoder.add(table[row : row + step])
    samples = encoder.finish()
    assert decode(samples) == [tuple(row) for row in table.tolist()]
    assert samples.words.flags.c_contiguous


@pytest.mark.parametrize("n_samples", [65, 513, 1300])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_tiles_follow_either_memory_order(n_samples, order, decode):
    table = np.array(binary(n_samples, 7), order=order)
    encoder = Encoder("abcdefg", n_samples)
    encoder.add(table)
    assert decode(encoder.finish()) == [tuple(row) for row in table.tolist()]


@given(
    st.integers(2, 200).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n), min_size=2, max_size=5
        )
    )
)
def test_property_flipping_the_input_gives_complement_bits(columns):
    for column in columns:
        column[0], column[-1] = 0, 1
    table = np.array(columns).T
    names = [f"v{j}" for j in range(len(columns))]
    one, other = Encoder(names), Encoder(names)
    one.add(table)
    other.add(1 - table)
    words, flipped = one.finish().words, other.finish().words
    every = sum(1 << s for s in range(len(table)))
    for row, complement in zip(words.tolist(), flipped.tolist(), strict=True):
        bits, rest = (sum(w << 64 * i for i, w in enumerate(r)) for r in (row, complement))
        assert bits ^ rest == every


def test_example_columns_of_several_kinds(decode):
    encoder = Encoder("abcd")
    encoder.add([["x", "y"] * 32, np.arange(64) % 2, np.arange(64) % 2 == 1, np.arange(64) % 2])
    encoder.add([["x"], np.array([0]), np.array([True]), np.array([1])])
    samples = encoder.finish()
    assert samples.levels == (("x", "y"), (0, 1), (False, True), (0, 1))
    assert decode(samples)[-2:] == [("y", 1, True, 1), ("x", 0, True, 1)]


def test_example_a_second_value_that_comes_in_a_later_chunk(decode):
    table = np.full((130, 3), 7.5)
    table[129] = [3, 9, 7.5]
    table[5, 2] = -1
    encoder = Encoder("abc")
    for row in range(0, 130, 64):
        encoder.add(table[row : row + 64])
    samples = encoder.finish()
    assert samples.levels == ((3.0, 7.5), (7.5, 9.0), (-1.0, 7.5))
    assert samples.ones.tolist() == [129, 1, 129]
    assert decode(samples) == [tuple(row) for row in table.tolist()]


def test_example_a_third_value_in_a_later_chunk_is_named_by_row():
    encoder = Encoder("ab", reading=Reading(max_levels=2))
    encoder.add(np.full((64, 2), "u"))
    encoder.add(np.array([["u", "v"], ["u", "w"]]))
    with refuses("too-many-levels", "b", "row 66"):
        encoder.finish()


def test_example_missing_values_are_counted_over_all_chunks():
    encoder = Encoder("abc", reading=Reading(missing="error", max_levels=2))
    chunk = np.tile([0.0, 1.0, 2.0], (64, 1))
    chunk[1] = [1, 3, 3]
    encoder.add(chunk)
    chunk[7, 2] = chunk[3, 1] = np.nan
    encoder.add(chunk)
    encoder.add(chunk[:8])
    with refuses("missing-values", "b", "4 missing", "'b' (2) and 'c' (2)", "row 68"):
        encoder.finish()


def test_example_all_problems_are_in_one_message(small_chunks):
    encoder = Encoder("abcd", reading=Reading(missing="error"))
    chunk = np.tile([0.0, 1.0, 2.0, 3.0], (64, 1))
    chunk[7, 1] = np.nan
    encoder.add(chunk)
    chunk[2, 2] = np.inf
    encoder.add(chunk)
    with refuses("missing-values", "b", "2 missing", "'c'", "row 67", "infinite"):
        encoder.finish()


def test_example_a_column_that_turns_to_objects_has_missing_values():
    encoder = Encoder("ab", reading=Reading(missing="error"))
    encoder.add([np.arange(64) % 2, np.arange(64) % 2])
    encoder.add([np.array([0, 1]), [True, None]])
    with refuses("missing-values", "b", "1 missing", "row 66"):
        encoder.finish()


def test_example_constant_columns_are_kept_with_one_warning(decode):
    encoder = Encoder([f"v{j}" for j in range(9)])
    encoder.add(np.array([[4] * 8 + [0], [4] * 8 + [1]]))
    facts = ("8 columns", "'v0', 'v1', 'v2', 'v3', 'v4' and 3 more")
    with warns("constant-column", where="v0", facts=facts):
        samples = encoder.finish()
    assert samples.levels[0] == (4,)
    assert samples.ones.tolist() == [0] * 8 + [1]
    assert decode(samples)[0] == (4,) * 8 + (0,)


def test_example_chunks_are_whole_words():
    assert chunk_rows(10**9) == 64
    assert chunk_rows(100) % 512 == 0
    assert chunk_rows(0) % 512 == 0


def test_example_memory_is_checked_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("markhood.data.storage.memory.available_memory", lambda: 10**9)
    expected = ("memory", "", "1000000 samples", "125 GB", "1 GB")
    with refuses(*expected):
        Encoder([str(j) for j in range(10**6)], 10**6)
