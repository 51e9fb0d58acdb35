"""Columns with more than two levels, whatever they came in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from markhood.data.coding.coders import FEW, in_order
from markhood.data.coding.encode import encode, encode_like, encode_table
from markhood.data.formats.files import read_samples
from markhood.data.reading import Reading, TableFormat
from messages import ignores, refuses, warns

MANY_NUMBERS = ignores("distinct-column")  # which are not meant as categories


def table_of(n_samples, n_levels, seed=0):
    """Return columns with these numbers of levels, all of which occur."""
    rng = np.random.default_rng(seed)
    columns = [rng.permutation(np.arange(n_samples) % r) for r in n_levels]
    return np.column_stack(columns)


def rows_of(table):
    return [tuple(row) for row in table.tolist()]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "f8", "U3", "S3", "O", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.usefixtures("small_chunks")
@MANY_NUMBERS
def test_oracle_columns_of_any_number_of_levels(dtype, order, decode):
    n_levels = [2, 3, 4, 5, 17, FEW, FEW + 1, 64, 1]
    table = table_of(700, n_levels, seed=1).astype(dtype, order=order)
    with warns("constant-column", where="x8"):
        samples = encode(table, bins=None)
    assert [len(levels) for levels in samples.levels] == n_levels
    assert all(list(levels) == sorted(levels) for levels in samples.levels)
    assert decode(samples) == rows_of(table)
    assert not samples.is_binary
    assert samples.starts[-1] == len(samples.words)


@pytest.mark.parametrize("n_levels", [255, 256, 257, 300, 1000])
@pytest.mark.parametrize("dtype", ["i8", "f8", "O", "U4"])
@MANY_NUMBERS
def test_oracle_hundreds_of_levels(n_levels, dtype, decode):
    table = table_of(1100, [2, n_levels]).astype(dtype)
    samples = encode(table, bins=None, table=TableFormat(max_levels=n_levels))
    assert decode(samples) == rows_of(table)


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=70, max_size=70), min_size=2, max_size=4),
    st.sampled_from(["i1", "f4", "O", "U2"]),
)
@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_property_every_road_gives_the_same_samples(columns, dtype):
    assume(all(len(set(column)) > 1 for column in columns))  # constants are not variables
    table = np.array(columns).T
    one = encode(table)
    assert encode(table.tolist()).fingerprint == one.fingerprint
    assert encode(scipy.sparse.csr_array(table)).fingerprint == one.fingerprint
    names = [f"x{j}" for j in range(len(columns))]
    assert encode(pd.DataFrame(table, columns=names)).fingerprint == one.fingerprint
    like = encode_like(table.astype(float), one.levels, ordered=one.variables.is_ordered)
    assert like.fingerprint == one.fingerprint
    assert [len(ls) for ls in encode(table.astype(dtype)).levels] == [len(set(c)) for c in columns]


def test_example_a_level_seen_once_in_the_last_chunk(decode):
    table = np.zeros((130, 2), int)
    table[::2] = 1
    table[129, 1] = -3
    samples = encode(table)
    assert samples.levels == ((0, 1), (-3, 0, 1))
    assert decode(samples) == rows_of(table)


@pytest.mark.parametrize("ending", ["csv", "npy", "parquet", "arrow"])
@pytest.mark.usefixtures("small_chunks")
@MANY_NUMBERS
def test_oracle_files(tmp_path, ending, decode):
    table = table_of(600, [2, 3, 20, 40])
    path = tmp_path / f"t.{ending}"
    frame = pl.DataFrame({f"x{j}": table[:, j] for j in range(4)})
    {
        "csv": frame.write_csv,
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
        "npy": lambda place: np.save(place, table),
    }[ending](path)
    samples = read_samples(path, bins=None)
    assert decode(samples) == rows_of(table)
    assert samples.fingerprint == encode(table, bins=None).fingerprint
    assert read_samples(path).fingerprint == encode(table).fingerprint


@pytest.mark.parametrize(
    ("values", "order", "expected"),
    [
        ([10, 9, 100], (), [9, 10, 100]),
        (["b", 2, "a", 1.5], (), [1.5, 2, "a", "b"]),
        (["lo", "hi", "none"], ["none", "lo", "hi"], ["none", "lo", "hi"]),
        (["lo", "hi", "new"], ["none", "lo", "hi"], ["hi", "lo", "new"]),
        ([(1,), "a", b"c"], (), [(1,), "a", b"c"]),
    ],
)
def test_example_order(values, order, expected):
    assert [values[k] for k in in_order(values, order)] == expected


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["hi", "lo", "mid", "lo"], categories=["none", "lo", "mid", "hi"]),
        pl.Series(["hi", "lo", "mid", "lo"], dtype=pl.Enum(["none", "lo", "mid", "hi"])),
        pa.DictionaryArray.from_arrays([3, 1, 2, 1], ["none", "lo", "mid", "hi"], ordered=True),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_example_categories_keep_their_order_and_only_those_that_occur(column, decode):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"a": column, "b": [0, 0, 1, 2]})
    samples = encode(frame)
    assert samples.levels == (("lo", "mid", "hi"), (0, 1, 2))
    assert decode(samples) == [("hi", 0), ("lo", 0), ("mid", 1), ("lo", 2)]


def test_example_categories_without_an_order_are_sorted_as_polars_sorts_them():
    values = ["yes", "no", "maybe"]
    column = pl.Series("a", values, dtype=pl.Categorical)
    samples = encode(pl.DataFrame({"a": column, "b": [0, 0, 1]}))
    assert list(samples.levels[0]) == column.sort().to_list() == sorted(values)


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (
            [[f"id{k}", k % 2] for k in range(100)],
            {},
            ("too-many-levels", "x0", "row 65", "identifiers", "'id0'", "exclude=['x0']"),
        ),
        (
            [["a", 1], ["b", 2], ["c", 1]],
            {"max_levels": 2},
            ("too-many-levels", "x0", "row 3", "max_levels"),
        ),
        ([[0, 1]] * 2, {"max_levels": 1}, ("option-value", "max_levels", "from 2 to 65535")),
        ([[0, 1]] * 2, {"max_levels": 10**6}, ("option-value", "max_levels", "1000000")),
        ([[0, 1]] * 2, {"max_levels": 2.5}, ("option-value", "max_levels", "2.5")),
    ],
)
def test_example_too_many_levels(data, options, expected):
    with refuses(*expected) as caught:
        encode_table(data, Reading(**options))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("as_data", [list, np.array])
def test_oracle_fixed_levels(as_data, decode):
    levels = ((3, 1, 2), tuple(range(50)))
    rows = [(1, 49), (3, 0), (2, 40)]
    samples = encode_like(as_data(rows), levels)
    assert samples.levels == levels
    assert decode(samples) == rows
    with refuses("unknown-level", "x1", "value 50", "row 2"):
        encode_like(as_data([(1, 49), (3, 50)]), levels)
    with refuses("unknown-level", "x0", "value 9", "row 1", "3, 1 and 2"):
        encode_like(as_data([(9, 49), (3, 0)]), levels)
