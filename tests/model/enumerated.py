"""The oracle: a plain loop over all states."""

import math
from itertools import product


def log_potential(model, state):
    total = sum(h * x for h, x in zip(model.fields, state, strict=True))
    for (i, j), coupling in zip(model.graph.edges.tolist(), model.couplings, strict=True):
        total += coupling * state[i] * state[j]
    return float(total)


def probabilities(model):
    """Return the probabilities of all states, and log Z."""
    states = list(product((0, 1), repeat=model.graph.n_nodes))
    weights = [math.exp(log_potential(model, state)) for state in states]
    return {s: w / sum(weights) for s, w in zip(states, weights, strict=True)}, math.log(
        sum(weights)
    )


def pair_table(probability, i, j):
    table = [[0.0, 0.0], [0.0, 0.0]]
    for state, p in probability.items():
        table[state[i]][state[j]] += p
    return table
