"""Drafts: what is written beside its place and moved there when it is whole.

A draft is called ``.markhood-`` and sixteen digits and ``.tmp``. A kill leaves it; the next run that
makes one in the same folder takes it away. Runs at the same time must not take each other's, and a process
number says nothing across containers or machines: so a draft is locked (`flock`) while it is written, and
only one that can be locked, and is the user's own, is left over. Where nothing can be locked, as on Windows, nothing
is removed; and no draft is held open there, because an open one could not be moved.
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
except ImportError:  # not there on Windows
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.markhood-[0-9a-f]{16}\.tmp")


def is_draft(name: str) -> bool:
    """Whether a file or folder of that name is a draft, of this run, another, or one that was killed.

    Examples
    --------
    >>> is_draft(".markhood-0123456789abcdef.tmp"), is_draft("graph.tmp")
    (True, False)
    """
    return _NAME.fullmatch(name) is not None


@contextmanager
def draft_beside(place: Path, folder: bool = False) -> Iterator[Path]:
    """Make an empty file or folder beside a place; what is still there at the end is removed.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp(), "graph.csv")
    >>> with draft_beside(place) as draft:
    ...     _ = draft.write_text("whole")
    ...     _ = draft.replace(place)
    >>> [path.name for path in place.parent.iterdir()]
    ['graph.csv']
    """
    remove_left_drafts(place.parent)
    draft, held = _locked_draft(place.parent, folder)
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
    """Say what stood in the way of writing; in our words where the system's mislead."""
    if error.errno == errno.ENXIO:
        return "nobody reads from that pipe; start its reader first"
    if error.errno == errno.EFBIG:
        return "it would be larger than files may be here, see ulimit -f"
    return error.strerror or str(error)


def _locked_draft(folder: Path, is_folder: bool) -> tuple[Path, int | None]:
    """Make a draft and lock it, once more where another run took it for left over before the lock."""
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
    """Make a draft, and leave it open where it can be locked."""
    if is_folder:
        draft.mkdir()
        return None if fcntl is None else os.open(draft, os.O_RDONLY)
    # Unlike mkstemp's, its mode follows the umask.
    held = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    if fcntl is not None:
        return held
    os.close(held)
    return None


def _remove_if_left(draft: Path) -> None:
    found = draft.lstat()
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return  # a link or a device of that name is none of ours
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return
    # As another may put something else in its place: no link is followed, no pipe waited for.
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
