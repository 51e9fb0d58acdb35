"""The checklist has every topic, fills in what the graph records, and leaves the rest to authors."""

import warnings

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.graph.graph import Graph
from markhood.output.checklist import as_markdown
from messages import refuses
from oracles.networks import network

VALUES = pd.DataFrame(network(31, 300, 6, strength=1.5), columns=list("abcdef"))


def by_item(graph):
    return {one.item: one for one in graph.checklist()}


def test_example_known_facts_are_filled_in():
    holes = VALUES.astype(float).mask(np.random.default_rng(0).random(VALUES.shape) < 0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        graph = markhood.learn(holes, adjust_for=["f"], gamma=0.25, seed=8)
    items = by_item(graph)
    topics = list(dict.fromkeys(one.topic for one in graph.checklist()))
    assert topics == [
        *("Sample", "Variables", "Data preparation", "Estimation"),
        *("Accuracy and stability", "Results", "Interpretation and openness"),
    ]
    expected = {
        "Number of observations, weights and clusters": "300 observations",
        "Nodes, their kinds and levels": "a (binary: 0, 1)",
        "Missing values, recoding, bins, rows and columns left out": "were imputed",
        "Model": "Ising model",
        "Estimator, selection of edges and tuning": "gamma = 0.25",
        "Covariates and prior knowledge": "adjusted for f",
        "Software, versions and random seed": "Random seed 8.",
        "Edges, density and signs": f"{graph.n_edges} edges",
        "Data and code": graph.provenance["data"]["fingerprint"],
    }
    for item, words in expected.items():
        assert words in items[item].filled_in
    assert items["Participants"] == ("Sample", "Participants", "", items["Participants"].to_write)
    assert items["Participants"].to_write
    assert all(one.filled_in or one.to_write for one in items.values())


def test_property_the_checklist_changes_with_what_was_done():
    bayes = by_item(markhood.learn(VALUES, "bayes"))["Accuracy of edges"]
    assert "Posterior inclusion probabilities" in bayes.filled_in
    assert not bayes.to_write
    assert "bootstrap" in by_item(markhood.learn(VALUES))["Accuracy of edges"].to_write
    found = markhood.robustness(VALUES, vary={"gamma": [0.25, 1.0]}, subsets=0)
    robust = by_item(found.graph)["Robustness to choices of the analysis"]
    share = np.mean(found.graph.annotations["robustness"] >= 0.9)
    assert robust.filled_in.startswith(f"{100 * share:.0f} %")
    steps = VALUES.assign(a=VALUES["a"] + VALUES["b"])
    assert "ordinal Markov random field" in by_item(markhood.learn(steps))["Model"].filled_in


def test_example_markdown_has_a_box_for_each_item():
    items = markhood.learn(VALUES).checklist()
    text = as_markdown(items)
    assert text.count("- [x]") == sum(not one.to_write for one in items)
    assert text.count("- [ ]") == sum(bool(one.to_write) for one in items)
    assert "met0000471" in text


def test_example_a_graph_of_unknown_origin_has_no_checklist():
    with refuses("no-provenance", "graph"):
        Graph("ab", [(0, 1)]).checklist()


@pytest.mark.parametrize("suffix", [".md", ".csv", None])
def test_example_the_command(suffix, tmp_path):
    graph = tmp_path / "graph.json"
    markhood.write_graph(markhood.learn(VALUES), graph)
    output = [] if suffix is None else ["-o", str(tmp_path / f"list{suffix}")]
    result = CliRunner().invoke(app, ["checklist", str(graph), *output])
    assert result.exit_code == 0, result.output
    if suffix == ".csv":
        table = pd.read_csv(tmp_path / "list.csv")
        assert list(table.columns) == ["topic", "item", "filled_in", "to_write"]
    else:
        text = result.output if suffix is None else (tmp_path / "list.md").read_text()
        assert "- [ ] **Participants**" in text
    assert CliRunner().invoke(app, ["checklist", str(graph), "-o", "x.txt"]).exit_code == 2
