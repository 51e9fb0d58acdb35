"""Data with any number of levels, and their regressions by another road: a row a sample."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def chain(seed, n_samples, n_levels, strength=1.5):
    """Make variables of these numbers of levels, each depending on the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n_levels[0], n_samples)]
    for before, r in pairwise(n_levels):
        table = strength * rng.normal(size=(before, r))
        noise = rng.gumbel(size=(n_samples, r))
        columns.append((table[columns[-1]] + noise).argmax(axis=1))
    values = np.column_stack(columns)
    for column, r in zip(values.T, n_levels, strict=True):
        column[:r] = np.arange(r)  # every level occurs
    return values.astype(np.uint8)


def design_of(values, blanket):
    """Return a one, and indicators of the levels but the first of each member, for every sample."""
    columns = [np.ones(len(values))]
    for b in blanket:
        columns += [values[:, b] == level for level in range(1, values[:, b].max() + 1)]
    return np.column_stack(columns).astype(float)
