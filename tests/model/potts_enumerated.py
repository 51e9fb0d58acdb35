"""The oracle for Potts models: every state in a plain loop, nothing shared with the code under test."""

import math
from itertools import product


def log_potential(model, state):
    total = sum(field[x] for field, x in zip(model.fields, state, strict=True))
    for (i, j), table in zip(model.graph.edges.tolist(), model.tables, strict=True):
        total += table[state[i]][state[j]]
    return float(total)


def probabilities(model):
    """Probability of every state, and log Z."""
    states = list(product(*(range(r) for r in model.n_levels.tolist())))
    weights = [math.exp(log_potential(model, state)) for state in states]
    total = sum(weights)
    return {s: w / total for s, w in zip(states, weights, strict=True)}, math.log(total)


def marginal(probability, variables, shape):
    """Add up the states by the levels of some variables, in the order of a C array."""
    found = [0.0] * math.prod(shape)
    for state, p in probability.items():
        at = 0
        for v, r in zip(variables, shape, strict=True):
            at = at * r + state[v]
        found[at] += p
    return found
