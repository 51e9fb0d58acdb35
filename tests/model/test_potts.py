"""Potts models: exact answers against enumeration, and transformations that keep a distribution."""

import numpy as np
import pytest
from hypothesis import given, settings

from markhood.data.variables import Variables
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.potts.exact import Forest, JunctionTree, States
from markhood.model.potts.model import PottsModel
from messages import refuses
from model.potts_enumerated import log_potential, marginal, probabilities
from model.strategies import models, potts_models

quick = settings(max_examples=30, deadline=None)
triangle = Graph("abc", [(0, 1), (0, 2), (1, 2)])


def check_exact(exact, model):
    probability, log_partition = probabilities(model)
    assert exact.log_partition == pytest.approx(log_partition, abs=1e-9)
    for i, found in enumerate(exact.marginals):
        np.testing.assert_allclose(found, marginal(probability, [i], found.shape), atol=1e-12)
    for edge, found in zip(model.graph.edges.tolist(), exact.pair_marginals, strict=True):
        expected = np.reshape(marginal(probability, edge, found.shape), found.shape)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@quick
@given(potts_models())
def test_oracle_enumeration(model):
    tree = JunctionTree.of(model.n_levels.tolist(), model.graph.edges)
    check_exact(tree.exact(model.graph.edges, model.tables, model.fields), model)
    states = States.of(model.graph.edges, model.tables, model.fields)
    expected = list(probabilities(model)[0].values())
    np.testing.assert_allclose(states.probability.ravel(), expected)


@quick
@given(potts_models(forest=True))
def test_oracle_messages_on_forests(model):
    assert isinstance(model._exact_sampler, Forest)
    check_exact(model._exact, model)


@quick
@given(potts_models(most=4))
def test_oracle_log_potential_and_conditionals(model):
    probability, _ = probabilities(model)
    states = list(probability)[:: max(1, len(probability) // 40)]
    expected = [log_potential(model, state) for state in states]
    np.testing.assert_allclose(model.log_potential(states), expected, atol=1e-12)
    for i, found in enumerate(model.conditionals(states)):
        for state, row in zip(states, found, strict=True):
            levels = range(model.n_levels[i])
            weights = [probability[(*state[:i], a, *state[i + 1 :])] for a in levels]
            np.testing.assert_allclose(row, np.array(weights) / sum(weights), atol=1e-12)


@quick
@given(models(most=6))
def test_property_two_levels_are_an_ising_model(ising):
    tables = [[[0.0, 0.0], [0.0, coupling]] for coupling in ising.couplings]
    potts = PottsModel(ising.graph, tables, [[0.0, field] for field in ising.fields])
    assert potts.log_partition() == pytest.approx(ising.log_partition(), abs=1e-10)
    np.testing.assert_allclose([levels[1] for levels in potts.marginals()], ising.marginals())
    pairs = np.reshape(potts.pair_marginals(), (-1, 2, 2))
    np.testing.assert_allclose(pairs, ising.pair_marginals(), atol=1e-12)
    states = ising.sample(20, seed=1)
    ones = [levels[:, 1] for levels in potts.conditionals(states)]
    np.testing.assert_allclose(np.transpose(ones), ising.conditionals(states))


@quick
@given(potts_models())
def test_property_zero_sum_is_the_same_distribution(model):
    gauged = model.zero_sum()
    for axis in (0, 1):
        assert all(np.abs(table.sum(axis=axis)).max() < 1e-12 for table in gauged.tables)
    assert all(abs(field.sum()) < 1e-12 for field in gauged.fields)
    states = list(probabilities(model)[0])
    difference = gauged.log_potential(states) - model.log_potential(states)
    np.testing.assert_allclose(difference, difference[0], atol=1e-9)
    for one, other in zip(gauged.tables, gauged.zero_sum().tables, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_example_strong_tables_do_not_overflow():
    model = PottsModel(Graph("ab", [(0, 1)]), [5000.0 * np.eye(3)])
    assert model.log_partition() == pytest.approx(5000.0 + np.log(3.0))
    np.testing.assert_allclose(model.pair_marginals()[0], np.eye(3) / 3)


def test_example_levels_come_from_tables_fields_or_the_caller():
    graph = Graph("abc", [(0, 1)])
    table = np.zeros((2, 3))
    assert PottsModel(graph, [table], n_levels=[2, 3, 4]).n_levels.tolist() == [2, 3, 4]
    fields = [np.zeros(r) for r in (2, 3, 5)]
    assert PottsModel(graph, [table], fields).n_levels.tolist() == [2, 3, 5]
    assert PottsModel(Graph("ab", []), [], n_levels=3).n_levels.tolist() == [3, 3]
    assert repr(PottsModel(graph, [table], fields)) == (
        "<PottsModel: 3 variables of 2 to 5 levels, 1 tables>"
    )


square = [np.zeros((3, 3))] * 3
potts, stepped = PottsModel, PottsModel.from_steps


@pytest.mark.parametrize(
    ("make", "code", "where"),
    [
        (lambda: potts(triangle, square[:1]), "model-invalid", "tables"),
        (lambda: potts(triangle, square, [[0.0]]), "model-invalid", "fields"),
        (lambda: potts(triangle, ["a", "b", "c"]), "model-invalid", "tables"),
        (lambda: potts(triangle, [1.0, 2.0, 3.0]), "model-invalid", "tables"),
        (lambda: potts(triangle, [*square[:2], np.zeros((3, 1))]), "model-invalid", "tables"),
        (lambda: potts(triangle, [*square[:2], np.zeros((3, 257))]), "model-invalid", "tables"),
        (lambda: potts(triangle, [*square[:2], [[np.inf] * 3] * 3]), "model-invalid", "tables"),
        (lambda: potts(triangle, [*square[:2], np.zeros((2, 3))]), "model-invalid", "b"),
        (lambda: potts(triangle, square, n_levels=2), "model-invalid", "a"),
        (lambda: potts(Graph("ab", []), []), "option-needed", "n_levels"),
        (lambda: potts(Graph("ab", []), [], n_levels=1), "option-value", "levels"),
        (lambda: potts(Graph("ab", []), [], n_levels=[2, 300]), "option-value", "levels"),
        (lambda: potts(Graph("ab", []), [], n_levels=[2, 2, 2]), "option-value", "levels"),
        (lambda: potts(Graph("ab", []), [], n_levels=2.5), "option-value", "levels"),
        (lambda: potts(Graph([], []), []), "model-invalid", "graph"),
        (lambda: stepped(triangle, [1.0], [[0, 0]] * 3), "model-invalid", "couplings"),
        (lambda: stepped(triangle, [1.0] * 3, [[0, 0]] * 2), "model-invalid", "fields"),
        (lambda: stepped(Graph(Variables(("a",), ((1, 2, 3),)), []), [], [[0, 0]]),
         "model-invalid", "a"),
        (lambda: potts(triangle, square).log_potential([1, 0, 1]), "model-data", "samples"),
        (lambda: potts(triangle, square).conditionals([[1, 0, 3]]), "model-data", "c"),
        (lambda: potts(triangle, square).conditionals([[1, 0.5, 2]]), "model-data", "b"),
    ],
)  # fmt: skip
def test_example_bad_input_is_refused(make, code, where):
    with refuses(code, where):
        make()


def test_example_graphs_with_many_cycles_have_no_exact_answer():
    pairs = [(i, j) for i in range(14) for j in range(i)]
    model = PottsModel(Graph([f"x{i}" for i in range(14)], pairs), [np.zeros((3, 3))] * len(pairs))
    with refuses("model-size", "graph"):
        model.marginals()
    with refuses("model-size", "method"):
        model.sample(10, method="exact")


def test_example_the_binary_class_says_the_same():
    ising = IsingModel(triangle, [1.0, -2.0, 0.5], [0.1, 0.2, 0.3])
    tables = [[[0.0, 0.0], [0.0, coupling]] for coupling in ising.couplings]
    gauged = PottsModel(triangle, tables, [[0.0, field] for field in ising.fields]).zero_sum()
    couplings, fields = ising.to_spins()
    np.testing.assert_allclose([table[1, 1] for table in gauged.tables], couplings)
    np.testing.assert_allclose([field[1] for field in gauged.fields], fields)
