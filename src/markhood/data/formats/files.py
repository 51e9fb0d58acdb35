"""Files of observations, read by what their name ends in, and folders.

The ending decides, never a look inside: what a command does should be plain from its text. A folder
is one of packed samples, or of Parquet files that follow each other.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from markhood.data.coding.encode import pick_samples, without_picking
from markhood.data.coding.findings import listed, say_what_is_missing
from markhood.data.coding.regrouping import with_levels_merged
from markhood.data.formats.arrow import read_arrow, read_parquet
from markhood.data.formats.contents import named_by_content
from markhood.data.formats.delimited import read_delimited
from markhood.data.formats.npy import read_npy, read_npz
from markhood.data.formats.r_files import read_r
from markhood.data.formats.sheets import read_sheet
from markhood.data.formats.statistics import READERS, read_statistics
from markhood.data.genome.fasta import read_fasta
from markhood.data.genome.placed import with_positions
from markhood.data.genome.plink import read_bed
from markhood.data.genome.sequences import SEQUENCE_ENDINGS
from markhood.data.genome.vcf import read_vcf
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.storage.packed import is_packed, read_packed
from markhood.data.storage.places import MEMORY, Storage
from markhood.errors import InputError, option

TEXT_ENDINGS = (".csv", ".tsv", ".txt")  # and .gz after them
PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
TABLE_ENDINGS = (*TEXT_ENDINGS, *PARQUET_ENDINGS, *ARROW_ENDINGS, ".npy", ".npz")
SHEET_ENDINGS = (".xlsx", ".xls", ".xlsb", ".ods")
STATISTICS_ENDINGS = tuple(READERS)
R_ENDINGS = (".rds", ".rda", ".rdata")
VCF_ENDINGS = (".vcf", ".bcf")  # and .gz or .bgz after them
SITE_ENDINGS = (*SEQUENCE_ENDINGS, *VCF_ENDINGS, ".bed")  # see `Samples.are_sites`
COMPRESSED = (*TEXT_ENDINGS, *SEQUENCE_ENDINGS, *VCF_ENDINGS)
ENDINGS = (
    *TABLE_ENDINGS, *SHEET_ENDINGS, *STATISTICS_ENDINGS, *R_ENDINGS, *SEQUENCE_ENDINGS, *VCF_ENDINGS,
    ".bed",
)  # fmt: skip


def read_samples(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    index: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    transpose: bool = False,
    array: str | None = None,
    min_minor: float = 0.01,
    max_gap: float = 0.15,
    genotypes: str = "auto",
    missing: str = "error",
    missing_values: Iterable[Any] = (),
    max_levels: int = 64,
    weights: Any = None,
    normalize_weights: bool = True,
    kinds: Any = "auto",
    bins: Any = None,
    merge_rare: int | None = None,
    letters: str = "all",
    similarity_threshold: float = 0.1,
    positions: Any = None,
    storage: Storage = MEMORY,
) -> Samples:
    r"""Read a table of observations and pack it, a few bits a value.

    Parameters
    ----------
    path : path-like
        CSV or TSV (.csv, .tsv, .txt, also .gz; the delimiter is detected), Parquet (.parquet, .pq),
        Arrow (.arrow, .feather, .ipc), or NumPy's .npy and .npz; sheets (.xlsx, .xls, .xlsb, .ods); files
        of SPSS, Stata and SAS (.sav, .zsav, .por, .dta, .sas7bdat, .xpt), whose labels of values
        become the names of levels, and of R (.rds, .rda, .RData); a folder made by `pack`, or one of
        Parquet files, which are joined in the order of their names. Aligned sequences in FASTA
        (.fasta, .fa, .fna, .faa, .afa), A2M and A3M (.a2m, .a3m; insertions are dropped) and Stockholm
        (.sto, .stk), all also .gz: see `markhood.data.genome.fasta` for gaps. PLINK's
        .bed, with .bim and .fam beside it. Variants in VCF and BCF (.vcf, .bcf, also .gz and .bgz).
    columns : sequence of str, optional
        The columns that are variables, in this order; by default all. Names, or patterns such as
        "Q*".
    exclude : sequence of str, default=()
        Columns that are no variables: names or patterns.
    index : str, optional
        The column that names the samples, and is no variable.
    header : bool, optional
        For text files and sheets, whether the first row has the names; by default it does where
        none of its cells occurs again in its column, see `markhood.data.formats.rows`.
    encoding : str, optional
        For text files; by default UTF-8 or UTF-16, and Windows-1252 where the text is neither.
    transpose : bool, default=False
        For text files, sheets and arrays, whether the variables are the rows.
    array : str, optional
        For .npz, the array to read; by default `data`, else the only one with two dimensions. For
        R's files with several tables, the one to read.
    min_minor, max_gap : float, default=0.01, 0.15
        For FASTA and VCF, keep the positions at which the second most common letter or allele has at
        least the one share of the sequences or calls that are there, and gaps or missing calls have at
        most the other share of all.
    genotypes : {"auto", "haplotypes", "levels", "dominant", "recessive"}, default="auto"
        For PLINK and VCF, whether a genotype is the number of copies of an allele (A1, or any but the
        reference), whether there is one, or whether all are; or, for a VCF, whether every copy of a
        chromosome is a sample, as it is by default where all calls are phased.
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
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether levels are steps, for all columns or for some by name. By default numbers of three
        values or more and ordered categories are; text and other categories are not.
    bins : int, "auto" or mapping of str to int, optional
        Cut columns of more than a dozen numbers, or those named, into so many bins of about as many
        samples each: ordered levels such as "[18, 25)".
    merge_rare : int, optional
        Merge levels that fewer samples have: with their neighbours where levels are steps ("4 or 5"),
        into "other" where they are not.
    letters : {"all", "reduced"}, default="all"
        Whether similar letters of aligned sequences are one level: eight classes of amino acids, two
        of bases; see `markhood.data.genome.alphabets`.
    similarity_threshold : float, default=0.1
        For weights by similarity: samples that differ in at most this share of the variables are alike.
    positions : mapping, sequence or path, optional
        Where variables lie along a genome: positions, or pairs of a chromosome and a position, by
        name or in order; or a file with the columns name, chromosome (where there are several) and
        position. By default what the file (VCF, PLINK's .bim, an alignment) or names such as
        "chr1:12345" say.
    storage : Storage
        Where packed bits are kept: by default in memory, see `markhood.data.storage.places`.

    Returns
    -------
    Samples
        With a `DataWarning` for whatever was decided and is not obvious, and for columns and values
        that are probably not meant as they were taken; `markhood.data.understood` has it all.

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
    reading = Reading(
        missing,
        missing_values,
        max_levels,
        weights,
        normalize_weights,
        storage,
        columns,
        exclude,
        index,
        kinds,
        bins,
        merge_rare,
        letters,
        similarity_threshold,
    )
    return read_file(
        path,
        reading,
        header=header,
        encoding=encoding,
        transpose=transpose,
        array=array,
        min_minor=min_minor,
        max_gap=max_gap,
        genotypes=genotypes,
        positions=positions,
    )


def read_file(
    path: str | os.PathLike[str],
    reading: Reading,
    *,
    header: bool | None = None,
    encoding: str | None = None,
    transpose: bool = False,
    array: str | None = None,
    min_minor: float = 0.01,
    max_gap: float = 0.15,
    genotypes: str = "auto",
    positions: Any = None,
) -> Samples:
    """Read a file as `read_samples` does, with the choices that all formats share as a `Reading`."""
    say_what_is_missing(reading)
    path = Path(path)
    _check_file(path)
    if path.is_dir():
        return with_positions(_read_folder(path, reading), positions)
    ending = _ending(path)
    if transpose and ending not in (*TEXT_ENDINGS, *SHEET_ENDINGS, ".npy", ".npz"):
        raise InputError(
            f"{option('transpose', True)} is for text, sheets and arrays, not for {ending}: turn the "
            "table round before."
        )
    readers: dict[tuple[str, ...], Callable[[], Samples]] = {
        TEXT_ENDINGS: lambda: read_delimited(path, reading, header, encoding, transpose),
        PARQUET_ENDINGS: lambda: read_parquet([path], reading),
        ARROW_ENDINGS: lambda: read_arrow(path, reading),
        (".npz",): lambda: read_npz(path, reading, array, transpose),
        (".npy",): lambda: read_npy(path, reading, transpose),
        SHEET_ENDINGS: lambda: read_sheet(path, reading, header, transpose),
        STATISTICS_ENDINGS: lambda: read_statistics(path, reading),
        R_ENDINGS: lambda: read_r(path, reading, array),
        SEQUENCE_ENDINGS: lambda: read_fasta(path, reading, min_minor, max_gap),
        VCF_ENDINGS: lambda: read_vcf(path, reading, min_minor, max_gap, genotypes),
        (".bed",): lambda: read_bed(path, reading, genotypes),
    }
    try:
        samples = next(read for endings, read in readers.items() if ending in endings)()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check its permissions.") from error
    samples = replace(with_levels_merged(samples, reading), are_sites=ending in SITE_ENDINGS)
    return with_positions(samples, positions)


def _ending(path: Path) -> str:
    """Return the ending by which a file is read, without .gz; raise for one that is not known."""
    is_compressed = path.suffix.lower() in (".gz", ".bgz")
    ending = (path.with_suffix("") if is_compressed else path).suffix.lower()
    if ending in (COMPRESSED if is_compressed else ENDINGS):
        return ending
    with suppress(OSError), path.open("rb") as handle:
        if what := named_by_content(handle.read(16)):
            raise InputError(f"{path} has an ending that is not known{what}.")
    raise InputError(
        f"{path} has an ending that is not known: the files that can be read are "
        f"{listed(ENDINGS, len(ENDINGS))}."
    )


def _read_folder(path: Path, reading: Reading) -> Samples:
    if is_packed(path):
        if reading.known is not None and reading.weights is None:
            return read_packed(path)
        if not replace(without_picking(reading), index=None, storage=MEMORY).is_default:
            raise InputError(
                f"{path} is packed already: say how to read the data when packing them."
            )
        return pick_samples(read_packed(path), reading)
    files = sorted(f for f in path.iterdir() if f.suffix.lower() in PARQUET_ENDINGS)
    if not files:
        raise InputError(
            f"{path} is a directory: give a file, a folder that markhood packed, or one of Parquet "
            "files."
        )
    return with_levels_merged(read_parquet(files, reading), reading)


def _check_file(path: Path) -> None:
    """Refuse what is not there, or would block who reads it: a pipe has its data only once."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(f"There is no file {path}: check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check the path.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InputError(
            f"{path} is a pipe or a device, and data are read more than once: save them in a file "
            "first."
        )
    if stat.S_ISREG(mode) and path.stat().st_size == 0:
        raise InputError(f"{path} is empty: give a file with one row a sample.")
