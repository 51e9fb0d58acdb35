"""Score tests: influences, statistics for permuted labels, and which pairs are compared."""

import numpy as np
import pytest
from scipy.optimize import minimize

import markhood
from markhood.data.coding.encode import encode
from markhood.execution.runner import Runner
from markhood.learning.run import kernels_named
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability import groups
from markhood.stability.replicates import WEAK
from markhood.stability.score_tests import PRIOR_DEVIATION, ScoreTest
from messages import warns
from oracles.networks import network

RNG = np.random.default_rng(3)
BINARY = network(5, 200, 4, strength=1.5)
SECOND = np.repeat([False, True], [120, 80])


def job_of(values, **options):
    samples = encode(values, **options)
    return Job(samples, scorer_for(samples, Bic(0.5), kernels_named("native")), Runner(1))


def every_pair(d):
    return np.column_stack(np.triu_indices(d, 1))


def test_oracle_the_difference_is_one_newton_step_from_the_pooled_fit():
    """Compute the step of a penalised likelihood in which the second group has its own slopes."""
    found = ScoreTest.of([job_of(BINARY)], every_pair(4), 80)
    change = (SECOND - 0.4) @ found.influence.couplings
    wanted = np.zeros((4, 4))
    for i in range(4):
        others = [j for j in range(4) if j != i]
        x = np.column_stack([np.ones(200), BINARY[:, others] - BINARY[:, others].mean(axis=0)])
        y, prior = BINARY[:, i], np.append(0, np.full(3, WEAK.penalty.l2))
        loss = lambda b: np.logaddexp(0, x @ b).sum() - y @ x @ b + prior @ b**2  # noqa: B023
        b = minimize(loss, np.zeros(4), tol=1e-10).x
        p = 1 / (1 + np.exp(-x @ b))
        spread = x[:, 1:].std(axis=0) * y.std() / PRIOR_DEVIATION
        information = (x.T * p * (1 - p)) @ x * 0.24 + np.diag(np.append(0, spread**2))
        step = np.linalg.solve(information, x.T @ ((y - p) * (SECOND - 0.4)))
        wanted[i, others] = step[1:]
    wanted = (wanted + wanted.T)[np.triu_indices(4, 1)] / 2
    np.testing.assert_allclose(change, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kinds", ["ordinal", "nominal"])
def test_property_three_levels_do_not_depend_on_their_order_or_reference(kinds):
    values = BINARY + network(6, 200, 4, strength=1.0)
    turned = 2 - values
    labels = np.array([SECOND, RNG.permutation(SECOND)])
    one, two = (
        ScoreTest.of([job_of(own, kinds=kinds)], every_pair(4), 80).statistics(labels)
        for own in (values, turned)
    )
    for name in ("edges", "strength", "centrality_strength"):
        # The pooled fit of nominal variables depends slightly on the reference level.
        np.testing.assert_allclose(one[name], two[name], atol=0.1 if kinds == "nominal" else 1e-4)


def test_property_statistics_are_standard_normal_over_permutations():
    values = np.column_stack([BINARY[:, :2], BINARY[:, 2:] + BINARY[:, :2]])
    found = ScoreTest.of([job_of(values, kinds="nominal")], every_pair(4), 80)
    labels = np.array([RNG.permutation(SECOND) for _ in range(2000)])
    edges = found.statistics(labels)["edges"]
    assert (np.diff(found.starts) > 1).any()
    assert ((edges > 1.645).mean(axis=0) < 0.08).all()
    assert ((edges > 1.645).mean(axis=0) > 0.025).all()


def test_property_frequency_weights_are_repeated_samples():
    counts = RNG.integers(1, 4, 200)
    rows = np.repeat(np.arange(200), counts)
    # The share of the second group is that of its samples, so it must not depend on the weights.
    half = np.arange(200) % 2 == 0
    weighted = ScoreTest.of([job_of(BINARY, weights=counts)], every_pair(4), 100)
    repeated = ScoreTest.of([job_of(BINARY[rows])], every_pair(4), len(rows) // 2)
    one = (half - 0.5) @ weighted.influence.couplings
    two = (half[rows] - 0.5) @ repeated.influence.couplings
    np.testing.assert_allclose(one, two, rtol=0.02, atol=0.01)


def test_example_many_variables_are_screened(monkeypatch):
    monkeypatch.setattr(groups, "MOST_WORK", 1.0)
    with warns("pairs-screened"):
        found = markhood.compare_groups(BINARY, by=SECOND, permutations=9, n_jobs=1)
    assert 0 < len(found.edges) < 6


def test_property_forbidden_pairs_are_not_compared():
    knowledge = markhood.Knowledge(forbidden_edges=[("x0", "x1")])
    found = markhood.compare_groups(
        BINARY, by=SECOND, permutations=9, n_jobs=1, knowledge=knowledge
    )
    assert [0, 1] not in found.edges.tolist()
    assert len(found.edges) == 5
