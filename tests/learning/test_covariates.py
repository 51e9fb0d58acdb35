"""Covariates: in every blanket's regression, and nowhere in the graph."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.kernels.lists import Lists
from markhood.kernels.reference.pair_fit import fit_pair
from markhood.kernels.tables import codes
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.learning.imputation.learn_imputed import drawn
from markhood.learning.methods import METHODS
from markhood.learning.preparing import covariates_last
from markhood.search.ibmap import CachedTests
from markhood.search.l1_paths import l1_blankets
from markhood.search.values.constraints import Constraints
from markhood.stability.resampling import FromModel
from oracles.graph_chain import settled_probabilities
from oracles.independence import log_independence
from oracles.jobs import job_of
from oracles.l1 import l1_logistic
from oracles.log_linear import ratio_without_interaction
from oracles.networks import network
from oracles.packing import samples_of
from oracles.scoring import bic

RNG = np.random.default_rng(4)
AGE = RNG.integers(0, 3, 800)


def confounded():
    """Two answers that both depend on age and on nothing else, and a third that depends on one."""
    chance = np.array([0.1, 0.5, 0.9])[AGE]
    a, b = (RNG.random((2, 800)) < chance).astype(int)
    c = np.where(RNG.random(800) < 0.8, a, 1 - a)
    return pd.DataFrame({"a": a, "age": AGE, "b": b, "c": c, "d": RNG.integers(0, 2, 800)})


DATA = confounded()


EVERY_WAY = [
    *(
        (method, {"rule": rule})
        for method in ("plrhc", "hc")
        for rule in ("global", "or", "and", "pair")
    ),
    *(("mpl", {"rule": rule}) for rule in ("global", "or", "and")),
    ("plrhc", {"max_candidates": 2}),
    ("bayes", {}),
    ("pairwise", {}),
    ("pairwise", {"ranking": "mi", "top": 1}),
    ("pairwise", {"ranking": "mi_apc", "top": 1}),
    ("l1lr", {}),
    ("l1lr", {"refit": False, "standardize": True, "rule": "and"}),
    ("chow-liu", {}),
    ("bjp", {}),
    ("plm", {}),
]
NAMES = [f"{method} {options}" for method, options in EVERY_WAY]


def test_property_every_method_is_tried():
    assert {method for method, _ in EVERY_WAY} == set(METHODS)


@pytest.mark.parametrize(("method", "options"), EVERY_WAY, ids=NAMES)
def test_example_what_a_covariate_explains_is_no_edge(method, options):
    plain = markhood.learn(
        DATA.drop(columns="age"), method, **options | ({"top": 2} if "top" in options else {})
    )
    adjusted = markhood.learn(DATA, method, adjust_for=["age"], kinds="nominal", **options)
    assert plain.has_edge("a", "b")
    assert adjusted.nodes == ("a", "b", "c", "d")
    assert adjusted.edge_names() == [("a", "c")]
    assert adjusted.provenance["adjusted_for"] == ["age"]
    assert adjusted.provenance["data"]["variables"] == 4
    assert "network of 4 binary variables" in adjusted.describe_methods()
    assert "adjusted for age" in adjusted.describe_methods()


@pytest.mark.parametrize(("method", "options"), EVERY_WAY, ids=NAMES)
@pytest.mark.parametrize("age", ["nominal", "ordinal"])
def test_property_a_weight_is_a_repeated_row(method, options, age):
    weights = np.random.default_rng(2).integers(1, 4, len(DATA))
    repeated = DATA.loc[DATA.index.repeat(weights)].reset_index(drop=True)
    how = {"adjust_for": ["age"], "kinds": {"age": age}, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)  # some methods know no order
        graphs = [
            markhood.learn(
                DATA,
                method,
                weights=weights,
                table=markhood.TableFormat(weights_are="frequencies"),
                **how,
            ),
            markhood.learn(repeated, method, **how),
        ]
    assert graphs[0].edge_names() == graphs[1].edge_names()
    np.testing.assert_allclose(graphs[0].evidence, graphs[1].evidence, rtol=1e-3)
    np.testing.assert_allclose(graphs[0].coupling, graphs[1].coupling, rtol=1e-2)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("plrhc", {}),
        ("hc", {"rule": "pair"}),
        ("pairwise", {}),
        ("l1lr", {}),
        ("bjp", {}),
        ("plm", {"penalty": 1e-6}),
    ],
    ids=str,
)  # fmt: skip
def test_oracle_a_coupling_is_the_slope_beside_the_covariate(method, options):
    import statsmodels.api as sm

    graph = markhood.learn(DATA, method, adjust_for="age", kinds="nominal", **options)
    beside = ["b", "d"] if method == "plm" else []  # which has all others in every regression
    dummies = pd.get_dummies(DATA["age"], drop_first=True).astype(float)
    ends = []
    for target, other in (("a", "c"), ("c", "a")):
        design = sm.add_constant(pd.concat([DATA[[other, *beside]], dummies], axis=1))
        design.columns = design.columns.astype(str)
        ends.append(sm.Logit(DATA[target], design).fit(disp=0).params[other])
    wanted = [np.mean(ends)] * 2 if method == "plm" else ends
    np.testing.assert_allclose(graph.coupling_ends[0], wanted, atol=0.02 if beside else 1e-6)


def ratios_by_fitting():
    """The likelihood ratio of every pair given age, by iterative proportional fitting."""
    names = ["a", "b", "c", "d"]
    return {
        pair: ratio_without_interaction(*(DATA[name].to_numpy() for name in (*pair, "age")))
        for pair in combinations(names, 2)
    }


def test_oracle_pairwise_keeps_the_pairs_whose_ratio_exceeds_the_price():
    graph = markhood.learn(DATA, "pairwise", gamma=0.0, adjust_for="age", kinds="nominal")
    price = np.log(len(DATA)) / 2
    kept = [pair for pair, ratio in ratios_by_fitting().items() if ratio > price]
    assert graph.edge_names() == kept
    of_all = markhood.learn(
        DATA, "pairwise", ranking="mi", top=6, adjust_for="age", kinds="nominal"
    )
    found = dict(zip(of_all.edge_names(), of_all.annotations["mi"], strict=True))
    expected = {pair: ratio / len(DATA) for pair, ratio in ratios_by_fitting().items()}
    assert found == pytest.approx(expected, abs=1e-6)


def test_oracle_chow_liu_is_the_heaviest_tree_of_these_ratios():
    import networkx as nx

    graph = markhood.learn(DATA, "chow-liu", forest=False, adjust_for="age", kinds="nominal")
    weighted = nx.Graph()
    for (i, j), ratio in ratios_by_fitting().items():
        weighted.add_edge(i, j, weight=ratio)
    tree = nx.maximum_spanning_tree(weighted)
    assert set(map(frozenset, graph.edge_names())) == set(map(frozenset, tree.edges))


def test_oracle_bjp_tests_given_the_covariate():
    values = DATA[["a", "b", "c", "d"]].to_numpy()[:60]
    cause = (AGE[:60] > 0).astype(int)
    samples = markhood.encode(np.column_stack([values, cause]))
    tests = CachedTests(job_of(samples, constraints=Constraints(covariates=np.array([4]))))
    assert tests.marginal.shape == (4, 4)
    both = np.column_stack([values, cause])
    for i, j in combinations(range(4), 2):
        expected = float(log_independence(both, i, j, [4])[0])
        assert tests.marginal[i, j] == pytest.approx(expected, abs=1e-8)


def test_oracle_l1_supports_are_those_of_a_path_with_the_covariate_free():
    values = np.column_stack([network(4, 300, 6, strength=1.5), RNG.integers(0, 2, 300)])
    values[:, :3] ^= (RNG.random((300, 3)) < 0.4) & (values[:, [6]] > 0)
    known = Constraints(covariates=np.array([6]))
    found = l1_blankets(
        job_of(samples_of(values), constraints=known),
        gamma=0.5,
        standardize=False,
        refit=True,
        n_lambdas=8,
    )
    for target in range(6):
        others = np.delete(np.arange(7), target)
        x, y = values[:, others].astype(float), values[:, target].astype(float)
        is_free = others == 6
        b0, b = l1_logistic(x, y, np.where(is_free, 1e-6, 1e3))
        r = y - 1 / (1 + np.exp(-b0 - x @ b))
        top = np.max(np.abs(x[:, ~is_free].T @ r)) / len(y)
        supports = {(6,): None}
        for bound in np.geomspace(top, top / 100, 8)[1:]:
            _, b = l1_logistic(x, y, np.where(is_free, 1e-6, bound))
            supports[tuple(sorted({*others[np.flatnonzero(b)].tolist(), 6}))] = None
        scores = {support: bic(values, target, support) for support in supports}
        best = max(scores, key=scores.__getitem__)
        assert (*found.members[target].tolist(), 6) == best


def test_oracle_probabilities_are_those_of_chains_whose_fits_have_the_covariate():
    """Enumerate the graphs of three nodes with a binary cause, at the learned density and scale."""
    values = np.column_stack([DATA["a"], DATA["b"], DATA["c"], AGE > 0]).astype(np.int64)[:150]
    found = markhood.Bayes(adjust_for=["x3"], edge_prior=0.3, sweeps=4000, chains=2, n_jobs=1).fit(
        pd.DataFrame(values, columns=["x0", "x1", "x2", "x3"])
    )
    pairs, scale = list(combinations(range(3), 2)), found.coupling_scale_
    bits = samples_of(values).bits

    def probability(pair, graph):
        edges = {e for e, there in zip(pairs, graph, strict=True) if there}
        i, j = pairs[pair]
        given = [sorted(w for e in edges if v in e for w in e if w not in (i, j)) for v in (i, j)]
        fitted = fit_pair(bits, i, j, *given, scale, n_covariates=1)
        return 1 / (1 + np.exp(-fitted.log_bayes_factor(scale) - np.log(0.3 / 0.7)))

    expected = settled_probabilities(probability, 3)
    p = dict(zip(map(tuple, found.pairs_.tolist()), found.probabilities_, strict=True))
    assert [p[pair] for pair in pairs] == pytest.approx(expected, abs=0.02)
    assert 0.02 < min(expected) < 0.5


def test_property_without_covariates_nothing_changes():
    values = network(3, 300, 8)
    samples = markhood.encode(values)
    plain = METHODS["plrhc"]().search(job_of(samples))
    known = METHODS["plrhc"]().search(job_of(samples, constraints=Constraints()))
    np.testing.assert_array_equal(plain.edges, known.edges)
    assert markhood.learn(values) == markhood.learn(values, adjust_for=())


def test_property_where_the_covariate_stands_does_not_matter():
    first = markhood.learn(DATA[["age", "a", "b", "c", "d"]], adjust_for=["age"])
    last = markhood.learn(DATA[["a", "b", "c", "d", "age"]], adjust_for=["age"])
    assert first == last == markhood.learn(DATA, columns=["a", "b", "c", "d"], adjust_for=["age"])


def test_property_a_constant_or_doubled_covariate_changes_no_edge():
    once = markhood.learn(DATA, adjust_for=["age"])
    more = DATA.assign(again=DATA["age"], same=1)
    with pytest.warns(markhood.DataWarning):
        doubled = markhood.learn(more, adjust_for=["age", "again", "same"])
    assert doubled.edge_names() == once.edge_names()


def with_holes(share, columns, seed=0):
    """A larger table of the same kind, some of whose values are missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 3, 1500)
    a, b = (rng.random((2, 1500)) < np.array([0.1, 0.5, 0.9])[age]).astype(int)
    c = np.where(rng.random(1500) < 0.8, a, 1 - a)
    table = pd.DataFrame({"a": a, "b": b, "c": c, "age": np.array(["x", "y", "z"])[age]})
    table = table.astype(object)
    for column in columns:
        table.loc[rng.random(1500) < share, column] = None
    return table


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("columns", [["a", "c"], ["age"], ["a", "b", "c", "age"]], ids=str)
def test_example_missing_values_are_imputed_given_covariates(method, columns):
    graph = markhood.learn(
        with_holes(0.25, columns),
        method,
        adjust_for=["age"],
        missing="impute",
        n_jobs=1,
        run=markhood.Run(imputations=3),
    )
    assert graph.nodes == ("a", "b", "c")
    assert graph.edge_names() == [("a", "c")]
    assert np.isfinite(graph.evidence).all()


def test_property_a_covariate_is_drawn_given_the_nodes():
    """Drawn from its margin, it would lose a quarter of its association, and a - b would appear."""
    table = with_holes(0.5, ["age"])
    samples = covariates_last(markhood.encode(table, missing="impute"), ["age"])
    job = job_of(samples, constraints=Constraints(covariates=np.array([3])))
    values = ImputedSamples(samples, np.random.default_rng(1))
    by_margin = values.samples()
    for _ in range(8):
        by_nodes = drawn(job, np.array([[0, 2]]), values).samples
    pair = np.array([[0, 1]])
    alone = Lists.empty(1)
    gains = [
        float(job.on(own).scorer.pair_gains(pair, alone, alone, 0.5)[0])
        for own in (by_margin, by_nodes)
    ]
    assert gains[0] > 10
    assert gains[1] < 0


def test_example_an_estimator_scores_and_the_bootstrap_draws_with_covariates():
    found = markhood.PLRHC(adjust_for=["age"]).fit(DATA)
    assert found.graph_.n_nodes == 4
    assert -6 < found.score(DATA) < 0
    drawn = markhood.bootstrap(DATA, adjust_for=["age"], replicates=6, n_jobs=1)
    assert drawn.graph.nodes == ("a", "b", "c", "d")
    assert drawn.replicates.pairs.max() < 4
    again = drawn.graph.bootstrap(DATA, replicates=6, n_jobs=1)
    np.testing.assert_equal(again.edges(), drawn.edges())


@pytest.mark.parametrize("age", ["nominal", "ordinal"])
def test_example_a_model_draws_nodes_given_the_covariates(age):
    how = {"adjust_for": ["age"], "kinds": {"age": age}, "n_jobs": 1}
    found = markhood.bootstrap(DATA, resample="model", replicates=30, **how)
    assert found.graph.edge_names() == [("a", "c")]
    assert found.edges()[0]["frequency"] == 1.0
    assert found.replicates.pairs[found.replicates.shares > 0.2].tolist() == [[0, 2]]
    with pytest.raises(markhood.InputError, match="model"):
        markhood.bootstrap(DATA, resample="model", model=object(), replicates=2, **how)


def test_oracle_drawn_nodes_have_the_shares_that_they_have_given_the_covariates():
    samples = covariates_last(markhood.encode(DATA, kinds="nominal"), ["age"])
    edges = [(0, 2), (0, 4), (1, 4), (2, 4), (3, 4)]
    model = markhood.fit_model(markhood.Graph(samples.variables, edges), samples, prior=None)
    drawn = FromModel(model.distribution, 0, n_covariates=1)
    values = np.array(
        [[codes(drawn.drawn(samples, k).bits, v) for v in range(5)] for k in range(60)]
    )
    np.testing.assert_array_equal(values[:, 4], np.tile(DATA["age"], (60, 1)))
    for level in range(3):
        own = level == AGE
        shares = DATA.loc[own, ["a", "b", "c", "d"]].mean()
        np.testing.assert_allclose(values[:, :4, own].mean(axis=(0, 2)), shares, atol=0.02)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"adjust_for": ["agee"]}, "There is no column 'agee': similar names are 'age'."),
        ({"adjust_for": ["age", "a", "b", "c"]}, "a graph needs two"),
        (
            {"knowledge": markhood.Knowledge(required_edges=[("age", "a")])},
            "There is no variable 'age'",
        ),
    ],
)
def test_example_bad_input_is_one_sentence(options, said):
    with pytest.raises(markhood.InputError) as error:
        markhood.learn(DATA, **{"adjust_for": ["age"]} | options)
    assert said in str(error.value)
