"""The examples of `docs/how-to/extend.md` work, from learning to the report.

Every example of the page is written into a copy of the package: a new file, or lines after a line
that the page names. The copy is then used by another process.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import markhood
from markhood.kernels import _native

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "extend.md"
FILES = {
    "A method": 3,
    "An option of one method": 2,
    "A criterion": 1,
    "A transformation of columns": 3,
    "An edge column": 2,
    "A file format": 2,
}
STEP = re.compile(
    r"^`(?P<path>[\w/]+\.py)`, (?:a new file|(?P<where>after|in place of) `(?P<line>[^`]+)`):\n\n"
    r"```py\n(?P<code>.*?)```$",
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
    """Write the steps into a copy of the package."""
    package = folder / "copy" / "markhood"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(markhood.__file__).parent, package, ignore=ignored)
    compiled = Path(_native.__file__)
    shutil.copy(compiled, package / "kernels" / compiled.name)
    for step in steps:
        path, line, code = package / step["path"], f"\n{step['line']}\n", step["code"]
        assert path.exists() == bool(step["line"]), step["path"]
        if step["line"]:
            text = path.read_text()
            assert text.count(line) == 1, line
            kept = line if step["where"] == "after" else "\n"
            path.write_text(text.replace(line, kept + code))
        else:
            path.write_text(code)


def run(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", COPY + code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_addition_of_the_page_touches_as_many_files_as_it_says():
    touched = {name: len({step["path"] for step in steps}) for name, steps in sections().items()}
    assert touched == FILES


def test_a_method_from_learning_to_the_report(tmp_path):
    add(tmp_path, sections()["A method"])
    options = ["--method", "nearest", "--gamma", "0.25"]
    run(
        tmp_path,
        """
learned = markhood.learn(values, "nearest", gamma=0.25)
assert learned.edges.tolist() == [[0, 1], [0, 2]], learned.edges
assert markhood.learn(values, "nearest", mutual=True).n_edges == 1
from markhood.estimators.nearest import NearestNeighbours
assert NearestNeighbours(gamma=0.25).fit(values).graph_.edges.tolist() == learned.edges.tolist()
assert "mutual : bool" in NearestNeighbours.__doc__
"""
        + RUN.format(options=options)
        + """
assert "joined to the one that it depends on most" in graph.describe_methods()
assert "joined to the one that it depends on most" in open("report.html").read()
holes = np.where(rng.random(values.shape) < 0.02, np.nan, values)
assert markhood.learn(holes, "nearest", missing="impute", run=markhood.Run(imputations=2)).n_edges == 2
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
unfolded = markhood.learn(coin, genome=markhood.Genome(identical="group")).unfold(join=False)
assert sorted(np.sign(unfolded.annotations["yule"]).tolist()) == [-1, 1]
"""
        + RUN.format(options=[])
        + """
assert "yule" in graph.annotations
assert "Yule's coefficient of colligation" in open("report.html").read()
assert "yule" in markhood.convert.to_pandas(graph).columns
""",
    )


def test_an_option_from_learning_to_the_provenance(tmp_path):
    add(tmp_path, sections()["An option of one method"])
    run(
        tmp_path,
        """
learned = markhood.learn(values, "chow-liu", min_gain=125)
assert 0 < learned.n_edges < markhood.learn(values, "chow-liu").n_edges
assert markhood.ChowLiu(min_gain=125).fit(values).graph_.edges.tolist() == learned.edges.tolist()
assert learned.bootstrap(values, replicates=2).graph == learned
"""
        + RUN.format(options=["--method", "chow-liu", "--min-gain", "125"])
        + """
assert "min_gain" in str(graph.provenance)
try:
    markhood.learn(values, "chow-liu", min_gain=-1)
except markhood.InputError as error:
    assert "min_gain must be a finite number from 0 up" in str(error)
else:
    raise AssertionError
""",
    )


def test_a_transformation_from_every_source_to_new_data(tmp_path):
    add(tmp_path, sections()["A transformation of columns"])
    run(
        tmp_path,
        """
table = markhood.TableFormat(dichotomise=True)
learned = markhood.learn(values, table=table)
assert learned.variables.levels == ((0, "other"),) * 4
assert markhood.read_samples("data.csv", table=table).levels == learned.variables.levels
assert markhood.learn(markhood.encode(values), table=table).edges.tolist() == learned.edges.tolist()
fitted = markhood.PLRHC(table=table).fit(values)
assert fitted.graph_ == learned
assert learned.bootstrap(values, replicates=2).graph == learned
"""
        + RUN.format(options=["--dichotomise"])
        + """
assert graph.variables.levels == learned.variables.levels
""",
    )


def test_a_file_format_from_reading_to_the_graph(tmp_path):
    add(tmp_path, sections()["A file format"])
    run(
        tmp_path,
        """
open("rows.digits", "w").write("".join("".join(map(str, row)) + "\\n" for row in values.tolist()))
samples = markhood.read_samples("rows.digits", exclude=["x3"])
assert samples.levels == ((0, 1, 2),) * 3
learned = markhood.learn("rows.digits")
assert learned.edges.tolist() == markhood.learn(values).edges.tolist()
try:
    markhood.read_samples("rows.digits", table=markhood.TableFormat(header=True))
except markhood.InputError as error:
    assert (error.code, error.where) == ("option-conflict", "header")
else:
    raise AssertionError
"""
        + RUN.replace('"data.csv"', '"rows.digits"').format(options=[]),
    )
