from __future__ import annotations

import zipfile

import numpy as np
import pytest

from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from markhood.errors import InputError

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
    ("arrays", "array", "message"),
    [
        ({"a": TABLE, "b": TABLE}, None, r"no array 'data' and 2 .*'a' \(3 x 3\) and 'b' \(3 x 3"),
        ({"a": np.ones(3)}, None, r"no array 'data' and 0 two-dimensional ones: .*'a' \(3\)"),
        ({"a": TABLE}, "b", r"no array 'b': name a two-dimensional one as array \(it has 'a'"),
        ({}, None, "it has no arrays"),
        ({"data": np.ones(3)}, None, "Reshape your data"),
    ],
)
def test_example_an_npz_without_the_array(tmp_path, arrays, array, message):
    path = tmp_path / "table.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=message):
        read_samples(path, table=TableFormat(array=array))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE.astype(object), "holds pickled Python objects"),
        (TABLE * 1j, "Complex data not supported"),
        (TABLE[0], "Reshape your data"),
        (TABLE[None], "Reshape your data"),
        (TABLE[:0], r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (TABLE[:1], r"1 sample\(s\)"),
        (TABLE[:, :1], r"1 feature\(s\)"),
        (np.array([[0, np.nan], [1, 0]]), r"1 missing value .*'x1' at row 1"),
        (np.asfortranarray([[0, 1], [3, np.inf]]), r"'x1' has an infinite value \(inf\) at row 2"),
        (np.arange(6).reshape(3, 2), r"more than 2 values: 'x0' .* 0 and 2"),
        (np.zeros((3, 2), [("日", int)]), "cannot be read as NPY"),
    ],
)
@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_example_bad_arrays(tmp_path, table, message):
    np.save(tmp_path / "table.npy", table)
    with pytest.raises(InputError, match=message):
        read_samples(tmp_path / "table.npy", table=TableFormat(max_levels=2))


def test_example_truncated_values_are_not_zeros(tmp_path):
    path = tmp_path / "table.npy"
    np.save(path, TABLE)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="is truncated"):
        read_samples(path)


def test_example_what_an_archive_unpacks_to_is_measured_first(tmp_path, monkeypatch):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, data=np.zeros((1000, 1000), np.int8))
    assert path.stat().st_size < 10_000
    monkeypatch.setattr("markhood.data.formats.npy.available_memory", lambda: 500_000)
    with pytest.raises(
        InputError, match=r"unpacks to 1 MB, but only 500 kB of memory is available"
    ):
        read_samples(path)


def test_example_a_header_that_says_it_is_gigabytes_is_not_read(tmp_path):
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "data.npy", b"\x93NUMPY\x02\x00" + (2**32 - 1).to_bytes(4, "little") + bytes(10**6)
        )
    with pytest.raises(InputError, match=r"cannot be read as NPY \(a header of 4\.29 GB\)"):
        read_samples(path)
