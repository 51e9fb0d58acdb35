"""Dependent zeros and ones to learn from, small and quick to make."""

from __future__ import annotations

import numpy as np


def network(seed, n_samples, n_variables, strength=1.0):
    """Every variable depends on up to three before it, by a logistic regression."""
    rng = np.random.default_rng(seed)
    values = np.zeros((n_samples, n_variables), dtype=np.uint8)
    for v in range(n_variables):
        parents = rng.choice(v, size=min(v, rng.integers(0, 4)), replace=False)
        slopes = rng.normal(0, strength, size=len(parents))
        eta = rng.normal(0, 0.5) + (values[:, parents] - 0.5) @ slopes
        values[:, v] = rng.random(n_samples) < 1 / (1 + np.exp(-eta))
    return values


def independent(seed, n_samples, n_variables):
    """Coins of different fairness; some variables rarely one."""
    rng = np.random.default_rng(seed)
    chances = rng.choice([0.03, 0.3, 0.5, 0.8], size=n_variables)
    return (rng.random((n_samples, n_variables)) < chances).astype(np.uint8)


def hub(seed, n_samples, n_spokes, slope):
    """The last variable depends on all others, which are fair coins."""
    rng = np.random.default_rng(seed)
    spokes = rng.integers(0, 2, size=(n_samples, n_spokes), dtype=np.uint8)
    eta = slope * (spokes - 0.5).sum(axis=1)
    centre = rng.random(n_samples) < 1 / (1 + np.exp(-eta))
    return np.column_stack([spokes, centre.astype(np.uint8)])


def awkward(seed, n_samples):
    """Separated and quasi-separated targets, duplicates, complements, rare levels, a constant."""
    rng = np.random.default_rng(seed)
    values = independent(seed, n_samples, int(rng.integers(5, 9)))
    if rng.random() < 0.5:
        values[:, 0] = values[:, 1] & values[:, 2]
    if rng.random() < 0.3:
        values[:, 0] = (values[:, 1] & values[:, 2]) | (values[:, 0] & values[:, 2])
    if rng.random() < 0.3:
        values[:, 0] |= values[:, 1]
    if rng.random() < 0.3:
        values[:, -1] = 1 - values[:, 1]
    if rng.random() < 0.2:
        values[:, -2] = values[:, 2]
    if rng.random() < 0.2:
        values[:, 3] = 0
        values[0, 3] = 1
    if rng.random() < 0.2:
        values[:, 4] = 0
    return values


def linked(seed, n_samples, n_variables):
    """Sites of a genome: every sample is a mosaic of a dozen founders, so neighbours nearly tell each other."""
    rng = np.random.default_rng(seed)
    founders = rng.random((12, n_variables)) < rng.beta(0.6, 1.2, size=n_variables)
    here, values = (
        rng.integers(0, 12, n_samples),
        np.empty((n_samples, n_variables), dtype=np.uint8),
    )
    for v in range(n_variables):
        switches = rng.random(n_samples) < 0.02
        here[switches] = rng.integers(0, 12, switches.sum())
        values[:, v] = founders[here, v]
    return values[:, (values.mean(axis=0) > 0.02) & (values.mean(axis=0) < 0.98)]
