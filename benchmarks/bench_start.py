"""How long people wait before anything happens."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from clock import fastest
from report import Row

PYTHON = [sys.executable, "-c"]
BYTECODE = tempfile.TemporaryDirectory()


def rows() -> Iterator[Row]:
    """Time the start of processes in processor time, which other work on the machine does not change."""
    numpy, markhood, learn = fastest(
        partial(_start, [*PYTHON, "import numpy"]),
        partial(_start, [*PYTHON, "import numpy, markhood"]),
        partial(_start, [*PYTHON, "import numpy; from markhood import learn"]),
        rounds=15,
        clock=_of_children,
    )
    for what, seconds, target in (
        ("import markhood", markhood, 0.06),
        ("from markhood import learn", learn, 0.12),
    ):
        above = seconds - numpy
        yield Row(
            what,
            f"{seconds * 1000:.0f} ms",
            f"import numpy {numpy * 1000:.0f} ms",
            f"+{above * 1000:.0f} ms",
            f"<= {target * 1000:.0f} ms above",
            above <= target,
        )
    command = Path(sys.executable).with_name("markhood")
    bare, helped = fastest(
        partial(_start, [*PYTHON, ""]),
        partial(_start, [str(command), "--help"]),
        rounds=10,
        clock=_of_children,
    )
    yield Row(
        "markhood --help",
        f"{helped:.2f} s",
        f"python alone {bare:.2f} s",
        f"{helped / bare:.0f} x",
        "< 0.4 s",
        helped < 0.4,
    )


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _start(command: list[str]) -> None:
    # Compiled once and kept, as pip does it at installation, whatever is set here.
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTECODE.name}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **compiled})
