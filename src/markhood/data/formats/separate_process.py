"""Read a file of another program in a separate process with limits of processor time and memory.

A damaged or hostile file can crash the library that reads it, make it run forever, or make it
allocate a table of any size. Then the process ends, and the file is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path

from markhood.errors import file_error

SECONDS, BYTES_A_SECOND = 30, 1_000_000  # processor time per file, plus time for its length
REFUSED = 3  # exit code if the library reports a problem

_LIMITS = """
import sys
_seconds, _memory = map(int, sys.argv[1:3])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_seconds, _seconds))
    if _memory:
        resource.setrlimit(resource.RLIMIT_AS, (_memory, _memory))
except (ImportError, OSError, ValueError):  # on Windows, or below another limit
    pass
sys.argv = [""] + sys.argv[3:]
"""


def output_of(
    script: str,
    path: Path,
    *arguments: str,
    seconds: int = SECONDS,
    memory: int = 0,
    otherwise: str = "it is damaged",
) -> bytes:
    """Run a script in a separate process and return its output; its arguments begin with the path.

    Parameters
    ----------
    script : str
        Python code. It exits with `REFUSED` after it has printed why the file cannot be read.
    seconds : int, default=30
        Limit of processor time for a short file.
    memory : int, default=0
        Limit of memory in bytes, 0 for none.
    otherwise : str
        Why the file cannot be read if the process crashes or reaches a limit.
    """
    import subprocess  # here, because the import takes a few milliseconds

    limit = seconds + path.stat().st_size // BYTES_A_SECOND
    command = [sys.executable, "-c", _LIMITS + script, str(limit), str(memory), str(path)]
    done = subprocess.run([*command, *arguments], check=False, capture_output=True)
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1].rstrip(".") if lines and done.returncode == REFUSED else otherwise
    raise file_error(path, f"cannot be read ({reason}): save it again.")
