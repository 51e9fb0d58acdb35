"""The test of independence against numerical integration, and what its door refuses."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import dblquad, tplquad

from markhood.scores.independence import independence_test, log_complement, log_factorials
from messages import refuses
from oracles.independence import log_independence
from oracles.networks import network
from oracles.packing import samples_of


def dependent(counts):
    """Likelihood of a table, integrated over all tables of probabilities: the density is 6."""
    (a, b), (c, d) = counts
    value, _ = tplquad(
        lambda z, y, x: 6 * x**a * y**b * z**c * (1 - x - y - z) ** d,
        0, 1, 0, lambda x: 1 - x, 0, lambda x, y: 1 - x - y,
        epsabs=0, epsrel=1e-9,
    )  # fmt: skip
    return value


def independent(counts):
    """Likelihood of the two margins, each with density 6 q (1 - q)."""
    (x0, x1), (y0, y1) = np.sum(counts, axis=1), np.sum(counts, axis=0)
    value, _ = dblquad(
        lambda q, r: 36 * q ** (x0 + 1) * (1 - q) ** (x1 + 1) * r ** (y0 + 1) * (1 - r) ** (y1 + 1),
        0, 1, 0, 1,
        epsabs=0, epsrel=1e-9,
    )  # fmt: skip
    return value


def integrated(tables, n_slices):
    p = 0.5 ** (1 / n_slices)
    tables = [*tables, *[[[0, 0], [0, 0]]] * (n_slices - len(tables))]
    probability = 1.0
    for counts in tables:
        h, g = dependent(counts), independent(counts)
        probability *= p * g / (p * g + (1 - p) * h)
    return np.log(probability)


def samples_with(tables, n_given):
    """Data whose slices, the first of all configurations, have these tables."""
    rows = []
    for k, counts in enumerate(tables):
        configuration = [k >> z & 1 for z in range(n_given)]
        for x, y in np.ndindex(2, 2):
            rows += [[x, y, *configuration]] * counts[x][y]
    return samples_of(np.array(rows, dtype=np.uint8))


@pytest.mark.parametrize(
    ("tables", "n_given"),
    [
        ([[[1, 0], [0, 0]]], 0),
        ([[[3, 0], [0, 2]]], 0),
        ([[[2, 1], [1, 2]]], 0),
        ([[[0, 4], [1, 3]], [[2, 0], [0, 1]]], 1),
        ([[[1, 1], [1, 1]]], 1),
        ([[[2, 0], [1, 0]], [[0, 0], [0, 3]], [[1, 2], [2, 1]]], 2),
        ([[[5, 0], [0, 5]], [[1, 0], [0, 0]]], 3),
    ],
)
def test_oracle_numerical_integration(tables, n_given):
    found = independence_test(samples_with(tables, n_given), 0, 1, range(2, 2 + n_given))
    assert found == pytest.approx(integrated(tables, 2**n_given), rel=1e-8)


def test_example_no_samples_in_most_slices_leave_the_prior():
    samples = samples_of(network(1, 50, 32))
    assert independence_test(samples, 0, 1, range(2, 32)) == pytest.approx(np.log(0.5), abs=1e-3)


def test_example_dependence_that_a_third_variable_explains():
    rng = np.random.default_rng(2)
    cause = rng.integers(0, 2, size=1000)
    one, other = (np.where(rng.random(1000) < 0.9, cause, 1 - cause) for _ in range(2))
    frame = pd.DataFrame({"cause": cause, "one": one, "other": other})
    assert independence_test(frame, "one", "other") < -100
    assert independence_test(frame, "one", "other", ["cause"]) > np.log(0.8)
    assert independence_test(frame, 1, 2, [0]) == independence_test(
        frame, "other", "one", ["cause"]
    )


@pytest.mark.parametrize(
    ("arguments", "code", "where"),
    [
        ((0, 0), "option-value", ""),
        ((0, 1, [1]), "option-value", ""),
        ((0, "x1", [2, 2]), "option-value", ""),
        ((0, 5), "unknown-column", "5"),
        ((-1, 1), "unknown-column", "-1"),
        ((0, 1.5), "unknown-column", "1.5"),
        (("x0", "y"), "unknown-column", "y"),
    ],
)
def test_example_variables_that_are_not_there_or_there_twice(arguments, code, where):
    with refuses(code, where):
        independence_test(network(3, 50, 5), *arguments)


def test_oracle_complement_near_zero_and_one():
    values = network(4, 400, 5)
    for given in ([], [2], [2, 3]):
        for j in (1, 4):
            independence, dependence = log_independence(values, 0, j, given)
            assert log_complement(np.array(independence)) == pytest.approx(dependence, rel=1e-9)
    tiny = np.array([-1e-300, -1e-20, -40.0, -800.0])
    expected = [np.log(1e-300), np.log(1e-20), -np.exp(-40.0), 0.0]
    np.testing.assert_allclose(log_complement(tiny), expected, rtol=1e-14)


def test_example_log_factorials():
    np.testing.assert_allclose(log_factorials(1), np.log([1, 1, 2, 6, 24]), atol=1e-15)
