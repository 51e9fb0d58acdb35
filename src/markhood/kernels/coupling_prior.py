"""Priors of a coupling that is one number: of an edge, and of a pair without an edge.

A fit with the prior N(0, scale^2) has the coupling t with variance v. The likelihood of a coupling
x is taken as normal around it, so that relative to x = 0 it is exp(h x - A x^2 / 2) with the
information A = 1/v - 1/scale^2 and h = t/v. Its integral over N(m, w^2) is

    sqrt(u) / w exp(e^2 / (2 u) - m^2 / (2 w^2)),    u = 1 / (A + 1/w^2),    e = u (h + m / w^2).

**Edges** have a mixture of two normal distributions with mean square scale^2 and equal weights:

    shape c > 0:  N(c scale, (1 - c^2) scale^2) and N(-c scale, (1 - c^2) scale^2), two modes;
    shape c < 0:  N(0, (1 - c) scale^2) and N(0, (1 + c) scale^2), heavy tails.

A normal prior expects many weak couplings. If all couplings are strong, that makes the density too
high, and weak chance associations probable.

**Pairs without an edge** have N(expected, background^2). Their couplings are 0 if the network is
sparse and complete. Hidden causes, rounding into a few levels or another distribution than the
model's leave weak dependence between nearly all pairs; without a background it would be taken for
many edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from markhood.arrays import Floats


class Posterior(NamedTuple):
    """What the mixture adds to the log Bayes factor of an edge, and the coupling given an edge."""

    gain: Floats
    mean: Floats
    variance: Floats


def information_of(v: Floats, scale: float) -> Floats:
    """Return the information A of the likelihood."""
    return np.maximum(0.0, 1 / v - 1 / scale**2)


def of_edges(t: Floats, v: Floats, scale: float, shape: float) -> Posterior:
    """Replace the prior N(0, scale^2) of fits by the mixture.

    Examples
    --------
    >>> found = of_edges(np.array([0.2, 2.0]), np.array([0.1, 0.1]), 2.0, 0.9)
    >>> found.gain.round(2).tolist(), found.mean.round(2).tolist()
    ([-1.03, 0.56], [0.27, 2.02])
    """
    information, signs = information_of(v, scale)[..., np.newaxis], np.array([1.0, -1.0])
    modes = scale * max(shape, 0.0) * signs
    squares = scale**2 * (1 - shape**2 + 0 * signs if shape > 0 else 1 + shape * signs)
    spreads = 1 / (information + 1 / squares)
    means = spreads * ((t / v)[..., np.newaxis] + modes / squares)
    weights = (means**2 / spreads - modes**2 / squares + np.log(spreads / squares)) / 2
    total = np.logaddexp(weights[..., 0], weights[..., 1])
    gain = total - np.log(2) - t**2 / v / 2 + np.log1p(information[..., 0] * scale**2) / 2
    shares = np.exp(weights - total[..., np.newaxis])
    mean = (shares * means).sum(axis=-1)
    variance = (shares * (spreads + (means - mean[..., np.newaxis]) ** 2)).sum(axis=-1)
    return Posterior(gain, mean, variance)


def of_background(
    t: Floats, v: Floats, scale: float, background: float, expected: Floats | float = 0.0
) -> Floats:
    """Return how much better couplings of the background explain the data than none, as a log.

    Examples
    --------
    >>> of_background(np.array([0.2, 2.0]), np.array([0.1, 0.1]), 2.0, 0.5).round(2).tolist()
    [-0.47, 13.93]
    """
    information, square, h = information_of(v, scale), background**2, t / v
    explained = h**2 * square + (2 * h - information * expected) * expected
    small = information * square
    return np.asarray((explained / (1 + small) - np.log1p(small)) / 2)
