import numpy as np
import pytest

from markhood.simulate.networks import cycle, grid
from markhood.simulate.pieces import sample_in_pieces
from markhood.simulate.potentials import (
    POTENTIALS,
    NormalCouplings,
    SignedCouplings,
    UniformCouplings,
    from_log_tables,
    ising,
    ordinal,
    potts,
)
from messages import refuses


def test_oracle_tables_give_the_product_of_the_tables():
    graph = cycle(4)
    tables = np.random.default_rng(1).random((4, 2, 2))
    couplings, fields = from_log_tables(graph, np.log(tables))
    states = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    i, j = graph.edges.T
    product = [np.prod(tables[np.arange(4), x[i], x[j]]) for x in states]
    in_model = states @ fields + (states[:, i] * states[:, j]) @ couplings
    np.testing.assert_allclose(np.log(product) - in_model, np.log(tables[:, 0, 0]).sum())


def test_example_uniform_tables_are_logistic_differences():
    couplings = ising(grid(10000), seed=1).couplings
    # The log of a U(0, 1) variable has variance 1, so the sum of four has variance 4. The mean of
    # 19800 values is outside of five standard errors with a probability below 1e-6.
    assert abs(couplings.mean()) < 5 * 2 / np.sqrt(len(couplings))
    assert couplings.var() == pytest.approx(4.0, rel=0.1)


def test_example_other_potentials():
    graph = grid(100)
    uniform = ising(graph, UniformCouplings(0.5, 0.75), seed=1)
    assert ((uniform.couplings >= 0.5) & (uniform.couplings <= 0.75)).all()
    assert not uniform.fields.any()
    signs = ising(graph, SignedCouplings(0.3, fields=0.5), seed=1)
    assert set(signs.couplings) == {-0.3, 0.3}
    assert signs.fields.std() == pytest.approx(0.5, rel=0.3)
    normal = ising(graph, NormalCouplings(2.0), seed=1)
    assert normal.couplings.std() == pytest.approx(2.0, rel=0.2)
    assert not normal.fields.any()


@pytest.mark.parametrize("potentials", POTENTIALS)
def test_example_seeds(potentials):
    first, same, other = (ising(grid(16), potentials, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.couplings, same.couplings)
    np.testing.assert_array_equal(first.fields, same.fields)
    assert (first.couplings != other.couplings).any()


@pytest.mark.parametrize(
    ("potentials", "finding"),
    [
        ("gauss", ("option-unknown", "potentials")),
        (NormalCouplings(-1.0), ("option-value", "scale")),
        (NormalCouplings(fields=np.nan), ("option-value", "fields")),
        (UniformCouplings(1.0, 0.0), ("option-value", "low")),
    ],
)
def test_example_bad_potentials_are_refused(potentials, finding):
    with refuses(*finding):
        ising(cycle(4), potentials)


def test_oracle_two_levels_are_the_ising_model_of_the_same_tables():
    graph = grid(16)
    tables = potts(graph, 2, seed=5)
    couplings, fields = from_log_tables(graph, np.array(tables.tables))
    np.testing.assert_array_equal(couplings, ising(graph, seed=5).couplings)
    np.testing.assert_array_equal(fields, ising(graph, seed=5).fields)


def test_example_levels_are_repeated():
    model = potts(grid(9), [2, 3, 4, 5], seed=1)
    assert model.n_levels.tolist() == [2, 3, 4, 5, 2, 3, 4, 5, 2]
    assert potts(cycle(3), 64, seed=1).tables[0].shape == (64, 64)


@pytest.mark.parametrize("potentials", POTENTIALS)
def test_example_tables_of_every_kind(potentials):
    first, same, other = (potts(grid(16), 3, potentials, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.tables, same.tables)
    assert (np.array(first.tables) != other.tables).any()


def test_example_tables_and_fields_have_the_spread_asked_for():
    model = potts(grid(400), [3, 4], NormalCouplings(0.5, fields=2.0), seed=1)
    entries = np.concatenate([table.ravel() for table in model.tables])
    assert entries.std() == pytest.approx(0.5, rel=0.05)
    assert np.concatenate(model.fields).std() == pytest.approx(2.0, rel=0.1)
    assert not np.concatenate(potts(grid(9), 3, seed=1).fields).any()
    # exp of an entry is uniform, with the mean 1/2 and the variance 1/12.
    uniform = np.exp(np.concatenate([t.ravel() for t in potts(grid(400), 3, seed=1).tables]))
    assert uniform.mean() == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / len(uniform)))


@pytest.mark.parametrize("levels", [1, [2, 300], [], 2.5])
def test_example_bad_levels_are_refused(levels):
    with refuses("option-value", "levels"):
        potts(cycle(4), levels)


def test_oracle_two_ordered_levels_are_the_ising_model():
    two, binary = ordinal(grid(9), 2, seed=5), ising(grid(9), seed=5)
    states = np.array(np.meshgrid(*[[0, 1]] * 9)).reshape(9, -1).T
    np.testing.assert_allclose(two.log_potential(states), binary.log_potential(states), atol=1e-12)


def test_oracle_scores_of_ordered_levels_have_the_mean_and_spread_of_0_and_1():
    counts = np.resize([2, 3, 5], 9)
    model, binary = ordinal(grid(9), [2, 3, 5], seed=5), ising(grid(9), seed=5)
    states = np.random.default_rng(1).integers(0, counts, size=(200, 9))
    scores = 0.5 + (states - (counts - 1) / 2) / (2 * np.sqrt((counts**2 - 1) / 12))
    i, j = model.graph.edges.T
    expected = scores @ binary.fields + (scores[:, i] * scores[:, j]) @ binary.couplings
    found = model.log_potential(states)
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-9)


def test_example_samples_of_ordered_levels_are_ordered():
    model = ordinal(grid(9), [3, 5], seed=1)
    assert set(model.graph.variables.kinds) == {"ordinal"}
    for samples in (model.sample_packed(100, seed=1), sample_in_pieces(model, 100, seed=1)):
        assert set(samples.variables.kinds) <= {"ordinal", "binary"}
