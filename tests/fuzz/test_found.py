"""What fuzzing found, kept as examples."""

from __future__ import annotations

import datetime
import io
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

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
    ("ending", "content", "said"),
    [
        (".csv", b'""', "is empty"),
        (".csv", b'""\n""\n', "is empty"),
        (".npy", GOOD.replace(b"(3, 3), ", b"\x003, 3), "), "cannot be read as NPY"),
        (".npy", with_header(b"{'descr': '|i1', "), "cannot be read as NPY"),
        (
            ".npy",
            with_header(b"{'descr': '|i1', 'fortran_order': True, 'shape': (9, 999999999999)}"),
            "is truncated",
        ),
        (".npy", GOOD.replace(b"|b1", b"|S0"), "has no values to compare"),
        (".npy", npy_of(np.array([["a", "b"]] * 2)).replace(b"a\0\0\0", b"a\0\0\xff"), "damaged"),
        (".npy", GOOD[:-9] + b"\x01\x21\x00\x00\x01\x00\x00\x00\x21", "samples"),
        (".npz", b"PK\x05\x06" + b"\xff" * 18, "damaged|cannot be read"),
        (".arrow", valid_files()[".arrow"][1].replace(b"x0", b"\x80\x80"), "cannot be read as Ar"),
    ],
)
def test_example_files(tmp_path, ending, content, said):
    outcome = read_anything(content, tmp_path / f"t{ending}")
    assert any(part in outcome for part in said.split("|"))


def test_example_arrow_that_points_outside_itself(tmp_path):
    batch = pa.record_batch({"a": ["x", "y", "x"], "b": [0, 1, 1]})
    held = io.BytesIO()
    with pa.ipc.new_stream(held, batch.schema) as writer:
        writer.write_batch(batch)
    offsets = struct.pack("<4i", 0, 1, 2, 3)
    content = held.getvalue()
    assert offsets in content
    broken = content.replace(offsets, struct.pack("<4i", 0, 1, 2, 2**30))
    assert "cannot be read as Arrow" in read_anything(broken, tmp_path / "t.arrow")


@pytest.mark.parametrize("names", [[0, "a", 0.0], [0, 1, int]])
def test_example_names_of_columns(names):
    frame = pd.DataFrame([[], [], []]).T.astype(object)
    frame.columns = names
    assert "cannot be told apart or looked up" in encode_anything(frame)


def test_example_dates_that_python_has_not():
    dates = pa.array([0, 2**30, 0], pa.int32()).cast(pa.date32())
    table = pa.table({"a": dates, "b": [0, 1, 0]})
    assert "cannot be looked at" in encode_anything(table)
    assert encode_anything([[datetime.date.min, 1], [datetime.date.max, 0]]) == "samples"
