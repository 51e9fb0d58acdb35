"""Read aligned sequences: every position that varies is a variable, and its letters are the levels.

The first pass over the file selects positions that vary and have few gaps, the second pass packs
them, in chunks. Letters are coded as ASCII numbers, which are in alphabetical order, and converted
to letters at the end.

Read files of aligned sequences, one sequence at a time: FASTA, A2M, A3M and Stockholm. **A2M and
A3M.** Lower-case letters and dots are insertions, which differ between sequences. They are not
columns of the alignment and are dropped, so that all sequences have the same length.

**Stockholm.** A line has a name and letters. In an alignment with several blocks every name occurs
again, so the sequences are held in memory; a file with one block is streamed. Of the annotation,
the consensus structure of an RNA (`#=GC SS_cons`) can be read.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Ints
from markhood.data.coding.encoder import Encoder, chunk_rows
from markhood.data.genome.alphabets import Alphabet
from markhood.data.genome.loci import Locus
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.weights import wanted_columns
from markhood.errors import InputError, file_error, installed, option, unreadable

FASTA_ENDINGS = (".fasta", ".fa", ".fna", ".faa", ".afa")
A3M_ENDINGS = (".a3m", ".a2m")
STOCKHOLM_ENDINGS = (".sto", ".stk", ".stockholm")
SEQUENCE_ENDINGS = (*FASTA_ENDINGS, *A3M_ENDINGS, *STOCKHOLM_ENDINGS)  # and .gz after them

INSERTIONS = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyz.")
CONSENSUS = "SS_cons"
# WUSS notation of structures: four kinds of brackets, and letters for pseudoknots.
BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"} | {chr(65 + k): chr(97 + k) for k in range(26)}
GAP = ord("-")
GAPS = "-.?~*"  # including the stop codon, which is not a residue
UNKNOWN_RESIDUE = "X"


class Structure(NamedTuple):
    """A consensus structure: number of columns, and pairs i < j of columns, counted from 1."""

    width: int
    pairs: list[tuple[int, int]]


def read_sequences(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the title and the letters of each sequence, without insertions."""
    ending = ending_of(path)
    try:
        with _opened(path) as file:
            if ending in STOCKHOLM_ENDINGS:
                yield from _stockholm(path, file)
            elif ending in A3M_ENDINGS:
                for title, letters in _parser(path)(file):
                    yield title, letters.translate(INSERTIONS)
            else:
                yield from _parser(path)(file)
    except UnicodeDecodeError as error:
        raise _not_sequences(path, "is not plain text: pass a file of sequences.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, error) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise _not_sequences(path, f"is not FASTA ({error}): pass aligned sequences.") from error


def _not_sequences(path: Path, problem: str) -> InputError:
    return file_error(path, problem, "file-format")


def _damaged(path: Path, error: BaseException) -> InputError:
    return file_error(path, f"is damaged ({error}): compress it again.")


def read_structure(path: Path) -> Structure:
    r"""Read the consensus structure of a Stockholm file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "family.sto")
    >>> _ = path.write_text("# STOCKHOLM 1.0\na GCAAGC\n#=GC SS_cons <<..>>\n//\n")
    >>> read_structure(path)
    Structure(width=6, pairs=[(1, 6), (2, 5)])
    """
    drawn = ""
    try:
        with _opened(path) as file:
            for line in file:
                words = line.split()
                if words[:2] == ["#=GC", CONSENSUS] and len(words) == 3:
                    drawn += words[2]
                elif words[:1] == ["//"]:
                    break
    except UnicodeDecodeError as error:
        raise _not_sequences(path, "is not plain text: pass a Stockholm file.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if not drawn:
        raise file_error(
            path,
            f"has no consensus structure (#=GC {CONSENSUS}): pass a file with one.",
            "sequences",
        )
    return Structure(len(drawn), _paired(path, drawn))


def ending_of(path: Path) -> str:
    """Return the ending of a name, without .gz."""
    is_compressed = path.suffix.lower() == ".gz"
    return (path.with_suffix("") if is_compressed else path).suffix.lower()


def is_stockholm(path: Path) -> bool:
    """Return whether a file is in Stockholm format, which can have a structure, by its name."""
    return ending_of(path) in STOCKHOLM_ENDINGS


def _opened(path: Path) -> IO[str]:
    is_compressed = path.suffix.lower() == ".gz"
    opened: Any = (gzip.open if is_compressed else open)(path, "rt", encoding="ascii")
    return opened  # type: ignore[no-any-return]


def _parser(path: Path) -> Any:
    module = installed("Bio.SeqIO.FastaIO", f"Reading {path}", "fasta", "Biopython")
    return module.SimpleFastaParser


def _stockholm(path: Path, file: IO[str]) -> Iterator[tuple[str, str]]:
    """Yield sequences, streamed if the file has one block, else from memory."""
    if not file.readline().startswith("# STOCKHOLM"):
        raise _not_sequences(path, "does not begin with '# STOCKHOLM': pass a Stockholm file.")
    if _has_blocks(path):
        held: dict[str, list[str]] = {}
        for name, letters in _aligned_lines(path, file):
            held.setdefault(name, []).append(letters)
        for name, parts in held.items():
            yield name, "".join(parts)
    else:
        yield from _aligned_lines(path, file)


def _has_blocks(path: Path) -> bool:
    """Return whether the first name of an alignment occurs again."""
    with _opened(path) as file:
        names = (name for name, _ in _aligned_lines(path, file))
        first = next(names, None)
        return first is not None and first in names


def _aligned_lines(path: Path, file: IO[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(file, start=1):
        if line.startswith("//"):
            return
        if line.startswith("#") or not line.strip():
            continue
        words = line.split()
        if len(words) != 2:
            raise InputError(
                "file-damaged",
                path.name,
                f"Line {number + 1} of {path} has {len(words)} words instead of a name and "
                "letters: pass a Stockholm file.",
            )
        yield words[0], words[1]


def _paired(path: Path, drawn: str) -> list[tuple[int, int]]:
    closing = {end: begin for begin, end in BRACKETS.items()}
    opened: dict[str, list[int]] = {begin: [] for begin in BRACKETS}
    pairs = []
    for column, sign in enumerate(drawn, start=1):
        if sign in BRACKETS:
            opened[sign].append(column)
        elif sign in closing:
            if not opened[closing[sign]]:
                raise _unpaired(path, "closes", column)
            pairs.append((opened[closing[sign]].pop(), column))
    unpaired = min((columns[-1] for columns in opened.values() if columns), default=None)
    if unpaired is not None:
        raise _unpaired(path, "opens", unpaired)
    return sorted(pairs)


def _unpaired(path: Path, verb: str, column: int) -> InputError:
    return InputError(
        "sequences",
        path.name,
        f"The structure of {path} {verb} a pair at column {column} without its other end: correct "
        f"the line {CONSENSUS}.",
    )


NUCLEOTIDES, AMBIGUOUS = "ACGTU", "NRYSWKMBDHVX"  # IUPAC codes


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
