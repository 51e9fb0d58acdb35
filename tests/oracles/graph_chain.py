"""A chain over graphs without chance: the whole distribution over all graphs, sweep by sweep.

A pair's probability given the rest need not be that of any one joint distribution, so there is no posterior
to compare with but the one that the chain itself settles in. It is computed from the matrix of a sweep in
random order: with K_e the step that sets pair e, the mean over all orders of the steps of a set S is

    M(S) = mean over e in S of M(S without e) K_e.
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np


def settled_probabilities(probability, n_pairs):
    """Return each pair's mean probability at its visits, once the chain has settled.

    ``probability(pair, graph)`` is that of an edge given a graph, a tuple of zeros and ones.
    """
    graphs = [tuple(g >> k & 1 for k in range(n_pairs)) for g in range(2**n_pairs)]
    p = np.array([[probability(k, graph) for graph in graphs] for k in range(n_pairs)])

    def step(k):
        matrix = np.zeros((len(graphs), len(graphs)))
        for g in range(len(graphs)):
            matrix[g, g | 1 << k] += p[k, g]
            matrix[g, g & ~(1 << k)] += 1 - p[k, g]
        return matrix

    steps = [step(k) for k in range(n_pairs)]

    @cache
    def visited(pairs):
        if not pairs:
            return np.eye(len(graphs))
        return sum(visited(pairs - {k}) @ steps[k] for k in pairs) / len(pairs)

    everyone = frozenset(range(n_pairs))
    at = np.full(len(graphs), 1.0 / len(graphs))
    for _ in range(2000):
        at = at @ visited(everyone)
    means = np.zeros(n_pairs)
    for k in range(n_pairs):
        for before in _subsets(everyone - {k}):
            first = factorial(len(before)) * factorial(n_pairs - 1 - len(before))
            means[k] += first / factorial(n_pairs) * (at @ visited(before) @ p[k])
    return means


def _subsets(items):
    found = [frozenset()]
    for item in items:
        found += [subset | {item} for subset in found]
    return found
