from __future__ import annotations

import zipfile

import numpy as np
import pytest

from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from messages import refuses

TABLE = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "?", ">f8", "U3"])
@pytest.mark.parametrize("n_samples", [65, 1030])
@pytest.mark.parametrize("save", [np.save, np.savez])
@pytest.mark.usefixtures("small_chunks")
def test_oracle_either_order(tmp_path, order, dtype, n_samples, save, decode):
    table = np.random.default_rng(0).integers(0, 2, (n_samples, 4)).astype(dtype)
    path = tmp_path / ("table.npy" if save is np.save else "table.npz")
    save(path, np.array(table, order=order))
    assert decode(read_samples(path)) == [tuple(row) for row in table.tolist()]
    picked = read_samples(path, columns=["x3", "x1"])
    assert decode(picked) == [tuple(row) for row in table[:, [3, 1]].tolist()]


def test_example_the_array_of_an_npz(tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, data=TABLE, other=1 - TABLE)
    assert read_samples(path).fingerprint == encode(TABLE).fingerprint
    assert (
        read_samples(path, table=TableFormat(array="other")).fingerprint
        == encode(1 - TABLE).fingerprint
    )
    np.savez(path, table=TABLE, weights=np.ones(3))
    assert read_samples(path).fingerprint == encode(TABLE).fingerprint


@pytest.mark.parametrize(
    ("arrays", "array", "expected"),
    [
        ({"a": TABLE, "b": TABLE}, None, ("file-part", "table.npz", "'data'", "'a'", "'b'")),
        ({"a": np.ones(3)}, None, ("file-part", "table.npz", "'data'", "'a' (3)")),
        ({"a": TABLE}, "b", ("file-part", "table.npz", "'b'", "'a'")),
        ({}, None, ("file-part", "table.npz")),
        ({"data": np.ones(3)}, None, ("not-a-table", "")),
    ],
)
def test_example_an_npz_without_the_array(tmp_path, arrays, array, expected):
    path = tmp_path / "table.npz"
    np.savez(path, **arrays)
    with refuses(*expected):
        read_samples(path, table=TableFormat(array=array))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (TABLE.astype(object), ("file-format", "table.npy")),
        (TABLE * 1j, ("not-a-level", "")),
        (TABLE[0], ("not-a-table", "")),
        (TABLE[None], ("not-a-table", "")),
        (TABLE[:0], ("too-few-rows", "", "shape=(0, 3)")),
        (TABLE[:1], ("too-few-rows", "")),
        (TABLE[:, :1], ("too-few-columns", "")),
        (np.array([[0, np.nan], [1, 0]]), ("missing-values", "x1", "1 missing", "row 1")),
        (np.asfortranarray([[0, 1], [3, np.inf]]), ("infinite-values", "x1", "row 2")),
        (np.array([["a", "d"], ["b", "e"], ["c", "f"]]), ("too-many-levels", "x0")),
        (np.zeros((3, 2), [("日", int)]), ("file-damaged", "table.npy")),
    ],
)
@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_example_bad_arrays(tmp_path, table, expected):
    np.save(tmp_path / "table.npy", table)
    with refuses(*expected):
        read_samples(tmp_path / "table.npy", missing="error", table=TableFormat(max_levels=2))


def test_example_truncated_values_are_not_zeros(tmp_path):
    path = tmp_path / "table.npy"
    np.save(path, TABLE)
    path.write_bytes(path.read_bytes()[:-1])
    with refuses("file-damaged", "table.npy"):
        read_samples(path)


def test_example_what_an_archive_unpacks_to_is_measured_first(tmp_path, monkeypatch):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, data=np.zeros((1000, 1000), np.int8))
    assert path.stat().st_size < 10_000
    monkeypatch.setattr("markhood.data.formats.npy.available_memory", lambda: 500_000)
    with refuses("memory", "t.npz", "1 MB", "500 kB"):
        read_samples(path)


def test_example_a_header_that_says_it_is_gigabytes_is_not_read(tmp_path):
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "data.npy", b"\x93NUMPY\x02\x00" + (2**32 - 1).to_bytes(4, "little") + bytes(10**6)
        )
    with refuses("file-damaged", "t.npz", "4.29 GB"):
        read_samples(path)
