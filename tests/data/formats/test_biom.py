"""Counts of taxa in BIOM files."""

import json

import h5py
import numpy as np
import pytest

from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from messages import refuses

COUNTS = np.random.default_rng(0).integers(0, 5, size=(40, 3))


def as_json(counts, **changes):
    taxa, samples = np.nonzero(counts.T)
    held = {
        "rows": [{"id": f"t{k}", "metadata": None} for k in range(counts.shape[1])],
        "columns": [{"id": f"s{k}", "metadata": None} for k in range(counts.shape[0])],
        "matrix_type": "sparse",
        "data": [[int(t), int(s), int(counts[s, t])] for t, s in zip(taxa, samples, strict=True)],
    }
    return json.dumps(held | changes)


def as_hdf5(counts, path):
    with h5py.File(path, "w") as file:
        file["observation/ids"] = [f"t{k}".encode() for k in range(counts.shape[1])]
        file["sample/ids"] = [f"s{k}".encode() for k in range(counts.shape[0])]
        rows, taxa = np.nonzero(counts)
        file["sample/matrix/data"] = counts[rows, taxa].astype(float)
        file["sample/matrix/indices"] = taxa
        file["sample/matrix/indptr"] = np.searchsorted(rows, np.arange(len(counts) + 1))


@pytest.mark.parametrize("version", ["sparse", "dense", "hdf5"])
def test_example_all_versions(tmp_path, version):
    path = tmp_path / "t.biom"
    if version == "sparse":
        path.write_text(as_json(COUNTS))
    elif version == "dense":
        path.write_text(as_json(COUNTS, matrix_type="dense", data=COUNTS.T.tolist()))
    else:
        as_hdf5(COUNTS, path)
    samples = read_samples(path)
    expected = encode(COUNTS, names=["t0", "t1", "t2"])
    assert samples.fingerprint == expected.fingerprint


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "no",
        as_json(COUNTS, data=[[5, 0, 1]]),
        as_json(COUNTS, data=[[-1, 0, 1]]),
        as_json(COUNTS, data="x"),
        "\N{LATIN SMALL LETTER E WITH ACUTE}HDF",
    ],
)
def test_example_damaged_files(tmp_path, text):
    path = tmp_path / "t.biom"
    path.write_text(text)
    with refuses("file-damaged", "t.biom"):
        read_samples(path)


def test_example_a_damaged_hdf5_file(tmp_path):
    path = tmp_path / "t.biom"
    as_hdf5(COUNTS, path)
    path.write_bytes(path.read_bytes()[:900])
    with refuses("file-damaged", "t.biom"):
        read_samples(path)
