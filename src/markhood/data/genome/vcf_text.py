"""VCF as text, plain or compressed, read a line at a time.

A reader of our own: that of htslib is made for binary files, and some damaged texts crash it. Few calls are different, so each
is made sense of once and looked up after that; where a line has nothing but calls such as 0|1, four bytes each, they are read as an array.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from markhood.data.genome.loci import MOST_POSITION, Locus
from markhood.errors import InputError

MISSING, ABSENT = -1, -2  # a copy that was not called, and one that there is not
MOST_ALLELE = 32767  # what sixteen bits hold
_BEGINNING = b"##fileformat=VCF"
_FIXED = 9  # columns before those of individuals
_ZERO, _DOT, _TAB, _BAR, _SLASH = b"0.\t|/"


class Site(NamedTuple):
    """A site: where it is, its alleles, the calls, of shape (individuals, copies), with their phase, and the filters that it failed."""

    locus: Locus
    alleles: tuple[str, ...]
    calls: NDArray[np.int16]
    is_phased: NDArray[np.bool_]
    failed: str = ""


class TextVariants:
    """A VCF file.

    Attributes
    ----------
    individuals : list of str
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as file:
            self.individuals = self._read_header(file)[0]
        self._calls = _Calls()

    def sites(self) -> Iterator[Site | None]:
        """Yield every site, None for one without calls."""
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
                        f"Line {number} of {self._path} is damaged ({error}): mend it, or write the file again."
                    ) from None

    def _open(self) -> BinaryIO:
        with self._path.open("rb") as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
        return cast("BinaryIO", (gzip.open if is_compressed else open)(self._path, "rb"))

    def _line(self, file: BinaryIO, most: int = -1) -> bytes:
        try:
            return file.readline(most)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(
                f"{self._path} is damaged or cut short ({error}): copy it again."
            ) from error

    def _read_header(self, file: BinaryIO) -> tuple[list[str], int]:
        """Return the individuals, and how many lines the header has."""
        line, number = self._line(file, len(_BEGINNING)), 1
        if line != _BEGINNING:
            raise InputError(
                f"{self._path} cannot be read as VCF: give a whole file, with its header; BCF ends in .bcf."
            )
        while line and not line.startswith(b"#CHROM"):
            line, number = self._line(file), number + 1
        individuals = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")[_FIXED:]
        if not individuals:
            raise InputError(
                f"{self._path} has no genotypes: give a file with a column for every individual."
            )
        return individuals, number - 1  # the first line was read in two parts

    def _site(self, line: bytes) -> Site | None:
        chromosome, position, _, ref, alt, _, passed, _, form, *calls = _fields(line)
        names = form.split(b":")
        if b"GT" not in names:
            return None
        if not position.isdigit() or int(position) > MOST_POSITION:
            raise ValueError("its position is no number")
        others = [] if alt == b"." else alt.split(b",")
        alleles = tuple(allele.decode("ascii", "replace") for allele in (ref, *others))
        place = Locus(chromosome.decode("utf-8", "replace"), int(position))
        found, phased = self._calls.read(calls[0], names.index(b"GT"), len(self.individuals))
        if int(found.max(initial=0)) >= len(alleles):
            raise ValueError("a call names an allele that is not there")
        failed = "" if passed in (b"PASS", b".") else passed.decode("utf-8", "replace")
        return Site(place, alleles, found, phased, failed)


def _fields(line: bytes) -> list[bytes]:
    fields = line.split(b"\t", _FIXED)
    if len(fields) <= _FIXED:
        raise ValueError("it has too few columns")
    return fields


class _Calls:
    """Calls by their texts, as far as they have occurred: the alleles of each, and whether it is phased."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._known: list[tuple[list[int], bool]] = []
        self._table = np.empty((0, 1), np.int16)
        self._phases = np.empty(0, np.bool_)

    def read(
        self, text: bytes, place: int, n_individuals: int
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the calls of a line, which are at a place of each individual's field."""
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
            parts = [field.split(b":", place + 1) for field in fields]
            fields = [own[place] if place < len(own) else b"." for own in parts]
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


def _plain(text: bytes) -> tuple[NDArray[np.int16], NDArray[np.bool_]] | None:
    """Read a line of calls of three bytes each, such as 0|1; None where it is something else."""
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
    """Return the alleles of a call, and whether it is phased, as that of a single copy is."""
    unprefixed = (
        text[1:] if text[:1] in (b"|", b"/") else text
    )  # VCF 4.4 may say the first one's phase
    parts = unprefixed.replace(b"|", b"/").split(b"/")
    if not all(part == b"." or (part.isdigit() and int(part) <= MOST_ALLELE) for part in parts):
        raise ValueError(f"{text[:20].decode('ascii', 'replace')!r} is no call")
    alleles = [MISSING if part == b"." else int(part) for part in parts]
    return alleles, b"/" not in unprefixed
