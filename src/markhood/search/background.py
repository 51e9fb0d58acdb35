"""Estimate the background: how large the couplings of pairs without an edge are.

A sparse network that contains all causes has couplings of zero between other pairs. Hidden causes,
values cut into a few levels and other violations of the model leave weak dependence everywhere, and
the more samples there are, the more of it is significant. The background b is the standard
deviation of these couplings, the *empirical null* of Efron (2004). It maximises

    sum over pairs of log((1 - p) f_b + p f_edge),      0 < p < 1,

where f_b and f_edge are the marginal likelihoods of a pair under both priors
(`kernels/coupling_prior.py`), given the other edges of a graph.

It is zero unless the gain is `VERY_STRONG`: common causes of twenty items have gains of 25 to 120,
and sparse networks with little information, whose edges a background would explain as well, up to
16. Given hidden factors, the price is that of one parameter by BIC, because factors never explain
all of a common cause. A coupling is an edge if it is large compared with those of other pairs.

**Mediation.** Ordered levels may be cut from a finer scale. Conditioning on the levels of variable
k then leaves part of the dependence that it mediates, in proportion to the product of the couplings
on the path. With ordered variables, the mean of the couplings of pairs without an edge is therefore

    share * sum over ordered variables k of coupling_ik coupling_kj,      share >= 0,

with the couplings of the edges of the graph. Share and background are estimated in turn; the share
is a weighted regression over pairs, whose weights are the probabilities of no edge. It is 0 unless
it exceeds `CLEAR` standard errors. If it does, values were cut, and a background is expected too,
because the proportion is not the same for all variables. A few hundred pairs cannot distinguish it
from many weak edges, so the largest value with a log-likelihood within `COMPATIBLE` of the maximum
is taken.

All pairs are needed, because those that a screen selects are not typical of pairs without an edge.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.kernels.coupling_prior import information_of, of_background, of_edges
from markhood.kernels.protocol import GraphChain, GraphSums, PairPrior
from markhood.scores.scorer import Scorer

HELD = 20.0  # prior log odds that keep a pair as it is
SHARES = np.exp(np.linspace(np.log(1e-4), np.log(0.5), 24))  # of edges, among all pairs
RATIOS = 2.0 ** np.arange(-6.0, -0.9, 0.25)  # of the background to the scale of couplings
FEWEST_PAIRS = 100
VERY_STRONG = 20.0  # gain in log-likelihood that shows a background
COMPATIBLE = 3.0  # loss of log-likelihood of the largest background of cut values
CLEAR = 2.0  # standard errors of the share that show cut values
TURNS = 2  # of share and background in a round; the next round continues


class Layout(NamedTuple):
    """Of each pair: where its first coupling is, its unit, and whether it is one number.

    ``is_ordered`` is whether each variable has ordered levels, and ``has_factors`` whether the
    pairs are adjusted for hidden factors.
    """

    first: Ints
    units: Floats
    is_single: Bools
    is_ordered: Bools
    has_factors: bool


class Evidence(NamedTuple):
    """Log Bayes factors of pairs given the graph, with a normal prior, and fitted couplings."""

    log_bayes_factors: Floats
    couplings: Floats
    variances: Floats

    def at(self, chosen: Bools) -> Evidence:
        """Return that of some pairs."""
        return Evidence(*(own[chosen] for own in self))


def with_background(
    scorer: Scorer,
    pairs: Ints,
    prior: PairPrior,
    chain: GraphChain,
    layout: Layout,
    n_absent: float | None,
) -> tuple[PairPrior, Floats, GraphChain]:
    """Measure all pairs given the graph of a chain; return the prior with the background.

    Also return the probabilities of the pairs under it, and the chain with its new fits.
    ``n_absent`` is the number of pairs that the prior of the density adds; None if the pairs are
    not all pairs.
    """
    holding = prior._replace(
        log_odds=np.where(chain.present > 0, HELD, -HELD),
        shape=0.0,
        background=0.0,
        expected=np.zeros(len(pairs)),
        learns_density=False,
        periods=np.ones(len(pairs), np.uint8),
    )
    sums, after = scorer.swept(pairs, holding, chain, 0, 1)
    evidence = evidence_of(sums, holding, layout)
    if n_absent is not None:
        own = layout.is_single & np.isnan(prior.log_odds)
        price = np.log(len(pairs)) / 2 if layout.has_factors else VERY_STRONG
        mediated = mediated_of(pairs, np.where(chain.present, evidence.couplings, 0.0), layout)
        for _ in range(TURNS if mediated.any() else 1):
            p = probabilities_of(evidence, prior, layout.is_single)
            share = share_of(evidence, mediated, np.where(own, 1 - p, 0.0), prior)
            prior = prior._replace(expected=share * mediated)
            found = background_of(
                evidence.at(own),
                prior.scale,
                prior.shape,
                n_absent,
                prior.expected[own],
                is_cut=share > 0,
                price=price,
            )
            prior = prior._replace(background=found)
    chain = chain._replace(generator=after.generator, fits=after.fits)
    return prior, probabilities_of(evidence, prior, layout.is_single), chain


def evidence_of(sums: GraphSums, prior: PairPrior, layout: Layout) -> Evidence:
    """Read the evidence from a sweep that held the graph; couplings are in units of the prior.

    Of tables only the first number is read.
    """
    p = np.clip(sums.probabilities, 1e-300, 1 - 1e-16)
    mean = sums.couplings[layout.first] / p
    variance = np.maximum(sums.squares[layout.first] / p - mean**2, 1e-300)
    odds = np.log(p) - np.log1p(-p) - prior.log_odds
    return Evidence(odds, mean / layout.units, variance / layout.units**2)


def mediated_of(pairs: Ints, couplings: Floats, layout: Layout) -> Floats:
    """Return for each pair the sum over ordered variables of the products of two couplings."""
    d = len(layout.is_ordered)
    matrix = np.zeros((d, d))
    matrix[tuple(pairs.T)] = np.where(layout.is_single, couplings, 0.0)
    matrix += matrix.T
    paths = (matrix @ (layout.is_ordered * matrix).T)[tuple(pairs.T)]
    return np.where(layout.is_single, paths, 0.0)


def share_of(evidence: Evidence, mediated: Floats, weights: Floats, prior: PairPrior) -> float:
    """Return the share of mediated dependence, by weighted least squares, 0 if not clear."""
    _, t, v = evidence
    information = information_of(v, prior.scale)
    weights = weights * mediated / (1 + information * prior.background**2)
    total, explained = weights @ (information * mediated), weights @ (t / v)
    return float(explained / total) if explained > CLEAR * total**0.5 else 0.0


def background_of(
    evidence: Evidence,
    scale: float,
    shape: float,
    n_absent: float,
    expected: Floats | float = 0.0,
    *,
    is_cut: bool = False,
    price: float = VERY_STRONG,
) -> float:
    """Return the background; ``n_absent`` is the number of pairs that the density's prior adds.

    ``expected`` are the means of the couplings of pairs without an edge. ``is_cut`` means that
    values are cut into ordered levels; otherwise the gain must exceed ``price``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def measured(couplings, v=0.02):
    ...     x = couplings + rng.normal(size=len(couplings)) * v**0.5
    ...     u = 1 / (1 / v + 1)  # the posterior with the prior N(0, 1)
    ...     return Evidence(x**2 * u / v**2 / 2 + np.log(u) / 2, x * u / v, np.full(len(x), u))
    >>> edges = rng.normal(size=50)
    >>> background_of(measured(np.append(edges, np.zeros(500))), 1.0, 0.0, 5.0)
    0.0
    >>> weak = measured(np.append(edges, 0.15 * rng.normal(size=500)))
    >>> round(background_of(weak, 1.0, 0.0, 5.0), 2)
    0.15
    """
    _, t, v = evidence
    if len(t) < FEWEST_PAIRS:
        return 0.0
    of_edge = of_background(t, v, scale, scale) + of_edges(t, v, scale, shape).gain
    sizes = np.append(0.0, scale * RATIOS)
    values, k = np.empty(len(sizes)), 0
    for n, size in enumerate(sizes.tolist()):
        without = of_background(t, v, scale, size, expected)
        values[n], k = _best_share(without, of_edge, n_absent, k)
    if is_cut:
        return float(sizes[np.flatnonzero(values > values.max() - COMPATIBLE)[-1]])
    return float(sizes[np.argmax(values - price * (sizes > 0))])


def _best_share(without: Floats, of_edge: Floats, n_absent: float, first: int) -> tuple[float, int]:
    """Return the largest log-likelihood over the shares of edges, and the index of its share.

    The log-likelihood is concave in the share, so the search climbs from the index ``first``.
    """

    @cache
    def value(k: int) -> float:
        if not 0 <= k < len(SHARES):
            return -np.inf
        no, yes = np.log1p(-SHARES[k]), np.log(SHARES[k])
        return float(np.logaddexp(no + without, yes + of_edge).sum() + n_absent * no)

    k, step = first, 1 if value(first + 1) > value(first) else -1
    while value(k + step) > value(k):
        k += step
    return value(k), k


def probabilities_of(evidence: Evidence, prior: PairPrior, is_single: Bools) -> Floats:
    """Return the probability of each pair under a prior; tables keep the normal prior."""
    factors, t, v = evidence
    gain = of_edges(t, v, prior.scale, prior.shape).gain
    gain = gain - of_background(t, v, prior.scale, prior.background, prior.expected)
    usual = np.log(prior.density / (1 - prior.density))
    odds = np.where(np.isnan(prior.log_odds), usual, prior.log_odds)
    return np.asarray(np.exp(-np.logaddexp(0.0, -factors - np.where(is_single, gain, 0.0) - odds)))
