"""Simulated data for `analyses.py`, each with its truth and fixed seeds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import markhood
from markhood import simulate

Matrix = NDArray[Any]


class Known(NamedTuple):
    """A table and what is true of it: a matrix of edges, the labels of communities, or one truth value."""

    table: Matrix
    truth: Any


def adjacency(graph: markhood.Graph) -> Matrix:
    """Return which pairs are joined."""
    joined = np.zeros((graph.n_nodes, graph.n_nodes), dtype=bool)
    joined[tuple(graph.edges.T)] = True
    return joined | joined.T


def binary_networks(n: int = 5) -> list[Known]:
    """Return networks of 20 binary variables and 500 samples, 28 expected couplings of 0.4 to 1.6 with random signs."""
    return [_binary_network(seed) for seed in range(n)]


def _binary_network(seed: int) -> Known:
    rng = np.random.default_rng(seed)
    graph = simulate.erdos_renyi(20, 28 / 190, seed=seed)
    couplings = rng.uniform(0.4, 1.6, graph.n_edges) * rng.choice([-1, 1], graph.n_edges)
    fields = np.zeros(20)
    np.add.at(fields, graph.edges, -couplings[:, None] / 2)  # about as many ones as zeros
    model = markhood.IsingModel(graph, couplings, fields)
    return Known(model.sample(500, seed=seed).astype(int), adjacency(graph))


def ordinal_networks() -> list[Known]:
    """Return three networks of 10 variables with four ordered levels, and 500 samples each."""
    known = []
    for seed in range(3):
        graph = simulate.erdos_renyi(10, 0.25, seed=seed)
        model = simulate.ordinal(graph, 4, simulate.NormalCouplings(1.5), seed=seed)
        known.append(Known(np.asarray(model.sample(500, seed=seed)).astype(int), adjacency(graph)))
    return known


def two_groups(change: float) -> list[Known]:
    """Return 20 tables of two groups with 250 rows each; one of eight edges differs by `change`."""
    known = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        graph = simulate.cycle(8)
        couplings = rng.uniform(0.5, 1.5, 8) * rng.choice([-1, 1], 8)
        changed = couplings - change * np.sign(couplings) * (np.arange(8) == 0)
        groups = [
            markhood.IsingModel(graph, values).sample(250, seed=[seed, k])
            for k, values in enumerate((couplings, changed))
        ]
        table = np.column_stack([np.vstack(groups), np.repeat([0, 1], 250)])
        known.append(Known(table.astype(int), change != 0))
    return known


def mixed_networks() -> list[Known]:
    """Return six conditional Gaussian networks: six normal variables, six binary ones, 500 samples.

    Given binary b the normal variables have precision P and mean inv(P) B b; the binary marginal is then an Ising model with
    couplings T + B' inv(P) B, which is sampled exactly from its 64 states.
    """
    return [_mixed_network(np.random.default_rng(seed)) for seed in range(6)]


def _mixed_network(rng: np.random.Generator) -> Known:
    pairs = np.transpose(np.triu_indices(12, 1))
    joined = np.zeros((12, 12), dtype=bool)
    joined[tuple(rng.choice(pairs, 14, replace=False).T)] = True
    joined |= joined.T
    strength = np.where(joined, rng.choice([-1, 1], (12, 12)), 0.0)
    strength = np.triu(strength, 1) + np.triu(strength, 1).T
    precision = np.eye(6) + 0.2 * strength[:6, :6]
    precision += np.eye(6) * max(0.0, 0.2 - np.linalg.eigvalsh(precision).min())
    mixed, binary = 0.6 * strength[:6, 6:], 0.9 * strength[6:, 6:]
    covariance = np.linalg.inv(precision)
    states = np.indices((2,) * 6).reshape(6, -1).T - 0.5
    weights = np.einsum("si,ij,sj->s", states, binary + mixed.T @ covariance @ mixed, states) / 2
    chosen = states[rng.choice(64, 500, p=np.exp(weights) / np.exp(weights).sum())]
    normal = rng.multivariate_normal(np.zeros(6), covariance, 500) + chosen @ mixed.T @ covariance
    return Known(np.hstack([normal, chosen + 0.5]), joined)


def factor_items() -> list[Known]:
    """Return ten tables of 15 items with five ordered answers, from three correlated factors, 500 rows each."""
    labels = np.repeat([0, 1, 2], 5)
    known = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        factors = rng.multivariate_normal(np.zeros(3), np.full((3, 3), 0.7) + 0.3 * np.eye(3), 500)
        answers = 0.6 * factors[:, labels] + 0.8 * rng.normal(size=(500, 15))
        known.append(Known(np.digitize(answers, [-1.2, -0.4, 0.4, 1.2]), labels))
    return known
