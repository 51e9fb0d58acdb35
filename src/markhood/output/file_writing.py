"""Write output files completely or not at all, and check before long work that they can be written.

An output must not be an input, nor another output; files are compared by device and inode, so links
and different spellings of a path are recognised. Links are followed. A regular file is written as a
draft in the same folder, which then replaces it. A device or a pipe is written to directly, because
`/dev/null` must not be replaced. A command moves the drafts of all its outputs at its end
(`together`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from markhood.drafts import draft_beside, reason
from markhood.errors import InputError

Content = bytes | Iterable[bytes]


def checked_suffix(path: Path, known: Iterable[str]) -> str:
    """Return the suffix of a file name; raise `InputError` if it is not one of ``known``."""
    suffix = path.suffix.lower()
    if suffix not in known:
        *most, last = known
        suffixes = f"{', '.join(most)} or {last}" if most else last
        raise InputError("file-format", str(path), f"The name of {path} must end in {suffixes}.")
    return suffix


def check_writable_file(path: Path) -> None:
    """Raise `InputError` if a file cannot be written; call this before long work."""
    target = _target(path)
    folder = target.parent
    try:
        found = _found(target)
        has_folder = folder.is_dir()
    except OSError as error:
        raise _not_writable(path, reason(error)) from None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise _not_writable(path, "it is a folder")
    if not has_folder:
        raise _not_writable(path, f"the folder {folder} does not exist")
    if found is not None and not os.access(target, os.W_OK):
        raise _not_writable(path, "it is write-protected")
    is_replaced = found is None or stat.S_ISREG(found.st_mode)
    if is_replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise _not_writable(path, f"the folder {folder} is not writable")


def _not_writable(path: Path, reason: str) -> InputError:
    return InputError("file-not-writable", str(path), f"Cannot write {path}: {reason}.")


def check_distinct(outputs: Iterable[Path], inputs: Iterable[Path] = ()) -> None:
    """Raise `InputError` if an output is an input, or the same file as another output.

    Examples
    --------
    >>> check_distinct([Path("edges.csv"), Path("./edges.csv")])
    Traceback (most recent call last):
    markhood.errors.InputError: Two outputs are the same file, edges.csv: choose different names.
    """
    read = {_identity(path): path for path in inputs if _exists(path)}
    written: dict[tuple[object, ...], Path] = {}
    for path in outputs:
        identity = _identity(path)
        if identity in read:
            raise InputError(
                "file-exists",
                str(path),
                f"{path} is an input and must not be replaced: choose another name for the output.",
            )
        if identity in written:
            raise InputError(
                "file-exists",
                str(path),
                f"Two outputs are the same file, {path}: choose different names.",
            )
        written[identity] = path


def replace_all(files: Mapping[Path, Content]) -> None:
    """Write a draft of every file, then move all of them; on failure, leave nothing behind.

    Large contents are passed in parts. Devices and pipes are written last, because writing to them
    cannot be undone.
    """
    whole = _whole.get()
    if whole is not None:
        whole.add(files)
        return
    with together():
        replace_all(files)


@contextmanager
def together() -> Iterator[None]:
    """Move the files that the block writes when it ends, all of them; on failure, none of them."""
    with ExitStack() as drafts:
        whole = _Whole(drafts)
        before = _whole.set(whole)
        try:
            yield
        finally:
            _whole.reset(before)
        whole.move()


@dataclass
class _Whole:
    """Files that are written completely or not at all: drafts with their names, and devices."""

    drafts: ExitStack
    ready: list[tuple[Path, Path]] = field(default_factory=list)
    direct: list[tuple[Path, Content]] = field(default_factory=list)

    def add(self, files: Mapping[Path, Content]) -> None:
        """Write drafts."""
        for path, content in files.items():
            try:
                target = _target(path)
                found = _found(target)
                if found is not None and not stat.S_ISREG(found.st_mode):
                    self.direct.append((path, content))
                    continue
                draft = self.drafts.enter_context(draft_beside(target))
                with draft.open("wb") as stream:
                    stream.writelines((content,) if isinstance(content, bytes) else content)
                if found is not None:  # keep the permissions
                    draft.chmod(stat.S_IMODE(found.st_mode))
                self.ready.append((draft, target))
            except OSError as error:
                raise _not_writable(path, reason(error)) from None

    def move(self) -> None:
        """Write to devices, then give the drafts their names."""
        path = Path()
        try:
            for path, content in self.direct:
                _write_to(_target(path), content)
            for draft, path in self.ready:
                os.replace(draft, path)
        except OSError as error:
            raise _not_writable(path, reason(error)) from None


_whole: ContextVar[_Whole | None] = ContextVar("_whole", default=None)


def _write_to(target: Path, content: Content) -> None:
    """Write to a device, or to a pipe that has a reader, without waiting for one."""
    # Windows does not have O_NONBLOCK, and needs O_BINARY.
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(target, flags)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    with open(handle, "wb") as stream:
        stream.writelines((content,) if isinstance(content, bytes) else content)


def _target(path: Path) -> Path:
    """Return the target of a link, so that the file is replaced and not the link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _found(path: Path) -> os.stat_result | None:
    """Return the status of a file, None if it does not exist; `OSError` for an impossible path."""
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
    """Identify a file by device and inode, or by folder and name if it does not exist."""
    target = _target(path)
    for known, name in ((target, ()), (target.parent, (target.name,))):
        if _exists(known):
            found = os.stat(known)
            return (found.st_dev, found.st_ino, *name)
    return (os.path.realpath(path),)
