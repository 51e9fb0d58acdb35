"""Read data files by the ending of their name, and folders.

Only the ending determines the format, not the content, so that the effect of a command is clear
from its text. A folder has packed samples, or Parquet files that are concatenated.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from markhood.data.coding.encode import finished, read_again
from markhood.data.coding.problems import note_missing_values
from markhood.data.formats.arrow import read_arrow, read_parquet
from markhood.data.formats.biom import read_biom
from markhood.data.formats.delimited import read_delimited
from markhood.data.formats.npy import read_npy, read_npz
from markhood.data.formats.sheets import read_sheet
from markhood.data.formats.statistics import READERS as STATISTICS
from markhood.data.formats.statistics import read_r, read_statistics
from markhood.data.genome.fasta import SEQUENCE_ENDINGS, read_fasta
from markhood.data.genome.plink import read_bed
from markhood.data.genome.vcf import read_vcf
from markhood.data.reading import (
    ColumnOptions,
    Reading,
    ReadingKeywords,
    RowOptions,
    reading_of,
)
from markhood.data.samples import Samples
from markhood.data.storage.packed import is_packed, read_packed
from markhood.errors import InputError, file_error, listed, option, unreadable
from markhood.input_files import check_regular, named_by_content
from markhood.options import checked, documented


@dataclass(frozen=True)
class FileFormat:
    """A format of data files."""

    endings: tuple[str, ...]  # endings of file names
    read: Callable[[Path, Reading], Samples]  # reads samples from a path with a `Reading`
    # Options of `Reading` that apply to this format, but not to all formats.
    takes: tuple[str, ...] = ()
    compressed: tuple[str, ...] = ()  # additional endings of compressed files
    # Whether variables are sites of genomes or columns of alignments: see `Samples.are_sites`.
    are_sites: bool = False


PARQUET = FileFormat((".parquet", ".pq"), lambda path, reading: read_parquet([path], reading))
FORMATS = (
    FileFormat(
        (".csv", ".tsv", ".txt"), read_delimited, ("header", "skip_rows", "encoding", "transpose"),
        (".gz",),
    ),
    PARQUET,
    FileFormat((".arrow", ".feather", ".ipc"), read_arrow),
    FileFormat((".npy",), read_npy, ("transpose",)),
    FileFormat((".npz",), read_npz, ("array", "transpose")),
    FileFormat(
        (".xlsx", ".xls", ".xlsb", ".ods"), read_sheet, ("header", "skip_rows", "transpose")
    ),
    FileFormat(tuple(STATISTICS), read_statistics),
    FileFormat((".rds", ".rda", ".rdata"), read_r, ("array",)),
    FileFormat((".biom",), read_biom),
    FileFormat(SEQUENCE_ENDINGS, read_fasta, ("min_minor", "max_gap"), (".gz",), are_sites=True),
    FileFormat(
        (".vcf", ".bcf"), read_vcf, ("min_minor", "max_gap", "genotypes"), (".gz", ".bgz"),
        are_sites=True,
    ),
    FileFormat((".bed",), read_bed, ("genotypes",), are_sites=True),
)  # fmt: skip
ENDINGS = tuple(ending for one in FORMATS for ending in one.endings)
FORMAT_OPTIONS = tuple(dict.fromkeys(name for one in FORMATS for name in one.takes))


@checked
@documented(ColumnOptions, RowOptions)
def read_samples(path: str | os.PathLike[str], **options: Unpack[ReadingKeywords]) -> Samples:
    r"""Read a table of observations and pack it, a few bits per value.

    Parameters
    ----------
    path : path-like
        CSV or TSV (.csv, .tsv, .txt, also .gz; the delimiter is detected), Parquet (.parquet, .pq),
        Arrow (.arrow, .feather, .ipc), NumPy (.npy, .npz); sheets (.xlsx, .xls, .xlsb, .ods);
        SPSS, Stata and SAS (.sav, .zsav, .por, .dta, .sas7bdat, .xpt), whose value labels become
        the names of levels; R (.rds, .rda, .RData); a folder made by `pack`, or a folder of Parquet
        files, which are concatenated in the order of their names; BIOM (.biom). Aligned sequences
        in FASTA (.fasta, .fa, .fna, .faa, .afa), A2M and A3M (.a2m, .a3m; insertions are dropped)
        and Stockholm (.sto, .stk), also .gz: see `markhood.data.genome.fasta` for gaps. PLINK .bed,
        with .bim and .fam in the same folder. Variants in VCF and BCF (.vcf, .bcf, also .gz, .bgz).
    {parameters}
    table : TableFormat, optional
        Details of the format: header, encoding, index column, maximum number of levels, ...
    genome : Genome, optional
        Options for sites of genomes and columns of alignments.

    Returns
    -------
    Samples
        With a `DataWarning` for decisions that are not obvious, and for columns and values that
        are probably not meant as they were read; ``samples.account.findings`` lists all of them.

    Raises
    ------
    InputError
        If the file cannot be used, or an option does not apply to its format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answers.csv")
    >>> _ = path.write_text("smokes;coughs\nyes;1\nno;0\nyes;0\n")
    >>> samples = read_samples(path)
    >>> samples.names, samples.levels
    (('smokes', 'coughs'), (('no', 'yes'), (0, 1)))
    """
    from markhood.data.labels import as_samples  # which imports this module

    return as_samples(path, reading_of(**options))


def read_file(path: str | os.PathLike[str], reading: Reading) -> Samples:
    """Read a file or folder with the options of a reading."""
    note_missing_values(reading)
    path = Path(path)
    _check_file(path)
    if path.is_dir():
        return _read_folder(path, reading)
    file_format, ending = _format_of(path)
    _check_options(reading, file_format, ending)
    try:
        samples = file_format.read(path, reading)
    except OSError as error:
        raise unreadable(path, error, "check its permissions") from error
    return finished(replace(samples, are_sites=file_format.are_sites), reading)


def _check_options(reading: Reading, file_format: FileFormat | None, what: str) -> None:
    """Raise for an option that applies only to other formats."""
    takes = () if file_format is None else file_format.takes
    for name, value in reading.changed().items():
        if name in FORMAT_OPTIONS and name not in takes:
            others = [ending for one in FORMATS if name in one.takes for ending in one.endings]
            raise InputError(
                "option-conflict",
                name,
                f"{option(name, value)} does not apply to {what}, only to "
                f"{listed(others, len(others))}: leave it out.",
            )


def _format_of(path: Path) -> tuple[FileFormat, str]:
    """Return the format of a file and its ending; raise if the ending is unknown."""
    name = path.name.lower()
    for one in FORMATS:
        for ending in one.endings:
            if any(name.endswith(ending + further) for further in ("", *one.compressed)):
                return one, ending
    with suppress(OSError), path.open("rb") as handle:
        if what := named_by_content(handle.read(16)):
            raise file_error(path, f"has an unknown ending{what}.", "file-format")
    raise file_error(
        path,
        f"has an unknown ending: the supported ones are {listed(ENDINGS, len(ENDINGS))}.",
        "file-format",
    )


def _read_folder(path: Path, reading: Reading) -> Samples:
    if is_packed(path):
        if reading.known is not None and reading.weights is None:
            return read_packed(path)
        return read_again(read_packed(path), reading, f"{path} has packed samples")
    _check_options(reading, None, "folders of Parquet files")
    files = sorted(f for f in path.iterdir() if f.suffix.lower() in PARQUET.endings)
    if not files:
        raise file_error(
            path,
            "is a directory: pass a file, a folder of packed samples or a folder of Parquet files.",
            "file-format",
        )
    return finished(read_parquet(files, reading), reading)


def _check_file(path: Path) -> None:
    """Raise if a file does not exist, is empty, or can be read only once, like a pipe."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(
            "file-not-found", path.name, f"There is no file {path}: check the path."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise file_error(
            path, f"cannot be read ({reason}): check the path.", "file-unreadable"
        ) from error
    check_regular(path)
    if stat.S_ISREG(mode) and path.stat().st_size == 0:
        raise file_error(path, "is empty: pass a file with one row per sample.", "too-few-rows")
