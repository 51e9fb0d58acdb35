"""The analyses of a multiverse are the ones that `learn` gives, and each counts once."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.learning.request import Request
from messages import refuses
from oracles.networks import network

VALUES = pd.DataFrame(network(31, 400, 6, strength=1.5), columns=list("abcdef"))


def pairs(graph):
    return {tuple(sorted(pair)) for pair in graph.edge_names()}


def test_example_every_analysis_is_what_learn_gives():
    choices = {"method": ["plrhc", "l1lr"], "gamma": [0.25, 1.0]}
    found = markhood.robustness(VALUES, vary=choices, subsets=0)
    expected = {
        (method, gamma): markhood.learn(VALUES, method, gamma=gamma)
        for method in choices["method"]
        for gamma in choices["gamma"]
    }
    expected["plrhc", 0.5] = markhood.learn(VALUES)
    assert len(found.analyses) == len(expected)
    for one in found.analyses:
        assert one.graph == expected[one.choices["method"], one.choices["gamma"]]
    counts = {}
    for graph in expected.values():
        for pair in pairs(graph):
            counts[pair] = counts.get(pair, 0) + 1
    assert {(r["source"], r["target"]): r["analyses"] for r in found.edges()} == counts
    assert all(r["share"] == r["analyses"] / 5 for r in found.edges())
    assert found.graph.annotations["robustness"].tolist() == [
        counts[tuple(sorted(pair))] / 5 for pair in found.graph.edge_names()
    ]


def test_property_an_option_that_a_method_does_not_have_adds_no_analysis():
    found = markhood.robustness(
        VALUES, vary={"method": ["plm"], "gamma": [0.1, 0.5], "edge_prior": [0.2]}, subsets=0
    )
    assert [one.choices["method"] for one in found.analyses] == ["plrhc", "plm"]
    assert [row["gamma"] for row in found.rows()] == ["0.5", ""]


def test_example_missing_values_kinds_and_priors_are_varied_by_default():
    rng = np.random.default_rng(0)
    holes = VALUES.assign(a=VALUES["a"] + VALUES["b"]).astype(float)
    holes = holes.mask(rng.random(holes.shape) < 0.02)
    with pytest.warns(markhood.DataWarning, match="will be imputed"):
        found = markhood.robustness(holes, subsets=1, run=markhood.Run(imputations=2))
    varied = {row["choice"] for row in found.choices()}
    assert varied == {"method", "gamma", "edge_prior", "kinds", "missing", "subset"}
    dropped = [r for r in found.rows() if r["missing"] == "drop"]
    assert {row["samples"] for row in dropped} == {int(holes.notna().all(axis=1).sum())}
    assert found.rows()[-1]["samples"] == 320
    assert f"in {len(found.analyses)} analyses with other choices of" in found.describe_methods()


def test_example_subsets_leave_out_the_samples_of_a_label():
    table = VALUES.assign(school=np.repeat(["x", "y"], [100, 300]))
    found = markhood.robustness(table, vary={}, subsets="school")
    assert [one.subset for one in found.analyses] == ["all", "without x", "without y"]
    alone = markhood.learn(VALUES[:100])
    assert pairs(found.analyses[2].graph) == pairs(alone)
    assert [row["samples"] for row in found.rows()] == [400, 300, 100]


def test_example_an_analysis_that_is_not_possible_is_left_out_with_a_warning():
    table = VALUES.astype(float)
    for k in range(6):
        table.iloc[k::6, k] = np.nan
    with pytest.warns(markhood.DataWarning) as caught:
        found = markhood.robustness(
            table,
            vary={"missing": ["drop"]},
            subsets=0,
            missing="impute",
            run=markhood.Run(imputations=2),
        )
    assert "analyses-left-out" in {warning.message.code for warning in caught}
    assert len(found.analyses) == 1
    assert len(found.left_out) == 1


@pytest.mark.parametrize(
    ("vary", "code", "where"),
    [
        ({"gamma": [-1]}, "option-value", "gamma"),
        ({"gama": [1]}, "option-unknown", "gama"),
        ({"gamma": "0.5"}, "option-value", "gamma"),
        ({"gamma": []}, "option-value", "gamma"),
        ({"method": ["magic"]}, "option-unknown", "method"),
        ([("gamma", [1])], "option-value", "vary"),
        ({"gamma": range(10_001)}, "option-value", "vary"),
    ],
)
def test_example_choices_are_checked_before_the_work(vary, code, where):
    with refuses(code, where):
        markhood.robustness("no such file", vary=vary)


def test_property_a_varied_request_differs_in_the_fields_that_were_named():
    request = Request.of("plrhc", {"gamma": 0.25, "adjust_for": ["age"], "seed": 4})
    other = request.varied({"missing": "drop", "gamma": 1.0})
    assert other.as_json() == {
        **request.as_json(),
        "parameters": {"gamma": 1.0},
        "reading": {"adjust_for": ["age"], "missing": "drop"},
    }
    assert request.varied({}).as_json() == request.as_json()


def test_example_the_command_writes_tables_and_a_figure(tmp_path):
    VALUES.to_csv(tmp_path / "table.csv", index=False)
    names = ("edges.csv", "analyses.csv", "figure.png")
    edges, analyses, figure = (tmp_path / name for name in names)
    result = CliRunner().invoke(
        app,
        [
            *("robustness", str(tmp_path / "table.csv"), "--subsets", "2"),
            *("--vary", "gamma=0.25,1", "--vary", "edge-prior=none,0.2"),
            *("--vary", "method=plrhc,bayes", "--output", str(edges)),
            *("--analyses", str(analyses), "--plot", str(figure)),
        ],
    )
    assert result.exit_code == 0, result.output
    written = pd.read_csv(analyses)
    assert set(written["gamma"].dropna()) == {0.25, 0.5, 1.0}
    assert written["edge_prior"].dropna().tolist() == ["default", "0.2"]
    assert set(pd.read_csv(edges).columns) >= {"source", "target", "share"}
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert f"{len(written)} analyses" in result.output
    refused = CliRunner().invoke(app, ["robustness", "x.csv", "--vary", "gamma"])
    assert refused.exit_code == 2
