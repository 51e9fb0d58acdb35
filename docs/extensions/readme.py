"""Copy the output of the demo into README.md: `make readme` writes it, and a test compares it.

Of the summary only the lines that are the same on every machine are copied.
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
    """Return the summary of the demo and its picture."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "digits.graphml"
        printed = CliRunner().invoke(app, ["demo", "--output", str(output)], catch_exceptions=False)
    picture = printed.stdout.rpartition(":\n\n")[2].partition("Wrote ")[0]
    lines = [*SUMMARY.findall(printed.stdout), "", *picture.splitlines()]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def shown_text() -> str:
    """Return the output that README.md contains."""
    return SHOWN.findall(README.read_text())[0]


if __name__ == "__main__":
    README.write_text(SHOWN.sub(lambda _: demo_text(), README.read_text(), count=1))
