"""Run the code of the pages: Python blocks as they stand, and the `markhood` lines of console blocks.

A block after `<!-- skip: next -->` is not run. Each page has an empty folder of its own, with the files that the
pages use: `votes.csv`, `survey.csv` with its groups, and the data files of the tutorials.
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
sys.path.insert(0, str(HERE / "extensions"))

import tutorials


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
    rng = np.random.default_rng(0)
    write_table("votes.csv", "tax,spend,war", rng.choice(["no", "yes"], size=(100, 3)))
    answers = rng.choice(["no", "some", "much", "-9"], size=(200, 4), p=[0.3, 0.3, 0.3, 0.1])
    weights = rng.uniform(0.5, 2, size=(200, 1)).round(3)
    write_table("survey.csv", "sad,tired,anxious,slept,weight", np.hstack([answers, weights]))
    write_table("never.csv", "source,target", [["sad", "slept"]])
    groups = [["sad", "mind"], ["anxious", "mind"], ["tired", "body"], ["slept", "body"]]
    write_table("questions.csv", "variable,group", groups)
    tutorials.copy_data(folder)


def write_table(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n")


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
