"""Write simulated data to files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.variables import level_text
from markhood.errors import InputError, installed
from markhood.output.csv_tables import as_csv_text
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all

Data = NDArray[Any]

BLOCK_BYTES = 1 << 26
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def write_data(samples: Data, names: Sequence[str], path: Path) -> None:
    """Write a table of level numbers or levels, in the format of the suffix.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_variables), dtype uint8 or object
    names : sequence of str
        Names of the variables, which NPY and NPZ files do not store.
    path : Path
        A name that ends in .csv, .tsv, .parquet, .arrow, .feather, .npy or .npz.
    """
    check_data_writable(path)
    replace_all({path: _FORMATS[path.suffix.lower()](samples, names)})


def write_samples(samples: Samples, path: Path, block_bytes: int = BLOCK_BYTES) -> None:
    """Write samples whose levels are numbers below 256; CSV, TSV and NPY in blocks of rows.

    Parameters
    ----------
    path : Path
        As for `write_data`.
    """
    check_data_writable(path)
    ending, blocks = path.suffix.lower(), _rows(samples, block_bytes)
    if ending == ".npy":
        replace_all({path: _npy_parts(blocks, (samples.n_samples, samples.n_variables))})
    elif ending in _DELIMITERS:
        replace_all({path: _text_parts(blocks, samples.names, _DELIMITERS[ending])})
    else:
        write_data(np.concatenate(list(blocks)), samples.names, path)


def _rows(samples: Samples, block_bytes: int) -> Iterator[Data]:
    """Unpack the samples in blocks."""
    owners = np.repeat(np.arange(samples.n_variables), np.diff(samples.starts))
    firsts = np.array([levels[0] for levels in samples.levels], np.uint8)
    # What the bit of each row adds to the first level; 0 for a constant.
    rises = [[level - levels[0] for level in levels[1:]] or [0] for levels in samples.levels]
    rise = np.concatenate([np.array(levels, np.uint8) for levels in rises])
    step = 8 * max(1, block_bytes // (8 * len(owners)))
    packed = samples.words.astype("<u8", copy=False).view(np.uint8)
    for start in range(0, samples.n_samples, step):
        n = min(step, samples.n_samples - start)
        part = packed[:, start // 8 : (start + n + 7) // 8]
        bits = np.unpackbits(part, axis=1, count=n, bitorder="little") * rise[:, None]
        if not samples.is_binary:
            bits = np.add.reduceat(bits, samples.starts[:-1], axis=0, dtype=np.uint8)
        yield np.ascontiguousarray((bits + firsts[:, None]).T)


def _npy_parts(blocks: Iterator[Data], shape: tuple[int, int]) -> Iterator[bytes]:
    header = io.BytesIO()
    described = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, described)
    yield header.getvalue()
    yield from (block.tobytes() for block in blocks)


def _text_parts(blocks: Iterator[Data], names: Sequence[str], delimiter: str) -> Iterator[bytes]:
    yield as_csv_text([names], delimiter).encode()
    for block in blocks:
        yield _lines(block, delimiter)


def check_data_writable(path: Path) -> None:
    """Raise `InputError` if data cannot be written to this file; call this before long work."""
    checked_suffix(path, _FORMATS)
    check_writable_file(path)


def _lines(samples: Data, delimiter: str) -> bytes:
    if samples.dtype == object:  # levels of a fitted model, which may be any text
        texts = [[level_text(level) for level in row] for row in samples.tolist()]
        return as_csv_text(texts, delimiter).encode()
    if samples.max() > 9:
        return b"".join((delimiter.join(map(str, row)) + "\n").encode() for row in samples.tolist())
    # Every value is one digit: fill digits and separators in one array.
    lines = np.full((len(samples), 2 * samples.shape[1]), ord(delimiter), dtype=np.uint8)
    lines[:, ::2] = samples + ord("0")
    lines[:, -1] = ord("\n")
    return lines.tobytes()


def _to_arrow(samples: Data, names: Sequence[str], write: str) -> bytes:
    purpose = "Writing Parquet and Arrow files"
    pyarrow, feather, parquet = (
        installed(name, purpose, "arrow")
        for name in ("pyarrow", "pyarrow.feather", "pyarrow.parquet")
    )
    columns = {name: samples[:, k] for k, name in enumerate(names)}
    if samples.dtype == object:
        columns = {name: own.tolist() for name, own in columns.items()}
    table = pyarrow.table(columns)
    stream = io.BytesIO()
    parquet.write_table(table, stream) if write == "parquet" else feather.write_feather(
        table, stream, compression="uncompressed"
    )
    return stream.getvalue()


def _to_numpy(save: Callable[..., Any], samples: Data) -> bytes:
    if samples.dtype == object:
        raise InputError(
            "not-supported",
            "output",
            "The levels of a model may be text, which .npy and .npz cannot store: choose .csv.",
        )
    stream = io.BytesIO()
    save(stream, samples)
    return stream.getvalue()


_FORMATS: dict[str, Callable[[Data, Sequence[str]], bytes]] = {
    ".csv": lambda samples, names: b"".join(_text_parts(iter([samples]), names, ",")),
    ".tsv": lambda samples, names: b"".join(_text_parts(iter([samples]), names, "\t")),
    ".parquet": lambda samples, names: _to_arrow(samples, names, "parquet"),
    ".arrow": lambda samples, names: _to_arrow(samples, names, "arrow"),
    ".feather": lambda samples, names: _to_arrow(samples, names, "arrow"),
    ".npy": lambda samples, _: _to_numpy(np.save, samples),
    ".npz": lambda samples, _: _to_numpy(
        lambda stream, data: np.savez_compressed(stream, data=data), samples
    ),
}
