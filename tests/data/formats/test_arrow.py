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
from markhood.errors import InputError

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
    ("columns", "message"),
    [
        ({"a": [0, 1], "b": [0, None]}, r"1 missing value .* 'b' at row 2"),
        ({"a": [0, 1, 2], "b": [0, 1, 0]}, r"more than 2 values .*: 'a' .* 0 and 1"),
        ({"a": [0], "b": [1]}, r"1 sample\(s\)"),
        ({"a": [], "b": []}, r"0 sample\(s\) \(shape=\(0, 2\)\)"),
        ({"a": [0, 1]}, r"1 feature\(s\)"),
        ({}, r"0 feature\(s\)"),
        ({"a": [0, 1], "b": [[1], [2]]}, "'b' at row 1 has a list"),
    ],
)
def test_example_bad_tables(tmp_path, ending, columns, message):
    path = tmp_path / f"t.{ending}"
    table = pa.table(columns)
    if ending == "parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(InputError, match=message):
        read_samples(path, table=TableFormat(max_levels=2))


def test_example_duplicate_names(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table([[0, 1], [1, 0], [1, 1]], names=["a", "a", "b"]), path)
    with pytest.raises(InputError, match="'a' occurs more than once"):
        read_samples(path)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_example_without_pyarrow(tmp_path, monkeypatch, ending):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / f"t.{ending}").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"needs pyarrow: pip install 'markhood\[arrow\]'"):
        read_samples(tmp_path / f"t.{ending}")


def test_example_a_folder_of_parquet_files_in_the_order_of_names(tmp_path):
    frame = pl.DataFrame({"a": [0, 1] * 60, "b": ["x", "y", "z"] * 40})
    for k, start in enumerate(range(0, 120, 50)):
        frame[start : start + 50].write_parquet(tmp_path / f"part-{k}.parquet")
    assert read_samples(tmp_path).fingerprint == encode(frame).fingerprint
    other = frame.with_columns(a=pl.col("a").cast(pl.Int8))
    other.write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(InputError, match=r"'a' is int8 in .*part-9.parquet and int64 in part-0"):
        read_samples(tmp_path)
    frame.drop("b").write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(InputError, match="'b' is missing in"):
        read_samples(tmp_path)
