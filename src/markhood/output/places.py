"""Places on the disk: whether a file can be written there, and writing it whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from markhood.errors import InputError


def known_ending(path: Path, known: Iterable[str]) -> str:
    """Return the ending of a name; `InputError` if it is not one of ``known``."""
    ending = path.suffix.lower()
    if ending not in known:
        *most, last = known
        said = f"unknown ending {ending!r}" if ending else "the name has no ending"
        endings = f"{', '.join(most)} and {last}" if most else last
        raise InputError(f"{path}: {said}; known are {endings}.")
    return ending


def check_place(path: Path) -> None:
    """Raise `InputError` if no file can be written there; to be asked before long work."""
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder.")
    folder = _target(path).parent
    if not folder.is_dir():
        raise InputError(f"Cannot write {path}: the folder {folder} does not exist.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"Cannot write {path}: the folder {folder} is not writable.")


def replace_all(files: Mapping[Path, bytes | Iterable[bytes]]) -> None:
    """Write every file beside its place, then move all; on failure leave nothing behind.

    What is too large to have at once comes in parts.
    """
    ready: list[tuple[Path, Path]] = []
    try:
        for path, content in files.items():
            target = _target(path)
            made = target.with_name(f".markhood-{secrets.token_hex(8)}.tmp")
            ready.append((made, target))
            with made.open("xb") as stream:  # unlike mkstemp's, its mode follows the umask
                stream.writelines((content,) if isinstance(content, bytes) else content)
        for made, target in ready:
            os.replace(made, target)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from None
    finally:
        for made, _ in ready:
            with suppress(OSError):
                made.unlink(missing_ok=True)


def _target(path: Path) -> Path:
    """Where a link leads, so that the file is replaced and not the link; any other path as is."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path
