"""How long people wait before anything happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from clock import fastest
from report import Row

PYTHON = [sys.executable, "-c"]


def rows() -> Iterator[Row]:
    """Start processes; the fastest of many, as the file system decides about the others."""
    numpy, markhood, learn = fastest(
        partial(_start, [*PYTHON, "import numpy"]),
        partial(_start, [*PYTHON, "import numpy, markhood"]),
        partial(_start, [*PYTHON, "import numpy; from markhood import learn"]),
        rounds=15,
    )
    for what, seconds, target in (
        ("import markhood", markhood, 0.06),
        ("from markhood import learn", learn, None),
    ):
        above = seconds - numpy
        yield Row(
            what,
            f"{seconds * 1000:.0f} ms",
            f"import numpy {numpy * 1000:.0f} ms",
            f"+{above * 1000:.0f} ms",
            f"<= {target * 1000:.0f} ms above" if target else "",
            above <= target if target else None,
        )
    command = Path(sys.executable).with_name("markhood")
    bare, helped = fastest(
        partial(_start, [*PYTHON, ""]), partial(_start, [str(command), "--help"]), rounds=10
    )
    yield Row(
        "markhood --help",
        f"{helped:.2f} s",
        f"python alone {bare:.2f} s",
        f"{helped / bare:.0f} x",
        "< 0.4 s",
        helped < 0.4,
    )


def _start(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
