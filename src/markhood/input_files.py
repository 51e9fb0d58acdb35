"""Open files that are read: regular files only, because a pipe or a device can block forever."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from markhood.errors import InputError, file_error


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
