import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import markhood
from markhood import PLRHC, HillClimbing, InputError
from messages import ignores, warns


@pytest.fixture(scope="module")
def data():
    """A chain x0 - x1 - x2, and x3 on its own."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=(500, 4))
    x[:, 1] = np.where(rng.random(500) < 0.8, x[:, 0], x[:, 1])
    x[:, 2] = np.where(rng.random(500) < 0.8, 1 - x[:, 1], x[:, 2])
    return x


@pytest.mark.parametrize(("estimator", "method"), [(PLRHC(), "plrhc"), (HillClimbing(), "hc")])
def test_same_graph_as_learn(estimator, method, data):
    fitted = clone(estimator).fit(data)
    assert fitted.graph_ == markhood.learn(data, method)
    assert fitted.graph_.edges.tolist() == [[0, 1], [1, 2]]


def test_fitted_attributes(data):
    fitted = PLRHC().fit(data)
    assert issparse(fitted.adjacency_)
    assert isinstance(fitted.adjacency_, csr_array)
    assert fitted.adjacency_.dtype == np.bool_
    np.testing.assert_array_equal(fitted.adjacency_.toarray(), fitted.adjacency_.toarray().T)
    assert fitted.blanket_scores_.shape == (4,)
    assert fitted.score_ == pytest.approx(fitted.blanket_scores_.sum())
    assert set(fitted.evaluations_) == {"screen", "blankets", "climb"}
    assert fitted.n_features_in_ == 4
    assert not hasattr(fitted, "feature_names_in_")
    assert {tuple(e) for e in fitted.screened_graph_.edges} >= {(0, 1), (1, 2)}
    assert not hasattr(HillClimbing().fit(data), "screened_graph_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_a_frame_are_kept(frame, data):
    named = frame({name: data[:, k] for k, name in enumerate("abcd")})
    fitted = PLRHC().fit(named)
    assert fitted.feature_names_in_.tolist() == list("abcd")
    assert fitted.graph_.edge_names() == [("a", "b"), ("b", "c")]


def test_coupling_signs_and_infinity(data):
    attraction, repulsion = PLRHC().fit(data).graph_.coupling
    assert attraction > 0 > repulsion
    copied = np.column_stack([data[:, 0], 1 - data[:, 0], data[:, 3]])
    with warns("identical-columns", where="x1"):
        assert PLRHC().fit(copied).graph_.coupling.tolist() == [-np.inf]


def test_score_is_the_mean_log_pseudo_likelihood(data):
    """Of binary variables with at most one neighbour, so that frequencies are the fit."""
    pair = data[:, :2]
    fitted = PLRHC().fit(pair)
    expected = 0.0
    for target, other in ((0, 1), (1, 0)):
        for sample in pair:
            alike = pair[pair[:, other] == sample[other], target]
            expected += np.log(np.mean(alike == sample[target])) / len(pair)
    assert fitted.score(pair) == pytest.approx(expected, abs=1e-9)


def test_score_keeps_probabilities_off_zero_and_one(data):
    copied = np.column_stack([data[:, 0], data[:, 0]])
    with ignores("identical-columns"):
        fitted = PLRHC().fit(copied)
    assert fitted.score(copied) == pytest.approx(2 * np.log(1 - 1 / 1000))
    contradiction = np.array([[0, 1]])
    assert fitted.score(contradiction) == pytest.approx(2 * np.log(1 / 1000))


def test_score_gives_values_never_seen_the_smallest_probability(data):
    fitted = PLRHC().fit(data)
    strange = data[:1] + np.array([0, 0, 5, 0])
    assert fitted.score(strange) < fitted.score(data[:1])
    assert fitted.score(strange) < np.log(1 / (2 * len(data)))


def test_works_in_cross_validation(data):
    assert (cross_val_score(PLRHC(), data, cv=3) < 0).all()


@pytest.mark.parametrize(
    "parameters", [{"gamma": -1}, {"depth": 0}, {"rule": "xor"}, {"criterion": "aic"}]
)
def test_bad_parameters_are_refused_when_fitting(parameters, data):
    with pytest.raises(InputError, match=next(iter(parameters))):
        PLRHC(**parameters).fit(data)


def test_shows_itself_in_a_notebook_with_its_graph_once_fitted():
    coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    estimator = PLRHC()
    assert "PLRHC" in estimator._repr_html_()
    assert "<strong>Graph</strong>" not in estimator._repr_html_()
    estimator.fit(coins)
    graph = estimator.graph_._repr_html_()
    assert estimator._repr_html_().endswith(graph)
    assert estimator._repr_mimebundle_()["text/html"].endswith(graph)
    with sklearn.config_context(display="text"):
        assert set(estimator._repr_mimebundle_()) == {"text/plain"}
