"""What holds for every estimator: scikit-learn's own checks, and agreement with `learn()`."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import markhood
from markhood import (
    PLRHC,
    Bayes,
    BlanketsJointPosterior,
    ChowLiu,
    HillClimbing,
    L1Logistic,
    MarginalPseudoLikelihood,
    Pairwise,
    PseudoLikelihood,
)
from markhood.learning.methods import METHODS
from markhood.paper.experiment import Cell, Sampling, draw
from messages import refuses

ESTIMATORS = {
    "plrhc": PLRHC(),
    "hc": HillClimbing(),
    "bayes": Bayes(),
    "l1lr": L1Logistic(),
    "mpl": MarginalPseudoLikelihood(),
    "bjp": BlanketsJointPosterior(),
    "pairwise": Pairwise(),
    "chow-liu": ChowLiu(),
    "plm": PseudoLikelihood(),
}


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([*{**ESTIMATORS, "bayes": Bayes(sweeps=2, chains=2)}.values()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("method", ESTIMATORS)
def test_every_method_is_an_estimator_and_the_same_graph_on_any_number_of_threads(method):
    samples, _ = draw(Cell("hub", 64, 500), 0, Sampling())
    values = np.unpackbits(
        samples.words.view(np.uint8), axis=1, count=samples.n_samples, bitorder="little"
    ).T
    graph = markhood.learn(samples, method)
    for n_jobs in (1, 2, 4):
        fitted = clone(ESTIMATORS[method]).set_params(n_jobs=n_jobs).fit(values)
        assert fitted.graph_ == graph
    assert graph.provenance["method"] == method
    assert fitted.adjacency_.sum() == 2 * graph.n_edges
    if method in ("pairwise", "plm"):  # edges are of pairs, and there are no blankets
        assert not hasattr(fitted, "score")
    else:
        assert fitted.blanket_scores_.sum() == pytest.approx(fitted.score_)
        assert fitted.score(values) < 0
    assert {tuple(e) for e in graph.edges} <= {tuple(e) for e in fitted.or_graph_.edges}
    assert sum(n.sum() for n in fitted.evaluations_.values()) > 0


def test_every_method_that_learn_knows_is_here():
    assert ESTIMATORS.keys() == METHODS.keys()


@pytest.mark.parametrize("method", ESTIMATORS)
def test_every_estimator_knows_what_learn_knows(method):
    samples, _ = draw(Cell("hub", 64, 500), 0, Sampling())
    names = samples.names
    known = markhood.Knowledge(
        required_edges=[(names[0], names[63])],
        forbidden_edges=np.array([[0, 1], [5, 2]]),
        groups={name: k % 3 for k, name in enumerate(names)},
        group_rule="within",
    )
    fitted = clone(ESTIMATORS[method]).set_params(knowledge=known).fit(samples)
    assert fitted.graph_ == markhood.learn(samples, method, knowledge=known)
    assert fitted.get_params()["knowledge"] is known
    assert fitted.graph_.provenance["known"] == {
        "required_edges": 1,
        "forbidden_edges": 2,
        "groups": 3,
        "group_rule": "within",
    }
    assert (names[0], names[63]) in fitted.graph_.edge_names()
    clash = replace(known, required_edges=[(0, 1)], groups=None, group_rule="any")
    with refuses("constraints"):
        fitted.set_params(knowledge=clash).fit(samples)


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("method", ESTIMATORS)
def test_every_estimator_has_a_model(method):
    samples, _ = draw(Cell("hub", 64, 500), 0, Sampling())
    fitted = clone(ESTIMATORS[method]).fit(samples)
    copies = (pickle.loads(pickle.dumps(fitted)), copy.copy(fitted))
    prior = getattr(fitted, "coupling_scale_", 2.5)
    expected = markhood.fit_model(fitted.graph_, samples, prior=prior)
    for own in (fitted, *copies):
        np.testing.assert_array_equal(own.model_.couplings, expected.couplings)
    assert pickle.loads(pickle.dumps(fitted)).model_.prior == prior


def test_groups_without_a_rule_leave_the_graph_as_it_is():
    samples, _ = draw(Cell("hub", 64, 500), 0, Sampling())
    groups = {name: f"scale {k % 3}" for k, name in enumerate(samples.names)}
    found = markhood.learn(samples, knowledge=markhood.Knowledge(groups=groups))
    assert found == markhood.learn(samples)
    assert found.provenance["knowledge"]["groups"] == groups
