"""What README.md shows of the demo, as the demo prints it: `make readme` writes it, a test compares it.

Of the summary only the lines are taken that are the same on every machine and say what was found.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from markhood.commandline.app import app

README = Path(__file__).parents[2] / "README.md"
SHOWN = re.compile(r"(?<=```text\n).*?(?=```)", re.DOTALL)
SUMMARY = re.compile(r"^(?:\d+ samples, .*|method .*|found .*)$", re.MULTILINE)


def demo_text() -> str:
    """Return what the demo says it learned from what, and its picture."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "digits.graphml"
        printed = CliRunner().invoke(app, ["demo", "--output", str(output)], catch_exceptions=False)
    picture = printed.stdout.rpartition(":\n\n")[2]
    lines = [*SUMMARY.findall(printed.stdout), "", *picture.splitlines()]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def shown_text() -> str:
    """Return what README.md shows."""
    return SHOWN.findall(README.read_text())[0]


if __name__ == "__main__":
    README.write_text(SHOWN.sub(lambda _: demo_text(), README.read_text(), count=1))
