"""Every declared option works the same in `learn`, in the estimators and on the command line.

The cases are generated from the declarations. `SHARED` and `OF_METHODS` hold an example value for
each option, with the other options and the data that it needs to have an effect. Data are read from
files, because some options are for one file format only.
"""

import ast
import inspect
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.content import as_json
from markhood.data.codebook import codebook_of
from markhood.data.reading import ColumnOptions, Reading
from markhood.learning.knowledge import Knowledge
from markhood.learning.learn import MethodName
from markhood.learning.methods import METHODS
from markhood.learning.provenance import identity
from markhood.learning.request import GROUPS, Request, SharedOptions
from markhood.learning.run import Execution
from markhood.options import declaration_of
from messages import refuses
from oracles.networks import network

ESTIMATORS = {
    "plrhc": markhood.PLRHC,
    "hc": markhood.HillClimbing,
    "bayes": markhood.Bayes,
    "mpl": markhood.MarginalPseudoLikelihood,
    "l1lr": markhood.L1Logistic,
    "bjp": markhood.BlanketsJointPosterior,
    "pairwise": markhood.Pairwise,
    "chow-liu": markhood.ChowLiu,
    "plm": markhood.PseudoLikelihood,
}
PARTS = {"reading": Reading, "knowledge": Knowledge, "run": Execution}  # of a request
SOURCE = Path(markhood.__file__).parent
NAMES = [f"q{k}" for k in range(8)]
VALUES = network(31, 400, 8, strength=1.5).astype(int)
RNG = np.random.default_rng(2)
HOLES = np.where(RNG.random(VALUES.shape) < 0.03, -9, VALUES)
NOISE = RNG.normal(scale=0.5, size=VALUES.shape)
STEPS = np.clip(np.round(2 * (VALUES + NOISE)), -1, 3).astype(int)
BASES = np.where(
    RNG.random(VALUES.shape) < 0.9, np.array(list("AC"))[VALUES], np.array(list("GT"))[VALUES]
)
COUNTS = RNG.poisson(np.exp(2 * VALUES - 1 + RNG.normal(size=(len(VALUES), 1))))
PLACES = {name: 100 * k for k, name in enumerate(NAMES)}
HALVES = {name: str(int(k > 3)) for k, name in enumerate(NAMES)}


def _csv(values, **how):
    return lambda path: pd.DataFrame(values, columns=NAMES).to_csv(path, index=False, **how)


def _weighted(path):
    weights = np.linspace(0.5, 2.5, len(VALUES))
    pd.DataFrame(VALUES, columns=NAMES).assign(weight=weights).to_csv(path, index=False)


def _transposed(path):
    people = [f"person{k}" for k in range(60)]
    pd.DataFrame(VALUES[:60].T, index=NAMES, columns=people).to_csv(path)


def _fasta(path):
    letters = BASES.copy()
    letters[:340, 0] = "A"  # so that the second letter is rare
    letters[:100, 7] = "-"
    path.write_text("".join(f">s{k}\n{''.join(row)}\n" for k, row in enumerate(letters)))


def _vcf(path):
    people = [f"p{k}" for k in range(200)]
    lines = ["##fileformat=VCFv4.2", '##FORMAT=<ID=GT,Number=1,Type=String,Description="calls">']
    lines += ["##contig=<ID=1>"]
    lines.append(
        "\t".join(["#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".replace(" ", "\t"), *people])
    )
    for site, column in enumerate(VALUES.T):
        calls = [f"{a}/{b}" for a, b in column.reshape(200, 2)]
        lines.append("\t".join(["1", str(site + 1), ".", "A", "C", ".", "PASS", ".", "GT", *calls]))
    path.write_text("\n".join(lines) + "\n")


DATA = {
    "plain.csv": _csv(VALUES),
    "holes.csv": _csv(HOLES),
    "steps.csv": _csv(STEPS),
    "measured.csv": _csv(np.round(VALUES + NOISE, 2)),
    "counts.csv": _csv(COUNTS),
    "weighted.csv": _weighted,
    "transposed.csv": _transposed,
    "two.npz": lambda path: np.savez(path, one=VALUES[:50], two=VALUES),
    "genes.fasta": _fasta,
    "variants.vcf": _vcf,
}

# Option -> a value unlike the default, what else it needs to have an effect, and the data.
SHARED = {
    "columns": (["q0", "q1", "q2", "q5"], {}, "plain.csv"),
    "exclude": (["q[67]"], {}, "plain.csv"),
    "adjust_for": (["q2", "q5"], {}, "plain.csv"),
    "kinds": ({"q0": "nominal", "q3": "ordinal"}, {}, "steps.csv"),
    "bins": (4, {}, "measured.csv"),
    "missing": ("drop", {"missing_values": ["-9"]}, "holes.csv"),
    "missing_values": (["-8"], {"missing": "level"}, "holes.csv"),
    "weights": ("weight", {}, "weighted.csv"),
    "clusters": ("weight", {}, "weighted.csv"),
    "time": ("weight", {}, "weighted.csv"),
    "index": ("q7", {}, "plain.csv"),
    "header": (False, {}, "plain.csv"),
    "skip_rows": (1, {}, "plain.csv"),
    "encoding": ("cp1252", {}, "plain.csv"),
    "transpose": (True, {}, "transposed.csv"),
    "array": ("two", {}, "two.npz"),
    "max_levels": (6, {}, "steps.csv"),
    "codebook": ([{"column": "q7", "role": "covariate"}], {}, "plain.csv"),
    "compositional": (True, {}, "counts.csv"),
    "merge_rare": (30, {}, "steps.csv"),
    "weights_are": ("frequencies", {"weights": "weight"}, "weighted.csv"),
    "positions": (PLACES, {}, "plain.csv"),
    "letters": ("reduced", {}, "genes.fasta"),
    "similarity_threshold": (
        0.3,
        {"weights": "similarity", "required_edges": [("q0", "q7")]},
        "plain.csv",
    ),
    "min_minor": (0.2, {}, "genes.fasta"),
    "max_gap": (0.5, {}, "genes.fasta"),
    "genotypes": ("dominant", {}, "variants.vcf"),
    "identical": (0.5, {}, "plain.csv"),
    "min_distance": (150.0, {"positions": PLACES}, "plain.csv"),
    "genome_length": (800, {"positions": PLACES, "min_distance": 150.0}, "plain.csv"),
    "required_edges": ([("q0", "q7")], {}, "plain.csv"),
    "forbidden_edges": ([("q0", "q1")], {}, "plain.csv"),
    "groups": (HALVES, {}, "plain.csv"),
    "group_rule": ("within", {"groups": HALVES}, "plain.csv"),
    "imputations": (3, {"missing": "impute", "missing_values": ["-9"]}, "holes.csv"),
    "shuffles": (2, {}, "plain.csv"),
    "seed": (5, {"sweeps": 4, "chains": 2}, "plain.csv"),
    "n_jobs": (2, {}, "plain.csv"),
    "executor": ("threads", {}, "plain.csv"),
    "checkpoint": ("tiles", {}, "plain.csv"),
}
ELSEWHERE = {"kernels", "scheduler"}  # another value needs a GPU, or a cluster: tests of these
# The result is the same, or no checkpoint can be made: neither is part of its identity.
SAME_RESULT = {"encoding", "max_levels", "positions", "imputations", "shuffles", "n_jobs",
               "executor", "checkpoint", "groups"}  # fmt: skip
OF_METHODS = {
    "gamma": 0.1,
    "factors": 1,
    "keep_draws": True,
    "rule": "and",
    "start": "empty",
    "criterion": "mpl",
    "fit_penalty": ("l2", 3.0),
    "depth": 1,
    "max_candidates": 2,
    "fdr": 0.1,
    "min_probability": 0.9,
    "edge_prior": 0.1,
    "pair_priors": [("q0", "q7", 0.4), ("q1", "q2", 0.01)],
    "sweeps": 8,
    "chains": 2,
    "standardize": True,
    "refit": False,
    "ranking": "mi_apc",
    "top": 3,
    "remove_indirect": True,
    "forest": False,
    "penalty": 0.5,
}
CASES = [("bayes" if name == "seed" else "plrhc", name) for name in SHARED]
CASES += [(method, name) for method, kind in METHODS.items() for name in kind.names()]
FROM_FILES = ("required_edges", "forbidden_edges", "groups", "positions", "pair_priors")
ignored = pytest.mark.filterwarnings("ignore::markhood.DataWarning")


def example(method, name):
    """Return the options of a case, the other ones alone, and the name of the data."""
    if name in SHARED:
        value, others, data = SHARED[name]
        return {name: value} | others, others, data
    value = "or" if (method, name) == ("mpl", "start") else OF_METHODS[name]
    return {name: value}, {}, "plain.csv"


def grouped(options):
    """Pass flat options as `learn` takes them."""
    groups = {
        group: {n: v for n, v in options.items() if n in kind.names()}
        for group, kind in GROUPS.items()
    }
    flat = {n: v for n, v in options.items() if not any(n in own for own in groups.values())}
    return flat | {group: GROUPS[group](**own) for group, own in groups.items() if own}


def typed(folder, options):
    """Write options as they are typed in a shell."""
    words = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else flag.replace("--", "--no-", 1))
            continue
        if name == "codebook":
            codebook_of(value).write(folder / "codebook.csv")
            value = folder / "codebook.csv"
        elif name in FROM_FILES:
            rows = value.items() if isinstance(value, dict) else value
            text = "".join(",".join(map(str, row)) + "\n" for row in rows)
            value = folder / f"{name}.csv"
            value.write_text(text)
        elif isinstance(value, dict):
            value = ",".join(f"{column}={one}" for column, one in value.items())
        elif isinstance(value, tuple):
            value = ":".join(map(str, value))
        elif isinstance(value, list):
            value = ",".join(map(str, value))
        words.append(f"{flag}={value}")
    return words


def learned_three_ways(folder, path, method, options):
    """Learn with `learn`, an estimator and the command line, each with its own checkpoint."""

    def own(way):
        return options | ({"checkpoint": str(folder / way)} if "checkpoint" in options else {})

    graph = markhood.learn(path, method, **grouped(own("learn")))
    passed = own("estimator")
    of_rows = {name: passed.pop(name) for name in ("clusters", "time") if name in passed}
    weights = passed.pop("weights", None)
    estimator = ESTIMATORS[method](**grouped(passed))
    fitted = estimator.fit(path, sample_weight=weights, **of_rows).graph_
    out = folder / "graph.json"
    words = ["learn", path, "--method", method, "-o", out, *typed(folder, own("shell"))]
    done = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return graph, fitted, markhood.read_graph(out)


def part_of(name):
    """Return in which part of a request an option is."""
    return next((part for part, kind in PARTS.items() if name in kind.names()), "parameters")


def value_in(request, name):
    part = part_of(name)
    group = getattr(request, "method" if part == "parameters" else part)
    declared = next(one for one in group.declared() if one.name == name)
    value, content = getattr(group, name), declaration_of(declared).content
    return as_json(value if content is None else content(value))


@pytest.fixture
def data(tmp_path):
    """Return a function that writes data of some kind and returns the path."""

    def written(name):
        DATA[name](tmp_path / name)
        return tmp_path / name

    return written


def test_example_every_declared_option_has_an_example():
    declared = {name for kind in PARTS.values() for name in kind.names()}
    assert SHARED.keys() | ELSEWHERE == declared
    assert OF_METHODS.keys() == {name for kind in METHODS.values() for name in kind.names()}
    assert ESTIMATORS.keys() == METHODS.keys() == set(get_args(MethodName))


@ignored
@pytest.mark.parametrize(("method", "name"), CASES)
def test_property_an_option_means_the_same_everywhere(method, name, data, tmp_path):
    options, _, kind = example(method, name)
    path = data(kind)
    graphs = learned_three_ways(tmp_path, path, method, options)
    assert graphs[0] == graphs[1] == graphs[2]
    assert graphs[0].n_edges > 0
    stored = [graph.provenance[part_of(name)][name] for graph in graphs]
    if name != "checkpoint":
        assert stored[0] == stored[1] == stored[2]
    again = Request.from_json(graphs[2].provenance)
    if name != "checkpoint":
        assert value_in(again, name) == value_in(Request.of(method, options), name)
    assert again.learn(again.read(path)).graph == graphs[0]
    if options.get("missing") != "impute":
        assert graphs[0].bootstrap(path, replicates=2, n_jobs=1).graph == graphs[0]


def identity_of(method, options, path):
    """Return what a checkpoint would say of a run; None where the data cannot be read so."""
    with suppress(markhood.InputError):
        request = Request.of(method, options)
        samples = request.prepared(request.read(path))
        known = request.constraints(samples.variables)
        return identity(samples, request.method, known, request.seed, {})
    return None


@ignored
@pytest.mark.parametrize(("method", "name"), CASES)
def test_property_a_checkpoint_is_of_the_options_that_change_results(method, name, data):
    options, others, kind = example(method, name)
    path = data(kind)
    with_it, without = identity_of(method, options, path), identity_of(method, others, path)
    assert with_it is not None
    assert (with_it == without) == (name in SAME_RESULT)


def test_example_learn_has_the_shared_options_with_their_defaults():
    parameters = inspect.signature(markhood.learn).parameters
    keywords = {n: p.default for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert keywords.pop("weights") is None
    assert keywords.pop("progress") is not None
    assert keywords == {one.name: one.default for one in SharedOptions.declared()}
    assert len(keywords) + 2 <= 20


@pytest.mark.parametrize("name", ["describe", "encode", "read_samples"])
def test_example_readers_have_the_options_of_columns_with_their_defaults(name):
    function = getattr(markhood, name)
    parameters = inspect.signature(function).parameters
    keywords = {n: p.default for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    rows = [] if name == "encode" else ["clusters", "time"]
    declared = {one.name: one.default for one in ColumnOptions.declared()}
    assert keywords == declared | dict.fromkeys(["weights", "table", "genome", *rows])
    assert all(f"    {n} : " in function.__doc__ for n in keywords)


@pytest.mark.parametrize("method", METHODS)
def test_example_estimators_have_all_options_with_their_defaults(method):
    given = ESTIMATORS[method]().get_params(deep=False)
    declared = [*SharedOptions.declared(), *METHODS[method].declared()]
    assert given == {one.name: one.default for one in declared}
    assert len(given) <= 21
    assert all(declaration_of(one).help in ESTIMATORS[method].__doc__ for one in declared)


def test_property_every_option_is_passed_in_one_place():
    in_groups = [name for kind in GROUPS.values() for name in kind.names()]
    flat = set(SharedOptions.names()) - GROUPS.keys()
    assert len(in_groups) == len(set(in_groups))
    assert not flat & set(in_groups)
    declared = {name for kind in PARTS.values() for name in kind.names()}
    assert flat | set(in_groups) | {"weights", "clusters", "time"} == declared
    with pytest.raises(markhood.InputError, match="run=Run"):
        markhood.learn(VALUES, imputations=3)


def test_example_the_command_line_has_all_options_with_their_help():
    (learn,) = (c for n, c in typer.main.get_command(app).commands.items() if n == "learn")
    shown = {parameter.name: parameter for parameter in learn.params}
    for kind in (*PARTS.values(), *METHODS.values()):
        for one in kind.declared():
            parameter = shown[one.name]
            flag = f"--{'no-' if one.default is True else ''}{one.name.replace('_', '-')}"
            assert flag in (*parameter.opts, *parameter.secondary_opts)
            assert parameter.default is None  # what was not typed is as declared
            assert parameter.help
    for one in (*Reading.declared(), *Knowledge.declared(), *Execution.declared()):
        assert shown[one.name].help.startswith(declaration_of(one).help)


@pytest.mark.parametrize(
    ("options", "in_python", "in_shell"),
    [
        ({"n_jobs": 0}, "n_jobs ", "--n-jobs "),
        ({"gamma": -1}, "gamma ", "--gamma "),
        ({"imputations": 1}, "imputations ", "--imputations "),
        ({"group_rule": "within"}, "group_rule='within'", "--group-rule within"),
        ({"refit": False}, "refit=False", "--no-refit"),
        ({"kernels": "tpu"}, "kernels 'tpu'", "--kernels 'tpu'"),
    ],
)
def test_example_messages_name_options_as_the_caller_wrote_them(
    options, in_python, in_shell, data, tmp_path
):
    path = data("plain.csv")

    def refused():
        with pytest.raises(markhood.InputError) as error:
            markhood.learn(path, **grouped(options))
        return str(error.value)

    assert in_python in refused()
    done = CliRunner().invoke(app, ["learn", str(path), *typed(tmp_path, options)])
    assert done.exit_code == 2
    assert in_shell in done.stderr
    assert in_python in refused()  # also after a command


def test_example_no_option_is_collected_from_the_names_of_a_function():
    for path in SOURCE.rglob("*.py"):
        calls = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call))
        named = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        assert "locals" not in named, path


TYPED = """
import numpy as np
from markhood import PLRHC, Genome, Knowledge, Run, learn

x = np.eye(3)
PLRHC(gamma=3, missing="drop", run=Run(imputations=3))
learn(x, "hc", missing="drop", gamma=0.25, genome=Genome(identical="group"))
learn(x, PLRHC(gamma=0.25), knowledge=Knowledge(group_rule="within", groups=[0, 1, 1]), seed=None)
PLRHC(gama=3)  # wrong
PLRHC(missing="nonsense")  # wrong
learn(x, "nonsense")  # wrong
learn(x, missing="nonsense")  # wrong
Genome(letters="some")  # wrong
"""


def test_example_a_type_checker_finds_wrong_options(tmp_path):
    pytest.importorskip("mypy")
    path, root = tmp_path / "typed.py", SOURCE.parents[1]
    path.write_text(TYPED)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(path)],
        check=False,
        capture_output=True,
        text=True,
        cwd=root if (root / "pyproject.toml").exists() else tmp_path,
        env={**os.environ, "MYPYPATH": str(SOURCE.parent)},
    )
    errors = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "error:" in line}
    wrong = {n for n, line in enumerate(TYPED.splitlines(), 1) if line.endswith("# wrong")}
    assert errors == wrong, done.stdout + done.stderr


def test_example_an_option_of_a_group_is_not_passed_flat():
    with pytest.raises(markhood.InputError, match=r"knowledge=Knowledge\(forbidden_edges="):
        markhood.learn(VALUES, forbidden_edges=[(0, 1)])
    with refuses("option-value", "run"):
        markhood.learn(VALUES, run={"checkpoint": "folder"})


def test_example_a_group_of_options_cannot_be_changed():
    with pytest.raises(AttributeError):
        markhood.Genome().letters = "reduced"


def test_example_an_estimator_is_a_method():
    table = pd.DataFrame(VALUES, columns=NAMES)
    estimator = markhood.PLRHC(gamma=0.1, exclude=["q7"])
    assert markhood.learn(table, estimator) == estimator.fit(table).graph_
    assert "q5" not in markhood.learn(table, estimator, exclude=["q5"]).nodes


@pytest.mark.parametrize("seed", [np.random.default_rng(3), None])
def test_example_a_seed_is_recorded(seed):
    graph = markhood.learn(VALUES, "bayes", seed=seed)
    assert markhood.learn(VALUES, "bayes", seed=graph.provenance["run"]["seed"]) == graph
