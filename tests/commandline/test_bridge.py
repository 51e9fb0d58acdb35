"""The bridge: a request in JSON gives the numbers of the Python call."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import markhood
from markhood.commandline.bridge import run
from messages import ignores


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    mood = rng.integers(0, 3, 300)
    calm = np.where(rng.random(300) < 0.7, mood, rng.integers(0, 3, 300))
    city = np.array(["rome", "oslo", "bern"])[rng.integers(0, 3, 300)]
    group = np.repeat(["old", "young"], 150)
    path = tmp_path / "table.csv"
    rows = zip(np.array(["low", "mid", "high"])[mood], calm, city, group, strict=True)
    path.write_text("mood,calm,city,group\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
    return path


def answer(call, options=None, **given):
    return json.loads(run(json.dumps({"call": call, "options": options or {}, **given})))


def value(call, options=None, **given):
    found = answer(call, options, **given)
    assert "error" not in found, found["error"]
    return found["value"]


def test_example_a_network(table):
    found, graph = (
        value("estimate", {"gamma": 0.25}, data=str(table)),
        markhood.learn(table, gamma=0.25),
    )
    assert found["nodes"] == list(graph.nodes)
    assert found["kinds"]["mood"] == "ordinal"
    assert found["kinds"]["city"] == "nominal"
    ends = zip(found["edges"]["source"], found["edges"]["target"], strict=True)
    assert list(ends) == graph.edge_names()
    assert found["edges"]["coupling"] == graph.coupling.tolist()
    assert found["methods"] == graph.describe_methods()
    assert "mood" in found["summary"]


def test_example_options_of_groups_are_flat_and_numbers_may_be_written_by_r(table):
    request = (
        f'{{"call": "estimate", "data": {json.dumps(str(table))}, "options": {{"max_levels": 3e+00,'
        '"shuffles": 3.0, "missing_values": -9, "forbidden_edges": [["mood", "calm"]]}}'
    )
    found = json.loads(run(request))["value"]
    assert found["edges"]["source"] == []
    graph = json.loads(found["document"])["graph"]
    assert len(graph["provenance"]["edges_by_chance"]) == 3
    assert graph["provenance"]["reading"]["max_levels"] == 3


@pytest.mark.parametrize(
    ("call", "options", "facts"),
    [
        ("estimate", {"gama": 1}, ["gama = 1", "gamma"]),
        ("estimate", {"columns": ["mood", "temper"]}, ["temper"]),
        ("bootstrap", {"resample": "row"}, ["row"]),
        ("bootstrap", {"replicate": 20}, ["replicate = 20", "replicates?"]),
        ("fit_model", {"priors": None}, ["priors = NULL", "prior"]),
    ],
)
def test_example_errors_are_those_of_python_as_r_writes_options(table, call, options, facts):
    graph = {"document": value("estimate", data=str(table))["document"]}
    given = {"graph": graph} if call == "fit_model" else {}
    error = answer(call, options, data=str(table), **given)["error"]
    assert all(fact in error for fact in facts), error


def test_example_bootstrap_and_groups(table):
    options = {"replicates": 20, "n_jobs": 1}
    found = value("bootstrap", {**options, "resample": "cases"}, data=str(table))
    expected = markhood.bootstrap(table, resample="cases", **options)
    assert found["edges"]["frequency"] == [row["frequency"] for row in expected.edges()]
    assert found["stability"]["cs"] == [row["cs"] for row in expected.stability()]
    options = {"by": "group", "permutations": 20}
    found, expected = (
        value("compare_groups", options, data=str(table)),
        markhood.compare_groups(table, **options),
    )
    assert found["tests"]["p_structure"] == [expected.p_structure]
    assert list(found["networks"]) == ["old", "young"]
    tables = {"tables": {"a": str(table), "b": str(table)}}
    found = value("compare_groups", {"permutations": 20, "exclude": "group"}, data=tables)
    assert found["tests"]["structure"] == [0.0]


def test_example_a_model_and_its_predictions(table):
    graph = markhood.learn(table)
    document = value("estimate", data=str(table))["document"]
    found = value("fit_model", {"prior": 1.5}, graph={"document": document}, data=str(table))
    model = markhood.fit_model(graph, table, prior=1.5)
    assert found["edges"]["coupling"] == model.couplings.tolist()
    assert found["summary"] == str(model.summary())
    given = {"model": {"document": found["document"]}, "data": str(table)}
    predicted = value("predict", {"target": ["mood", "calm"]}, **given)
    assert predicted["mood"]["levels"] == ["low", "mid", "high"]
    assert predicted["mood"]["ordered"]
    probabilities = np.array(list(predicted["mood"]["probabilities"].values())).T
    np.testing.assert_array_equal(probabilities, model.predict_proba(table, ["mood", "calm"])[0])


def test_example_a_plan(table):
    options = {"nodes": 5, "density": 0.4, "coupling": 2, "data_sets": 18}
    found, expected = value("plan", options), markhood.plan(**options)
    assert found["n_samples"] == expected.n_samples
    assert found["sizes"]["power"] == [row["power"] for row in expected.rows()]
    document = {"document": value("estimate", data=str(table))["document"]}
    assert value("plan", {"data_sets": 9}, source=document)["n_samples"] >= 25


@ignores("missing-values", "chance-edges")
def test_example_separated_data_have_finite_weights_too(tmp_path):
    path = tmp_path / "copies.csv"
    path.write_text("a,b,w\n" + "0,0,1.5\n" * 30 + "1,1,0.5\n" * 30)
    for options in ({}, {"weights": "w"}, {"weights": [1.5] * 30 + [0.5] * 30, "exclude": "w"}):
        found = value("estimate", options, data=str(path))
        assert "Inf" in found["edges"]["coupling"]
        assert 0 < found["finite"][found["edges"]["coupling"].index("Inf")] < 20


def test_example_warnings_are_in_the_answer(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n" + "0,0\n1,\n1,1\n0,1\n" * 30)
    texts = answer("estimate", data=str(path))["warnings"]
    assert any('missing = "drop"' in text for text in texts), texts


def test_example_as_a_command(table, tmp_path):
    request, file = tmp_path / "request.json", tmp_path / "answer.json"
    request.write_text(json.dumps({"call": "estimate", "data": str(table), "options": {}}))
    subprocess.run([sys.executable, "-m", "markhood.commandline.bridge", request, file], check=True)
    found, expected = json.loads(file.read_text()), answer("estimate", data=str(table))
    assert found["value"]["edges"] == expected["value"]["edges"]
    about = json.loads(run('{"call": "about"}'))["value"]
    assert about["version"] == markhood.__version__
