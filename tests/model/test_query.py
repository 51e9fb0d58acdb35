"""Distributions given evidence, against enumeration of all states."""

from itertools import product

import numpy as np
import pytest

import markhood
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.fitted import query
from markhood.model.junction_tree import JunctionTree

NAMES = "abcdef"
LEVELS = [("no", "yes"), (1, 2, 3), (0, 1), ("x", "y", "z"), (-1, 1), (0, 1)]
GRAPH = Graph(NAMES, [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3), (3, 4)])  # cycles, and f alone


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(4)
    table = np.empty((300, 6), dtype=object)
    hidden = rng.random(300)
    for v, own in enumerate(LEVELS):
        mixed = np.where(rng.random(300) < 0.6, hidden, rng.random(300))
        table[:, v] = np.array(own, dtype=object)[(mixed * len(own)).astype(int)]
    return markhood.fit_model(GRAPH, table)


def by_enumeration(model, targets, evidence):
    """Add up the probabilities of all states that agree with the evidence."""
    states = np.array(list(product(*(range(len(own)) for own in LEVELS))))
    weights = np.exp(model.distribution.log_potential(states))
    for name, level in evidence.items():
        v = NAMES.index(name)
        weights = np.where(states[:, v] == LEVELS[v].index(level), weights, 0.0)
    numbers = [NAMES.index(name) for name in targets]
    found = np.zeros([len(LEVELS[v]) for v in numbers])
    np.add.at(found, tuple(states[:, numbers].T), weights)
    return found / found.sum()


QUESTIONS = [
    ("a", {}),
    ("d", {"a": "yes"}),
    ("a", {"d": "z", "e": -1}),
    ("f", {"a": "no"}),
    (["b", "e"], {"c": 1}),
    (["e", "b"], {"c": 1}),
    (["d", "a", "f"], {"b": 2}),
    (list(NAMES), {}),
]


@pytest.mark.parametrize(("targets", "evidence"), QUESTIONS)
def test_oracle_sums_over_all_states(model, targets, evidence):
    found = model.query(targets, evidence)
    assert (found.method, found.error) == ("exact", 0.0)
    np.testing.assert_allclose(
        found.probabilities, by_enumeration(model, targets, evidence), atol=1e-12
    )
    frame = found.to_frame()
    assert list(frame.columns) == [*targets, "probability"]
    assert frame["probability"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("targets", "evidence"), [("d", {"a": "yes"}), (["e", "b"], {"c": 1})])
def test_oracle_chains_where_sums_are_too_large(model, targets, evidence, monkeypatch):
    monkeypatch.setattr(query.JunctionTree, "of", classmethod(lambda *_: None))
    found = model.query(targets, evidence, seed=1)
    assert found.method == "sampled"
    assert "standard error" in repr(found)
    off = np.abs(found.probabilities - by_enumeration(model, targets, evidence))
    assert 0 < found.error < 0.01
    assert off.max() < 4 * found.error
    np.testing.assert_array_equal(
        found.probabilities, model.query(targets, evidence, seed=1).probabilities
    )


def test_example_what_the_evidence_keeps_apart_is_not_summed_over(model, monkeypatch):
    seen = []
    of = JunctionTree.of.__func__
    monkeypatch.setattr(
        query.JunctionTree,
        "of",
        classmethod(lambda cls, levels, edges: seen.append(levels) or of(cls, levels, edges)),
    )
    model.query("e", {"d": "x"})
    assert seen == [[2]]


def test_example_a_level_for_missing_values_is_no_evidence_by_default():
    table = [["no", None], ["yes", 1], ["yes", None], ["no", 2], ["yes", 1]] * 20
    model = markhood.fit_model(Graph("ab", [(0, 1)]), table, missing="level")
    given = model.query("a", {"b": None}).probabilities
    both = model.query(["a", "b"]).probabilities
    k = model.levels[1].index(None)
    np.testing.assert_allclose(given, both[:, k] / both[:, k].sum())
    np.testing.assert_allclose(model.query("a").probabilities, both.sum(axis=1))


@pytest.mark.parametrize(
    ("targets", "evidence", "message"),
    [
        ("a", {"a": "yes"}, "'a' is a target and in the evidence"),
        ("a", {"b": 9}, "'b' has the value 9"),
        ("a", {"g": 1}, "no node named 'g'"),
        ("g", {}, "no node named 'g'"),
        ([], {}, "no target"),
    ],
)
def test_example_bad_questions_get_one_sentence(model, targets, evidence, message):
    with pytest.raises(InputError, match=message):
        model.query(targets, evidence)


def test_example_too_many_targets_at_once(model, monkeypatch):
    monkeypatch.setattr(query, "MOST_STATES", 5)
    with pytest.raises(InputError, match="more than 5 combinations"):
        model.query(["a", "b"])
