"""Simulated data in files that the learner, and everyone else, can read."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.output.places import check_place, known_ending, replace_all
from markhood.output.tables import as_csv_text

Data = NDArray[np.uint8]


def write_data(samples: Data, names: Sequence[str], path: Path) -> None:
    """Write a table of zeros and ones, in the format that the ending names.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_variables), dtype uint8
    names : sequence of str
        Names of the variables; NPY and NPZ files have no place for them.
    path : Path
        A name that ends in .csv, .tsv, .parquet, .arrow, .feather, .npy or .npz.
    """
    check_data_writable(path)
    replace_all({path: _FORMATS[path.suffix.lower()](samples, names)})


def check_data_writable(path: Path) -> None:
    """Raise `InputError` if data cannot be written there; to be asked before the simulation."""
    known_ending(path, _FORMATS)
    check_place(path)


def _to_text(samples: Data, names: Sequence[str], delimiter: str) -> bytes:
    # Every value is one character: digits and separators in two bytes a value.
    lines = np.full((len(samples), 2 * len(names)), ord(delimiter), dtype=np.uint8)
    lines[:, ::2] = samples + ord("0")
    lines[:, -1] = ord("\n")
    return as_csv_text([names], delimiter).encode() + lines.tobytes()


def _to_arrow(samples: Data, names: Sequence[str], write: str) -> bytes:
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        raise InputError(
            "Writing Parquet and Arrow files needs pyarrow: pip install 'markhood[arrow]'."
        ) from None
    table = pyarrow.table({name: samples[:, k] for k, name in enumerate(names)})
    stream = io.BytesIO()
    parquet.write_table(table, stream) if write == "parquet" else feather.write_feather(
        table, stream, compression="uncompressed"
    )
    return stream.getvalue()


def _to_numpy(save: Callable[..., Any], samples: Data) -> bytes:
    stream = io.BytesIO()
    save(stream, samples)
    return stream.getvalue()


_FORMATS: dict[str, Callable[[Data, Sequence[str]], bytes]] = {
    ".csv": lambda samples, names: _to_text(samples, names, ","),
    ".tsv": lambda samples, names: _to_text(samples, names, "\t"),
    ".parquet": lambda samples, names: _to_arrow(samples, names, "parquet"),
    ".arrow": lambda samples, names: _to_arrow(samples, names, "arrow"),
    ".feather": lambda samples, names: _to_arrow(samples, names, "arrow"),
    ".npy": lambda samples, _: _to_numpy(np.save, samples),
    ".npz": lambda samples, _: _to_numpy(
        lambda stream, data: np.savez_compressed(stream, data=data), samples
    ),
}
