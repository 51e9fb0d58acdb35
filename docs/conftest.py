"""Run the code of the pages: Python blocks as they stand, and the `markhood` lines of console blocks.

A block after `<!-- skip: next -->` is not run. Each page has an empty folder of its own, with the `votes.csv` that
the pages speak of.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

HERE = Path(__file__).parent


def run_commands(example):
    """Run the lines of a console block that call markhood."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for line in example.parsed.splitlines():
        if not line.startswith("markhood "):
            continue
        done = subprocess.run(
            line,
            check=False,
            shell=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path},
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def enter_folder(namespace):
    folder = Path(tempfile.mkdtemp(prefix="markhood-docs-"))
    namespace["_folders"] = (Path.cwd(), folder)
    os.chdir(folder)
    rows = np.random.default_rng(0).choice(["no", "yes"], size=(100, 3)).tolist()
    lines = [",".join(row) for row in [["tax", "spend", "war"], *rows]]
    Path("votes.csv").write_text("\n".join(lines) + "\n")


def leave_folder(namespace):
    before, folder = namespace["_folders"]
    os.chdir(before)
    shutil.rmtree(folder)


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="console", evaluator=run_commands),
        SkipParser(),
    ],
    pattern="*.md",
    setup=enter_folder,
    teardown=leave_folder,
).pytest()
