"""Places on the disk: whether a file can be written there, and writing it whole or not at all.

No output is one of the inputs, nor another output: that is asked of the files themselves, so links and
other spellings of a name do not matter. A link is followed to its file. A regular file is written as a
draft beside it, which then takes its place; anything else that stands there, a device or a pipe, is
written to, because replacing `/dev/null` would be the end of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from markhood.drafts import draft_beside, reason
from markhood.errors import InputError

Content = bytes | Iterable[bytes]


def checked_suffix(path: Path, known: Iterable[str]) -> str:
    """Return the ending of a name; `InputError` if it is not one of ``known``."""
    ending = path.suffix.lower()
    if ending not in known:
        *most, last = known
        said = f"unknown ending {ending!r}" if ending else "the name has no ending"
        endings = f"{', '.join(most)} and {last}" if most else last
        raise InputError(f"{path}: {said}; known are {endings}.")
    return ending


def check_writable_file(path: Path) -> None:
    """Raise `InputError` if no file can be written there; to be asked before long work."""
    target = _target(path)
    folder = target.parent
    try:
        found = _found(target)
        has_folder = folder.is_dir()
    except OSError as error:
        raise InputError(f"Cannot write {path}: {reason(error)}.") from None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise InputError(f"Cannot write {path}: it is a folder.")
    if not has_folder:
        raise InputError(f"Cannot write {path}: the folder {folder} does not exist.")
    if found is not None and not os.access(target, os.W_OK):
        raise InputError(f"Cannot write {path}: it is write-protected.")
    is_replaced = found is None or stat.S_ISREG(found.st_mode)
    if is_replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"Cannot write {path}: the folder {folder} is not writable.")


def check_distinct(outputs: Iterable[Path], inputs: Iterable[Path] = ()) -> None:
    """Raise `InputError` if an output is an input, or the same file as another output.

    Examples
    --------
    >>> check_distinct([Path("edges.csv"), Path("./edges.csv")])
    Traceback (most recent call last):
    markhood.errors.InputError: edges.csv would be written twice: name two files.
    """
    read = {_identity(path): path for path in inputs if _exists(path)}
    written: dict[tuple[object, ...], Path] = {}
    for path in outputs:
        identity = _identity(path)
        if identity in read:
            raise InputError(
                f"{path} is read, so it cannot be written too: name another file for the output."
            )
        if identity in written:
            raise InputError(f"{path} would be written twice: name two files.")
        written[identity] = path


def replace_all(files: Mapping[Path, Content]) -> None:
    """Write every file beside its place, then move all; on failure leave nothing behind.

    What is too large to have at once comes in parts. Devices and pipes come last, because what
    they were given cannot be taken back.
    """
    path = Path()
    try:
        with ExitStack() as drafts:
            ready: list[tuple[Path, Path]] = []
            direct: list[tuple[Path, Content]] = []
            for path, content in files.items():
                target = _target(path)
                found = _found(target)
                if found is not None and not stat.S_ISREG(found.st_mode):
                    direct.append((path, content))
                    continue
                draft = drafts.enter_context(draft_beside(target))
                with draft.open("wb") as stream:
                    stream.writelines((content,) if isinstance(content, bytes) else content)
                if found is not None:  # what only its owner could read stays so
                    draft.chmod(stat.S_IMODE(found.st_mode))
                ready.append((draft, target))
            for path, content in direct:
                _write_to(_target(path), content)
            for draft, path in ready:
                os.replace(draft, path)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {reason(error)}.") from None


def _write_to(target: Path, content: Content) -> None:
    """Write to a device, or to a pipe that has a reader; to wait for one could be for ever."""
    # Windows has no pipes among its files, and text unless it is told otherwise.
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(target, flags)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    with open(handle, "wb") as stream:
        stream.writelines((content,) if isinstance(content, bytes) else content)


def _target(path: Path) -> Path:
    """Where a link leads, so that the file is replaced and not the link; any other path as is."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _found(path: Path) -> os.stat_result | None:
    """Look what is there, None for nothing; an `OSError` where nothing could be."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _exists(path: Path) -> bool:
    try:
        return _found(path) is not None
    except OSError:
        return False


def _identity(path: Path) -> tuple[object, ...]:
    """Tell files apart: by device and number, or by folder and name where there is none yet."""
    target = _target(path)
    for known, name in ((target, ()), (target.parent, (target.name,))):
        if _exists(known):
            found = os.stat(known)
            return (found.st_dev, found.st_ino, *name)
    return (os.path.realpath(path),)
