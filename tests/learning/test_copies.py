"""`identical=`: columns that no data tell apart, through the whole road."""

import numpy as np
import pandas as pd
import pytest

import markhood
from golden.test_golden import load
from markhood.data.coding.encode import encode
from markhood.data.genome.identical import agreement
from markhood.learning.methods import Plrhc
from markhood.learning.request import Request
from messages import refuses, warns
from oracles.networks import network

VALUES = network(4, 300, 8, strength=1.5)
NAMES = list("abcdefgh")


def with_copies(values, names, seed):
    """Add copies and opposites of some columns, and put all in another order."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, values.shape[1], 6)
    turned = rng.random(6) < 0.5
    copies = np.where(turned, 1 - values[:, which], values[:, which])
    table = pd.DataFrame(
        np.column_stack([values, copies]), columns=[*names, *(f"copy{k}" for k in range(6))]
    )
    stands_for = {f"copy{k}": names[j] for k, j in enumerate(which)}
    return (
        table[rng.permutation(table.columns)],
        stands_for,
        dict(zip(stands_for, turned, strict=True)),
    )


def edges_in(graph, stands_for):
    """Return edges and couplings in the names of the columns that were copied, both signs alike."""
    names = [(stands_for.get(a, a), stands_for.get(b, b)) for a, b in graph.edge_names()]
    return {
        tuple(sorted(pair)): round(abs(c), 6) for pair, c in zip(names, graph.coupling, strict=True)
    }


@pytest.mark.parametrize("name", ["gnp-40-1000", "grid-64-500", "hub-64-1000", "grid-100-2000"])
def test_golden_with_copies_the_graph_of_those_that_stand_for_them_is_golden(name):
    golden = load(name)
    names = [f"v{k}" for k in range(golden["data"].shape[1])]
    table, stands_for, _ = with_copies(golden["data"], names, 1)
    graph = markhood.learn(table, n_jobs=1, genome=markhood.Genome(identical="group"))
    found = {tuple(sorted(int(name[1:]) for name in pair)) for pair in edges_in(graph, stands_for)}
    assert found == {tuple(pair) for pair in np.unique(golden["plrhc"], axis=0).tolist()}
    assert graph.n_nodes == len(names)


def test_property_where_nothing_is_identical_nothing_changes():
    assert markhood.learn(VALUES, genome=markhood.Genome(identical="group")) == markhood.learn(
        VALUES, genome=markhood.Genome(identical="keep")
    )
    assert markhood.learn(VALUES, genome=markhood.Genome(identical="auto")) == markhood.learn(
        VALUES, genome=markhood.Genome(identical=1.0)
    )


@pytest.mark.parametrize("seed", range(4))
def test_property_neither_order_nor_copies_nor_strands_change_the_answer(seed):
    plain = markhood.learn(pd.DataFrame(VALUES, columns=NAMES))
    table, stands_for, turned = with_copies(VALUES, NAMES, seed)
    graph = markhood.learn(table, genome=markhood.Genome(identical="group"))
    assert edges_in(graph, stands_for) == edges_in(plain, {})
    whole = graph.unfold(join=False)
    assert whole.nodes == tuple(table.columns)
    for (a, b), coupling in zip(whole.edge_names(), whole.coupling, strict=True):
        sign = -1 if turned.get(a, False) != turned.get(b, False) else 1
        i, j = (plain.number(stands_for.get(name, name)) for name in (a, b))
        row = plain.edges.tolist().index([min(i, j), max(i, j)])
        assert coupling == pytest.approx(sign * plain.coupling[row], abs=1e-6)


@pytest.mark.parametrize("method", ["hc", "mpl", "l1lr", "bjp", "pairwise", "chow-liu", "bayes"])
def test_property_every_method_learns_from_one_of_each(method):
    table, stands_for, _ = with_copies(VALUES, NAMES, 0)
    graph = markhood.learn(table, method, genome=markhood.Genome(identical="group"))
    kept = table[list(graph.nodes)]
    alone = markhood.learn(kept, method, genome=markhood.Genome(identical="keep"))
    assert graph.n_nodes == len({stands_for.get(name, name) for name in table})
    assert graph.edge_names() == alone.edge_names()
    assert graph.members
    assert not alone.members


def test_example_what_is_known_of_a_member_is_known_of_its_group():
    table = pd.DataFrame(VALUES, columns=NAMES).assign(copy=VALUES[:, 0])
    plain = markhood.learn(table, genome=markhood.Genome(identical="group"))
    other = next(name for name in NAMES[1:] if not plain.has_edge("copy", name))
    assert plain.has_edge("a", other) == plain.has_edge("copy", other)
    graph = markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        knowledge=markhood.Knowledge(required_edges=[("copy", other)]),
    )
    assert graph.has_edge("a", other)
    by_number = markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        knowledge=markhood.Knowledge(required_edges=[(8, NAMES.index(other))]),
    )
    assert by_number == graph
    partner = plain.neighbours("a")[0]
    assert not markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        knowledge=markhood.Knowledge(forbidden_edges=[("copy", partner)]),
    ).has_edge("a", partner)
    with refuses("constraints", "required_edges"):
        markhood.learn(
            table,
            genome=markhood.Genome(identical="group"),
            knowledge=markhood.Knowledge(required_edges=[("copy", "a")]),
        )
    assert (
        markhood.learn(
            table,
            genome=markhood.Genome(identical="group"),
            knowledge=markhood.Knowledge(forbidden_edges=[("copy", "a")]),
        )
        == plain
    )


def test_example_groups_and_covariates_tell_copies_apart():
    table = pd.DataFrame(VALUES, columns=NAMES).assign(copy=VALUES[:, 0], twin=VALUES[:, 0])
    groups = {name: int(name == "copy") for name in table}
    graph = markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        knowledge=markhood.Knowledge(groups=groups, group_rule="between"),
    )
    assert dict(graph.members) == {"a": ("twin",)}
    graph = markhood.learn(table, adjust_for=["copy"], genome=markhood.Genome(identical="group"))
    assert dict(graph.members) == {"a": ("twin",)}


def test_example_missing_values_are_imputed_in_groups():
    table = pd.DataFrame(VALUES, columns=NAMES).astype(float)
    table.loc[::9, "a"] = np.nan
    table = table.assign(copy=1 - table["a"])
    graph = markhood.learn(
        table,
        missing="impute",
        genome=markhood.Genome(identical="group"),
        run=markhood.Run(imputations=2),
    )
    assert dict(graph.members) == {"a": ("copy",)}


def test_example_a_checkpoint_of_groups_is_gone_on_from(tmp_path):
    table, *_ = with_copies(VALUES, NAMES, 0)
    once = markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        run=markhood.Run(checkpoint=tmp_path / "saved"),
    )
    again = markhood.learn(
        table,
        genome=markhood.Genome(identical="group"),
        run=markhood.Run(checkpoint=tmp_path / "saved"),
    )
    assert again == once
    assert again.members == once.members


def test_example_nearly_identical_columns_agree_beyond_chance():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(VALUES, columns=NAMES)
    wrong = rng.random(300) < 0.02
    table["near"] = np.where(wrong, 1 - table["b"], table["b"])
    table["far"] = 1 - np.where(wrong, 1 - table["c"], table["c"])
    rare = (rng.random((300, 2)) < 0.004).astype(int)
    table["rare"], table["rarer"] = rare.T
    graph = markhood.learn(table, genome=markhood.Genome(identical=0.9))
    assert {node: set(own) for node, own in graph.members.items()} == {"b": {"near"}, "c": {"far"}}
    assert graph.variables.members[2][0].opposite
    assert graph.provenance["identical"]["how"] == 0.9
    assert not markhood.learn(table, genome=markhood.Genome(identical="group")).members
    kappa = agreement(encode(table), np.array([[1, 8], [2, 9], [10, 11]]))
    assert kappa[0] > 0.9
    assert kappa[1] < -0.9
    assert abs(kappa[2]) < 0.1


def test_oracle_agreement_is_cohens():
    from sklearn.metrics import cohen_kappa_score

    table = np.random.default_rng(1).integers(0, 3, (80, 4))
    pairs = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
    expected = [cohen_kappa_score(table[:, i], table[:, j]) for i, j in pairs]
    assert agreement(encode(table), pairs) == pytest.approx(expected)


def test_example_other_tables_are_told_of_their_copies():
    table = pd.DataFrame(VALUES, columns=NAMES).assign(
        **{f"copy{k}": VALUES[:, 0] for k in range(10)}
    )
    with warns("identical-columns", where="copy0", facts=("10 columns", "'copy0' of 'a'")):
        graph = markhood.learn(table)
    assert graph.n_nodes == 18
    assert graph.provenance["copies"] == 10
    assert (
        "copies" not in markhood.learn(table, genome=markhood.Genome(identical="keep")).provenance
    )


def test_example_one_copy_or_near_copy_is_named_wherever_it_matters():
    table = pd.DataFrame(VALUES, columns=NAMES)
    exact = table.assign(same=1 - table["a"])
    facts = ("'same' of 'a'",)
    with warns("identical-columns", where="same", facts=facts):
        graph = markhood.learn(exact)
    with warns("identical-columns", where="same", facts=facts):
        markhood.bootstrap(exact, replicates=2)
    with warns("identical-columns", where="same", facts=facts):
        markhood.fit_model(graph, exact)
    near = table.assign(same=table["a"].where(table.index != 3, 1 - table["a"]))
    with warns("identical-columns", where="same", facts=("near copy", *facts)):
        graph = markhood.learn(near)
    with warns("identical-columns", where="same", facts=("near copy", *facts)):
        markhood.fit_model(graph, near)
    kept = markhood.learn(near, genome=markhood.Genome(identical="keep"))
    markhood.fit_model(kept, near)


def test_example_four_hundred_copies_cost_nothing():
    table = np.column_stack([VALUES, *[VALUES[:, :1]] * 400])
    graph = markhood.learn(table, genome=markhood.Genome(identical="group"))
    assert (graph.n_nodes, graph.variables.n_members) == (8, 400)
    assert graph.edges.tolist() == markhood.learn(VALUES).edges.tolist()


@pytest.mark.parametrize("given", ["yes", 0, 1.5, -0.1, True, None, float("nan")])
def test_example_what_is_no_choice(given):
    with pytest.raises(markhood.InputError, match="identical"):
        Request.of(Plrhc(), {"identical": given})


def test_example_bootstrap_groups_and_models_keep_members():
    table, *_ = with_copies(VALUES, NAMES, 0)
    graph = markhood.learn(table, genome=markhood.Genome(identical="group"))
    drawn = graph.bootstrap(table, replicates=2)
    assert drawn.graph == graph
    assert drawn.graph.members == graph.members
    model = markhood.fit_model(graph, table)
    assert model.graph.members == graph.members
    groups = markhood.compare_groups(
        table, by=np.arange(300) % 2, permutations=1, genome=markhood.Genome(identical="group")
    )
    assert groups.graphs[0].variables == graph.variables


def test_example_an_estimator_scores_new_samples_by_one_of_each():
    table, *_ = with_copies(VALUES, NAMES, 0)
    estimator = markhood.PLRHC(genome=markhood.Genome(identical="group")).fit(table)
    alone = markhood.PLRHC().fit(table[list(estimator.graph_.nodes)])
    some = table.iloc[:40]
    assert estimator.score(some) == pytest.approx(alone.score(some[list(estimator.graph_.nodes)]))


def test_example_sites_are_grouped_by_default_and_from_a_packed_folder(tmp_path):
    letters = np.array(["AC", "AC", "GT", "GT", "AC", "GT", "AG", "GA"] * 5)
    alignment = [
        f">s{k}\n{a[0]}{a[1]}{a[0]}T\n>t{k}\n{a[0]}{a[1]}{a[0]}C" for k, a in enumerate(letters)
    ]
    path = tmp_path / "genes.fasta"
    path.write_text("\n".join(alignment))
    assert dict(markhood.learn(path).members) == {"1": ("3",)}
    assert not markhood.learn(path, genome=markhood.Genome(identical="keep")).members
    markhood.pack(path, tmp_path / "packed")
    assert markhood.learn(tmp_path / "packed") == markhood.learn(path)


def test_example_a_forecast_says_what_would_help():
    from markhood.learning.checks.many_parameters import advice

    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, (200, 1))
    table = np.where(rng.random((200, 230)) < 0.75, hidden, 1 - hidden)
    table = np.column_stack([table, table[:, :20]])
    request = Request.of(Plrhc(), {"n_jobs": 1})
    samples = request.prepared(encode(table))
    dense, helps = advice(request, samples, request.forecast(samples))
    assert "candidates" in dense
    assert "identical='group' (for 20 copies), max_candidates=100." in helps
    placed = Request.of(Plrhc(), {"n_jobs": 1, "positions": [10 * k for k in range(250)]})
    sites = placed.prepared(placed.read(encode(table)))
    of_pairs = "method='pairwise', gamma=1.5, remove_indirect=True, min_distance=10000."
    assert advice(placed, sites, placed.forecast(sites))[-1].endswith(of_pairs)
    few = Request.of(Plrhc(max_candidates=30), {"n_jobs": 1})
    assert advice(few, samples, few.forecast(samples)) == []


@pytest.mark.parametrize("levels", [2, 3])
def test_oracle_agreement_of_weighted_samples_is_that_of_repeated_rows(levels):
    rng = np.random.default_rng(2)
    values = rng.integers(0, levels, (90, 4))
    values[:, 1] = np.where(rng.random(90) < 0.2, values[:, 1], values[:, 0])
    weights = np.where(values[:, 0] == values[:, 1], rng.integers(1, 9, 90), 1)
    pairs = np.array([[0, 1], [0, 2], [1, 3]])
    repeated = agreement(encode(np.repeat(values, weights, axis=0)), pairs)
    weighted = agreement(encode(values, weights=weights), pairs)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)
    assert abs(agreement(encode(values), pairs)[0] - repeated[0]) > 0.05


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_property_copies_that_nearly_agree_count_weights():
    table = pd.DataFrame(VALUES, columns=NAMES).assign(copy=VALUES[:, 0])
    table.loc[:30, "copy"] = 1 - table["a"]
    weights = np.where(np.arange(300) <= 30, 1, 9)
    repeated = markhood.learn(
        table.loc[np.repeat(table.index, weights)], genome=markhood.Genome(identical=0.95)
    )
    weighted = markhood.learn(table, weights=weights, genome=markhood.Genome(identical=0.95))
    assert dict(weighted.members) == dict(repeated.members) == {"a": ("copy",)}
    assert weighted.edge_names() == repeated.edge_names()
    np.testing.assert_allclose(weighted.evidence, repeated.evidence)


def test_example_copies_that_nearly_agree_are_found_among_missing_values():
    table = pd.DataFrame(VALUES, columns=NAMES).assign(copy=VALUES[:, 0]).astype(float)
    table.loc[:3, "copy"] = 1 - table["a"]
    table.loc[::9, "a"], table.loc[::7, "copy"] = np.nan, np.nan
    samples = encode(table, missing="impute")
    both = table[["a", "copy"]].dropna().to_numpy(int)
    found = agreement(samples, np.array([[0, 8], [0, 1]]))
    assert found[0] == pytest.approx(agreement(encode(both), np.array([[0, 1]]))[0])
    graph = markhood.learn(
        table,
        missing="impute",
        genome=markhood.Genome(identical=0.9),
        run=markhood.Run(imputations=2),
    )
    assert dict(graph.members) == {"a": ("copy",)}
