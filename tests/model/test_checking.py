"""The check of a model finds what a pairwise network cannot have, and little else."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.data.variables import Variables
from markhood.model.checking.third_order import third_order_tests
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.layout import Layout
from messages import refuses


def states(d):
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1


def drawn(d, n, seed, third=0.0, missing_edge=False):
    """Draw from a ring with a chord that makes 0, 1, 2 a triangle, with a third-order term there."""
    x = states(d).astype(float)
    edges = [(i, (i + 1) % d) for i in range(d)] + [(0, 2)]
    logs = third * x[:, 0] * x[:, 1] * x[:, 2] - x @ np.full(d, 0.7)
    for i, j in edges:
        logs += x[:, i] * x[:, j]
    shares = np.exp(logs - logs.max())
    rng = np.random.default_rng(seed)
    values = states(d)[rng.choice(2**d, n, p=shares / shares.sum())]
    return values, markhood.Graph([f"x{k}" for k in range(d)], edges[missing_edge:])


def xor(n, seed, d=5):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (n, d))
    return np.where((np.arange(d) == 2) & (rng.random(n) < 0.8)[:, None],
                    (values[:, 0] ^ values[:, 1])[:, None], values)  # fmt: skip


def no_three_way(table):
    """Fit the log-linear model without a third-order term by iterative scaling; return 2 l."""
    fitted = np.full_like(table, table.sum() / table.size)
    for _ in range(2000):
        for axis in range(3):
            fitted *= table.sum(axis=axis, keepdims=True) / fitted.sum(axis=axis, keepdims=True)
    return 2 * (table * np.log(table / fitted)).sum()


@pytest.mark.parametrize("seed", range(4))
def test_oracle_the_statistic_of_three_variables_is_the_likelihood_ratio(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(8, 20))
    values = states(3)[rng.choice(8, 20_000, p=shares)]
    table = np.zeros((2, 2, 2))
    np.add.at(table, tuple(values.T), 1.0)
    variables = Variables(tuple("abc"), ((0, 1),) * 3)
    layout = Layout(variables, np.array([[0, 1], [0, 2], [1, 2]]))
    found = third_order_tests(layout, Observed(values.T.astype(np.uint16), np.ones(len(values))))
    assert (found.effects / found.errors) ** 2 == pytest.approx(no_three_way(table), rel=0.1)
    assert found.has_all
    assert found.in_graph.tolist() == [True]


def test_example_a_planted_term_is_found_with_its_size():
    values, graph = drawn(6, 4000, 1, third=1.0)
    found = markhood.check_model(graph, values, replicates=20)
    first = found.third_order_rows()[0]
    assert (first["first"], first["second"], first["third"]) == ("x0", "x1", "x2")
    assert first["triangle"] == 1
    assert first["effect"] == pytest.approx(1, abs=3 * first["error"])
    assert "interact beyond pairs" in found.findings()[0]


def test_example_a_triple_xor_is_found_although_no_pair_depends():
    values = xor(500, 3)
    graph = markhood.learn(values)
    assert graph.n_edges == 0
    found = markhood.check_model(graph, values, replicates=20)
    first = found.third_order_rows()[0]
    assert [first[n] for n in ("first", "second", "third", "triangle")] == ["x0", "x1", "x2", 0]
    assert found.p_values["third_order"] < 1e-6


def test_property_alarms_are_rare_where_the_network_is_pairwise():
    alarms = np.zeros(4)
    for seed in range(40):
        values, graph = drawn(6, 600, seed)
        p_values = markhood.check_model(graph, values, replicates=40).p_values
        assert list(p_values) == ["third_order", "pairs", "triples", "sum_score"]
        alarms += np.array(list(p_values.values())) <= 0.05
    assert (alarms <= 6).all()  # a binomial with probability 0.05 exceeds 6 of 40 in 0.3 %


def test_example_an_edge_that_the_graph_lacks_deviates_but_is_no_third_order_term():
    values, graph = drawn(6, 4000, 2, missing_edge=True)
    found = markhood.check_model(graph, values, replicates=40)
    assert found.p_values["third_order"] > 0.05
    assert found.p_values["pairs"] < 0.05
    first = found.pair_rows()[0]
    assert (first["source"], first["target"], first["edge"]) == ("x0", "x1", 0)
    assert any("covariances of pairs" in text for text in found.findings())


def test_property_sum_scores_are_distributions():
    values, graph = drawn(6, 500, 3)
    rows = markhood.check_model(graph, values, replicates=30).sum_score_rows()
    assert [row["sum_score"] for row in rows] == list(range(7))
    for name in ("observed", "expected"):
        assert sum(row[name] for row in rows) == pytest.approx(1)
    counts = np.bincount(values.sum(axis=1), minlength=7) / 500
    assert [row["observed"] for row in rows] == pytest.approx(counts.tolist())


def test_property_frequencies_count_as_repeated_rows():
    values, graph = drawn(5, 300, 4, third=1.0)
    distinct, counts = np.unique(values, axis=0, return_counts=True)
    one = markhood.check_model(graph, values, replicates=20)
    names = list(graph.nodes)
    table = pd.DataFrame(distinct, columns=names)
    other = markhood.check_model(
        graph, table, replicates=20, weights=counts, weights_are="frequencies"
    )
    for a, b in zip(one.third_order_rows(), other.third_order_rows(), strict=True):
        assert [a[name] for name in ("first", "second", "third")] == [
            b[name] for name in ("first", "second", "third")
        ]
        assert a["effect"] == pytest.approx(b["effect"], rel=1e-6)
        assert a["p_value"] == pytest.approx(b["p_value"], rel=1e-6)


def test_property_copies_in_clusters_do_not_add_evidence():
    values, graph = drawn(5, 300, 5, third=1.0)
    plain = markhood.check_model(graph, values, replicates=20, clusters=np.arange(300))
    copied = markhood.check_model(
        graph, np.tile(values, (4, 1)), replicates=20, clusters=np.tile(np.arange(300), 4)
    )
    ones, others = ({(r["first"], r["second"], r["third"]): r for r in f.third_order_rows()}
                    for f in (plain, copied))  # fmt: skip
    for key, row in ones.items():
        ratio = row["effect"] / row["error"]
        assert others[key]["effect"] / others[key]["error"] == pytest.approx(ratio, abs=0.2)


def test_example_ordered_and_nominal_levels():
    rng = np.random.default_rng(0)
    values = xor(1500, 6, d=4)
    table = pd.DataFrame(values, columns=list("abcd"))
    table["a"] = table["a"] * 2 + rng.integers(0, 2, 1500)  # four ordered levels
    table["b"] = np.array(["no", "yes", "maybe"])[np.where(rng.random(1500) < 0.2, 2, table["b"])]
    kinds = {"a": "ordinal", "b": "nominal"}
    found = markhood.check_model(markhood.learn(table, kinds=kinds), table, replicates=20)
    first = found.third_order_rows()[0]
    assert {first["first"], first["second"], first["third"]} == {"a", "b", "c"}
    assert first["p_adjusted"] < 0.001
    assert first["p_adjusted"] <= 1


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_example_many_categories_are_not_tested():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (400, 3)), columns=list("abc")).astype(str)
    for name in "def":
        table[name] = rng.choice([f"{name}{k}" for k in range(10)], 400)
    graph = markhood.learn(table, kinds="nominal")
    found = markhood.check_model(graph, table, replicates=20)
    tested = {frozenset((r["first"], r["second"], r["third"])) for r in found.third_order_rows()}
    assert frozenset("abc") in tested
    assert frozenset("def") not in tested


def test_example_incomplete_samples_are_left_out_with_a_warning():
    values, graph = drawn(6, 800, 1)
    table = pd.DataFrame(values.astype(float), columns=graph.nodes)
    table.iloc[::10, 0] = np.nan
    graph = markhood.learn(table.dropna())
    with pytest.warns(markhood.DataWarning, match="80 of 800"):
        found = markhood.check_model(graph, table, replicates=20)
    assert found.n_samples == 720
    with refuses("too-few-rows"):
        markhood.check_model(graph, table.assign(x1=np.nan).astype(float), replicates=20)


def test_example_continuous_covariates_are_in_the_regressions():
    values, _ = drawn(5, 800, 2)
    table = pd.DataFrame(values, columns=list("abcde"))
    table["age"] = np.random.default_rng(0).normal(40, 9, 800)
    graph = markhood.learn(table, adjust_for=["age"])
    found = markhood.check_model(graph, table, replicates=20)
    assert list(found.p_values) == ["third_order"]
    assert found.pair_rows() == found.triple_rows() == found.sum_score_rows() == []


def test_example_the_command_prints_findings_and_writes_tables(tmp_path):
    values = xor(500, 3)
    data, graph, third = (tmp_path / name for name in ("x.csv", "g.json", "third.csv"))
    pd.DataFrame(values, columns=list("abcde")).to_csv(data, index=False)
    markhood.write_graph(markhood.learn(data), graph)
    result = CliRunner().invoke(
        app, ["check", str(graph), str(data), "-o", str(third), "--replicates", "20"]
    )
    assert result.exit_code == 0, result.output
    assert "a, b and c interact beyond pairs" in result.output
    assert pd.read_csv(third).iloc[0][["first", "second", "third"]].tolist() == ["a", "b", "c"]
