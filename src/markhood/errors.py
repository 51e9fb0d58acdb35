"""What markhood says when it is given something that it cannot use.

Every message is one sentence with a full stop: what is wrong, where, and what to do about it. The
command line prints it and leaves with exit code 2; in Python it is a `ValueError`.

A sentence that names an option writes it with `option`, so that it is said as the reader would type
it: ``missing='drop'`` in Python, ``--missing drop`` on the command line, which says so by `written_by`
before it calls anything. What it quotes of others' text has no control characters: see `printable`.
"""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Writer = Callable[[str, Any], str]

_NOT_GIVEN = object()
_NAMES_SHOWN = 3
_OWN_PACKAGES = (
    "markhood",
    "sklearn",
)  # scikit-learn wraps what estimators do in frames of its own


class InputError(ValueError):
    """Input that cannot be used; the message says what to do about it."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


class DataWarning(UserWarning):
    """Data that can be used, but probably not as the user meant it."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


class ConvergenceWarning(UserWarning):
    """Fits that stopped before they reached their maximum; the message names their variables."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


# Controls, which a terminal obeys; those that reverse the direction of writing; breaks of lines;
# and halves of characters, which cannot be written at all.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: Any) -> str:
    r"""Return text of others' (a name, a level, a path) so that it can do nothing but be read.

    Examples
    --------
    >>> print(printable("\x1b[2Jname"), printable("two\nlines"), printable(3))
    \x1b[2Jname two\nlines 3
    """
    return _UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], str(text))


def warn(sentence: str, category: type[Warning] = DataWarning) -> None:
    """Give out a warning that points at the line from which markhood was called."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _OWN_PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, stacklevel=level)


def warn_of_convergence(names: Sequence[str], n_fits: int) -> None:
    """Give out a `ConvergenceWarning` for the variables whose fits did not converge; nothing without any."""
    if names:
        shown = ", ".join(names[:_NAMES_SHOWN])
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        warn(
            f"{n_fits} fit{'s' if n_fits > 1 else ''} of {shown}{more} did not converge, so scores and "
            "couplings of these variables are inexact: look for columns that nearly copy others, or have very rare levels.",
            ConvergenceWarning,
        )


def option(name: str, value: Any = _NOT_GIVEN) -> str:
    """Return how an option is written at the door through which the user came.

    Examples
    --------
    >>> option("missing", "drop"), option("max_levels")
    ("missing='drop'", 'max_levels')
    >>> with written_by(on_command_line):
    ...     option("missing", "drop"), option("max_levels")
    ('--missing drop', '--max-levels')
    >>> with written_by(on_command_line):
    ...     option("missing_values", [-99, "?"])
    "--missing-values '-99,?'"
    """
    return _writer(name, value)


def in_python(name: str, value: Any) -> str:
    """Write an option as an argument of a function."""
    return name if value is _NOT_GIVEN else f"{name}={value!r}"


def on_command_line(name: str, value: Any) -> str:
    """Write an option as it is typed in a shell."""
    flag = f"--{name.replace('_', '-')}"
    if value is _NOT_GIVEN or value is True:
        return flag
    if value is False:
        return flag.replace("--", "--no-", 1)
    items = value if isinstance(value, (list, tuple)) else [value]
    return f"{flag} {shlex.quote(','.join(map(str, items)))}"


# For the whole process, not the thread: the tiles of a command run on other threads than it does.
_writer: Writer = in_python


@contextmanager
def written_by(writer: Writer) -> Iterator[None]:
    """Let sentences write options in a door's own way."""
    global _writer
    before, _writer = _writer, writer
    try:
        yield
    finally:
        _writer = before
