"""The marginal pseudo-likelihood of one blanket, by its formula."""

import numpy as np
import pytest
from scipy.special import gammaln

from markhood.data.coding.encode import encode
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.scores.criterion import blanket_table
from markhood.scores.discrete import scorer_for
from markhood.scores.mpl import Mpl


def by_formula(values, weights, target, blanket, gamma):
    """Sum the log marginal likelihoods of the target in each configuration that occurs."""
    n_levels, total = values[:, target].max() + 1, 0.0
    _, at = np.unique(values[:, blanket], axis=0, return_inverse=True)
    for configuration in range(at.max() + 1):
        own = at.ravel() == configuration
        counts = np.bincount(values[own, target], weights[own], minlength=n_levels)
        total += gammaln(n_levels / 2) - gammaln(counts.sum() + n_levels / 2)
        total += (gammaln(counts + 0.5) - gammaln(0.5)).sum()
    return total - len(blanket) * gamma * np.log(values.shape[1] - 1)


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("blanket", [[], [2], [1, 3, 4]])
def test_oracle_a_blanket_costs_by_the_number_of_variables(levels, blanket):
    rng = np.random.default_rng(levels)
    values, weights = rng.integers(0, levels, (40, 6)), rng.integers(1, 4, 40)
    samples = encode(values, weights=weights, kinds="nominal")
    for gamma in (0.0, 0.5, 2.0):
        expected = by_formula(values, weights, 0, blanket, gamma)
        assert Mpl(gamma).score(blanket_table(samples, 0, blanket)) == pytest.approx(expected)
        scorer = scorer_for(samples, Mpl(gamma), NativeKernels())
        scores, _ = scorer.toggled(np.array([0]), Lists.of([blanket]), Lists.empty(1))
        assert scores[0] == pytest.approx(expected)
