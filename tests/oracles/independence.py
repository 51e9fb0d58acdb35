"""The Bayesian test of independence in exact arithmetic, and the search that uses it, from scratch.

Marginal likelihoods by per-sample updating: a sample's probability is the share of its value in
the urn, and then one more such value is in the urn.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np

from oracles.scoring import neighbours


def urn(values, start):
    """Probability of a sequence of values, each being in the urn ``start[value]`` times at first."""
    inside, numerator, denominator = dict(start), 1, 1
    total = sum(inside.values())
    for value in values:
        numerator *= inside[value]
        denominator *= total
        inside[value] += 1
        total += 1
    return Fraction(numerator, denominator)


def ratio(pairs):
    """Dependent over independent, for the values of two variables in one slice."""
    dependent = urn(pairs, {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1})
    independent = urn([x for x, _ in pairs], {0: 2, 1: 2}) * urn(
        [y for _, y in pairs], {0: 2, 1: 2}
    )
    return dependent / independent


def log_independence(values, i, j, given):
    """log Pr(independent), to 60 digits and then rounded."""
    slices = {}
    for row in values.tolist():
        slices.setdefault(tuple(row[z] for z in given), []).append((row[i], row[j]))
    with localcontext() as context:
        context.prec = 60
        m = 2 ** len(given)
        p = Decimal("0.5") ** (1 / Decimal(m))
        probability = p ** (m - len(slices))
        for pairs in slices.values():
            h = ratio(pairs)
            odds = (1 - p) / p * Decimal(h.numerator) / Decimal(h.denominator)
            probability /= 1 + odds
        return float(probability.ln()), float((1 - probability).ln())


class Scorer:
    """log BJP of any graph, term by term."""

    def __init__(self, values):
        self.d = values.shape[1]
        self._test = cache(lambda i, j, given: log_independence(values, i, j, given))

    def assertions(self, edges):
        """From every pair i < j to the log-probability of what the graph says of it."""
        edges = {tuple(edge) for edge in edges}
        blankets = [neighbours(edges, v) for v in range(self.d)]
        found = {}
        for i, j in combinations(range(self.d), 2):
            first, second = sorted((i, j), key=lambda v: (len(blankets[v]), v))
            given = tuple(v for v in blankets[first] if v != second)
            found[i, j] = self._test(first, second, given)[(i, j) in edges]
        return found

    def score(self, edges):
        return sum(self.assertions(edges).values())

    def climb(self, required=(), forbidden=()):
        """IBMAP-HC; returns the edges and the scores on the way."""
        edges = set(required)
        scores = [self.score(edges)]
        while True:
            found = self.assertions(edges)
            found = {p: v for p, v in found.items() if p not in {*required, *forbidden}}
            if not found:
                return sorted(edges), scores
            least = min(found.values())
            flipped = edges ^ {next(pair for pair, v in found.items() if v <= least + 1e-9)}
            if not self.score(flipped) > scores[-1] + 1e-9:
                return sorted(edges), scores
            edges = flipped
            scores.append(self.score(edges))


def log_factorials(n_samples):
    return np.array([0.0, *np.cumsum(np.log(np.arange(1.0, n_samples + 4)))])
