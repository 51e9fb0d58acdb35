"""Files of observations, read by what their name ends in, and folders.

The ending decides, never a look inside: what a command does should be plain from its text. A folder
is one of packed samples, or of Parquet files that follow each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markhood.data.coding.encode import encode
from markhood.data.coding.findings import listed
from markhood.data.formats.arrow import read_arrow, read_parquet
from markhood.data.formats.delimited import read_delimited
from markhood.data.formats.fasta import read_fasta
from markhood.data.formats.npy import read_npy, read_npz
from markhood.data.formats.plink import read_bed
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.storage.packed import is_packed, read_packed
from markhood.data.storage.places import MEMORY, Storage
from markhood.errors import InputError

TEXT_ENDINGS = (".csv", ".tsv", ".txt")
PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
TABLE_ENDINGS = (*TEXT_ENDINGS, *PARQUET_ENDINGS, *ARROW_ENDINGS, ".npy", ".npz")
FASTA_ENDINGS = (".fasta", ".fa", ".fna", ".faa", ".afa")  # and .gz after them
ENDINGS = (*TABLE_ENDINGS, *FASTA_ENDINGS, ".bed")


def read_samples(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    array: str | None = None,
    min_minor: float = 0.01,
    max_gap: float = 0.15,
    genotypes: str = "levels",
    missing: str = "error",
    missing_values: Iterable[Any] = (),
    max_levels: int = 64,
    weights: Any = None,
    normalize_weights: bool = True,
    storage: Storage = MEMORY,
) -> Samples:
    r"""Read a table of observations and pack it, a few bits a value.

    Parameters
    ----------
    path : path-like
        CSV or TSV (.csv, .tsv, .txt; the delimiter is detected), Parquet (.parquet, .pq), Arrow
        (.arrow, .feather, .ipc), or NumPy's .npy and .npz; a folder made by `pack`, or one of
        Parquet files, which are joined in the order of their names. Aligned sequences in FASTA
        (.fasta, .fa, .fna, .faa, .afa, also .gz): see `markhood.data.formats.fasta` for gaps. PLINK's
        .bed, with .bim and .fam beside it.
    columns : sequence of str, optional
        Names of the columns to keep, in this order; by default all.
    header : bool, optional
        For text files, whether the first row has the names; by default it does where none of
        its cells occurs again in its column.
    array : str, optional
        For .npz, the array to read; by default `data`, else the only one with two dimensions.
    min_minor, max_gap : float, default=0.01, 0.15
        For FASTA, keep the positions at which the second most common letter has at least the one
        share of the sequences without a gap, and gaps at most the other share of all.
    genotypes : {"levels", "dominant", "recessive"}, default="levels"
        For PLINK, whether a genotype is the number of copies of allele A1 (three levels), whether
        there is one, or whether there are two.
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values (NaN, null, empty cells), see `encode`.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    max_levels : int, default=64
        How many distinct values a column may have; at most 65535.
    weights : array-like of shape (n_samples,), str or path, optional
        How often each sample counts, see `encode`: numbers, the word "similarity", the name of a
        column of the data (which then is no variable) or, where there is none of that name, of a
        file with one number a line, or .npy.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.
    storage : Storage
        Where packed bits are kept: by default in memory, see `markhood.data.storage.places`.

    Returns
    -------
    Samples
        With a `DataWarning` for columns that have one value only, and where samples were left out.

    Raises
    ------
    InputError
        Where the file cannot be used; the message says why, and where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answers.csv")
    >>> _ = path.write_text("smokes;coughs\nyes;1\nno;0\nyes;0\n")
    >>> samples = read_samples(path)
    >>> samples.names, samples.levels
    (('smokes', 'coughs'), (('no', 'yes'), (0, 1)))
    """
    reading = Reading(missing, missing_values, max_levels, weights, normalize_weights, storage)
    path = Path(path)
    is_compressed = path.suffix.lower() == ".gz"
    ending = (path.with_suffix("") if is_compressed else path).suffix.lower()
    if path.is_dir():
        return _read_folder(path, columns, reading)
    _check_file(path)
    if ending not in (FASTA_ENDINGS if is_compressed else ENDINGS):
        raise InputError(
            f"{path} has an ending that is not known: name it by what it is, one of "
            f"{listed(ENDINGS, len(ENDINGS))}"
        )
    try:
        if ending in TEXT_ENDINGS:
            return read_delimited(path, columns, header, reading)
        if ending in PARQUET_ENDINGS:
            return read_parquet([path], columns, reading)
        if ending in ARROW_ENDINGS:
            return read_arrow(path, columns, reading)
        if ending == ".npz":
            return read_npz(path, columns, array, reading)
        if ending in FASTA_ENDINGS:
            return read_fasta(path, columns, reading, min_minor, max_gap)
        if ending == ".bed":
            return read_bed(path, columns, reading, genotypes)
        return read_npy(path, columns, reading)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check its permissions") from error


def _read_folder(path: Path, columns: Sequence[str] | None, reading: Reading) -> Samples:
    if is_packed(path):
        if not replace(reading, storage=MEMORY).is_default:
            raise InputError(
                f"{path} is packed already: say how to read the data when packing them"
            )
        return read_packed(path, columns)
    files = sorted(f for f in path.iterdir() if f.suffix.lower() in PARQUET_ENDINGS)
    if not files:
        raise InputError(
            f"{path} is a directory: give a file, a folder that markhood packed, or one of Parquet "
            "files"
        )
    return read_parquet(files, columns, reading)


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InputError(f"There is no file {path}: check the path")
    if path.is_file() and path.stat().st_size == 0:
        raise InputError(f"{path} is empty: give a file with one row a sample")


def as_samples(data: Any, **reading: Any) -> Samples:
    """Return data as samples: a path is read, anything else encoded, as the choices say."""
    if isinstance(data, (str, os.PathLike)):
        return read_samples(data, **reading)
    return encode(data, **reading)
