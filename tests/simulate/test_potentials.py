import numpy as np
import pytest

from markhood.errors import InputError
from markhood.simulate.networks import cycle, grid
from markhood.simulate.potentials import (
    POTENTIALS,
    NormalCouplings,
    SignedCouplings,
    UniformCouplings,
    from_log_tables,
    ising,
)


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
    # A log of U(0, 1) has variance 1, so the sum of four has 4; the mean of 19800 is within five
    # standard errors of 0 but for one seed in a million.
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
    ("potentials", "message"),
    [
        ("gauss", "no potentials 'gauss'; there are 'uniform-tables', 'normal'"),
        (NormalCouplings(-1.0), "scale is -1.0"),
        (NormalCouplings(fields=np.nan), "fields is nan"),
        (UniformCouplings(1.0, 0.0), "low must not be above high"),
    ],
)
def test_example_bad_potentials_are_one_sentence(potentials, message):
    with pytest.raises(InputError, match=message):
        ising(cycle(4), potentials)
