"""Estimation of log Z by annealed importance sampling.

Chains start from the network without couplings, whose Z_0 is known, and make one sweep in each of
the networks with couplings multiplied by 0 = b_0 < ... < b_T = 1. The weight of a chain is the
product of the ratios of the unnormalised probabilities of its states in successive networks; the
expectation of the mean weight is Z / Z_0. The standard error of its logarithm comes from the
variation between chains.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from markhood.model.one_hot import OneHot
from markhood.model.sampling.settings import Seed, require_counts


class Estimate(NamedTuple):
    """An estimate and its standard error, which is 0 if the value is exact."""

    value: float
    error: float


def annealed_log_partition(
    network: OneHot, seed: Seed = None, *, chains: int = 128, steps: int = 1000
) -> Estimate:
    """Estimate log Z.

    Parameters
    ----------
    steps : int, default=1000
        Number of annealing steps, with one sweep each.

    Examples
    --------
    >>> tables, fields = [np.array([[0.0, 0.0], [0.0, 2.0]])], [np.zeros(2), np.zeros(2)]
    >>> network = OneHot.of(np.array([[0, 1]]), tables, fields)
    >>> found = annealed_log_partition(network, 1, steps=200)
    >>> bool(abs(found.value - np.log(3 + np.exp(2))) < 4 * found.error)
    True
    """
    require_counts(chains=chains, steps=steps)
    rng = np.random.default_rng(seed)
    variables = np.arange(len(network.n_levels))
    alone = np.tile(network.fields, (chains, 1))
    states = network.drawn(network.normalised(alone), variables, rng)
    known = float(np.log(np.add.reduceat(np.exp(network.fields), network.starts)).sum())
    schedule = np.linspace(0.0, 1.0, steps + 1)
    colours = [(own, network.columns_of(own)) for own in network.colours]
    parts = [network.couplings[:, columns] for _, columns in colours]
    logs = np.zeros(chains)
    for before, after in pairwise(schedule):
        together = np.einsum("cy,cy->c", states @ network.couplings, states) / 2
        logs += (after - before) * together
        for (own, columns), part in zip(colours, parts, strict=True):
            logits = network.fields[columns] + after * np.asarray(states @ part)
            states[:, columns] = network.drawn(network.normalised(logits, own), own, rng)
    highest = logs.max()
    weights = np.exp(logs - highest)
    error = float(weights.std(ddof=1) / weights.mean() / np.sqrt(chains)) if chains > 1 else np.inf
    return Estimate(float(known + highest + np.log(weights.mean())), error)
