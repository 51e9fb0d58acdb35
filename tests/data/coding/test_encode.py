from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from markhood.data.coding.encode import encode, encode_like
from markhood.data.reading import TableFormat
from messages import refuses

TABLE = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])
DAY = np.array(["2024-01-02", "2024-01-01"], "M8[ns]")


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 1),
        (-1, 1),
        (1, 2),
        (9, 10),
        (False, True),
        (-0.5, 2.25),
        ("no", "yes"),
        (b"n", b"y"),
        (0, 2**70),
        (1, "a"),
        (Decimal("0.1"), Decimal("0.2")),
        (datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "object", "list"])
@pytest.mark.parametrize("rows", [TABLE, TABLE[::-1]])
def test_oracle_any_two_values_in_either_order(low, high, kind, rows, decode):
    values = [[(low, high)[v] for v in row] for row in rows.tolist()]
    mixed = type(low) is not type(high)
    dtype = object if kind == "object" or mixed else None  # NumPy makes text of mixed values
    data = values if kind == "list" else np.array(values, dtype)
    samples = encode(data)
    assert samples.levels == ((low, high),) * 3
    assert samples.names == ("x0", "x1", "x2")
    assert decode(samples) == [tuple(row) for row in values]
    assert all(type(v) in (type(low), type(high)) for v in samples.levels[0])


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", ">i4", "f2", "f4", "f8", "U3", "S2", "O"])
@pytest.mark.parametrize("n_samples", [64, 513])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_every_dtype(dtype, n_samples, decode):
    table = np.random.default_rng(1).integers(0, 2, (n_samples, 4)).astype(dtype)
    assert decode(encode(table)) == [tuple(row) for row in table.tolist()]


@given(
    hnp.arrays(
        st.sampled_from([np.uint8, np.int64, np.float32, np.bool_]),
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=70),
        elements=st.sampled_from([0, 1]),
    )
)
def test_property_array_list_and_sparse_give_equal_samples(table):
    table[0], table[-1] = 0, 1
    one = encode(table)
    for other in (table.tolist(), table.astype(object), scipy.sparse.coo_array(table)):
        assert encode(other).fingerprint == one.fingerprint
    assert np.array_equal(encode(np.asfortranarray(table)).words, one.words)


def test_example_names_and_samples():
    samples = encode(TABLE, names=["a", "b", "c"])
    assert samples.names == ("a", "b", "c")
    assert encode(samples) is samples
    picked = encode(encode(TABLE, missing="level"), columns=["x0", "x2"])
    assert (picked.reading.missing, picked.reading.columns) == ("level", ("x0", "x2"))


def test_example_memory_map_and_view(tmp_path):
    np.save(tmp_path / "t.npy", TABLE)
    mapped = np.load(tmp_path / "t.npy", mmap_mode="r")
    assert encode(mapped).fingerprint == encode(TABLE).fingerprint
    assert encode(TABLE[::-1, ::-1]).levels == ((0, 1),) * 3


def test_example_dates():
    samples = encode(np.stack([DAY, DAY], axis=1))
    assert samples.levels[0] == (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2))
    assert samples.words[:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("make", ["array", "matrix"])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_sparse_of_any_format(kind, make, decode):
    table = (np.random.default_rng(2).random((70, 6)) < 0.3).astype(float) * 2
    table[:, 5] += 1  # a column without zeros
    data = getattr(scipy.sparse, f"{kind}_{make}")(table)
    assert decode(encode(data)) == [tuple(row) for row in table.tolist()]


COMPLEX = np.array([[0, 1j], [1, 0]])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1, 0, 1], ("not-a-table", "", "1-D", "shape (3,)")),
        (np.zeros((2, 2, 2)), ("not-a-table", "", "3-D", "shape (2, 2, 2)")),
        (np.zeros((0, 10)), ("too-few-rows", "", "shape=(0, 10)")),
        (np.zeros((1, 10)), ("too-few-rows", "", "shape=(1, 10)")),
        (np.zeros((3, 0)), ("too-few-columns", "", "shape=(3, 0)")),
        (np.zeros((3, 1)), ("too-few-columns", "", "shape=(3, 1)")),
        ([], ("not-a-table", "")),
        ([[0, 1], [1]], ("not-a-table", "row 2")),
        (COMPLEX, ("not-a-level", "")),
        (COMPLEX.astype(object), ("not-a-level", "")),
        (scipy.sparse.csr_array(COMPLEX), ("not-a-level", "")),
        ([["a", 1], ["b", 2], ["c", 1]], ("too-many-levels", "x0", "row 3")),
        (
            [["a", "d"], ["b", "e"], ["c", "f"]],
            ("too-many-levels", "x0", "2 columns", "'x1'"),
        ),
        ([[0, 1], [None, 2]], ("missing-values", "x0", "1 missing", "'x0' (1)", "row 2")),
        (np.array([[0, np.nan], [np.nan, 1]]), ("missing-values", "x1", "2 missing", "row 1")),
        (scipy.sparse.csr_array([[0, 1], [np.nan, 2]]), ("missing-values", "x0", "row 2")),
        (np.array([DAY, ["NaT", "2024"]], "M8[s]"), ("missing-values", None, "1 missing")),
        (
            np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]]),
            ("missing-values", None, "1 missing"),
        ),
        (np.array([[0, 1], [-np.inf, 0]]), ("infinite-values", "x0", "row 2")),
        ([[0.0, 1], [1, float("inf")]], ("infinite-values", "x1", "row 2")),
        ([[0, {}], [1, 1]], ("not-a-level", "x1", "row 1")),
        (np.zeros((2, 2), "V3"), ("not-a-level", "")),
        (5, ("not-a-table", "")),
    ],
)
def test_example_bad_input_gets_one_sentence(data, expected):
    with refuses(*expected) as caught:
        encode(data, missing="error", table=TableFormat(max_levels=2))
    assert "\n" not in str(caught.value)


def test_example_bad_names():
    with refuses("duplicate-column", "a"):
        encode(TABLE, names=["a", "a", "b"])
    with refuses("columns-differ", "names", "2 names", "3 columns"):
        encode(TABLE, names=["a", "b"])


LIKE = ((0, 1), ("no", "yes"), (5,))


def test_oracle_encode_like_keeps_the_levels(decode):
    rows = [(1, "yes", 5), (1, "no", 5)]
    samples = encode_like([list(row) for row in rows], LIKE)
    assert samples.levels == LIKE
    assert decode(samples) == rows


@pytest.mark.parametrize("dtype", [bool, np.uint8, float, object])
def test_property_encode_like_agrees_with_encode(dtype):
    samples = encode(TABLE.astype(dtype))
    for other in (int, float, object):
        again = encode_like(TABLE.astype(other), samples.levels)
        assert np.array_equal(again.words, samples.words)
    one = encode_like(scipy.sparse.csr_array(TABLE[:1]), samples.levels)
    assert one.words[:, 0].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("data", "levels", "expected"),
    [
        ([[0, "no", 6]], LIKE, ("unknown-level", "x2", "value 6", "row 1")),
        ([[0, "no", 5], [2, "no", 5]], LIKE, ("unknown-level", "x0", "value 2", "row 2")),
        ([[0, "no"]], LIKE, ("columns-differ", "", "2 columns")),
        (np.array([[0, 1], [2, 1]]), ((0, 1), (0, 1)), ("unknown-level", "x0", "value 2", "row 2")),
        (np.array([[0, 1], [0, 2]]), ((0, 1), (1,)), ("unknown-level", "x1", "value 2", "row 2")),
        (np.array([[0, 1]]), (("a", "b"), ("a", "b")), ("unknown-level", "x0", "value 0", "row 1")),
        (np.array([["c", "a"]]), (("a", "b"), ("a", "b")), ("unknown-level", "x0", "'c'", "row 1")),
        (np.zeros((0, 2)), ((0, 1), (0, 1)), ("too-few-rows", "")),
        (np.array([[0, np.nan]]), ((0, 1), (0, 1)), ("missing-values", "x1")),
    ],
)
def test_example_encode_like_refuses_other_values(data, levels, expected):
    with refuses(*expected):
        encode_like(data, levels)


@pytest.mark.parametrize("kind", ["datetime64[D]", "timedelta64[D]"])
def test_example_dates_that_no_date_can_say(kind):
    """Some versions of NumPy would wrap them round."""
    with refuses("not-a-level", ""):
        encode(np.array([[0, 1], [2**40, 0]]).astype(kind))
    assert encode(np.array([[0, 1], [2**10, 0]]).astype(kind)).n_samples == 2
