"""Read variants in VCF and BCF files: every site that varies is a variable.

The first pass over the file selects sites and finds whether all calls are phased, the second pass
packs the calls, site by site.

A phased file gives haplotypes: a sample is a chromosome copy, and its levels are the alleles, 0 for
the reference; more than two alleles are not ordered. Other files give genotypes: a sample is an
individual, and its ordered levels are the numbers of copies of non-reference alleles, as in PLINK.
Haplotypes of an unphased file would need invented phases; genotypes of a phased file would have
half the samples at the same penalty per edge.

Read BCF, the binary form of VCF, through cyvcf2, site by site. A malformed file can crash this C
library; truncated files are detected before it is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints
from markhood.data.coding import encoder
from markhood.data.coding.encoder import Encoder
from markhood.data.genome.loci import Locus
from markhood.data.genome.positions import with_loci
from markhood.data.genome.vcf_text import ABSENT, MISSING, Site, TextVariants
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, file_error, installed, option, printable

NO_GENOTYPES = "have no genotypes"
LONGEST_ALLELES = 24  # letters in a name; insertions may have thousands
END_OF_BGZF = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def read_vcf(path: Path, reading: Reading) -> Samples:
    """Read haplotypes or genotypes from a VCF or BCF file, which may be compressed (.gz, .bgz).

    Variables are named by chromosome and position, as in "7:117559590", and if several variants
    have the same position, also by alleles, "7:117559590:CTT:C". If all calls are phased, a sample
    is a chromosome copy with its alleles; else an individual with its number of non-reference
    alleles.
    """
    min_minor, max_gap = reading.min_minor, reading.max_gap
    if reading.known is not None:  # keep its sites, whether or not they vary in these data
        min_minor, max_gap = 0.0, 1.0
    file = _opened(path)
    survey = _Survey(len(file.individuals))
    for site in file.sites():
        survey.add(site, min_minor, max_gap)
    if survey.n_sites == survey.left_out[NO_GENOTYPES]:
        lacks = "genotypes (GT) at any of its sites" if survey.n_sites else "sites"
        raise file_error(
            path, f"has no {lacks}: pass a file with calls of every individual.", "genotypes"
        )
    if len(survey.kept) < 2:
        raise InputError(
            "too-few-columns",
            path.name,
            f"{len(survey.kept)} of the {survey.n_sites} sites of {path} vary enough "
            f"({option('min_minor', min_minor)}) and have few enough missing calls "
            f"({option('max_gap', max_gap)}): lower {option('min_minor')} or raise "
            f"{option('max_gap')}.",
        )
    coding = survey.coding(reading.genotypes, path)
    survey.note(reading, coding, path)
    return _encode(file, survey, reading, coding)


class BinaryVariants:
    """A BCF file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.individuals: list[str] = self._open().samples
        if not self.individuals:
            raise file_error(
                path, "has no genotypes: pass a file with a column per individual.", "genotypes"
            )

    def sites(self) -> Iterator[Site | None]:
        """Yield all sites, None for a site without calls."""
        records, number = iter(self._open()), 0
        while True:
            number += 1
            try:
                site = _site(next(records))
            except StopIteration:
                return
            except Exception as error:  # cyvcf2 does not raise a more specific one
                raise file_error(
                    self._path, f"is damaged at site {number}: write the file again."
                ) from error
            yield site

    def _open(self) -> Any:
        cyvcf2 = installed("cyvcf2", f"Reading {self._path}", "vcf")
        set_log_level = getattr(cyvcf2.cyvcf2, "set_htslib_log_level", None)
        if set_log_level is not None:  # errors are raised, not printed
            set_log_level(0)
        try:
            return cyvcf2.VCF(str(self._path))
        except Exception as error:
            raise file_error(
                self._path,
                "cannot be read as BCF: pass a complete file with its header.",
                "file-format",
            ) from error


def _site(record: Any) -> Site | None:
    """Return a record of cyvcf2 as a site, None without calls."""
    if "GT" not in record.FORMAT:
        return None
    calls = record.genotype.array()  # with the same codes for missing and absent copies
    locus, alleles = Locus(record.CHROM, record.POS), (record.REF, *record.ALT)
    return Site(locus, alleles, calls[:, :-1], calls[:, -1].astype(np.bool_), record.FILTER or "")


Variants = TextVariants | BinaryVariants


def _opened(path: Path) -> Variants:
    """Open a file by its ending."""
    _check_end(path)
    is_binary = ".bcf" in (suffix.lower() for suffix in path.suffixes[-2:])
    return BinaryVariants(path) if is_binary else TextVariants(path)


def _check_end(path: Path) -> None:
    """Raise for a BGZF file without its last, empty block, because it is truncated."""
    with path.open("rb") as file:
        is_in_blocks = file.read(18)[12:14] == b"BC"
        if is_in_blocks:
            file.seek(-min(len(END_OF_BGZF), path.stat().st_size), 2)
            if file.read() != END_OF_BGZF:
                raise file_error(
                    path, "is truncated (the end-of-file block is missing): copy it again."
                )


@dataclass
class _Survey:
    """Results of the first pass: the selected sites, and properties of their calls."""

    n_individuals: int
    n_sites: int = 0
    kept: list[int] = field(default_factory=list)
    loci: list[Locus] = field(default_factory=list)
    alleles: list[tuple[str, ...]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    n_unphased: int = 0
    n_ambiguous: int = 0
    failed: Counter[str] = field(default_factory=Counter)  # filters, of the selected sites
    ploidy: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    fewest: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, site: Site | None, min_minor: float, max_gap: float) -> None:
        """Select a site or leave it out."""
        number, self.n_sites = self.n_sites, self.n_sites + 1
        reason = NO_GENOTYPES if site is None else _reason(site.calls, min_minor, max_gap)
        if site is None or reason:
            self.left_out[reason] += 1
            return
        self.kept.append(number)
        self.loci.append(site.locus)
        self.alleles.append(site.alleles)
        copies = (site.calls != ABSENT).sum(axis=1)
        self.ploidy = np.maximum(copies, self.ploidy) if len(self.ploidy) else copies
        self.fewest = np.minimum(copies, self.fewest) if len(self.fewest) else copies
        if site.failed:
            self.failed[site.failed] += 1
        unphased = ~site.is_phased & (copies > 1) & (site.calls >= 0).any(axis=1)
        if unphased.any():
            called = np.where(site.calls < 0, site.calls.max(axis=1)[:, None], site.calls)
            self.n_unphased += int(unphased.sum())
            self.n_ambiguous += int((unphased & (np.ptp(called, axis=1) > 0)).sum())

    def coding(self, genotypes: str, path: Path) -> str:
        """Return the coding of calls; raise if the requested one is not possible."""
        if genotypes == "auto":
            return "levels" if self.n_unphased else "haplotypes"
        if genotypes == "haplotypes" and self.n_ambiguous:
            raise InputError(
                "genotypes",
                "genotypes",
                f"{self.n_ambiguous} heterozygous calls of {path} are not phased, so that their "
                "haplotypes are not known: phase them, or choose "
                f"{option('genotypes', 'levels')}.",
            )
        return genotypes

    def names(self) -> list[str]:
        """Return a unique name for every selected site."""
        plain = [f"{locus.chromosome}:{locus.position}" for locus in self.loci]
        times = Counter(plain)
        longer = [
            f"{name}:{':'.join(alleles)}"
            if times[name] > 1 and sum(map(len, alleles)) <= LONGEST_ALLELES
            else name
            for name, alleles in zip(plain, self.alleles, strict=True)
        ]
        times, seen, names = Counter(longer), Counter[str](), list[str]()
        for name in longer:
            seen[name] += 1
            names.append(f"{name}#{seen[name]}" if times[name] > 1 else name)
        return names

    def note(self, reading: Reading, coding: str, path: Path) -> None:
        """Record what the file contains and how it is read."""
        for text in (*self._content(coding), *self._irregularities(coding)):
            reading.log.add_note("file-content", path.name, text)

    def _content(self, coding: str) -> Iterator[str]:
        kinds = sorted(set(self.ploidy.tolist()))
        ploidy = {(1,): "haploid", (2,): "diploid"}.get(
            tuple(kinds), f"of ploidy {' to '.join(map(str, (kinds[0], kinds[-1])))}"
        )
        phases = "" if kinds == [1] else ", not phased" if self.n_unphased else ", phased"
        taken = {
            "haplotypes": f"{int(self.ploidy.sum())} haplotypes",
            "levels": "genotypes as numbers of non-reference alleles",
            "dominant": "genotypes as any non-reference allele",
            "recessive": "genotypes as only non-reference alleles",
        }[coding]
        yield f"{self.n_individuals} individuals, {ploidy}{phases}: {taken}."
        reasons = ", ".join(f"{times} {reason}" for reason, times in self.left_out.items())
        left_out = f" ({reasons})" if reasons else ""
        yield f"{len(self.kept)} of {self.n_sites} sites{left_out}."
        several = sum(len(alleles) > 2 for alleles in self.alleles)
        if several:
            how = "each is a level" if coding == "haplotypes" else "all but the first are combined"
            sites = "1 site has" if several == 1 else f"{several} sites have"
            yield f"{sites} more than two alleles: {how}."

    def _irregularities(self, coding: str) -> Iterator[str]:
        if self.failed:
            which = ", ".join(f"{printable(name)} {times}" for name, times in self.failed.items())
            yield (
                f"{self.failed.total()} of these sites failed a filter of the file ({which}) but "
                "are used. Remove them from the file if they should not be."
            )
        n_fewer = int((self.fewest < self.ploidy).sum())
        if n_fewer:
            how = "absent copies are missing" if coding == "haplotypes" else "existing ones count"
            subject = "1 individual has" if n_fewer == 1 else f"{n_fewer} individuals have"
            yield f"{subject} fewer copies at some sites: {how}."


def _reason(calls: NDArray[np.int16], min_minor: float, max_gap: float) -> str:
    """Return the reason to leave a site out; empty if it is selected."""
    called = calls[calls >= 0]
    n_copies = int((calls != ABSENT).sum())
    if not len(called) or n_copies - len(called) > max_gap * n_copies:
        return "have too many missing calls"
    ranked = np.sort(np.append(np.bincount(called), 0))
    return "vary too little" if ranked[-2] < min_minor * len(called) else ""


def _encode(file: Variants, survey: _Survey, reading: Reading, coding: str) -> Samples:
    """Read the selected sites again, and pack them."""
    wanted = wanted_columns(survey.names(), reading)
    picked, reading = wanted.columns, wanted.reading
    exists = np.arange(int(survey.ploidy.max())) < survey.ploidy[:, None]
    by_copy = coding == "haplotypes"
    rows = [
        f"{individual} ({copy + 1})" if by_copy and own > 1 else individual
        for individual, own in zip(file.individuals, survey.ploidy.tolist(), strict=True)
        for copy in range(own if by_copy else 1)
    ]
    kinds = "nominal" if by_copy and reading.kinds == "auto" else reading.kinds
    reading = replace(
        reading, kinds=kinds, missing_values=(*reading.listed_missing, MISSING), bins=None
    )
    packing = Encoder(
        wanted.names,
        len(rows),
        locate=lambda row: f"sample {rows[row]!r}",
        reading=reading,
    )
    column_of = {survey.kept[j]: column for column, j in enumerate(picked)}
    block = _Block(packing, max(1, encoder.CHUNK_BYTES // (2 * len(rows))))
    for number, site in enumerate(file.sites()):
        if site is not None and number in column_of:
            block.add(column_of[number], _coded(site.calls, coding, exists))
    block.flush()
    packing.skip(len(rows))
    return with_loci(packing.finish(), tuple(survey.loci[j] for j in picked))


@dataclass
class _Block:
    """Neighbouring columns, collected to be packed at once."""

    packing: Encoder
    most: int
    start: int = 0
    columns: list[NDArray[np.int16]] = field(default_factory=list)

    def add(self, column: int, values: NDArray[np.int16]) -> None:
        """Add a column."""
        if column != self.start + len(self.columns) or len(self.columns) == self.most:
            self.flush()
        self.start = self.start if self.columns else column
        self.columns.append(values)

    def flush(self) -> None:
        """Pack the collected columns."""
        if self.columns:
            self.packing.place(np.array(self.columns).T, 0, self.start)
            self.columns = []


def _coded(calls: NDArray[np.int16], coding: str, exists: Bools) -> NDArray[np.int16]:
    """Return the value of a site for every sample, -1 for missing values."""
    if coding == "haplotypes":
        alleles = np.full(exists.shape, MISSING, np.int16)
        width = min(calls.shape[1], exists.shape[1])
        alleles[:, :width] = np.maximum(calls[:, :width], MISSING)
        return np.asarray(alleles[exists])
    copies = (calls > 0).sum(axis=1, dtype=np.int16)
    if coding == "dominant":
        copies = (copies > 0).astype(np.int16)
    elif coding == "recessive":
        copies = (copies == (calls != ABSENT).sum(axis=1)).astype(np.int16)
    copies[(calls == MISSING).any(axis=1)] = MISSING
    return np.asarray(copies)
