"""Entry point of the command line: signals, standard streams and exit codes of the process.

Nothing large is imported before this runs. Ctrl-C exits with 130 and SIGTERM with 143, both through
`KeyboardInterrupt`, so that drafts are removed. If the reader of standard output has closed it, as
`head` does, the exit code is 141, as in a shell; if standard output is closed or full, it is 2,
with a message.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn, TextIO

from markhood.errors import printable

BROKEN_PIPE = 128 + 13  # SIGPIPE, which Windows does not define

_stopped_by: int | None = None


def main() -> None:
    """Run the command line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as set by nohup and by & in a shell
            signal.signal(number, _stop)
    try:
        _open_standard_streams()
        code = _exit_code_of_command()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ignore a second Ctrl-C
        code = stopped_code()
        _print_error("stopped.")
    except OSError as error:
        code = _refused(error)
    if code == 1:
        # Only typer and rich exit with 1, when their output is closed.
        code = BROKEN_PIPE
    code = _flushed(code)
    if _stopped_by is not None:
        # Exit without waiting for threads that still compute tiles.
        os._exit(code)
    raise SystemExit(code)


def stopped_code() -> int:
    """Return the exit code for the signal that stopped the work: 130 for Ctrl-C."""
    return 128 + (_stopped_by or signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    global _stopped_by
    _stopped_by = number
    raise KeyboardInterrupt


def _exit_code_of_command() -> int:
    from markhood.commandline.app import app

    try:
        app()
    except SystemExit as end:
        # Typer exits with 130 for every signal.
        if _stopped_by is not None or end.code == stopped_code():
            raise KeyboardInterrupt from end
        return end.code if isinstance(end.code, int) else 0
    return 0


def _open_standard_streams() -> None:
    """Replace closed streams, because the next file opened would get their descriptors.

    A closed standard output is opened for reading only, so that writing to it fails. Names that are
    not valid text, or that the terminal cannot show, are escaped.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free descriptor
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a test may have replaced it
            stream.reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Flush the standard streams, and return the exit code; a full standard error is ignored."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = BROKEN_PIPE
        _discard(sys.stdout)
    except OSError as error:
        code = code or _refused(error)
        _discard(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)
    return code


def _discard(stream: TextIO) -> None:
    """Discard what a stream still holds, because it is flushed again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refused(error: OSError) -> int:
    """Print an error of the system that was not handled before, and return the exit code.

    An error without a file name comes from standard output: files are handled where they are
    written.
    """
    where = "Cannot write to standard output" if error.filename is None else error.filename
    _print_error(f"{printable(where)}: {error.strerror or error}. [file-not-writable]")
    return 2


def _print_error(sentence: str) -> None:
    with suppress(OSError):  # standard error is closed
        print(f"markhood: {sentence}", file=sys.stderr, flush=True)
