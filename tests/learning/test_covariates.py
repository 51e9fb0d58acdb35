"""Covariates: in every blanket's regression, and nowhere in the graph."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.learning.methods import METHODS
from markhood.search.values.knowledge import Knowledge
from oracles.jobs import job_of
from oracles.networks import network

RNG = np.random.default_rng(4)
AGE = RNG.integers(0, 3, 800)


def confounded():
    """Two answers that both depend on age and on nothing else, and a third that depends on one."""
    chance = np.array([0.1, 0.5, 0.9])[AGE]
    a, b = (RNG.random((2, 800)) < chance).astype(int)
    c = np.where(RNG.random(800) < 0.8, a, 1 - a)
    return pd.DataFrame({"a": a, "age": AGE, "b": b, "c": c, "d": RNG.integers(0, 2, 800)})


DATA = confounded()


@pytest.mark.parametrize("method", ["plrhc", "hc", "mpl"])
@pytest.mark.parametrize("rule", ["global", "or", "and"])
def test_example_what_a_covariate_explains_is_no_edge(method, rule):
    plain = markhood.learn(DATA.drop(columns="age"), method, rule=rule)
    adjusted = markhood.learn(DATA, method, rule=rule, adjust_for=["age"], kinds="nominal")
    assert plain.has_edge("a", "b")
    assert adjusted.nodes == ("a", "b", "c", "d")
    assert adjusted.edge_names() == [("a", "c")]
    assert adjusted.provenance["adjusted_for"] == ["age"]
    assert adjusted.provenance["data"]["variables"] == 4
    assert "network of 4 binary variables" in adjusted.describe_methods()
    assert "adjusted for age" in adjusted.describe_methods()


def test_oracle_a_coupling_is_the_slope_beside_the_covariate():
    import statsmodels.api as sm

    graph = markhood.learn(DATA, adjust_for="age", kinds="nominal")
    dummies = pd.get_dummies(DATA["age"], drop_first=True).astype(float)
    ends = []
    for target, other in (("a", "c"), ("c", "a")):
        design = sm.add_constant(pd.concat([DATA[other], dummies], axis=1))
        design.columns = design.columns.astype(str)
        ends.append(sm.Logit(DATA[target], design).fit(disp=0).params[other])
    np.testing.assert_allclose(graph.coupling_ends[0], ends, atol=1e-6)


def test_property_without_covariates_nothing_changes():
    values = network(3, 300, 8)
    samples = markhood.encode(values)
    plain = METHODS["plrhc"]().search(job_of(samples))
    known = METHODS["plrhc"]().search(job_of(samples, knowledge=Knowledge()))
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


def test_example_an_estimator_scores_and_the_bootstrap_draws_with_covariates():
    found = markhood.PLRHC(adjust_for=["age"]).fit(DATA)
    assert found.graph_.n_nodes == 4
    assert -6 < found.score(DATA) < 0
    drawn = markhood.bootstrap(DATA, adjust_for=["age"], replicates=6, n_jobs=1)
    assert drawn.graph.nodes == ("a", "b", "c", "d")
    assert drawn.replicates.pairs.max() < 4
    again = drawn.graph.bootstrap(DATA, replicates=6, n_jobs=1)
    np.testing.assert_equal(again.edges(), drawn.edges())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "l1lr"}, "is for the methods plrhc, hc and mpl"),
        ({"method": "hc", "rule": "pair"}, "with the rules global, or and and"),
        ({"adjust_for": ["agee"]}, "There is no column 'agee': near it are 'age'."),
        ({"adjust_for": ["age", "a", "b", "c"]}, "a graph needs two"),
        ({"missing": "impute", "missing_values": [2]}, "do not go together"),
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
