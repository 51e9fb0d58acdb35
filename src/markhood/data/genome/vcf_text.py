"""Read VCF text files, plain or compressed, line by line.

htslib is not used for text, because some damaged files crash it. There are few distinct calls, so
each is parsed once and then looked up; lines with only calls such as 0|1, four bytes each, are read
as arrays.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools
from markhood.data.genome.loci import MOST_POSITION, Locus
from markhood.errors import InputError, file_error

MISSING, ABSENT = -1, -2  # a copy without a call, and a copy that does not exist
MOST_ALLELE = 32767  # of 16 bits
_BEGINNING = b"##fileformat=VCF"
_FIXED = 9  # columns before those of individuals
_ZERO, _DOT, _TAB, _BAR, _SLASH = b"0.\t|/"


class Site(NamedTuple):
    """A site: its locus, alleles, calls of shape (individuals, copies), phases, failed filters."""

    locus: Locus
    alleles: tuple[str, ...]
    calls: NDArray[np.int16]
    is_phased: Bools
    failed: str = ""


class TextVariants:
    """A VCF file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as file:
            self.individuals = self._read_header(file)[0]
        self._calls = _Calls()

    def sites(self) -> Iterator[Site | None]:
        """Yield all sites, None for a site without calls."""
        with self._open() as file:
            _, number = self._read_header(file)
            while line := self._line(file):
                number += 1
                if not line.strip():
                    continue
                try:
                    yield self._site(line.rstrip(b"\r\n"))
                except ValueError as error:
                    raise InputError(
                        "file-damaged",
                        self._path.name,
                        f"Line {number} of {self._path} is damaged ({error}): correct it, or write "
                        "the file again.",
                    ) from None

    def _open(self) -> BinaryIO:
        with self._path.open("rb") as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
        return cast("BinaryIO", (gzip.open if is_compressed else open)(self._path, "rb"))

    def _line(self, file: BinaryIO, most: int = -1) -> bytes:
        try:
            return file.readline(most)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise file_error(
                self._path, f"is damaged or truncated ({error}): copy it again."
            ) from error

    def _read_header(self, file: BinaryIO) -> tuple[list[str], int]:
        """Return the individuals, and the number of lines of the header."""
        line, number = self._line(file, len(_BEGINNING)), 1
        if line != _BEGINNING:
            raise file_error(
                self._path,
                "is not a VCF file: pass a file with its header, and use the ending .bcf for BCF.",
                "file-format",
            )
        while line and not line.startswith(b"#CHROM"):
            line, number = self._line(file), number + 1
        individuals = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")[_FIXED:]
        if not individuals:
            raise file_error(
                self._path,
                "has no genotypes: pass a file with a column per individual.",
                "genotypes",
            )
        return individuals, number - 1  # because the first line was read in two parts

    def _site(self, line: bytes) -> Site | None:
        chromosome, position, _, ref, alt, _, passed, _, form, *calls = _fields(line)
        names = form.split(b":")
        if b"GT" not in names:
            return None
        if not position.isdigit() or int(position) > MOST_POSITION:
            raise ValueError("its position is not a number")
        others = [] if alt == b"." else alt.split(b",")
        alleles = tuple(allele.decode("ascii", "replace") for allele in (ref, *others))
        locus = Locus(chromosome.decode("utf-8", "replace"), int(position))
        found, phased = self._calls.read(calls[0], names.index(b"GT"), len(self.individuals))
        if int(found.max(initial=0)) >= len(alleles):
            raise ValueError("a call has an unknown allele")
        failed = "" if passed in (b"PASS", b".") else passed.decode("utf-8", "replace")
        return Site(locus, alleles, found, phased, failed)


def _fields(line: bytes) -> list[bytes]:
    fields = line.split(b"\t", _FIXED)
    if len(fields) <= _FIXED:
        raise ValueError("it has too few columns")
    return fields


class _Calls:
    """Parsed calls by their texts: the alleles of each call, and whether it is phased."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._known: list[tuple[list[int], bool]] = []
        self._table = np.empty((0, 1), np.int16)
        self._phases = np.empty(0, np.bool_)

    def read(self, text: bytes, index: int, n_individuals: int) -> tuple[NDArray[np.int16], Bools]:
        """Return the calls of a line, which have this index in the field of each individual."""
        if len(text) == 4 * n_individuals - 1:
            plain = _plain(text)
            if plain is not None:
                return plain
        fields = text.split(b"\t")
        if len(fields) != n_individuals:
            raise ValueError(
                f"it has calls of {len(fields)} individuals instead of {n_individuals}"
            )
        if any(b":" in field for field in fields):
            parts = [field.split(b":", index + 1) for field in fields]
            fields = [own[index] if index < len(own) else b"." for own in parts]
        numbers = np.array([self._number(field) for field in fields])
        if len(self._table) < len(self._known):
            self._tabulate()
        return self._table[numbers], self._phases[numbers]

    def _number(self, text: bytes) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._known)
            self._known.append(_parsed(text))
        return number

    def _tabulate(self) -> None:
        width = max(len(alleles) for alleles, _ in self._known)
        rows = [alleles + [ABSENT] * (width - len(alleles)) for alleles, _ in self._known]
        self._table = np.array(rows, np.int16)
        self._phases = np.array([is_phased for _, is_phased in self._known])


def _plain(text: bytes) -> tuple[NDArray[np.int16], Bools] | None:
    """Parse a line of calls with three bytes each, such as 0|1; None for other lines."""
    cells = np.frombuffer(text + b"\t", np.uint8).reshape(-1, 4)
    alleles, between = cells[:, ::2], cells[:, 1]
    is_digit = (alleles >= _ZERO) & (alleles < _ZERO + 10)
    is_phased = between == _BAR
    if not (
        (cells[:, 3] == _TAB).all()
        and (is_digit | (alleles == _DOT)).all()
        and (is_phased | (between == _SLASH)).all()
    ):
        return None
    return np.where(is_digit, alleles.astype(np.int16) - _ZERO, MISSING).astype(np.int16), is_phased


def _parsed(text: bytes) -> tuple[list[int], bool]:
    """Return the alleles of a call, and whether it is phased, as a single copy always is."""
    # VCF 4.4 allows a prefix with the phase of the first allele.
    unprefixed = text[1:] if text[:1] in (b"|", b"/") else text
    parts = unprefixed.replace(b"|", b"/").split(b"/")
    if not all(part == b"." or (part.isdigit() and int(part) <= MOST_ALLELE) for part in parts):
        raise ValueError(f"{text[:20].decode('ascii', 'replace')!r} is not a call")
    alleles = [MISSING if part == b"." else int(part) for part in parts]
    return alleles, b"/" not in unprefixed
