"""Every script of the gallery runs without a warning, and its figures have titles.

The gallery uses the titles as alternative text of the pictures.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
RUN_AND_READ_TITLES = """
import runpy, sys
from matplotlib import pyplot as plt
runpy.run_path(sys.argv[1], run_name="__main__")
for number in plt.get_fignums():
    assert any(ax.get_title() for ax in plt.figure(number).axes), f"figure {number} has no title"
"""


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_its_figures_have_titles(script, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_AND_READ_TITLES, script],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
