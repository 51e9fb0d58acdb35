"""Every declared option, through every interface, into provenance, replay and the identity of checkpoints.

The lists of examples below are checked against the declarations, so that a new option cannot be left out.
"""

import inspect
import os
import subprocess
import sys
from contextlib import nullcontext
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.data.reading import Reading
from markhood.learning.knowledge import Knowledge
from markhood.learning.learn import MethodName
from markhood.learning.methods import METHODS
from markhood.learning.request import Request, SharedOptions
from markhood.learning.run import Execution
from oracles.networks import network
from oracles.options import grouped

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
VALUES = network(31, 400, 8, strength=1.5)
HOLES = np.where(np.random.default_rng(1).random(VALUES.shape) < 0.03, -9, VALUES.astype(int))
NOISE = np.random.default_rng(2).normal(scale=0.5, size=VALUES.shape)
STEPS = np.clip(np.round(2 * (VALUES + NOISE)), -1, 3).astype(int)
MEASURED = np.round(VALUES + NOISE, 2)
NAMES = [f"q{k}" for k in range(8)]

# Option -> a value unlike the default, and what else it takes to matter. Files are named by a suffix.
SHARED = {
    "missing": ("drop", {"missing_values": [-9]}),
    "missing_values": ([-9], {"missing": "level"}),
    "max_levels": (3, {"missing": "level", "missing_values": [-9]}),
    "columns": (["q0", "q1", "q2", "q5"], {}),
    "exclude": (["q[67]"], {}),
    "normalize_weights": (False, {}),
    "kinds": ({"q0": "nominal", "q3": "ordinal"}, {}),
    "bins": (4, {}),
    "merge_rare": (30, {"kinds": {"q0": "nominal", "q3": "ordinal"}}),
    "positions": ({name: 100 * k for k, name in enumerate(NAMES)}, {}),
    "letters": ("reduced", {}),
    "similarity_threshold": (0.13, {"required_edges": [("q0", "q7")]}),
    "identical": (0.5, {}),
    "imputations": (3, {"missing": "impute", "missing_values": [-9]}),
    "seed": (5, {"missing": "impute", "missing_values": [-9], "imputations": 2}),
    "required_edges": ([("q0", "q7")], {}),
    "forbidden_edges": ([("q0", "q1")], {}),
    "groups": ({name: int(k > 3) for k, name in enumerate(NAMES)}, {}),
    "group_rule": ("within", {"groups": {name: int(k > 3) for k, name in enumerate(NAMES)}}),
    "adjust_for": (["q2", "q5"], {}),
    "min_distance": (150, {"positions": {name: 100 * k for k, name in enumerate(NAMES)}}),
    "genome_length": (800, {"positions": {name: 100 * k for k, name in enumerate(NAMES)}}),
    "shuffles": (2, {}),
    "n_jobs": (2, {}),
    "weights": (None, {}),
    "index": (None, {}),
    "header": (True, {}),
    "encoding": ("utf-8", {}),
    "transpose": (False, {}),
    "array": (None, {}),
    "min_minor": (0.01, {}),
    "max_gap": (0.15, {}),
    "genotypes": ("auto", {}),
    "kernels": ("native", {}),
    "executor": ("threads", {}),
    "scheduler": (None, {}),
    "checkpoint": ("tiles", {}),
}
OF_METHODS = {
    ("plrhc", "gamma"): 0.1,
    ("plrhc", "rule"): "and",
    ("plrhc", "start"): "empty",
    ("plrhc", "criterion"): "mpl",
    ("plrhc", "fit_penalty"): "l2:3",
    ("plrhc", "depth"): 1,
    ("plrhc", "max_candidates"): 2,
    ("bayes", "fdr"): 0.1,
    ("bayes", "min_probability"): 0.9,
    ("bayes", "edge_prior"): 0.1,
    ("bayes", "sweeps"): 8,
    ("bayes", "chains"): 2,
    ("bayes", "pair_priors"): {("q0", "q7"): 0.4, ("q1", "q2"): 0.01},
    ("bayes", "keep_draws"): True,
    ("l1lr", "standardize"): True,
    ("l1lr", "refit"): False,
    ("pairwise", "ranking"): "mi_apc",
    ("pairwise", "top"): 3,
    ("pairwise", "remove_indirect"): True,
    ("chow-liu", "forest"): False,
    ("plm", "penalty"): 0.5,
    ("plm", "top"): 3,
}


def flags(folder, options):
    """Write options as they are typed in a shell."""
    typed = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is None:
            continue
        if isinstance(value, bool):
            typed.append(flag if value else flag.replace("--", "--no-", 1))
            continue
        if name in ("required_edges", "forbidden_edges", "groups", "positions"):
            rows = value.items() if isinstance(value, dict) else value
            path = folder / f"{name}.csv"
            path.write_text("".join(f"{a},{b}\n" for a, b in rows))
            value = path
        elif name == "pair_priors":
            path = folder / f"{name}.csv"
            path.write_text("".join(f"{a},{b},{p}\n" for (a, b), p in value.items()))
            value = path
        elif name == "kinds":
            value = ",".join(f"{column}={kind}" for column, kind in value.items())
        elif name in ("missing_values", "columns", "exclude", "adjust_for"):
            value = ",".join(map(str, value))
        typed.append(f"{flag}={value}")
    return typed


def at_every_door(tmp_path, method, options):
    """Learn the same at each door, with a folder of its own where one is needed."""

    def own(door):
        place = {"checkpoint": str(tmp_path / door)} if "checkpoint" in options else {}
        return options | place

    table = HOLES if "missing_values" in options else VALUES
    table = STEPS if "kinds" in options else MEASURED if "bins" in options else table
    weights = np.linspace(0.5, 2.5, len(table)) if "normalize_weights" in options else None
    if "letters" in options:
        table = np.array(list("AGCT"))[STEPS % 4]
    if "similarity_threshold" in options:
        weights = "similarity"
    data = pd.DataFrame(table, columns=NAMES)
    learned = markhood.learn(data, method, weights=weights, **grouped(own("python")))
    fitted = ESTIMATORS[method](**grouped(own("estimator"))).fit(data, sample_weight=weights).graph_
    path, out = tmp_path / "data.csv", tmp_path / "graph.json"
    is_own = weights is None or isinstance(weights, str)
    columns = data if is_own else data.assign(weight=weights)
    columns.to_csv(path, index=False)
    typed = ["learn", path, "--method", method, "-o", out, *flags(tmp_path, own("shell"))]
    typed += [] if weights is None else ["--weights", weights if is_own else "weight"]
    done = CliRunner().invoke(app, list(map(str, typed)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return learned, fitted, markhood.read_graph(out)


# Options of file formats, which a frame does not have: tests/data/formats tries them.
OF_FORMATS = {
    "index",
    "header",
    "encoding",
    "transpose",
    "array",
    "min_minor",
    "max_gap",
    "genotypes",
}
GROUPS = (Reading, Knowledge, Execution)


def test_example_every_option_is_tried():
    assert SHARED.keys() == {name for group in GROUPS for name in group.names()}
    of_methods = {name for method in METHODS.values() for name in method.names()}
    assert {name for _, name in OF_METHODS} == of_methods


def test_example_the_interfaces_have_the_same_options_with_the_same_defaults():
    shared = {one.name: one.default for one in SharedOptions.declared()}
    parameters = inspect.signature(markhood.learn).parameters
    flat = {n: p.default for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert flat.keys() - {"weights", "progress"} == shared.keys()
    assert {name: flat[name] for name in shared} == shared
    assert len(flat) <= 20
    assert set(get_args(MethodName)) == METHODS.keys() == ESTIMATORS.keys()
    for name, estimator in ESTIMATORS.items():
        given = estimator().get_params()
        own = {one.name: one.default for one in METHODS[name].declared()}
        assert given == shared | own
        assert len(given) <= 20


@pytest.mark.parametrize("command", ["learn", "bootstrap", "compare-groups", "choose-gamma"])
def test_example_every_option_is_on_the_command_line(command):
    shown = {p.name: p for p in typer.main.get_command(app).commands[command].params}
    declared = {one.name: one for group in (*GROUPS, *METHODS.values()) for one in group.declared()}
    assert declared.keys() <= shown.keys()
    assert all(shown[name].help for name in declared)
    assert "model" not in shown or command == "learn"


@pytest.mark.parametrize("name", sorted(SHARED.keys() - OF_FORMATS - {"weights"}))
@pytest.mark.filterwarnings("ignore:.* rows have missing values and are dropped")
@pytest.mark.filterwarnings("ignore:The data are not those")
def test_property_a_shared_option_means_the_same_at_every_interface(name, tmp_path):
    value, others = SHARED[name]
    options = {name: value} | others
    graphs = at_every_door(tmp_path, "plrhc", options)
    assert graphs[0] == graphs[1] == graphs[2]
    assert graphs[0].n_edges > 0
    again = Request.from_json(graphs[2].provenance)  # from a file
    assert again.as_json() == Request.from_json(again.as_json()).as_json()
    stored = again.as_json()
    is_default = value in (None, "native")
    assert is_default or any(name in stored[part] for part in ("reading", "knowledge", "run"))


@pytest.mark.parametrize(("method", "name"), OF_METHODS)
def test_property_an_option_of_a_method_means_the_same_at_every_interface(method, name, tmp_path):
    options = {name: OF_METHODS[method, name]}
    with pytest.warns(markhood.DataWarning) if name == "max_candidates" else nullcontext():
        graphs = at_every_door(tmp_path, method, options)
    assert graphs[0] == graphs[1] == graphs[2]
    plain = markhood.learn(pd.DataFrame(VALUES, columns=NAMES), method)
    assert plain.provenance["parameters"] != graphs[0].provenance["parameters"]
    for graph in graphs:
        again = Request.from_json(graph.provenance).method
        assert again.as_json() == METHODS[method](**options).as_json()


@pytest.mark.parametrize(("method", "name"), OF_METHODS)
def test_property_an_option_is_part_of_the_identity_of_a_checkpoint(method, name, tmp_path):
    table = pd.DataFrame(VALUES, columns=NAMES)
    run = markhood.Run(checkpoint=tmp_path / "tiles")
    markhood.learn(table, method, run=run)
    with pytest.raises(markhood.InputError, match="another run"):
        markhood.learn(table, method, run=run, **{name: OF_METHODS[method, name]})


@pytest.mark.parametrize(
    ("options", "in_python", "in_shell"),
    [
        ({"n_jobs": 0}, "n_jobs must be", "--n-jobs must be"),
        ({"gamma": -1}, "gamma must be", "--gamma must be"),
        ({"imputations": 1}, "imputations must be", "--imputations must be"),
        ({"max_levels": 1}, "max_levels must be", "--max-levels must be"),
        ({"group_rule": "within"}, "group_rule='within' needs groups", "--group-rule within needs"),
        ({"refit": False}, "no option refit=False", "no option --no-refit"),
        ({"kernels": "tpu"}, "Unknown kernels 'tpu'", "Unknown --kernels 'tpu'"),
    ],
)
def test_example_messages_name_options_as_the_caller_wrote_them(
    options, in_python, in_shell, tmp_path
):
    data = pd.DataFrame(VALUES, columns=NAMES)

    def in_python_fails():
        with pytest.raises(markhood.InputError) as error:
            markhood.learn(data, **grouped(options))
        assert in_python in str(error.value)

    in_python_fails()
    data.to_csv(tmp_path / "data.csv", index=False)
    done = CliRunner().invoke(app, ["learn", str(tmp_path / "data.csv"), *flags(tmp_path, options)])
    assert done.exit_code == 2
    assert in_shell in done.stderr
    in_python_fails()  # after a command as before it


def test_example_an_option_of_a_group_is_not_passed_flat():
    with pytest.raises(markhood.InputError, match=r"knowledge=Knowledge\(forbidden_edges="):
        markhood.learn(VALUES, forbidden_edges=[(0, 1)])
    with pytest.raises(markhood.InputError, match="must be a markhood\\.Run"):
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


def test_example_type_checkers_reject_unknown_options(tmp_path):
    pytest.importorskip("mypy")
    right = "import markhood\nmarkhood.PLRHC(gamma=3, exclude=['a'])\nmarkhood.learn([[0]], 'hc', missing='drop')\n"
    wrong = (
        "markhood.PLRHC(gama=3)",
        "markhood.learn([[0]], 'no')",
        "markhood.learn([[0]], missing='no')",
    )
    path = tmp_path / "calls.py"
    path.write_text(right + "\n".join(wrong) + "\n")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-incremental",
        "--cache-dir",
        os.devnull,
    ]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert sorted(set(lines)) == [4, 5, 6], done.stdout
