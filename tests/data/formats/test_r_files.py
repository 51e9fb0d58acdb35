"""Files of R; where R is not there to write them, rdata's own writer does."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import rdata

from markhood.data.describe import describe
from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from messages import refuses, warns

FRAME = pd.DataFrame(
    {
        "mood": pd.Categorical(["low", "high", "low"], categories=["low", "mid", "high"]),
        "sick": [True, False, False],
        "count": [1.0, 2.0, 2.0],
    }
)


def test_example_a_data_frame_with_a_factor(tmp_path, decode):
    rdata.write_rds(tmp_path / "t.rds", FRAME)
    samples = read_samples(tmp_path / "t.rds")
    assert samples.names == ("mood", "sick", "count")
    assert samples.levels == (("low", "high"), (False, True), (1, 2))
    assert decode(samples) == [("low", True, 1), ("high", False, 2), ("low", False, 2)]


def test_example_classes_of_columns_keep_their_meaning():
    # Written by R 4.2 with factors, dates, times, and columns of haven 2.5 and bit64 4.0.
    with warns("left-out", "missing-values", where="day"):
        codebook = describe(Path(__file__).with_name("classes.rds"))
    assert {one.column: (one.kind, one.levels, one.missing) for one in codebook} == {
        "day": ("date", (), 1),
        "at": ("date", (), 1),
        "mood": ("ordinal", ("low", "mid", "high"), 1),
        "city": ("nominal", ("bern", "oslo", "rome"), 0),
        "smoker": ("binary", (False, True), 1),
        "often": ("ordinal", ("never", "sometimes", "often"), 1),
        "agree": ("ordinal", ("not at all", 4, "very much"), 1),
        "region": ("nominal", ("north", "south", "west"), 2),
        "code": ("binary", ("a", "b"), 0),
        "big": ("binary", (1, 2), 1),
        "words": ("binary", ("x", "y"), 1),
    }


def test_example_a_matrix(tmp_path, decode):
    table = np.array([[0, 1, 2], [1, 0, 2], [1, 1, 0]])
    rdata.write_rds(tmp_path / "t.rds", table)
    assert [list(row) for row in decode(read_samples(tmp_path / "t.rds"))] == table.tolist()


def test_example_several_tables_are_named(tmp_path):
    path = tmp_path / "t.RData"
    rdata.write_rda(path, {"one": FRAME, "two": FRAME[["sick", "count"]], "n": np.array([3])})
    with refuses("file-part", "t.RData", "2 tables", "'one'", "'two'"):
        read_samples(path)
    assert read_samples(path, table=TableFormat(array="two")).names == ("sick", "count")


def test_example_damaged_tableless_and_without_the_library(tmp_path, monkeypatch):
    path = tmp_path / "t.rds"
    rdata.write_rds(path, np.array([1, 2]))
    with refuses("not-a-table", "t.rds"):
        read_samples(path)
    path.write_bytes(path.read_bytes()[:20])
    with refuses("file-damaged", "t.rds"):
        read_samples(path)
    monkeypatch.setitem(sys.modules, "rdata", None)
    with refuses("library-missing", "rdata", "pip install 'markhood[r]'"):
        read_samples(path)
