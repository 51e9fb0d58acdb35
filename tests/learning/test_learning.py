import json
import re
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import version

import numpy as np
import pytest

from markhood.data.coding.encode import encode
from markhood.errors import DataWarning, InputError
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.learn import learn
from markhood.learning.methods import METHODS, HillClimbing, Plrhc
from markhood.learning.request import Request
from messages import refuses
from oracles.networks import network
from oracles.scoring import OwnCriterion

VALUES = network(4, 300, 10, strength=2.0)


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf"), "0.5", None, True, 1j, [1]])
def test_example_bad_gamma(gamma):
    for method in ("plrhc", "hc"):
        with pytest.raises(InputError, match="gamma"):
            learn(VALUES, method, gamma=gamma)


@pytest.mark.parametrize("depth", [0, -1, 1.5, 3.0, True, "3", None])
def test_example_bad_depth(depth):
    with pytest.raises(InputError, match="depth"):
        learn(VALUES, depth=depth)


@pytest.mark.parametrize("rule", ["xor", "OR", None, 1])
def test_example_bad_rule(rule):
    with pytest.raises(InputError, match="rule"):
        learn(VALUES, rule=rule)


@pytest.mark.parametrize("criterion", ["aic", None, 3, object(), OwnCriterion])
def test_example_bad_criterion(criterion):
    with refuses("option-value", "criterion"):
        learn(VALUES, criterion=criterion)


def test_example_unknown_method():
    with refuses("option-unknown", "method"):
        learn(VALUES, "glasso")


@pytest.mark.parametrize(
    ("method", "option", "hint"),
    [
        ("plrhc", "gama", r"did you mean gamma\?$"),
        ("plrhc", "dept", r"did you mean depth\?$"),
        (
            "plrhc",
            "zzz",
            r"it takes gamma, rule, start, criterion, fit_penalty, depth, max_candidates\.$",
        ),
        ("hc", "depth", r"it takes gamma, rule, start, criterion, fit_penalty\.$"),
    ],
)
def test_example_unknown_option(method, option, hint):
    with refuses("option-unknown"):
        learn(VALUES, method, **{option: 1})


@pytest.mark.parametrize("gamma", [np.float64(0.5), np.float32(0.5), np.int64(1), 1, 0])
def test_example_numbers_of_numpy_are_numbers(gamma):
    graph = learn(VALUES, gamma=gamma, depth=np.int64(2))
    assert graph == learn(VALUES, gamma=float(gamma), depth=2)
    assert graph.provenance["parameters"]["gamma"] == float(gamma)
    assert graph.provenance["parameters"]["depth"] == 2


def test_example_options_reach_the_search():
    few, some, many = (learn(VALUES, gamma=gamma).n_edges for gamma in (20, 0.5, 0))
    assert few < some < many
    by_rule = {
        rule: set(map(tuple, learn(VALUES, rule=rule).edges.tolist())) for rule in ("or", "and")
    }
    assert by_rule["and"] < by_rule["or"]


def test_example_depth_limits_the_search():
    one, three = (Request(Plrhc(depth=depth)).learn(encode(VALUES)) for depth in (1, 3))
    assert one.evaluations["blankets"].sum() < three.evaluations["blankets"].sum()


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3"])
def test_example_bad_max_candidates(most):
    with pytest.raises(InputError, match="max_candidates"):
        learn(VALUES, max_candidates=most)


def test_example_max_candidates_bounds_the_search_and_says_so():
    whole = learn(VALUES)
    assert learn(VALUES, max_candidates=9) == whole
    with pytest.warns(DataWarning, match="max_candidates") as said:
        bounded = learn(VALUES, max_candidates=1)
    assert len(said) == 1
    assert f" {bounded.provenance['cut_search_spaces']} variables" in str(said[0].message)
    assert bounded.provenance["parameters"]["max_candidates"] == 1
    assert "cut_search_spaces" not in whole.provenance
    assert bounded.n_edges < whole.n_edges


def test_example_a_users_criterion_is_used():
    class Never:
        def score(self, table):
            return -table.n_blanket

    assert learn(VALUES, criterion=Never()).n_edges == 0
    assert learn(VALUES, criterion=OwnCriterion()).edges.tolist() == learn(VALUES).edges.tolist()


@pytest.mark.parametrize("method", ["plrhc", "hc"])
def test_example_provenance(method):
    samples = encode(VALUES)
    learned = Request(METHODS[method](gamma=0.25)).learn(samples)
    provenance = learned.graph.provenance
    assert provenance["version"] == version("markhood")
    assert provenance["method"] == method
    parameters = {"gamma": 0.25, "rule": "global", "criterion": "bic", "start": "or"}
    phases = ["blankets", "climb", "evidence"]
    if method == "plrhc":
        parameters["depth"] = 3
        phases = ["screen", *phases]
    assert provenance["parameters"] == parameters
    assert provenance["data"] == {
        "samples": 300,
        "variables": 10,
        "fingerprint": samples.fingerprint,
        "understood": {
            "rows": 300,
            "kinds": {"binary": 10},
            "missing": 0,
            "left_out": {},
            "findings": [],
        },
    }
    assert list(provenance["seconds"]) == phases
    assert provenance["evaluations"] == {k: n.tolist() for k, n in learned.evaluations.items()}
    assert json.loads(json.dumps(dict(provenance))) == provenance
    assert learned.or_graph.provenance == provenance
    if method == "plrhc":
        assert learned.screened_graph.provenance == provenance
        assert not np.isnan(learned.screened_graph.evidence).any()


def test_example_a_graph_knows_the_criterion_and_the_levels():
    rows = [["no" if a else "yes", b + 1] for a, b in VALUES[:, :2].tolist()]
    graph = learn(rows, criterion=OwnCriterion())
    assert "OwnCriterion" in graph.provenance["parameters"]["criterion"]["object"]
    assert graph.variables.levels == (("no", "yes"), (1, 2))


def test_example_the_fingerprint_is_of_the_data():
    one, same = learn(VALUES), learn(VALUES.astype(bool).astype(np.uint8))
    assert one == same
    other = VALUES.copy()
    other[0, 0] ^= 1
    prints = [g.provenance["data"]["fingerprint"] for g in (one, same, learn(other))]
    assert prints[0] == prints[1] != prints[2]


def test_example_any_backend_and_thread_count():
    samples = encode(VALUES[:, :6])
    here = Request(HillClimbing()).learn(samples)
    there = Request.of(HillClimbing(), {"kernels": ReferenceKernels(), "n_jobs": 2}).learn(samples)
    assert here.graph.edges.tolist() == there.graph.edges.tolist()
    assert learn(VALUES, n_jobs=2) == learn(VALUES, n_jobs=1) == learn(VALUES)


def test_example_evidence_and_blanket_scores_belong_to_the_graph():
    learned = Request(Plrhc()).learn(encode(VALUES))
    assert learned.graph.evidence.min() > 0  # else the climb would have taken the edge out
    assert learned.graph.nodes == tuple(f"x{i}" for i in range(10))
    assert learned.blanket_scores.shape == (10,)


@pytest.mark.parametrize("name", METHODS)
def test_learn_tells_of_every_option_of_every_method(name):
    told = re.search(rf'^ *"{name}" : .*\n((?:  .*\n)+?)(?= *"| *\n)', learn.__doc__, re.MULTILINE)[
        1
    ]
    for field in fields(METHODS[name]):
        assert f"``{field.name}={field.default!r}``" in told
    assert told.count("``: ") == len(fields(METHODS[name]))


def test_example_what_is_heavy_is_imported_when_it_is_needed():
    """joblib and scipy.sparse take three times as long as markhood, and scipy.stats longer."""
    heavy = ["joblib", "scipy.sparse", "scipy.stats", "sklearn", "pandas", "networkx"]
    code = f"""
import sys
from markhood import learn
print([m for m in {heavy} if m in sys.modules])
learn([[0, 1], [1, 0], [0, 1], [1, 1]] * 9, n_jobs=1)
print([m for m in {heavy} if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines() == ["[]", "[]"]
