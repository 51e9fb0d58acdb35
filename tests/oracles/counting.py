"""Counts the slow way: one sample after another, in plain Python."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np


def joint_count(values, i, j):
    """Samples in which both variables are one."""
    return sum(1 for row in values.tolist() if row[i] == 1 and row[j] == 1)


def counts_by_configuration(values, target, blanket):
    """From each configuration that occurs to [samples with a zero, samples with a one]."""
    counts: dict[tuple[int, ...], list[int]] = {}
    for row in values.tolist():
        counts.setdefault(tuple(row[b] for b in blanket), [0, 0])[row[target]] += 1
    return counts


def likelihood_ratio(values, i, j):
    """n times the mutual information, as its definition has it."""
    n = len(values)
    cells = Counter((row[i], row[j]) for row in values.tolist())
    rows, columns = Counter(values[:, i].tolist()), Counter(values[:, j].tolist())
    return sum(count * log(n * count / (rows[a] * columns[b])) for (a, b), count in cells.items())


def n_log_n(n_samples):
    return np.array([0.0, *(k * log(k) for k in range(1, n_samples + 1))])
