"""The average-product correction of scores."""

import numpy as np
import pytest

from markhood.search.ranking import Means


def test_oracle_the_product_of_two_means_over_that_of_all():
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((7, 7)), 1)
    scores = upper + upper.T
    means = Means.from_sums(scores.sum(axis=1), 7)
    pairs = np.column_stack(np.triu_indices(7, 1))
    off = [np.delete(row, k).mean() for k, row in enumerate(scores)]
    of_all = scores[np.triu_indices(7, 1)].mean()
    expected = [off[i] * off[j] / of_all for i, j in pairs]
    np.testing.assert_allclose(means.expected(pairs), expected)


def test_example_where_no_pair_has_a_score_nothing_is_expected():
    means = Means.from_sums(np.zeros(4), 4)
    assert means.expected(np.array([[0, 1], [2, 3]])).tolist() == [0.0, 0.0]


def test_example_negative_and_small_means_are_divided_by():
    means = Means.from_sums(np.array([-1e-6, -2e-6, -3e-6]), 3)
    assert means.expected(np.array([[0, 2]]))[0] == pytest.approx(0.5e-6 * 1.5e-6 / -1e-6)


@pytest.mark.parametrize("n_varying", [0, 1])
def test_example_one_variable_has_no_pairs(n_varying):
    means = Means.from_sums(np.zeros(1), n_varying)
    assert (means.of_variables.tolist(), means.of_all) == ([0.0], 0.0)
