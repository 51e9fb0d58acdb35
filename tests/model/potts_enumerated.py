"""The oracle for Potts models: a plain loop over all states."""

import math
from itertools import product


def log_potential(model, state):
    total = sum(field[x] for field, x in zip(model.fields, state, strict=True))
    for (i, j), table in zip(model.graph.edges.tolist(), model.tables, strict=True):
        total += table[state[i]][state[j]]
    return float(total)


def probabilities(model):
    """Return the probabilities of all states, and log Z."""
    states = list(product(*(range(r) for r in model.n_levels.tolist())))
    weights = [math.exp(log_potential(model, state)) for state in states]
    total = sum(weights)
    return {s: w / total for s, w in zip(states, weights, strict=True)}, math.log(total)


def marginal(probability, variables, shape):
    """Return the marginal distribution of variables, in C order."""
    found = [0.0] * math.prod(shape)
    for state, p in probability.items():
        at = 0
        for v, r in zip(variables, shape, strict=True):
            at = at * r + state[v]
        found[at] += p
    return found
