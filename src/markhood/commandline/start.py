"""Where the command line begins, before anything large is imported, and where it ends.

Here is what concerns the process and no single command: signals, the standard streams, and the exit
codes that go with them. Ctrl-C ends with 130, SIGTERM with 143, both by way of `KeyboardInterrupt`, so
that drafts are removed on the way; a reader of standard output that has left, as `head` does, with
141, as shells count it; standard output that is closed or full with 2 and a sentence.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from markhood.errors import printable

BROKEN_PIPE = 128 + 13  # SIGPIPE, a signal that Windows has no name for

_stopped_by: int | None = None


def main() -> None:
    """Run the command line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and shells' & set it
            signal.signal(number, _stop)
    try:
        _open_standard_streams()
        code = _exit_code_of_command()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one has nothing left to stop
        code = stopped_code()
        _say("stopped.")
    except OSError as error:
        code = _refused(error)
    if code == 1:
        # Nothing of ours leaves with 1; typer and rich do when nobody reads what they write.
        code = BROKEN_PIPE
    code = _flushed(code)
    if _stopped_by is not None:
        # All is closed and said. The interpreter would wait for tiles that threads are still at.
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
        return end.code if isinstance(end.code, int) else 0
    return 0


def _open_standard_streams() -> None:
    """Put something in place of closed streams, or the next file opened would take their numbers.

    What is written to a closed standard output must be missed, so it is opened for reading only:
    the system then refuses to write. Names in bytes that are no text, or that the terminal has no
    letters for, are shown as escapes.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not where a test has put another in its place
            stream.reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Write what is still held back, and return the exit code after that."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = BROKEN_PIPE
    except OSError as error:
        code = code or _refused(error)
    else:
        return code
    # The stream is flushed again when it goes, and would complain: what it holds goes nowhere now.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _refused(error: OSError) -> int:
    """Say what the system refused, where no one nearer to it did, and return the exit code.

    Those who write files answer for them; an error without a name comes from a stream.
    """
    where = "Cannot write to standard output" if error.filename is None else error.filename
    _say(f"{printable(where)}: {error.strerror or error}.")
    return 2


def _say(sentence: str) -> None:
    with suppress(OSError):  # then there is nowhere left to say it
        print(f"markhood: {sentence}", file=sys.stderr, flush=True)
