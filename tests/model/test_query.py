"""Distributions given evidence, against enumeration of all states."""

from itertools import product

import numpy as np
import pytest

import markhood
from markhood.data.matching import UNKNOWN
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.fitted.query import _absorbed, answer
from messages import refuses

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


def numbered(targets, evidence):
    """Return the numbers of targets, and the level numbers of the evidence."""
    codes = np.full(len(NAMES), UNKNOWN, np.uint16)
    for name, level in evidence.items():
        codes[NAMES.index(name)] = LEVELS[NAMES.index(name)].index(level)
    return [NAMES.index(name) for name in targets], codes


def by_enumeration(model, targets, evidence):
    """Sum the probabilities of all states that agree with the evidence."""
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
def test_oracle_chains_if_sums_are_too_large(model, targets, evidence):
    question = numbered(targets, evidence)
    found = answer(model, *question, seed=1, most_states=6)
    assert found.method == "sampled"
    assert "standard error" in repr(found)
    off = np.abs(found.probabilities - by_enumeration(model, targets, evidence))
    assert 0 < found.error < 0.01
    assert off.max() < 4 * found.error
    again = answer(model, *question, seed=1, most_states=6)
    np.testing.assert_array_equal(found.probabilities, again.probabilities)


def test_example_variables_that_the_evidence_separates_are_left_out(model):
    (target,), codes = numbered("e", {"d": "x"})
    tables, fields = model.distribution.as_tables()
    edges = model.distribution.graph.edges
    assert _absorbed(edges, tables, fields, codes, [target])[:2] == ([target], [])


def test_example_a_level_for_missing_values_is_not_evidence_by_default():
    table = [["no", None], ["yes", 1], ["yes", None], ["no", 2], ["yes", 1]] * 20
    model = markhood.fit_model(Graph("ab", [(0, 1)]), table, missing="level")
    given = model.query("a", {"b": None}).probabilities
    both = model.query(["a", "b"]).probabilities
    k = model.levels[1].index(None)
    np.testing.assert_allclose(given, both[:, k] / both[:, k].sum())
    np.testing.assert_allclose(model.query("a").probabilities, both.sum(axis=1))


@pytest.mark.parametrize(
    ("targets", "evidence", "finding"),
    [
        ("a", {"a": "yes"}, ("option-conflict", "a")),
        ("a", {"g": 1}, ("graph-unknown", "g")),
        ("g", {}, ("graph-unknown", "g")),
        ([], {}, ("option-needed", "target")),
    ],
)
def test_example_bad_questions_are_refused(model, targets, evidence, finding):
    with refuses(*finding):
        model.query(targets, evidence)
    with pytest.raises(InputError, match="'b' has the value 9"):
        model.query("a", {"b": 9})


def test_example_too_many_targets_at_once(model):
    with refuses("model-size", "targets"):
        answer(model, *numbered("ab", {}), seed=0, most_states=5)
