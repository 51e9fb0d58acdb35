"""Read genotypes of PLINK .bed files through bed-reader, in blocks of variants.

A genotype is the number of copies, 0, 1 or 2, of the first allele in the .bim file (A1, usually the
minor allele). It has three levels, or two: any copy (dominant), or two copies (recessive).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding import encoder
from markhood.data.coding.encoder import Encoder
from markhood.data.genome.loci import Loci, Locus
from markhood.data.genome.positions import with_loci
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, file_error, installed, option
from markhood.input_files import check_regular

MISSING = -127  # of bed-reader in int8
CODINGS: Mapping[str, Callable[[NDArray[np.int8]], NDArray[Any]]] = {
    "levels": lambda copies: copies,
    "dominant": lambda copies: copies > 0,
    "recessive": lambda copies: copies > 1,
}

MEANINGS = {
    "levels": "number of copies of the first allele in the .bim file",
    "dominant": "any copy of the first allele in the .bim file",
    "recessive": "two copies of the first allele in the .bim file",
}


def read_bed(path: Path, reading: Reading) -> Samples:
    """Read genotypes from a .bed file with its .bim and .fam in the same folder.

    Variants named "." are called by chromosome and position, as in "7:117559590". By default a
    genotype is the number of copies of A1.
    """
    genotypes = "levels" if reading.genotypes == "auto" else reading.genotypes
    if genotypes not in CODINGS:
        raise InputError(
            "genotypes",
            "genotypes",
            f"{option('genotypes', genotypes)} requires a VCF file: choose one of "
            f"{', '.join(CODINGS)}.",
        )
    library = installed("bed_reader", f"Reading {path}", "plink", "bed-reader")
    try:
        for ending in (".bim", ".fam"):
            check_regular(path.with_suffix(ending))
        with library.open_bed(path) as bed:
            return _encode(bed, reading, genotypes)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        _check_tabs(path.with_suffix(".bim"))
        reason = str(error).splitlines()[0].rstrip(".")
        raise file_error(
            path,
            f"cannot be read as a PLINK .bed file ({reason}): put its .bim and .fam into "
            "the same folder, or write it again.",
        ) from error


def _check_tabs(path: Path) -> None:
    """Raise for a .bim file with blanks between columns, which bed-reader does not support."""
    if not path.exists():
        return
    with path.open("rb") as file:
        if len(file.readline().split(b"\t")) == 1:
            raise file_error(
                path,
                "has no tabs between its columns: replace blanks by tabs, as in files "
                "written by PLINK.",
            )


def _encode(bed: Any, reading: Reading, genotypes: str) -> Samples:
    n_samples, _ = bed.shape
    names = [
        f"{chromosome}:{position}" if name == "." else str(name)
        for name, chromosome, position in zip(bed.sid, bed.chromosome, bed.bp_position, strict=True)
    ]
    wanted = wanted_columns(names, reading)
    picked, reading = wanted.columns, wanted.reading
    codes = (*reading.listed_missing, MISSING)
    packing = Encoder(wanted.names, n_samples, reading=replace(reading, missing_values=codes))
    step = max(1, encoder.CHUNK_BYTES // n_samples)
    for start in range(0, len(picked), step):
        copies = bed.read(index=np.s_[:, picked[start : start + step]], dtype="int8", order="F")
        coded = CODINGS[genotypes](copies).astype(np.int8, order="F")
        packing.place(np.where(copies == MISSING, copies, coded), 0, start)
    packing.skip(n_samples)
    reading.log.add_note(
        "file-content",
        "genotypes",
        f"{n_samples} individuals; genotypes are coded as {MEANINGS[genotypes]}.",
    )
    return with_loci(packing.finish(), _loci(bed, picked))


def _loci(bed: Any, picked: Sequence[int]) -> Loci:
    """Return the loci of variants; PLINK writes 0 for an unknown chromosome or position."""
    loci = [Locus(str(bed.chromosome[j]), int(bed.bp_position[j])) for j in picked]
    return tuple(own if own.chromosome != "0" and own.position > 0 else None for own in loci)
