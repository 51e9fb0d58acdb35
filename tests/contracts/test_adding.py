"""What `docs/adding.md` adds is added by the files that it names, and works from learning to the report.

Every example of the page is written into a copy of the package: a new file, or lines after a line that the page names.
The copy is then used by another process.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import markhood
from markhood.kernels import _native

PAGE = Path(__file__).parents[2] / "docs" / "adding.md"
# Files of the package that an addition of this kind may touch; of a method, the third is the estimator.
MOST_FILES = {"A method": 2, "A criterion": 1, "An edge column": 2}
STEP = re.compile(
    r"^`(?P<path>[\w/]+\.py)`, (?:a new file|after `(?P<line>[^`]+)`):\n\n```py\n(?P<code>.*?)```$",
    re.MULTILINE | re.DOTALL,
)
COPY = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, "copy")
import markhood
assert markhood.__file__.endswith("copy/markhood/__init__.py")
import numpy as np
rng = np.random.default_rng(1)
values = rng.integers(0, 3, size=(400, 4))
values[:, 1:3] = (values[:, :1] + (rng.random((400, 2)) < 0.2)) % 3
np.savetxt("data.csv", values, "%d", ",", header="a,b,c,d", comments="")
"""
RUN = """
from markhood.commandline.start import main
sys.argv = ["markhood", "learn", "data.csv", "--output", "graph.json", "--report", "report.html", *{options!r}]
try:
    main()
except SystemExit as stop:
    assert not stop.code
graph = markhood.read_graph("graph.json")
assert graph.edges.tolist() == learned.edges.tolist()
"""


def sections():
    """Return the steps of every section of the page that has some."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(), flags=re.MULTILINE)
    found = {
        name: [step.groupdict() for step in STEP.finditer(text)]
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    return {name: steps for name, steps in found.items() if steps}


def add(folder, steps):
    """Write the steps into a copy of the package, and return the files that they touch."""
    package = folder / "copy" / "markhood"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(markhood.__file__).parent, package, ignore=ignored)
    compiled = Path(_native.__file__)
    shutil.copy(compiled, package / "kernels" / compiled.name)
    for step in steps:
        path = package / step["path"]
        assert path.exists() == bool(step["line"]), step["path"]
        if step["line"]:
            text = path.read_text()
            assert text.count(f"{step['line']}\n") == 1, step["line"]
            path.write_text(text.replace(f"{step['line']}\n", f"{step['line']}\n{step['code']}"))
        else:
            path.write_text(step["code"])
    return {step["path"] for step in steps}


def run(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", COPY + code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_addition_of_the_page_touches_few_files():
    touched = {name: len({step["path"] for step in steps}) for name, steps in sections().items()}
    assert touched == MOST_FILES


def test_a_method_from_learning_to_the_report(tmp_path):
    add(tmp_path, sections()["A method"])
    options = ["--method", "nearest", "--gamma", "0.25"]
    run(
        tmp_path,
        """
learned = markhood.learn(values, "nearest", gamma=0.25)
assert learned.edges.tolist() == [[0, 1], [0, 2]], learned.edges
"""
        + RUN.format(options=options)
        + """
assert "joined to the one that it depends on most" in graph.describe_methods()
assert "joined to the one that it depends on most" in open("report.html").read()
holes = np.where(rng.random(values.shape) < 0.02, np.nan, values)
assert markhood.learn(holes, "nearest", missing="impute", imputations=2).n_edges == 2
again, of_pairs = (
    markhood.bootstrap(values, name, replicates=3, gamma=0.25) for name in ("nearest", "pairwise")
)
assert of_pairs.graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
np.testing.assert_allclose(again.couplings, of_pairs.couplings[:2])  # not given the others
try:
    markhood.learn(values, "nearest", gama=1)
except markhood.InputError as error:
    assert "gamma" in str(error)
else:
    raise AssertionError
""",
    )


def test_a_criterion_from_learning_to_the_report(tmp_path):
    add(tmp_path, sections()["A criterion"])
    options = ["--method", "hc", "--criterion", "aic"]
    run(
        tmp_path,
        """
learned = markhood.learn(values, "hc", criterion="aic")
from markhood.scores.aic import Aic
assert learned == markhood.learn(values, "hc", criterion=Aic(0.5))
"""
        + RUN.format(options=options)
        + """
assert "by Akaike's information criterion (gamma = 0.5)" in graph.describe_methods()
""",
    )


def test_an_edge_column_from_learning_to_the_report(tmp_path):
    add(tmp_path, sections()["An edge column"])
    run(
        tmp_path,
        """
learned = markhood.learn(values)
np.testing.assert_allclose(learned.annotations["yule"], np.tanh(learned.coupling / 4))
assert "yule" not in markhood.learn(values, kinds="nominal").annotations
coin = rng.integers(0, 2, size=(300, 3))
coin[:, 1], coin[:, 2] = 1 - coin[:, 0], np.where(rng.random(300) < 0.8, coin[:, 0], coin[:, 2])
unfolded = markhood.learn(coin, identical="group").unfold(join=False)
assert sorted(np.sign(unfolded.annotations["yule"]).tolist()) == [-1, 1]
"""
        + RUN.format(options=[])
        + """
assert "yule" in graph.annotations
assert "Yule's coefficient of colligation" in open("report.html").read()
assert "yule" in markhood.convert.to_pandas(graph).columns
""",
    )
