from __future__ import annotations

import os

import numpy as np
import pandas as pd
import polars as pl
import pytest

from markhood.data.coding.encode import encode
from markhood.data.formats.files import FORMATS, read_samples
from messages import refuses

NAMES = ["x0", "x1", "x2"]

TABLES = {".csv", ".parquet", ".arrow", ".npy", ".npz"}
TABLE_ENDINGS = [e for one in FORMATS if TABLES & set(one.endings) for e in one.endings]


def write(path, table):
    """Write a table of integers in the format that the path ends in."""
    frame = pl.DataFrame(table, schema=NAMES, orient="row")
    match path.suffix:
        case ".csv" | ".txt":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".parquet" | ".pq":
            frame.write_parquet(path, row_group_size=100)
        case ".arrow" | ".ipc":
            frame.write_ipc(path)
        case ".feather":
            pd.DataFrame(table, columns=NAMES).to_feather(path)
        case ".npy":
            np.save(path, table)
        case ".npz":
            np.savez_compressed(path, data=table)


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
@pytest.mark.parametrize("n_samples", [2, 64, 65, 513, 1100])
@pytest.mark.usefixtures("small_chunks")
def test_property_every_format_gives_equal_samples(tmp_path, ending, n_samples):
    table = np.random.default_rng(n_samples).integers(0, 2, (n_samples, 3))
    table[0], table[1] = [0, 1, 0], [1, 0, 1]
    path = tmp_path / f"table{ending}"
    write(path, table)
    samples = read_samples(str(path))
    assert samples.fingerprint == encode(table).fingerprint
    assert np.array_equal(samples.words, encode(table).words)


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_example_columns_in_the_order_asked_for(tmp_path, ending):
    path = tmp_path / f"table{ending.upper() if ending == '.csv' else ending}"
    table = np.array([[0, 1, 7], [1, 1, 8], [1, 0, 7]])
    write(path.with_suffix(ending), table)
    path.with_suffix(ending).rename(path)
    samples = read_samples(path, columns=["x2", "x0"])
    assert samples.names == ("x2", "x0")
    assert samples.levels == ((7, 8), (0, 1))
    assert samples.words[:, 0].tolist() == [2, 6]
    with refuses("unknown-column", "X2", "'x2'"):
        read_samples(path, columns=["x0", "X2"])
    with refuses("unknown-column", "age", "'x0'", "'x1'", "'x2'"):
        read_samples(path, columns=["age"])
    with refuses("duplicate-column", "x0"):
        read_samples(path, columns=["x0", "x0"])
    with refuses("too-few-columns", "", "1 feature"):
        read_samples(path, columns=["x0"])


@pytest.mark.parametrize("ending", TABLE_ENDINGS)
def test_example_files_that_are_not_there_or_empty(tmp_path, ending):
    path = tmp_path / f"table{ending}"
    with refuses("file-not-found"):
        read_samples(path)
    path.touch()
    with refuses("too-few-rows"):
        read_samples(path)
    path.unlink()
    path.mkdir()
    with refuses("file-format"):
        read_samples(path)


@pytest.mark.parametrize("ending", [e for e in TABLE_ENDINGS if e not in (".csv", ".tsv", ".txt")])
@pytest.mark.parametrize("keep", [3, 60, -4])
def test_example_damaged_files(tmp_path, ending, keep):
    path = tmp_path / f"table{ending}"
    write(path, np.random.default_rng(0).integers(0, 2, (500, 3)))
    path.write_bytes(path.read_bytes()[:keep])
    with refuses("file-damaged") as caught:
        read_samples(path)
    assert "\n" not in str(caught.value)


def test_example_unknown_ending(tmp_path):
    (tmp_path / "table.foo").write_text("a")
    with refuses("file-format", "table.foo", ".csv, .tsv", ".bed"):
        read_samples(tmp_path / "table.foo")
    (tmp_path / "table.foo").write_bytes(b"PAR1...")
    with refuses("file-format", "table.foo", "Parquet", ".parquet"):
        read_samples(tmp_path / "table.foo")


@pytest.mark.parametrize("ending", [".csv", ".npy", ".parquet", ".arrow"])
def test_example_a_file_that_does_not_fit_in_memory(tmp_path, ending, monkeypatch):
    path = tmp_path / f"table{ending}"
    write(path, np.tile(np.eye(3, dtype=int), (700, 1)))
    monkeypatch.setattr("markhood.data.storage.memory.LITTLE", 0)
    monkeypatch.setattr("markhood.data.storage.memory.available_memory", lambda: 900)
    with refuses("memory", "", "3 variables", "900 bytes"):
        read_samples(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_example_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n0,1\n1,0\n")
    path.chmod(0)
    with refuses("file-unreadable", "table.csv", "Permission denied"):
        read_samples(path)


def test_example_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "table.csv")
    with refuses("file-unreadable", "table.csv", "pipe"):
        read_samples(tmp_path / "table.csv")


@pytest.mark.parametrize("name", ["a" * 300 + ".csv", "nul\0.csv"])
def test_example_names_that_no_file_can_have(tmp_path, name):
    with refuses("file-unreadable"):
        read_samples(tmp_path / name)
