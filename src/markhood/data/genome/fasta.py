"""Read aligned sequences: every position that varies is a variable, and its letters are the levels.

The first pass over the file selects positions that vary and have few gaps, the second pass packs
them, in chunks. Letters are coded as ASCII numbers, which are in alphabetical order, and converted
to letters at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints
from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.genome.alphabets import Alphabet
from markhood.data.genome.loci import Locus
from markhood.data.genome.sequences import read_sequences
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, option

GAP = ord("-")
GAPS = "-.?~*"  # including the stop codon, which is not a residue
NUCLEOTIDES, AMBIGUOUS = "ACGTU", "NRYSWKMBDHVX"  # IUPAC codes
UNKNOWN_RESIDUE = "X"


def read_fasta(path: Path, reading: Reading) -> Samples:
    """Read aligned sequences in FASTA, A2M, A3M or Stockholm, which may be compressed (.gz).

    Gaps are "-", ".", "~", "?" and "*" (stop); in nucleotides also N and the other ambiguity codes,
    in proteins X. By default gaps are the level "-", as usual for sequences; they are missing
    values if ``reading.missing`` is "drop", "level" or "impute". Columns are positions, counted
    from "1".
    """
    min_minor, max_gap = reading.min_minor, reading.max_gap
    if reading.known is not None:  # keep its positions, whether or not they vary in these data
        min_minor, max_gap = 0.0, 1.0
    file = _Alignment(path)
    tally = _Tally()
    for chunk in file.chunks():
        tally.add(chunk)
    kept = np.flatnonzero(tally.varies(min_minor, max_gap))
    if len(kept) < 2:
        raise InputError(
            "too-few-columns",
            path.name,
            f"{len(kept)} of the {file.width} positions of {path} vary enough "
            f"({option('min_minor', min_minor)}) and have few enough gaps "
            f"({option('max_gap', max_gap)}): lower {option('min_minor')} or raise "
            f"{option('max_gap')}.",
        )
    names = [str(position + 1) for position in kept.tolist()]
    picked, names, _, reading = wanted_columns(names, reading)
    encoder = Encoder(
        names,
        tally.n_sequences,
        locate=lambda row: f"sequence {row + 1}",
        reading=_by_number(reading, names),
    )
    letters = np.arange(256, dtype=np.uint8)
    letters[tally.gaps()] = GAP
    for chunk in file.chunks():
        encoder.add(letters[chunk[:, kept[picked]]])
    content = _content(file.width, len(kept), tally, min_minor, max_gap)
    reading.log.add_note("file-content", path.name, content)
    odd = [repr(sign) for sign in tally.odd_signs()]
    if odd:
        reading.log.add_note(
            "file-content",
            path.name,
            f"Characters that are not letters ({', '.join(odd)}) are levels. If they mean missing, "
            f"name them in {option('missing_values')}.",
        )
    samples = encoder.finish()
    named = {levels: tuple(map(_letter, levels)) for levels in set(samples.levels)}
    levels = tuple(named[levels] for levels in samples.levels)
    loci = tuple(Locus("", int(name)) for name in samples.names)
    return replace(samples, variables=replace(samples.variables, levels=levels, loci=loci))


def _content(width: int, n_kept: int, tally: _Tally, min_minor: float, max_gap: float) -> str:
    """Describe the file, and the positions that became variables."""
    found = f"{tally.n_sequences} sequences of {tally.kind}, {width} positions"
    if n_kept == width:
        return f"{found}."
    return (
        f"{found}; {n_kept} positions vary enough ({option('min_minor', min_minor)}) and have few "
        f"enough gaps ({option('max_gap', max_gap)}), the others are left out."
    )


def _by_number(reading: Reading, names: Sequence[str]) -> Reading:
    """Return the reading for ASCII numbers: codes for missing, and nominal kinds.

    In new data a gap is a level if it is a level of the known data.
    """
    given = [str(value).upper() for value in reading.listed_missing]
    missing = [ord(letter) for letter in given if len(letter) == 1]
    known = None if reading.known is None else reading.known.levels or ()
    gap_is_level = reading.missing in ("auto", "error")
    if known is not None:
        gap_is_level = any(chr(GAP) in own for own in known)
    if not gap_is_level:
        missing.append(GAP)
    kinds = reading.kinds
    if isinstance(kinds, Mapping):
        kinds = {**dict.fromkeys(names, "nominal"), **kinds}
    elif kinds == "auto":
        kinds = "nominal"
    return replace(reading, missing_values=missing, kinds=kinds, bins=None, known=None)


def _letter(number: int | None) -> str | None:
    return None if number is None else chr(number)


@dataclass
class _Alignment:
    """A file of sequences, read in chunks."""

    path: Path
    width: int = 0

    def chunks(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the letters of sequences, of shape (sequences, positions), upper case."""
        sequences = self._sequences()
        first = next(sequences, None)
        if first is None:
            raise self._unusable(f"{self.path} has no sequences: pass an alignment.")
        self.width = len(first)
        if not self.width:
            raise self._unusable(f"The first sequence of {self.path} is empty: pass an alignment.")
        rows = chunk_rows(self.width)
        several = [first, *islice(sequences, rows - 1)]
        while several:
            yield np.stack(several)
            several = list(islice(sequences, rows))

    def _sequences(self) -> Iterator[NDArray[np.uint8]]:
        for title, letters in read_sequences(self.path):
            yield self._checked(title, letters)

    def _checked(self, title: str, letters: str) -> NDArray[np.uint8]:
        if self.width and len(letters) != self.width:
            raise self._unusable(
                f"The sequence {title.split()[0] if title.split() else ''!r} of {self.path} has "
                f"{len(letters)} letters instead of {self.width}: align the sequences first."
            )
        return np.frombuffer(letters.upper().encode("ascii"), np.uint8)

    def _unusable(self, text: str) -> InputError:
        return InputError("sequences", self.path.name, text)


@dataclass
class _Tally:
    """Counts of letters at each position."""

    n_sequences: int = 0
    counts: dict[int, Ints] = field(default_factory=dict)

    def add(self, chunk: NDArray[np.uint8]) -> None:
        """Count the letters of some sequences."""
        self.n_sequences += len(chunk)
        occurs = np.zeros(256, np.bool_)
        occurs[chunk] = True
        for letter in np.flatnonzero(occurs).tolist():
            times = (chunk == letter).sum(axis=0)
            self.counts[letter] = self.counts.get(letter, 0) + times

    @property
    def kind(self) -> Alphabet:
        """The alphabet, detected from the letters."""
        letters = {chr(letter) for letter in self.counts if chr(letter).isalpha()}
        if not letters or not letters <= set(NUCLEOTIDES + AMBIGUOUS):
            return "protein"
        return "RNA" if "U" in letters else "DNA"

    def odd_signs(self) -> list[str]:
        """Return characters that are neither letters nor gaps."""
        return sorted({chr(n) for n in self.counts if not chr(n).isalpha()} - set(GAPS))

    def gaps(self) -> list[int]:
        """Return the letters that mean a gap or an unknown residue."""
        unknown = UNKNOWN_RESIDUE if self.kind == "protein" else AMBIGUOUS
        return [ord(c) for c in GAPS + unknown]

    def varies(self, min_minor: float, max_gap: float) -> Bools:
        """Return whether each position varies enough and has few enough gaps."""
        gaps = self.gaps()
        certain = [times for letter, times in self.counts.items() if letter not in gaps]
        zeros = np.zeros_like(next(iter(self.counts.values())))
        ranked = np.sort(np.stack([zeros, zeros, *certain]), axis=0)
        seen = ranked.sum(axis=0)
        enough = ranked[-2] >= min_minor * seen
        return np.asarray(enough & (self.n_sequences - seen <= max_gap * self.n_sequences))
