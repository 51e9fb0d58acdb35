"""The paragraph for a methods section says what was run, and changes with it."""

import platform
import re
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.graph.graph import Graph
from markhood.learning.methods import METHODS
from markhood.output.report.facts import citations
from messages import refuses
from oracles.networks import network
from oracles.scoring import OwnCriterion

VALUES = pd.DataFrame(network(31, 300, 6, strength=1.5), columns=list("abcdef"))


def test_example_the_whole_paragraph():
    graph = markhood.learn(VALUES, gamma=0.25)
    assert graph.describe_methods() == (
        "The network of 6 binary variables was learned from 300 observations with markhood "
        f"{markhood.__version__}, method plrhc (Kuronen, Corander and Pensar, 2025). The neighbours "
        "of each variable were searched for greedily by the extended Bayesian information criterion "
        "(gamma = 0.25) of its logistic regression on them, among those within 3 steps in the graph of "
        "pairs whose penalised likelihood ratio is positive. Hill climbing over the union of all "
        "neighbourhoods then chose the edges by the sum of the scores. "
        f"The network has {graph.n_edges} edges (density {graph.n_edges / 15:.2g}), "
        f"{(graph.coupling < 0).sum()} ({100 * (graph.coupling < 0).mean():.0f} %) negative. "
        f"Software: Python {platform.python_version()}, NumPy {np.__version__}, SciPy {version('scipy')}."
    )


@pytest.mark.parametrize("method", METHODS)
def test_property_every_method_has_its_words(method):
    graph = markhood.learn(VALUES, method)
    text = graph.describe_methods()
    assert f"method {method}" in text
    assert "Its options were" not in text
    assert citations(graph)[0] == text


@pytest.mark.parametrize("method", METHODS)
def test_property_every_method_names_its_publications(method):
    graph = markhood.learn(VALUES, method)
    entries = [each["entry"] for each in graph.provenance["references"]]
    assert entries
    for reference in graph.provenance["references"]:
        assert reference["in_text"] in graph.describe_methods()
        assert reference["in_text"][-4:] in reference["entry"]
        assert re.search(r"https://(doi\.org|arxiv\.org/abs)/", reference["entry"])
    assert citations(graph)[1:-1] == entries


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("plrhc", {"max_candidates": 5}, "limited to the 5 strongest"),
        ("hc", {"rule": "and", "fit_penalty": "l2"}, "an L2 penalty of strength 1"),
        ("hc", {"criterion": "mpl", "rule": "or"}, "by its marginal pseudo-likelihood"),
        ("hc", {"criterion": OwnCriterion()}, "by a criterion of the authors' own"),
        ("l1lr", {"refit": False, "standardize": True}, "without a refit"),
        ("pairwise", {"ranking": "mi_apc", "top": 4}, "(Dunn, Wahl and Gloor, 2008)"),
        ("pairwise", {"top": 2, "remove_indirect": True}, "the 2 with the highest evidence"),
        ("chow-liu", {"forest": False}, "is the tree with the highest likelihood"),
        ("plm", {"top": 3}, "Edges are the 3 best."),
        ("bayes", {"fdr": 0.1, "sweeps": 4}, "an expected false discovery rate of 0.1"),
    ],
)
def test_example_options_change_the_words(method, options, words):
    assert words in markhood.learn(VALUES, method, **options).describe_methods()


def test_example_what_was_done_to_the_data_is_said():
    holes = VALUES.astype(float).mask(np.random.default_rng(0).random(VALUES.shape) < 0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        dropped = markhood.learn(
            holes,
            missing="drop",
            knowledge=markhood.Knowledge(forbidden_edges=[("a", "b")]),
            run=markhood.Run(shuffles=2),
        )
        imputed = markhood.learn(holes, missing="impute", run=markhood.Run(imputations=2))
    rows = 300 - dropped.provenance["data"]["samples"]
    assert f"{rows} of 300 rows were left out for missing values." in dropped.describe_methods()
    assert "weight zero" not in dropped.describe_methods()
    assert "1 edge was excluded in advance." in dropped.describe_methods()
    assert "With every column shuffled" in dropped.describe_methods()
    assert "were imputed in 2 completed data sets" in imputed.describe_methods()
    steps = VALUES.assign(a=VALUES["a"] + VALUES["b"])
    assert "6 variables (5 binary, 1 ordinal)" in markhood.learn(steps).describe_methods()


def test_example_rows_of_weight_zero_are_not_rows_with_missing_values():
    weights = np.arange(300) % 3
    text = markhood.learn(VALUES, weights=weights).describe_methods()
    assert "100 of 300 rows were left out for weight zero." in text
    assert "missing values" not in text


def test_example_bins_merged_levels_and_codes_for_missing_are_said():
    rng = np.random.default_rng(0)
    table = VALUES.assign(age=rng.normal(size=300), mood=rng.integers(0, 3, 300))
    table.loc[:4, "mood"] = 3
    table.loc[5:9, "mood"] = -9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        graph = markhood.learn(
            table,
            bins=4,
            missing_values=[-9],
            missing="drop",
            table=markhood.TableFormat(merge_rare=10),
        )
    text = graph.describe_methods()
    assert "The value -9 was treated as missing." in text
    assert "5 of 300 rows were left out for missing values." in text
    assert "cut into equal-frequency bins: 'age' (4 bins)" in text
    assert (
        "Levels with fewer than 10 samples were merged in 1 column: 'mood' (4 levels to 3)." in text
    )


def test_example_methods_describe_their_treatment_of_missing_values():
    holes = VALUES.astype(float).mask(np.random.default_rng(0).random(VALUES.shape) < 0.02)
    n = int(holes.isna().sum().sum())
    words = {
        "plrhc": "in 4 completed data sets, and edges in the majority",
        "bayes": "part of the state of the chains: they were drawn 4 times",
        "plm": "were not imputed",
    }
    for method, expected in words.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", markhood.DataWarning)
            text = markhood.learn(
                holes, method, missing="impute", run=markhood.Run(imputations=4)
            ).describe_methods()
        assert f"{n} missing values ({100 * n / holes.size:.2g} %) were" in text
        assert expected in text
        assert sum(other in text for other in words.values()) == 1


def test_example_weights_and_clusters_are_described_and_are_not_left_out():
    rng = np.random.default_rng(1)
    table = VALUES.assign(
        school=np.repeat(np.arange(30), 10), w=rng.uniform(0.5, 2, 300), note="none"
    )
    text = markhood.learn(
        table, weights="w", clusters="school", exclude=["note"]
    ).describe_methods()
    assert "Survey weights (column 'w') were scaled to Kish's effective sample size." in text
    assert "Rows within 30 clusters ('school') were treated as dependent" in text
    assert "These columns were left out: note." in text
    counted = markhood.learn(VALUES, weights=np.arange(300) % 3 + 1).describe_methods()
    assert "of total weight 600" in counted
    assert "Weights were used as frequencies." in counted


def test_example_advice_is_not_part_of_the_paragraph():
    rng = np.random.default_rng(0)
    table = VALUES.assign(
        age=rng.normal(size=300),
        town=rng.choice([f"t{k}" for k in range(90)], 300),
        n=rng.poisson(5, 300) * rng.integers(0, 90, 300),
    )
    graph = markhood.learn(table, table=markhood.TableFormat(max_levels=12))
    text = graph.describe_methods()
    assert "'age' (12 bins) and 'n'" in text
    assert "town" in text
    assert "=" not in re.sub(r"\(gamma = [0-9.]+\)", "", text)
    assert "sets the number" not in text
    assert "max_levels" not in text


def test_example_resampling_and_group_tests_are_described():
    found = markhood.bootstrap(VALUES, replicates=20)
    assert found.describe_methods().startswith(found.graph.describe_methods())
    assert "20 nonparametric bootstrap replicates" in found.describe_methods()
    assert "95 % percentile intervals" in found.describe_methods()
    cases = markhood.bootstrap(VALUES, replicates=20, resample="cases")
    strength = next(row["cs"] for row in cases.stability() if row["measure"] == "strength")
    assert "20 case-dropping subsets" in cases.describe_methods()
    assert f"{strength:.2f} for strength" in cases.describe_methods()
    groups = markhood.compare_groups(VALUES, by=np.repeat(["x", "y"], 150), permutations=30)
    text = groups.describe_methods()
    assert "x (N = 150," in text
    assert "30 permutations" in text
    assert "family-wise error" in text
    assert f"p = {groups.p_structure:.3g}" in text
    assert "(gamma = 0.5)" in text


def test_example_a_graph_of_unknown_origin_has_no_such_words():
    with refuses("no-provenance", "graph"):
        Graph("ab", [(0, 1)]).describe_methods()
    assert len(citations(Graph("ab", [(0, 1)]))) == 2
    assert len(citations(Graph("ab", [], provenance={"method": "plrhc", "references": [3]}))) == 2
    assert citations(markhood.learn(VALUES))[0].startswith("The network of 6")
