from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from markhood.data.coding.encode import encode, encode_like
from messages import refuses

ROWS = [(1, True, "yes", 0.5), (0, True, "no", 0.5), (1, False, "no", -2.0), (1, False, "no", 0.5)]
NAMES = ["n", "b", "s", "f"]
COLUMNS = dict(zip(NAMES, (list(c) for c in zip(*ROWS, strict=True)), strict=True))
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_oracle_mixed_columns(make, decode):
    samples = encode(make(COLUMNS))
    assert samples.names == tuple(NAMES)
    assert samples.levels == ((0, 1), (False, True), ("no", "yes"), (-2.0, 0.5))
    assert decode(samples) == ROWS


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float64])
@pytest.mark.parametrize("n_samples", [64, 65, 513])
@pytest.mark.usefixtures("small_chunks")
def test_property_frame_and_array_give_equal_samples(make, dtype, n_samples):
    table = np.random.default_rng(3).integers(0, 2, (n_samples, 5)).astype(dtype)
    frame = make({f"x{j}": table[:, j] for j in range(5)})
    assert encode(frame).fingerprint == encode(table).fingerprint
    assert encode_like(frame, encode(table).levels).fingerprint == encode(table).fingerprint


@pytest.mark.usefixtures("small_chunks")
def test_oracle_mixed_columns_in_many_chunks(make, decode):
    columns = {name: values * 40 for name, values in COLUMNS.items()}
    assert decode(encode(make(columns))) == ROWS * 40


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["hi", "lo", "lo"], categories=["none", "lo", "hi"]),
        pd.Categorical(["hi", "lo", "lo"], categories=["none", "lo", "hi"], ordered=True),
        pl.Series(["hi", "lo", "lo"], dtype=pl.Enum(["none", "lo", "hi"])),
        pa.DictionaryArray.from_arrays([2, 1, 1], ["none", "lo", "hi"], ordered=True),
    ],
    ids=["pandas", "pandas-ordered", "polars-enum", "arrow-ordered"],
)
def test_example_categories_keep_their_order(column):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"a": column, "b": [0, 0, 1]})
    samples = encode(frame)
    assert samples.levels[0] == ("lo", "hi")
    assert samples.words[:, 0].tolist() == [1, 4]


def test_example_categories_without_an_order_are_sorted():
    values = ["no", "yes", "aye", "yes"]  # the first pins the order of polars' categories
    frame = pl.DataFrame({"a": values, "b": [0, 1, 0, 1]}, schema_overrides={"a": pl.Categorical})
    assert encode(frame[1:]).levels[0] == ("aye", "yes")
    arrow = pa.table({"a": pa.array(["yes", "aye"]).dictionary_encode(), "b": [0, 1]})
    assert encode(arrow).levels[0] == ("aye", "yes")


@pytest.mark.parametrize(
    "values", [[0, None, 1], [0.5, None, 1], [True, None, False], ["a", None, "b"]]
)
def test_example_missing_values(make, values):
    frame = make({"a": [0, 1, 1], "b": values})
    expected = ("missing-values", "b", "1 missing", "'b' (1)", "row 2")
    with refuses(*expected):
        encode(frame, missing="error")
    only = make({"b": values, "c": values})
    with refuses("missing-values", "b", "2 missing", "'b' (1)", "'c' (1)", "row 2"):
        encode(only, missing="error")


@pytest.mark.usefixtures("small_chunks")
def test_example_missing_values_only_in_a_later_chunk(make):
    frame = make({"a": [True, False] * 50, "b": [True, False] * 49 + [None, True]})
    with refuses("missing-values", "b", "1 missing", "row 99"):
        encode(frame, missing="error")


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "string", "category", "datetime64[ns]"])
def test_example_pandas_missing_values(dtype):
    frame = pd.DataFrame({"a": [0, 1, 0], "b": pd.Series([0, None, 1]).astype(dtype)})
    with refuses("missing-values", "b", "1 missing", "row 2"):
        encode(frame, missing="error")


def test_example_polars_nan_and_infinity():
    with refuses("missing-values", "a", "2 missing"):
        encode(pl.DataFrame({"a": [0.0, float("nan"), None], "b": [0, 1, 1]}), missing="error")
    with refuses("infinite-values", "a", "row 2"):
        encode(pl.DataFrame({"a": [0.0, float("inf")], "b": [0, 1]}))


def test_example_labels_become_text():
    frame = pd.DataFrame([[0, 1], [1, 0]], columns=[3, ("a", 1)])
    assert encode(frame).names == ("3", "('a', 1)")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(np.eye(3), columns=["a", "b", "a"]),
        pd.DataFrame(np.eye(2), columns=[1, "1"]),
        pa.table([[0, 1], [0, 1]], names=["a", "a"]),
    ],
)
def test_example_duplicate_names(frame):
    with refuses("duplicate-column"):
        encode(frame)


def test_example_frames_that_cannot_be_used():
    with refuses("not-a-level", ""):
        encode(pd.DataFrame({"a": [1j, 0], "b": [0, 1]}))
    with refuses("not-a-table", ""):
        encode(pd.Series([0, 1]))
    with refuses("not-a-table", ""):
        encode(pl.LazyFrame({"a": [0, 1]}))
    with refuses("too-few-rows", "", "shape=(0, 2)"):
        encode(pl.DataFrame({"a": [], "b": []}))
    with refuses("too-few-columns", "", "'b' (an identifier)"):
        encode(pl.DataFrame({"a": [0, 1] * 10, "b": [f"p{k}" for k in range(20)]}))


def test_example_dates():
    frame = pl.DataFrame({"a": ["2024-01-02", "2024-01-01"], "b": [0, 1]})
    samples = encode(frame.with_columns(pl.col("a").str.to_date()))
    assert [str(level) for level in samples.levels[0]] == ["2024-01-01", "2024-01-02"]


def test_example_record_batches_keep_their_names():
    batch = pa.RecordBatch.from_pydict({"a": [1, 2], "b": [0, 1]})
    assert encode(batch).names == ("a", "b")


def test_example_integers_that_numpy_does_not_have():
    frame = pl.DataFrame({"a": [1, 2**100], "b": [0, 1]}, schema={"a": pl.Int128, "b": pl.Int64})
    assert encode(frame).levels == ((1, 2**100), (0, 1))


def test_example_nothing_is_imported_that_the_user_did_not():
    program = """
import sys
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
encode([[0, 1], [1, 0]])
heavy = {"pandas", "polars", "pyarrow", "scipy", "narwhals"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)
