"""Open files that are read: regular files only, because a pipe or a device can block forever."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from markhood.errors import InputError, file_error

BEGINNINGS = (
    (b"PK\x03\x04", "a spreadsheet or an archive", ".xlsx, .ods or .npz"),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet", ".xls"),
    (b"\x93NUMPY", "a NumPy array", ".npy"),
    (b"PAR1", "Parquet", ".parquet"),
    (b"ARROW1", "Arrow", ".arrow"),
    (b"$FL2", "SPSS", ".sav"),
    (b"$FL3", "SPSS", ".zsav"),
    (b"<stata_dta>", "Stata", ".dta"),
    (b"RDX", "R", ".rda"),
    (b"\x1f\x8b", "compressed data", ".gz or .rds"),
)
_PLAIN_CONTROLS = frozenset(b"\t\n\x0b\x0c\r\x1a\x1b")


def check_regular(path: Path) -> None:
    """Raise `InputError` for a pipe or a device, `OSError` if there is no file."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise file_error(
            path,
            "is a pipe or a device, which is not read: save its content in a file first.",
            "file-unreadable",
        )


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file to read bytes; raise `InputError` if it cannot be read."""
    try:
        check_regular(path)
        with path.open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InputError("file-not-found", str(path), f"There is no file {path}.") from None
    except OSError as error:
        raise InputError(
            "file-unreadable", str(path), f"Cannot read {path}: {error.strerror or error}."
        ) from None


def content_of(path: Path) -> bytes:
    """Return the bytes of a regular file; raise `InputError` if it cannot be read."""
    with opened(path) as stream:
        return stream.read()


def looks_binary(start: bytes) -> bool:
    """Return whether the first bytes of a file are not text in any single-byte encoding."""
    return named_by_content(start) != "" or any(
        byte < 32 and byte not in _PLAIN_CONTROLS for byte in set(start)
    )


def named_by_content(start: bytes) -> str:
    """Name the format of a file and its ending, by its first bytes; empty if not known."""
    for beginning, kind, ending in BEGINNINGS:
        if start.startswith(beginning):
            return f" (it looks like {kind}): use the ending {ending}"
    return ""
