"""Files of aligned sequences, a title and its letters at a time: FASTA, A2M, A3M and Stockholm.

**A2M and A3M.** Small letters and points are insertions, which some sequences have between the columns that all
share. Each sequence has others, so they are no columns, and are dropped; what remains has one length.

**Stockholm.** A line is a name and letters. Where the alignment is cut into blocks, every name comes back, and a sequence is only whole at the end
of the file: then all are held in memory, letters only. A file with one block is streamed like the others. Of the marked-up lines
the consensus structure (`#=GC SS_cons`) can be asked for: it is what is known of the pairs of an RNA.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from markhood.errors import InputError

FASTA_ENDINGS = (".fasta", ".fa", ".fna", ".faa", ".afa")
A3M_ENDINGS = (".a3m", ".a2m")
STOCKHOLM_ENDINGS = (".sto", ".stk", ".stockholm")
SEQUENCE_ENDINGS = (*FASTA_ENDINGS, *A3M_ENDINGS, *STOCKHOLM_ENDINGS)  # and .gz after them

INSERTIONS = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyz.")
CONSENSUS = "SS_cons"
# As WUSS writes structures: four kinds of brackets, and letters for pairs that cross others.
BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"} | {chr(65 + k): chr(97 + k) for k in range(26)}


class Structure(NamedTuple):
    """A consensus structure: how many columns there are, and the pairs i < j of them, from 1 on."""

    width: int
    pairs: list[tuple[int, int]]


def read_sequences(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the title and the letters of each sequence of a file, without insertions.

    Raises
    ------
    InputError
        If it is not such a file, or damaged.
    """
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
        raise InputError(f"{path} is not plain text: give a file of sequences.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}): compress it again.") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not FASTA ({error}): give aligned sequences.") from error


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
        raise InputError(f"{path} is not plain text: give a Stockholm file.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}): compress it again.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read ({reason}): check the path.") from error
    if not drawn:
        raise InputError(
            f"{path} has no consensus structure (#=GC {CONSENSUS}): give a Stockholm file that has one."
        )
    return Structure(len(drawn), _paired(path, drawn))


def ending_of(path: Path) -> str:
    """Return what a name ends in, without .gz."""
    is_compressed = path.suffix.lower() == ".gz"
    return (path.with_suffix("") if is_compressed else path).suffix.lower()


def is_stockholm(path: Path) -> bool:
    """Return whether a file is one of the format that can carry a structure, by its name."""
    return ending_of(path) in STOCKHOLM_ENDINGS


def _opened(path: Path) -> IO[str]:
    is_compressed = path.suffix.lower() == ".gz"
    opened: Any = (gzip.open if is_compressed else open)(path, "rt", encoding="ascii")
    return opened  # type: ignore[no-any-return]


def _parser(path: Path) -> Any:
    try:
        from Bio.SeqIO.FastaIO import SimpleFastaParser
    except ImportError as error:
        message = f"Reading {path} needs Biopython: pip install 'markhood[fasta]'."
        raise InputError(message) from error
    return SimpleFastaParser


def _stockholm(path: Path, file: IO[str]) -> Iterator[tuple[str, str]]:
    """Yield sequences as they come while no name has come back, which a block has ended by then."""
    if not file.readline().startswith("# STOCKHOLM"):
        raise InputError(f"{path} does not begin with '# STOCKHOLM': give a Stockholm file.")
    if _has_blocks(path):
        held: dict[str, list[str]] = {}
        for name, letters in _aligned_lines(path, file):
            held.setdefault(name, []).append(letters)
        for name, parts in held.items():
            yield name, "".join(parts)
    else:
        yield from _aligned_lines(path, file)


def _has_blocks(path: Path) -> bool:
    """Return whether the first name of an alignment comes again."""
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
                f"Line {number} after the first of {path} has {len(words)} words, where a name and its "
                "letters were expected: give a Stockholm file."
            )
        yield words[0], words[1]


def _paired(path: Path, drawn: str) -> list[tuple[int, int]]:
    closing = {end: begin for begin, end in BRACKETS.items()}
    opened: dict[str, list[int]] = {begin: [] for begin in BRACKETS}
    pairs = []
    for place, sign in enumerate(drawn, start=1):
        if sign in BRACKETS:
            opened[sign].append(place)
        elif sign in closing:
            if not opened[closing[sign]]:
                raise InputError(
                    f"The structure of {path} closes a pair at column {place} that none opens: mend its "
                    f"line {CONSENSUS}."
                )
            pairs.append((opened[closing[sign]].pop(), place))
    unpaired = min((places[-1] for places in opened.values() if places), default=None)
    if unpaired is not None:
        raise InputError(
            f"The structure of {path} opens a pair at column {unpaired} that none closes: mend its line "
            f"{CONSENSUS}."
        )
    return sorted(pairs)
