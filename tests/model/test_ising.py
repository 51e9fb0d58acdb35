import numpy as np
import pytest
from hypothesis import given, settings

from markhood.graph.graph import Graph
from markhood.model.ising.model import Exact, IsingModel
from markhood.model.potts.exact import JunctionTree
from messages import refuses
from model.enumerated import log_potential, pair_table, probabilities
from model.strategies import models

quick = settings(max_examples=40, deadline=None)
triangle = Graph("abc", [(0, 1), (0, 2), (1, 2)])


def check_exact(exact, model):
    probability, log_partition = probabilities(model)
    ones = [sum(p for s, p in probability.items() if s[i]) for i in range(model.n_variables)]
    tables = [pair_table(probability, i, j) for i, j in model.graph.edges.tolist()]
    assert exact.log_partition == pytest.approx(log_partition, abs=1e-10)
    np.testing.assert_allclose(exact.marginals, ones, atol=1e-12)
    np.testing.assert_allclose(exact.pair_marginals, np.reshape(tables, (-1, 2, 2)), atol=1e-12)


@quick
@given(models())
def test_oracle_log_potential_and_conditionals(model):
    probability, _ = probabilities(model)
    states = np.array(list(probability))
    expected = [log_potential(model, state) for state in states.tolist()]
    np.testing.assert_allclose(model.log_potential(states), expected, atol=1e-12)
    conditionals = model.conditionals(states)
    for state, row in zip(states.tolist(), conditionals, strict=True):
        for i in range(model.n_variables):
            one, zero = (probability[(*state[:i], x, *state[i + 1 :])] for x in (1, 0))
            assert row[i] == pytest.approx(one / (one + zero), abs=1e-12)


@quick
@given(models())
def test_oracle_junction_trees(model):
    tree = JunctionTree.of([2] * model.n_variables, model.graph.edges)
    summed = tree.exact(model.graph.edges, *model.as_tables())
    marginals = np.array([levels[1] for levels in summed.marginals])
    pairs = np.array(summed.pair_marginals).reshape(-1, 2, 2)
    check_exact(Exact(summed.log_partition, marginals, pairs), model)


@quick
@given(models(forest=True))
def test_oracle_messages_on_forests(model):
    assert model._forest is not None
    check_exact(model._forest.exact(model.graph.edges), model)


@quick
@given(models())
def test_oracle_exact_answers_choose_their_road(model):
    check_exact(model._exact, model)
    n_components = len(model.graph.components())
    assert (model._forest is None) == (model.graph.n_edges > model.n_variables - n_components)


def test_example_long_chain_agrees_with_transfer_matrices():
    d, coupling, field = 3000, 1.5, -0.7
    model = IsingModel(
        Graph([f"x{i}" for i in range(d)], [(i, i + 1) for i in range(d - 1)]),
        np.full(d - 1, coupling),
        np.full(d, field),
    )
    transfer = np.array([[1.0, np.exp(field)], [1.0, np.exp(field + coupling)]])
    vector, log_partition = np.array([1.0, np.exp(field)]), 0.0
    for _ in range(d - 1):
        vector = vector @ transfer
        log_partition += np.log(vector.sum())
        vector /= vector.sum()
    assert model.log_partition() == pytest.approx(log_partition + np.log(vector.sum()), rel=1e-12)


def test_example_strong_couplings_do_not_overflow():
    model = IsingModel(Graph("ab", [(0, 1)]), [5000.0], [-2500.0, -2500.0])
    # States 00 and 11 have the same weight, the other two have none.
    assert model.log_partition() == pytest.approx(np.log(2.0))
    np.testing.assert_allclose(model.pair_marginals()[0], [[0.5, 0.0], [0.0, 0.5]])
    np.testing.assert_array_equal(model.conditionals([[0, 0], [1, 1]]), [[0.0, 0.0], [1.0, 1.0]])


@quick
@given(models())
def test_property_spin_coding_is_the_same_distribution(model):
    couplings, fields = model.to_spins()
    states = np.array(list(probabilities(model)[0]))
    spins = 2 * states - 1
    i, j = model.graph.edges.T
    in_spins = spins @ fields + (spins[:, i] * spins[:, j]) @ couplings
    difference = in_spins - model.log_potential(states)
    np.testing.assert_allclose(difference, difference[0], atol=1e-10)

    back = IsingModel.from_spins(model.graph, couplings, fields)
    np.testing.assert_allclose(back.couplings, model.couplings, atol=1e-12)
    np.testing.assert_allclose(back.fields, model.fields, atol=1e-12)


def test_example_no_spin_fields_make_every_variable_fair():
    model = IsingModel.from_spins(triangle, [0.4, -0.8, 0.3])
    np.testing.assert_allclose(model.marginals(), 0.5)


fair = IsingModel(triangle, [0.0] * 3)


@pytest.mark.parametrize(
    ("make", "finding"),
    [
        (lambda: IsingModel(triangle, [1.0]), ("model-invalid", "couplings")),
        (lambda: IsingModel(triangle, [1, 2, 3], [1]), ("model-invalid", "fields")),
        (lambda: IsingModel(triangle, ["a", "b", "c"]), ("model-invalid", "couplings")),
        (lambda: IsingModel(triangle, [1, np.inf, 2]), ("model-invalid", "couplings")),
        (lambda: IsingModel(Graph([], []), []), ("model-invalid", "graph")),
        (lambda: fair.log_potential([1, 0, 1]), ("model-data", "samples")),
        (lambda: fair.conditionals([[1, 0, 2]]), ("model-data", "samples")),
    ],
)
def test_example_bad_input_is_refused(make, finding):
    with refuses(*finding):
        make()


def test_example_graphs_with_many_cycles_have_no_exact_answer():
    pairs = [(i, j) for i in range(24) for j in range(i)]
    model = IsingModel(Graph([f"x{i}" for i in range(24)], pairs), np.zeros(len(pairs)))
    with refuses("model-size", "graph"):
        model.marginals()


def test_example_a_long_cycle_has_an_exact_answer():
    cycle = Graph([f"x{i}" for i in range(400)], [(i, (i + 1) % 400) for i in range(400)])
    model = IsingModel.from_spins(cycle, np.full(400, 0.3))
    # From the eigenvalues of the transfer matrix; the state of all zeros has energy 0 here.
    in_spins = np.logaddexp(400 * np.log(2 * np.cosh(0.3)), 400 * np.log(2 * np.sinh(0.3)))
    assert model.log_partition() == pytest.approx(in_spins - 400 * 0.3)


def test_example_a_learned_graph_needs_its_fields():
    learned = Graph("ab", [(0, 1)], coupling_ends=[(1.0, 1.2)])
    with refuses("option-needed", "fields"):
        IsingModel(learned, learned.coupling)
    assert IsingModel(learned, learned.coupling, [0.0, 0.0]).fields.tolist() == [0.0, 0.0]
