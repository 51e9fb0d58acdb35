"""Read files of aligned sequences, one sequence at a time: FASTA, A2M, A3M and Stockholm.

**A2M and A3M.** Lower-case letters and dots are insertions, which differ between sequences. They
are not columns of the alignment and are dropped, so that all sequences have the same length.

**Stockholm.** A line has a name and letters. In an alignment with several blocks every name occurs
again, so the sequences are held in memory; a file with one block is streamed. Of the annotation,
the consensus structure of an RNA (`#=GC SS_cons`) can be read.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from markhood.errors import InputError, file_error, installed

FASTA_ENDINGS = (".fasta", ".fa", ".fna", ".faa", ".afa")
A3M_ENDINGS = (".a3m", ".a2m")
STOCKHOLM_ENDINGS = (".sto", ".stk", ".stockholm")
SEQUENCE_ENDINGS = (*FASTA_ENDINGS, *A3M_ENDINGS, *STOCKHOLM_ENDINGS)  # and .gz after them

INSERTIONS = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyz.")
CONSENSUS = "SS_cons"
# WUSS notation of structures: four kinds of brackets, and letters for pseudoknots.
BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"} | {chr(65 + k): chr(97 + k) for k in range(26)}


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
    return file_error(path, f"{problem}", "file-format")


def _damaged(path: Path, error: BaseException) -> InputError:
    text = f"{path} is damaged ({error}): compress it again."
    return InputError("file-damaged", path.name, text)


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
        reason = error.strerror or str(error)
        raise file_error(
            path, f"cannot be read ({reason}): check the path.", "file-unreadable"
        ) from error
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
