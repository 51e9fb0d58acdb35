"""Approximate ratios given real columns, by every backend, against sums over samples."""

import numpy as np
import pytest

from markhood.data.weights import Weights
from markhood.kernels.protocol import Residuals
from oracles.packing import samples_with_levels


def binary(seed, d, n_samples):
    """Draw binary variables with probabilities that are linear in one column."""
    rng = np.random.default_rng(seed)
    column = rng.uniform(-1, 1, n_samples)
    middle, slope = rng.choice([0.06, 0.5], (d, 1)), rng.uniform(-0.5, 0.5, (d, 1))
    chances = middle * (1 + slope * column)
    values = (rng.random((d, n_samples)) < chances).astype(np.int64)
    values[1::3] = np.where(
        rng.random(n_samples) < 0.3, values[::3][: len(values[1::3])], values[1::3]
    )
    values[:, :2] = [0, 1]  # every level occurs
    return values.T, chances, column


def by_samples(values, chances, weights, least_variance):
    """Return the approximate ratios of all pairs, of shape (d, d), from sums over samples."""
    d = values.shape[1]
    found = np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1, d):
            x, y, p, q = values[:, i], values[:, j], chances[i], chances[j]
            score = weights @ (x * y - p * q)
            variance = max(weights @ (p * (1 - p) * q * (1 - q)), least_variance)
            expected = {(1, 1): weights @ (p * q)}
            expected[1, 0] = weights @ x - expected[1, 1]
            expected[0, 1] = weights @ y - expected[1, 1]
            expected[0, 0] = weights.sum() - sum(expected.values())
            cells = {cell: weights @ ((x == cell[0]) & (y == cell[1])) for cell in expected}
            ratio = sum(n * np.log(n / expected[cell]) if n else 0.0 for cell, n in cells.items())
            found[i, j] = ratio * sum(score**2 / e for e in expected.values()) ** -1 * score**2
            found[i, j] /= variance
    return found


@pytest.mark.parametrize("d", [2, 33, 140])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_oracle_ratios_are_those_of_sums_over_samples(kernels, d, is_weighted):
    values, chances, _ = binary(d, d, 90)
    given = Weights(np.arange(90) % 3 + 1) if is_weighted else None
    weights = np.ones(90) if given is None else given.counts.astype(np.float64)
    chances *= (weights @ values / (chances @ weights))[:, np.newaxis]  # as those of a fit
    samples = samples_with_levels(values, given)
    shares = chances * (1 - chances)
    residuals = Residuals(chances * np.sqrt(weights), shares * np.sqrt(weights), 0.2)
    expected = by_samples(values, chances, weights, 0.2)
    tiles = [(range(d), range(d)), (range(d // 3), range(d // 4, d))]
    for rows, columns in tiles:
        found = kernels.associated_residuals(samples.bits, rows, columns, residuals, 1.5)
        passing = np.argwhere(expected >= 1.5)
        inside = (passing[:, 0] < rows.stop) & (passing[:, 1] >= columns.start)
        order = np.lexsort(found.pairs.T[::-1])
        assert found.pairs[order].tolist() == passing[inside].tolist()
        np.testing.assert_allclose(
            found.ratios[order], expected[tuple(passing[inside].T)], rtol=1e-9
        )
    assert d == 2 or len(passing) > 3
