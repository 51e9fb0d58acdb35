from itertools import combinations
from math import log

import numpy as np
import pytest

from markhood.kernels.lists import Lists
from markhood.scores.bic import Bic
from markhood.scores.criterion import blanket_table
from oracles.networks import awkward, network
from oracles.packing import pack, samples_of
from oracles.scoring import bic


def all_blankets(d, target):
    others = [v for v in range(d) if v != target]
    return [list(b) for size in range(d) for b in combinations(others, size)]


@pytest.mark.parametrize("seed", [0, 1])
def test_oracle_every_blanket_of_six_variables(kernels, seed):
    values = network(seed, 300, 6, strength=2.0)
    for target in range(6):
        blankets = all_blankets(6, target)
        targets = np.full(len(blankets), target)
        nothing = Lists.of([[]] * len(blankets))
        scores, _ = kernels.toggle_scores(
            pack(values), targets, Lists.of(blankets), nothing, Bic(0.5).costs(300, 6)
        )
        expected = [bic(values, target, b) for b in blankets]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-8)


def test_oracle_every_blanket_of_awkward_variables(native_kernels):
    values = awkward(3, 60)[:, :6]
    d = values.shape[1]
    for target in range(d):
        blankets = all_blankets(d, target)
        targets = np.full(len(blankets), target)
        nothing = Lists.of([[]] * len(blankets))
        costs = Bic(1.0).costs(60, d)
        scores, _ = native_kernels.toggle_scores(
            pack(values), targets, Lists.of(blankets), nothing, costs
        )
        expected = [bic(values, target, b, gamma=1.0) for b in blankets]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("gamma", [0, 0.5, 2.0])
def test_oracle_the_score_of_a_table(gamma):
    values = network(4, 200, 6)
    for blanket in ([], [1], [0, 1, 3, 4, 5]):
        table = blanket_table(samples_of(values), 2, blanket)
        assert Bic(gamma).score(table) == pytest.approx(bic(values, 2, blanket, gamma), abs=1e-8)


def test_example_prices():
    assert Bic(0.5).costs(100, 11) == (log(100) / 2, 0.5 * log(10), (0, 0))
    assert Bic(0).costs(100, 11).variable == 0
    assert Bic(1).costs(100, 1).variable == 0  # alone, there is nothing to choose from
