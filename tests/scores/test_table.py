import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.scores.criterion import blanket_table
from oracles.counting import counts_by_configuration
from oracles.networks import independent
from oracles.packing import samples_of


def as_dictionary(table):
    return {
        tuple(configuration): counts
        for configuration, counts in zip(
            table.configurations.tolist(), table.counts.tolist(), strict=True
        )
    }


@pytest.mark.parametrize("n_samples", [1, 63, 64, 65, 511, 512, 513])
@pytest.mark.parametrize("blanket", [[], [1], [4, 2], [0, 1, 2, 4, 5]])
def test_oracle_tables_against_counting_by_sample(n_samples, blanket):
    values = independent(n_samples, n_samples, 6)
    table = blanket_table(samples_of(values), 3, blanket)
    assert as_dictionary(table) == counts_by_configuration(values, 3, blanket)
    assert (table.n_samples, table.n_blanket, table.n_variables) == (n_samples, len(blanket), 6)


def test_example_configurations_ascend():
    table = blanket_table(samples_of(independent(1, 300, 6)), 0, [5, 1, 3])
    rows = table.configurations.tolist()
    assert rows == sorted(rows)


@given(seed=st.integers(0, 100), size=st.integers(0, 30))
def test_property_never_more_rows_than_samples(seed, size):
    values = independent(seed, 40, 32)
    table = blanket_table(samples_of(values), 31, range(size))
    assert len(table.counts) <= min(40, 2**size)
    assert (table.counts.sum(axis=1) > 0).all()
    assert table.counts.sum() == 40
    assert table.counts[:, 1].sum() == values[:, 31].sum()


def test_example_a_table_of_counts_is_of_integers():
    table = blanket_table(samples_of(independent(2, 30, 3)), 0, [1])
    assert table.counts.dtype == np.int64
    assert table.configurations.dtype == np.uint16
