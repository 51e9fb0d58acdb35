"""Fits of sites in linkage: nearly every blanket is separated, or nearly so."""

import numpy as np
import pytest

from markhood.kernels import greedy
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import NO_PENALTY, Costs
from oracles.logistic import log_likelihood
from oracles.networks import linked
from oracles.packing import pack

FREE = Costs(0.0, 0.0)  # the score is the likelihood itself
COSTS = Costs(np.log(500) / 2, 2.0)


def everyone_else(d):
    return np.arange(d), Lists.of([np.delete(np.arange(d), t) for t in range(d)])


def directly(kernels, bits, targets, blankets):
    """Each fit by itself, from the beginning."""
    return kernels.fit_blankets(bits, targets, Lists.of(blankets), NO_PENALTY).log_likelihoods


def test_example_one_less_is_the_fit_of_the_others(native_kernels):
    """A strong member's slope is far from where the others belong without it: a place to begin that never leads back."""
    values = linked(0, 500, 60)
    bits = pack(values)
    targets, others = everyone_else(values.shape[1])
    blankets = native_kernels.grow_blankets(bits, targets, others, COSTS).members
    _, without = native_kernels.toggle_scores(bits, targets, blankets, blankets, FREE)
    ends = [(t, member) for t in targets for member in blankets[t]]
    fewer = [blankets[t][blankets[t] != member] for t, member in ends]
    expected = directly(native_kernels, bits, np.array([t for t, _ in ends]), fewer)
    np.testing.assert_allclose(without, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("size", [2, 5, 9])
def test_oracle_one_more_given_separated_members(native_kernels, size):
    """Rows that are certain already are left out when another member comes."""
    values = linked(size, 400, 24)
    d = values.shape[1]
    target, blanket = (
        d // 2,
        np.delete(np.arange(d // 2 - size // 2 - 1, d // 2 + size), size // 2 + 1)[:size],
    )
    others = np.setdiff1d(np.arange(d), [target, *blanket])
    _, toggled = native_kernels.toggle_scores(
        pack(values), np.array([target]), Lists.of([blanket]), Lists.of([others]), FREE
    )
    expected = [log_likelihood(values, target, sorted([*blanket, other])) for other in others]
    np.testing.assert_allclose(toggled, expected, rtol=0, atol=1e-6)


def test_example_bounds_spare_most_fits_and_change_nothing(native_kernels):
    values = linked(4, 500, 40)
    bits, (targets, others) = pack(values), everyone_else(values.shape[1])

    def score(target, blanket):
        own = np.array(blanket, dtype=np.int64)
        likelihood = directly(native_kernels, bits, np.array([target]), [own])[0]
        return likelihood - COSTS.parameter * (len(own) + 1) - COSTS.variable * len(own)

    found = native_kernels.grow_blankets(
        bits, targets[::6], Lists.of([others[t] for t in targets[::6]]), COSTS
    )
    expected = greedy.grow_blankets(
        score, targets[::6], Lists.of([others[t] for t in targets[::6]])
    )
    assert found.members.values.tolist() == expected.members.values.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-7)
    assert found.n_bounded > 0.6 * found.evaluations[2:].sum()
