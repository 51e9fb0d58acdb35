"""Exact answers by adding up all 2^d states: log Z, marginals, pair marginals.

The states are an array with one axis of length two for every variable, so that a field is added
to half of it, a coupling to a quarter, and a marginal is a sum over the other axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.model.ising.exact import Exact

LARGEST = 20  # variables: a million states, 8 MB


def enumerate_states(
    edges: NDArray[np.int64], couplings: NDArray[np.float64], fields: NDArray[np.float64]
) -> Exact:
    """Return log Z and the marginals of a network of at most `LARGEST` variables.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
    couplings : ndarray of shape (n_edges,)
    fields : ndarray of shape (n_variables,)
    """
    d = len(fields)
    log_potential = np.zeros((2,) * d)
    for i, field in enumerate(fields):
        log_potential[_ones(i)] += field
    for (i, j), coupling in zip(edges.tolist(), couplings, strict=True):
        log_potential[_ones(i, j)] += coupling
    highest = log_potential.max()
    weights = np.exp(log_potential - highest)
    total = weights.sum()
    probability = weights / total
    marginals = [probability[_ones(i)].sum() for i in range(d)]
    pairs = [_others_summed(probability, i, j) for i, j in edges.tolist()]
    return Exact(
        float(highest + np.log(total)), np.array(marginals), np.array(pairs).reshape(-1, 2, 2)
    )


def _ones(*variables: int) -> tuple[slice | int, ...]:
    """Index of the states in which the given variables are one."""
    return tuple(1 if k in variables else slice(None) for k in range(max(variables) + 1))


def _others_summed(probability: NDArray[np.float64], i: int, j: int) -> NDArray[np.float64]:
    others = tuple(k for k in range(probability.ndim) if k not in (i, j))
    table: NDArray[np.float64] = probability.sum(axis=others)
    return table
