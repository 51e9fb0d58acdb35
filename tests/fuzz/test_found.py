"""Inputs found by fuzzing, as examples."""

from __future__ import annotations

import datetime
import io
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from fuzz.harness import encode_anything, read_anything, valid_files


def npy_of(array):
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def with_header(header):
    """Return an NPY file with this text as its header, and no values."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


GOOD = npy_of(np.eye(3, dtype="?"))


@pytest.mark.parametrize(
    ("ending", "content", "outcome"),
    [
        (".csv", b'""', "too-few-rows"),
        (".csv", b'""\n""\n', "too-few-rows"),
        (".npy", GOOD.replace(b"(3, 3), ", b"\x003, 3), "), "file-damaged"),
        (".npy", with_header(b"{'descr': '|i1', "), "file-damaged"),
        (
            ".npy",
            with_header(b"{'descr': '|i1', 'fortran_order': True, 'shape': (9, 999999999999)}"),
            "file-damaged",
        ),
        (".npy", GOOD.replace(b"|b1", b"|S0"), "not-a-level"),
        (
            ".npy",
            npy_of(np.array([["a", "b"]] * 2)).replace(b"a\0\0\0", b"a\0\0\xff"),
            "file-damaged",
        ),
        (".npy", GOOD[:-9] + b"\x01\x21\x00\x00\x01\x00\x00\x00\x21", "samples"),
        (".npz", b"PK\x05\x06" + b"\xff" * 18, "file-damaged"),
        (".arrow", valid_files()[".arrow"][1].replace(b"x0", b"\x80\x80"), "file-damaged"),
    ],
)
def test_example_files(tmp_path, ending, content, outcome):
    assert read_anything(content, tmp_path / f"t{ending}") == outcome


def test_example_parquet_whose_stored_schema_has_other_columns(tmp_path):
    empty = pa.array([], pa.int64())
    parquet.write_table(pa.table({"first": empty, "second": empty}), held := io.BytesIO())
    content = held.getvalue().replace(b"second", b"sEcond")  # the stored schema is in base 64
    assert read_anything(content, tmp_path / "t.parquet") == "too-few-rows"


def test_example_arrow_that_points_outside_itself(tmp_path):
    batch = pa.record_batch({"a": ["x", "y", "x"], "b": [0, 1, 1]})
    held = io.BytesIO()
    with pa.ipc.new_stream(held, batch.schema) as writer:
        writer.write_batch(batch)
    offsets = struct.pack("<4i", 0, 1, 2, 3)
    content = held.getvalue()
    assert offsets in content
    broken = content.replace(offsets, struct.pack("<4i", 0, 1, 2, 2**30))
    assert read_anything(broken, tmp_path / "t.arrow") == "file-damaged"


@pytest.mark.parametrize("names", [[0, "a", 0.0], [0, 1, int]])
def test_example_names_of_columns(names):
    frame = pd.DataFrame([[], [], []]).T.astype(object)
    frame.columns = names
    assert encode_anything(frame) == "duplicate-column"


def test_example_dates_out_of_range():
    dates = pa.array([0, 2**30, 0], pa.int32()).cast(pa.date32())
    table = pa.table({"a": dates, "b": [0, 1, 0]})
    assert encode_anything(table) == "not-a-level"
    assert encode_anything([[datetime.date.min, 1], [datetime.date.max, 0]]) == "samples"
