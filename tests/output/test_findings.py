"""Findings, texts, groups and uncertainty of a report, and the data of a comparison."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood import Graph
from markhood.data.variables import Variables
from markhood.output.report.comparison import comparison_content
from markhood.output.report.content import content
from markhood.output.report.findings import _agreement, findings
from markhood.output.report.study import Study, node_groups, node_texts
from messages import refuses


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(0)
    columns = [rng.random(400) < 0.5]
    for _ in range(4):
        columns.append(columns[-1] ^ (rng.random(400) < 0.2))
    names = ["mood", "sleep", "appetite", "work", "home"]
    table = pd.DataFrame(dict(zip(names, np.array(columns).astype(int), strict=True)))
    samples = markhood.encode(table)
    return samples, markhood.learn(samples)


def test_the_strongest_edge_is_in_words_with_its_interval(chain):
    samples, graph = chain
    model = markhood.fit_model(graph, samples)
    study = Study.of(graph, samples, model, labels={"mood": "Feel blue."})
    k = int(np.abs(model.couplings).argmax())
    i, j = graph.edges[k]
    first = findings(study)[0]
    factor = np.exp(abs(model.couplings[k]))
    low, high = np.exp(np.abs(model.intervals()[k]))
    assert f"{graph.nodes[i]}" in first
    assert f"{graph.nodes[j]} = 1 by {factor:.3g}" in first or f"by {factor:.0f} " in first
    assert all(f"{x:.3g}" in first or f"{x:.0f}" in first for x in (low, high))


def test_a_negative_coupling_divides_the_odds():
    levels = ((0, 1), (0, 1))
    graph = Graph(Variables(("a", "b"), levels), [(0, 1)], coupling_ends=[(-1.5, -1.5)])
    assert "a = 1 divides the odds of b = 1 by 4.48." in findings(Study.of(graph))[0]


def test_edges_are_ranked_by_evidence_if_most_couplings_are_infinite():
    ends = [(np.inf, np.inf), (np.inf, np.inf), (1, 1)]
    graph = Graph("abcd", [(0, 1), (1, 2), (2, 3)], [(1, 1), (4, 4), (2, 2)], ends)
    said = findings(Study.of(graph))
    assert said[0].startswith("The edge with the most evidence joins b and c")
    assert "with the most neighbours are b (2), c (2)" in " ".join(said)
    assert "2 of 3 couplings are infinite" in said[-1]


def test_stability_is_stated_with_a_bootstrap(chain):
    samples, graph = chain
    replicates = [
        markhood.bootstrap(samples, replicates=20, resample=how, n_jobs=1)
        for how in ("rows", "cases")
    ]
    study = Study.of(graph, samples, bootstrap=replicates)
    said = " ".join(findings(study))
    often = int((replicates[0].frequency >= 0.9).sum())
    assert f"{often} of {graph.n_edges} edges are in at least 90 % of 20 bootstrap" in said
    assert "CS coefficient" in said
    strength = study.measures["strength"]
    assert (strength["low"] <= strength["high"]).all()
    assert np.array_equal(study.graph.annotations["frequency"], replicates[0].frequency)
    other = Graph(graph.variables, graph.edges[:1])
    with refuses("graph-invalid"):
        Study.of(other, bootstrap=replicates)


def test_agreement_of_groups_and_communities():
    groups = ["x", "x", "y", "y"]
    assert _agreement(groups, np.array([1, 1, 0, 0])) == 1
    assert _agreement(groups, np.array([0, 1, 0, 1])) == pytest.approx(-0.5)
    assert _agreement(groups, np.array([0, 0, -1, -1])) < 1  # isolated nodes are no community
    assert _agreement([*groups, ""], np.array([1, 1, 0, 0, 0])) == 1  # no group
    cliques = [(i, j) for start in (0, 6) for i in range(start, start + 6) for j in range(start, i)]
    graph = Graph("abcdefghijkl", [*cliques, (0, 6)])
    said = findings(Study.of(graph, groups=["x"] * 6 + ["y"] * 6))
    assert "the 2 given groups is 1.00" in said[1]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", "A1, A2, A3, A4 and A5; B1, B2, B3, B4 and B5; C1, C2, C3, C4 and C5."),
        ("a_long_name_", "B3 and 2 more; a_long_name_C1, a_long_name_C2, a_long_name_C3 and 2 more."),
        ("a_very_long_name_of_an_item_", "B1 and 4 more; a_very_long_name_of_an_item_C1 and 4 more."),
    ],
)  # fmt: skip
def test_communities_are_listed_if_they_fit(prefix, expected):
    names = [f"{prefix}{letter}{k}" for letter in "ABC" for k in range(1, 6)]
    cliques = [(i, j) for s in (0, 5, 10) for i in range(s, s + 5) for j in range(s, i)]
    said = findings(Study.of(Graph(names, [*cliques, (0, 5), (6, 10)])))
    assert said[1].endswith(expected)


def test_communities_have_their_stability_over_replicates():
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(400, 2)).repeat([4, 4], axis=1)
    items = (2 * traits + rng.logistic(size=(400, 8)) > 0).astype(int)
    graph = markhood.learn(items, factors=0)
    replicates = graph.bootstrap(items, replicates=20, n_jobs=1)
    study = Study.of(graph, bootstrap=replicates)
    mean = round(100 * replicates.communities().stability.mean())
    said = findings(study)[1]
    assert f"; variables stay in their community in {mean} % of bootstrap replicates" in said
    assert Study.of(graph).stays is None
    assert len(content(study, "", np.zeros((8, 2)), True)["nodes"]["stays"]) == 8


def test_central_variables_have_their_texts_and_no_ranking_of_single_neighbours(chain):
    samples, graph = chain
    replicates = markhood.bootstrap(samples, replicates=20, n_jobs=1)
    labels = dict.fromkeys(graph.nodes, "Feel blue.")
    said = findings(Study.of(graph, samples, bootstrap=replicates, labels=labels))
    (central,) = [text for text in said if text.startswith("Most central")]
    assert central.count("(Feel blue; ") == 3
    assert central.count("95 % of replicates") == 1
    assert central.count(" to ") == 3
    pairs = Graph("abcdef", [(0, 1), (2, 3), (4, 5)], [(1, 1)] * 3, [(1, 1)] * 3)
    assert not any(
        "central" in text or "most neighbours" in text for text in findings(Study.of(pairs))
    )


def test_cautions_begin_with_a_small_letter():
    warned = {"code": "dependent-rows", "where": "", "severity": "warning"}
    texts = (
        "Neighbouring rows are similar. Use clusters.",
        "R-hat is large.",
        "5 rows are copies.",
    )
    for text in texts:
        graph = Graph("abc", [(0, 1)], provenance={"warnings": [warned | {"text": text}]})
        first = "neighbouring rows are similar." if text[0] == "N" else text
        assert findings(Study.of(graph))[-1] == f"Caution: {first}"


def test_findings_name_what_is_held_fixed():
    graph = Graph("abc", [(0, 1)], provenance={"adjusted_for": ["age"]})
    assert (
        "when all other variables and the covariate age are held" in findings(Study.of(graph))[-1]
    )


def test_strengths_of_tables_of_different_sizes_are_not_ranked():
    table = np.array([[1.0, -1, 0], [-1, 1, 0]])
    graph = Graph("abcd", [(0, 1), (1, 2), (2, 3)], coupling_tables=[table, table.T, None])
    assert any("with the most neighbours are b (2)" in said for said in findings(Study.of(graph)))


def test_long_names_keep_their_beginning_and_end():
    names = [f"I see myself as somebody who is often {how} today" for how in ("sad", "glad")]
    said = findings(Study.of(Graph(names, [(0, 1)])))
    assert "I see myself as som\N{HORIZONTAL ELLIPSIS}o is often sad today" in said[0]


def test_texts_and_groups_come_from_files_mappings_and_the_run(tmp_path):
    graph = Graph("ab", [(0, 1)])
    (tmp_path / "items.csv").write_text("variable,label\na,Feel blue.\nz,other\n")
    assert node_texts(graph, tmp_path / "items.csv") == ["Feel blue.", ""]
    assert node_groups(graph, {"a": "mood", "b": "body"}) == ["mood", "body"]
    known = {"knowledge": {"groups": {"a": "mood"}}}
    assert node_groups(graph.with_provenance(known)) == ["mood", ""]
    with refuses("unknown-column"):
        node_texts(graph, {"z": "other"})
    with refuses("option-value"):
        node_groups(graph, ["mood"])


def test_required_and_forbidden_pairs_are_in_the_data(chain):
    samples, _ = chain
    known = markhood.Knowledge(
        required_edges=[("mood", "home")], forbidden_edges=[("work", "sleep")]
    )
    study = Study.of(markhood.learn(samples, knowledge=known))
    data = content(study, "t", np.zeros((5, 2)), True)
    pairs = zip(data["edges"]["source"], data["edges"]["target"], strict=True)
    assert dict(zip(pairs, data["edges"]["required"], strict=True))[0, 4] == 1
    assert sum(data["edges"]["required"]) == 1
    assert data["nodes"]["forbidden"] == [[], [3], [], [1], []]


def test_bayes_factors_are_posterior_by_prior_odds(chain):
    samples, _ = chain
    fitted = markhood.Bayes(seed=0).fit(samples)
    graph = fitted.graph_
    density = graph.provenance["chains"]["edge_density"]
    with np.errstate(divide="ignore"):
        odds = graph.probability / (1 - graph.probability)
    expected = odds / (density / (1 - density))
    np.testing.assert_allclose(graph.annotations["bayes_factor"], expected)


def test_a_comparison_has_the_edges_of_both():
    one = Graph("abc", [(0, 1), (1, 2)], coupling_ends=[(1, 1), (2, 2)])
    two = Graph("cbd", [(0, 1), (1, 2)], coupling_ends=[(-1, -1), (3, 3)])
    data = comparison_content({"one": one, "two": two}, "Both")
    assert data["nodes"]["name"] == ("a", "b", "c", "d")
    assert list(zip(data["edges"]["source"], data["edges"]["target"], strict=True)) == [
        (0, 1),
        (1, 2),
        (1, 3),
    ]
    assert data["edges"]["graphs"] == [1, 3, 2]
    assert data["edges"]["coupling_1"] == [1, 2, 0]
    assert data["edges"]["coupling_2"] == [0, -1, 3]
    assert data["edges"]["difference"] == [-1, -3, 3]
    assert not any("samples" in text for text in data["warnings"])
    few = two.with_provenance(
        {"method": "plrhc", "version": "0.1.0", "data": {"samples": 5, "variables": 3}}
    )
    data = comparison_content({"one": one, "two": few}, "Both")
    assert data["cite"][0].startswith("two: The network of 3 variables was learned")
    assert any(text.startswith("two: There are few samples") for text in data["warnings"])
    with refuses("option-value"):
        comparison_content({"one": one}, "One")


def test_groups_that_were_compared_have_p_values():
    rng = np.random.default_rng(1)
    values = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=list("abcd"))
    values["b"] = values["a"] ^ (rng.random(200) < 0.2)
    values["group"] = np.repeat(["x", "y"], 100)
    found = markhood.compare_groups(values, by="group", permutations=50)
    data = comparison_content(found, "Groups")
    assert [graph["name"] for graph in data["graphs"]] == ["x", "y"]
    assert "p_adjusted" in data["annotations"]
    assert {row[1] for row in data["differences"]} == {"field", "strength", "expected_influence"}
    adjusted = [row[-1] for row in data["differences"]]
    assert adjusted == sorted(adjusted)
    assert "structure (p = " in data["findings"][1]
    assert data["cite"][0] == found.describe_methods()
    assert "permutations" in data["reading"][0]
    assert not any("evidence" in text.split(".")[0] for text in data["reading"])
    values["b"] = values["b"].astype(bool) ^ (values["group"] == "y")
    found = markhood.compare_groups(values, by="group", permutations=50)
    said = comparison_content(found, "Groups")["findings"][2]
    (row,) = [row for row in found.edge_rows() if row["p_adjusted"] < 0.05]
    assert row["coupling_y"] < 0
    assert said == (
        "1 coupling differs (adjusted p < 0.05): a \N{EN DASH} b "
        f"({row['coupling_x']:.2f} in x and \N{MINUS SIGN}{-row['coupling_y']:.2f} in y)."
    )


def test_couplings_of_tested_groups_are_those_of_the_test():
    rng = np.random.default_rng(1)
    values = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=list("abcd"))
    values["b"] = values["a"] ^ (rng.random(200) < 0.2)
    values["group"] = np.repeat(["x", "y"], 100)
    found = markhood.compare_groups(values, by="group", permutations=20)
    edges = comparison_content(found)["edges"]
    k = list(zip(edges["source"], edges["target"], strict=True)).index((0, 1))
    assert edges["graphs"][k] == 3
    mean = (edges["coupling_1"][k] + edges["coupling_2"][k]) / 2
    assert edges["coupling_source"][k] == pytest.approx(mean)


def test_a_report_of_several_graphs_has_their_names_and_no_parts(tmp_path):
    graphs = {"before": Graph("abc", [(0, 1)]), "after": Graph("abc", [(1, 2)])}
    markhood.write_report(graphs, tmp_path / "two.html")
    assert "<title>before and after</title>" in (tmp_path / "two.html").read_text()
    data = comparison_content(graphs | {"later": Graph("abc", [(0, 1), (1, 2)])})
    assert data["title"] == "before, after and later"
    assert data["findings"][0] == (
        "0 edges are in all 3 networks: before has 1, after has 1 and later has 2."
    )
    with refuses("option-value"):
        markhood.write_report(graphs, tmp_path / "two.html", bootstrap=[1])
