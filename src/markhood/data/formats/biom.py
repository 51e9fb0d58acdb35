"""Read BIOM files: counts of taxa or genes by sample, as JSON (version 1) or HDF5 (version 2).

Observations (taxa) become columns and samples become rows. Only the counts are read; metadata of
samples and taxa are not. HDF5 files need h5py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.coding.encoder import Encoder
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.storage.memory import require_memory
from markhood.data.weights import wanted_columns
from markhood.errors import file_error, installed

HDF5 = b"\x89HDF"
BITS = 64  # of a count


class _Table(NamedTuple):
    """Names of the taxa, number of samples, and the counts that are not zero."""

    names: list[str]
    n_samples: int
    taxa: Ints
    samples: Ints
    counts: Floats


def read_biom(path: Path, reading: Reading) -> Samples:
    """Read a BIOM file with one column per taxon."""
    with path.open("rb") as file:
        is_hdf5 = file.read(4) == HDF5
    try:
        table = _from_hdf5(path) if is_hdf5 else _from_json(path)
        require_memory(len(table.names) * BITS, table.n_samples)
        counts = np.zeros((table.n_samples, len(table.names)))
        np.add.at(counts, (table.samples, table.taxa), table.counts)
    except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
        raise file_error(
            path, f"cannot be read as a BIOM file ({type(error).__name__}): write it again."
        ) from error
    if (counts == np.floor(counts)).all():
        counts = counts.astype(np.int64)
    picked, names, weights, reading = wanted_columns(table.names, reading)
    reading.log.add_note(
        "file-content",
        path.name,
        f"{len(table.names)} taxa in {table.n_samples} samples.",
    )
    encoder = Encoder(names, table.n_samples, reading=reading, is_table=True)
    encoder.add(counts[:, picked])
    if weights is not None:
        encoder.weigh(counts[:, weights].tolist())
    return encoder.finish()


def _from_json(path: Path) -> _Table:
    held = json.loads(path.read_text("utf-8"))
    names = [str(row["id"]) for row in held["rows"]]
    n_samples = len(held["columns"])
    if held["matrix_type"] == "dense":
        dense = np.array(held["data"], np.float64).reshape(len(names), n_samples)
        taxa, samples = np.nonzero(dense)
        return _Table(names, n_samples, taxa, samples, dense[taxa, samples])
    cells = np.array(held["data"], np.float64).reshape(-1, 3)
    taxa, samples = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
    if len(cells) and min(taxa.min(), samples.min()) < 0:
        raise ValueError
    return _Table(names, n_samples, taxa, samples, cells[:, 2])


def _from_hdf5(path: Path) -> _Table:
    h5py = installed("h5py", f"Reading {path}", "biom")
    with h5py.File(path) as file:
        names = _texts(file["observation/ids"])
        matrix = file["sample/matrix"]
        starts = matrix["indptr"][:].astype(np.int64)
        taxa = matrix["indices"][:].astype(np.int64)
        counts = matrix["data"][:].astype(np.float64)
    samples = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if len(taxa) and taxa.min() < 0:
        raise ValueError
    return _Table(names, len(starts) - 1, taxa, samples, counts)


def _texts(values: Any) -> list[str]:
    return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in values[:]]
