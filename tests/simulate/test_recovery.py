"""Recovery of a known network from simulated data."""

import numpy as np
import pytest

import markhood
from markhood.simulate import (
    SignedCouplings,
    disjoint,
    grid,
    hub,
    ising,
    ordinal,
    potts,
    sample_in_pieces,
)


def largest_error(truth, graph):
    """Return the largest error of any table entry; the learned edges must be the true ones."""
    assert graph.edges.tolist() == truth.graph.edges.tolist()
    errors = []
    ends = zip(truth.zero_sum().tables, graph.coupling_tables, graph.coupling, strict=True)
    for expected, table, coupling in ends:
        # Two binary variables have one coupling, the log odds ratio: four times a zero-sum entry.
        found = coupling / 4 * np.array([[1, -1], [-1, 1]]) if table is None else table
        errors.append(np.abs(found - expected).max())
    return max(errors)


@pytest.mark.parametrize("levels", [3, [2, 4, 3, 2, 5]])
def test_oracle_learned_tables_approach_the_true_ones(levels):
    truth = potts(grid(9), levels, seed=2)
    few, many = (truth.sample_packed(n, seed=3) for n in (10_000, 250_000))
    errors = [largest_error(truth, markhood.learn(samples)) for samples in (few, many)]
    # With 25 times the data, errors should fall to about a fifth.
    assert errors[1] < 0.1
    assert errors[1] < errors[0] / 2


def test_oracle_learned_couplings_of_a_step_approach_the_true_ones():
    truth = ordinal(grid(9), [3, 5], SignedCouplings(2.0, fields=1.0), seed=2)
    learned = markhood.learn(truth.sample_packed(40_000, seed=3))
    assert learned.edges.tolist() == truth.graph.edges.tolist()
    np.testing.assert_allclose(learned.coupling, truth.graph.coupling, atol=0.03)


def test_example_blocks_are_learned_apart():
    graph = disjoint([grid(16), hub(16)] * 8)
    found = markhood.learn(sample_in_pieces(ising(graph, seed=1), 4000, seed=2))
    scores = markhood.evaluate.comparison_table(graph, {"plrhc": found})[0]
    assert scores["precision"] > 0.95
    assert scores["recall"] > 0.6
