from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from messages import refuses

N_SAMPLES = 700


@pytest.fixture
def table():
    values = np.random.default_rng(5).integers(0, 2, (N_SAMPLES, 3))
    return pa.table(
        {
            "n": values[:, 0],
            "s": np.array(["no", "yes"])[values[:, 1]],
            "b": values[:, 2].astype(bool),
        }
    )


@pytest.mark.parametrize("batch", [1, 63, 64, 100, 512, 700])
@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_batches_of_any_size(tmp_path, table, batch, kind, decode):
    path = tmp_path / ("t.parquet" if kind == "parquet" else "t.arrow")
    if kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=batch)
    else:
        with getattr(pa.ipc, f"new_{kind}")(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=batch)
    samples = read_samples(path)
    assert samples.fingerprint == encode(table).fingerprint
    assert decode(samples) == [tuple(row.values()) for row in table.to_pylist()]


def test_example_categories_survive_the_file(tmp_path):
    column = pd.Categorical(["hi", "lo", "hi"], categories=["lo", "hi"], ordered=True)
    frame = pd.DataFrame({"a": column, "b": [0, 0, 1]})
    for path, write in (("t.feather", frame.to_feather), ("t.parquet", frame.to_parquet)):
        write(tmp_path / path)
        assert read_samples(tmp_path / path).fingerprint == encode(frame).fingerprint


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_example_the_order_of_categories_survives_the_file(tmp_path, ending, library):
    path, answers = tmp_path / f"t.{ending}", ["hi", "mid", "lo", "mid"]
    order = ["lo", "mid", "hi", "top"]
    if library == "pandas":
        frame = pd.DataFrame(
            {"a": pd.Categorical(answers, order, ordered=True), "b": pd.Categorical(answers)}
        )
        (frame.to_parquet if ending == "parquet" else frame.to_feather)(path)
    else:
        enum = pl.Series(answers, dtype=pl.Enum(order))
        frame = pl.DataFrame({"a": enum, "b": pl.Series(answers, dtype=pl.Categorical)})
        (frame.write_parquet if ending == "parquet" else frame.write_ipc)(path)
    samples = read_samples(path)
    assert samples.levels[0] == ("lo", "mid", "hi")
    assert samples.variables.kinds == ("ordinal", "nominal")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"a": [0, 1], "b": [0, None]}, ("missing-values", "b", "1 missing", "row 2")),
        ({"a": [0], "b": [1]}, ("too-few-rows", "")),
        ({"a": [], "b": []}, ("too-few-rows", "", "shape=(0, 2)")),
        ({"a": [0, 1]}, ("too-few-columns", "")),
        ({}, ("too-few-columns", "")),
        ({"a": [0, 1], "b": [[1], [2]]}, ("not-a-level", "b", "row 1")),
    ],
)
def test_example_bad_tables(tmp_path, ending, columns, expected):
    path = tmp_path / f"t.{ending}"
    table = pa.table(columns)
    if ending == "parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    with refuses(*expected):
        read_samples(path, missing="error", table=TableFormat(max_levels=2))


def test_example_duplicate_names(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table([[0, 1], [1, 0], [1, 1]], names=["a", "a", "b"]), path)
    with refuses("duplicate-column", "a"):
        read_samples(path)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_example_without_pyarrow(tmp_path, monkeypatch, ending):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / f"t.{ending}").write_bytes(b"PAR1")
    with refuses("library-missing", "pyarrow", "pip install 'markhood[arrow]'"):
        read_samples(tmp_path / f"t.{ending}")


def test_example_a_folder_of_parquet_files_in_the_order_of_names(tmp_path):
    frame = pl.DataFrame({"a": [0, 1] * 60, "b": ["x", "y", "z"] * 40})
    for k, start in enumerate(range(0, 120, 50)):
        frame[start : start + 50].write_parquet(tmp_path / f"part-{k}.parquet")
    assert read_samples(tmp_path).fingerprint == encode(frame).fingerprint
    other = frame.with_columns(a=pl.col("a").cast(pl.Int8))
    other.write_parquet(tmp_path / "part-9.parquet")
    with refuses("columns-differ", "a", "int8", "part-9.parquet", "int64", "part-0"):
        read_samples(tmp_path)
    frame.drop("b").write_parquet(tmp_path / "part-9.parquet")
    with refuses("columns-differ", "b", "missing"):
        read_samples(tmp_path)


@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_example_columns_without_values_are_not_read(tmp_path, names):
    path = tmp_path / "t.arrow"
    column = pa.Array.from_buffers(pa.null(), (1 << 31) - 1, [None])
    batch = pa.RecordBatch.from_arrays([column] * len(names), names=names)
    with pa.ipc.new_file(path, batch.schema) as file:
        file.write_batch(batch)
    assert path.stat().st_size < 2000
    with refuses("too-few-columns", ""):
        read_samples(path)
