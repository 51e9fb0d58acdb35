"""Drafts: temporary files that are written next to the output and renamed when complete.

A draft is named ``.markhood-``, sixteen hexadecimal digits and ``.tmp``. A killed run leaves its
draft, and the next run that makes one in the same folder removes it. Simultaneous runs must keep
each other's drafts, and process numbers are not unique across containers and machines. So a draft
is locked (`flock`) while it is written, and only drafts of the same user that can be locked are
removed. On Windows, where files cannot be locked this way, drafts are neither removed nor kept
open, because an open file could not be renamed.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.markhood-[0-9a-f]{16}\.tmp")


def is_draft(name: str) -> bool:
    """Return whether a file or folder with this name is a draft of any run.

    Examples
    --------
    >>> is_draft(".markhood-0123456789abcdef.tmp"), is_draft("graph.tmp")
    (True, False)
    """
    return _NAME.fullmatch(name) is not None


@contextmanager
def draft_beside(path: Path, folder: bool = False) -> Iterator[Path]:
    """Make an empty file or folder next to a path; remove it at the end if it still exists.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "graph.csv")
    >>> with draft_beside(path) as draft:
    ...     _ = draft.write_text("complete")
    ...     _ = draft.replace(path)
    >>> [one.name for one in path.parent.iterdir()]
    ['graph.csv']
    """
    remove_left_drafts(path.parent)
    draft, held = _locked_draft(path.parent, folder)
    try:
        yield draft
    finally:
        _remove(draft)
        if held is not None:
            os.close(held)


def remove_left_drafts(folder: Path) -> None:
    """Remove the drafts of runs that were killed."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        left = [Path(entry.path) for entry in entries if is_draft(entry.name)]
        for draft in left:
            with suppress(OSError):
                _remove_if_left(draft)


def reason(error: OSError) -> str:
    """Return why a file could not be written, clearer than the message of the system."""
    if error.errno == errno.ENXIO:
        return "the pipe has no reader; start its reader first"
    if error.errno == errno.EFBIG:
        return "it exceeds the maximum file size, see ulimit -f"
    return error.strerror or str(error)


def _locked_draft(folder: Path, is_folder: bool) -> tuple[Path, int | None]:
    """Make a draft and lock it; try again if another run removed it before it was locked."""
    while True:
        draft = folder / f".markhood-{secrets.token_hex(8)}.tmp"
        held = _open_new(draft, is_folder)
        if held is None:
            return draft, None
        _lock(held, wait=True)
        if draft.exists():
            return draft, held
        os.close(held)


def _open_new(draft: Path, is_folder: bool) -> int | None:
    """Make a draft, and keep it open if it can be locked."""
    if is_folder:
        draft.mkdir()
        return None if fcntl is None else os.open(draft, os.O_RDONLY)
    # Unlike with mkstemp, the mode follows the umask.
    held = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    if fcntl is not None:
        return held
    os.close(held)
    return None


def _remove_if_left(draft: Path) -> None:
    found = draft.lstat()
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return  # a link or a device, which markhood does not make
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return
    # The file may have been replaced since: do not follow links or wait for pipes.
    held = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock(held, wait=False):
            _remove(draft)
    finally:
        os.close(held)


def _lock(held: int, wait: bool) -> bool:
    """Return whether an open file could be locked."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _remove(draft: Path) -> None:
    if draft.is_dir() and not draft.is_symlink():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        with suppress(OSError):
            draft.unlink()
