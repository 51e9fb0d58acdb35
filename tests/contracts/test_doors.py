"""Three doors, one request: every option is at each of them, by one name, and means the same."""

import inspect
import json
from contextlib import nullcontext
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.learning.methods import METHODS
from markhood.learning.request import Options
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
    "pair_priors": ({("q0", "q7"): 0.4, ("q1", "q2"): 0.01}, {}),
    "adjust_for": (["q2", "q5"], {}),
    "min_distance": (150, {"positions": {name: 100 * k for k, name in enumerate(NAMES)}}),
    "genome_length": (800, {"positions": {name: 100 * k for k, name in enumerate(NAMES)}}),
    "shuffles": (2, {}),
    "n_jobs": (2, {}),
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
    ("plrhc", "fit_penalty"): "l2",
    ("plrhc", "fit_strength"): 3.0,
    ("plrhc", "depth"): 1,
    ("plrhc", "max_candidates"): 2,
    ("bayes", "fdr"): 0.1,
    ("bayes", "min_probability"): 0.9,
    ("bayes", "edge_prior"): 0.1,
    ("bayes", "sweeps"): 8,
    ("bayes", "chains"): 2,
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
    learned = markhood.learn(data, method, weights=weights, **own("python"))
    fitted = ESTIMATORS[method](**own("estimator")).fit(data, sample_weight=weights).graph_
    path, out = tmp_path / "data.csv", tmp_path / "graph.json"
    is_own = weights is None or isinstance(weights, str)
    columns = data if is_own else data.assign(weight=weights)
    columns.to_csv(path, index=False)
    typed = ["learn", path, "--method", method, "-o", out, *flags(tmp_path, own("shell"))]
    typed += [] if weights is None else ["--weights", weights if is_own else "weight"]
    done = CliRunner().invoke(app, list(map(str, typed)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return learned, fitted, markhood.read_graph(out)


def test_example_every_option_is_tried():
    assert SHARED.keys() == {field.name for field in fields(Options)}
    of_methods = {name for method in METHODS.values() for name in options_of(method)}
    # A graph has no place for draws: they are kept by the estimator alone (test_inference_data.py).
    assert {name for _, name in OF_METHODS} == of_methods - {"keep_draws"}


def test_example_the_doors_have_the_same_options_with_the_same_defaults():
    shared = {field.name: field.default for field in fields(Options)}
    parameters = inspect.signature(markhood.learn).parameters
    assert {n: p.default for n, p in parameters.items() if n in shared} == shared
    for name, estimator in ESTIMATORS.items():
        given = estimator().get_params()
        assert {n: given[n] for n in shared} == shared
        method = METHODS[name]()
        assert {n: given[n] for n in options_of(method)} == vars(method)
        assert given.keys() == shared.keys() | vars(method).keys()


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.filterwarnings("ignore:.* rows have missing values and are dropped")
def test_property_a_shared_option_means_the_same_at_every_door(name, tmp_path):
    value, others = SHARED[name]
    method = "bayes" if name == "pair_priors" else "plrhc"
    graphs = at_every_door(tmp_path, method, {name: value} | others)
    assert graphs[0] == graphs[1] == graphs[2]
    assert graphs[0].n_edges > 0


@pytest.mark.parametrize(("method", "name"), OF_METHODS)
def test_property_an_option_of_a_method_means_the_same_at_every_door(method, name, tmp_path):
    options = {name: OF_METHODS[method, name]}
    if name == "fit_strength":
        options["fit_penalty"] = "l2"
    with pytest.warns(markhood.DataWarning) if name == "max_candidates" else nullcontext():
        graphs = at_every_door(tmp_path, method, options)
    assert graphs[0] == graphs[1] == graphs[2]
    for graph in graphs:
        assert graph.provenance["parameters"][name] == options[name]
    plain = markhood.learn(pd.DataFrame(VALUES, columns=NAMES), method)
    assert json.dumps(plain.provenance["parameters"]) != json.dumps(
        graphs[0].provenance["parameters"]
    )


@pytest.mark.parametrize(
    ("options", "in_python", "in_shell"),
    [
        ({"n_jobs": 0}, "n_jobs must be", "--n-jobs must be"),
        ({"gamma": -1}, "gamma must be", "--gamma must be"),
        ({"imputations": 1}, "imputations must be", "--imputations must be"),
        ({"group_rule": "within"}, "group_rule='within' needs groups", "--group-rule within needs"),
        ({"refit": False}, "no option refit=False", "no option --no-refit"),
        ({"kernels": "tpu"}, "Unknown kernels 'tpu'", "Unknown --kernels 'tpu'"),
    ],
)
def test_example_sentences_name_the_doors_own_options(options, in_python, in_shell, tmp_path):
    data = pd.DataFrame(VALUES, columns=NAMES)
    with pytest.raises(markhood.InputError) as error:
        markhood.learn(data, **options)
    assert in_python in str(error.value)
    data.to_csv(tmp_path / "data.csv", index=False)
    done = CliRunner().invoke(app, ["learn", str(tmp_path / "data.csv"), *flags(tmp_path, options)])
    assert done.exit_code == 2
    assert in_shell in done.stderr
    with pytest.raises(markhood.InputError) as error:  # and Python's again afterwards
        markhood.learn(data, **options)
    assert in_python in str(error.value)
