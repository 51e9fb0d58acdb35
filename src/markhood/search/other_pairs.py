"""The pairs that are no candidates, as a histogram: what they say of the density of edges.

Nearly all pairs of variables are far from being edges, but together they say how many there are; so the
sampler over graphs counts them by the Bayes factor that two variables have on their own. With the
likelihood ratio L (N times the mutual information) and the information I = N v_i v_j of a log odds ratio
at zero, v being the variance of a variable,

    log BF = L s^2 I / (1 + s^2 I) - log(1 + s^2 I) / 2        for couplings of scale s;

with more levels I has an eigenvalue for each number of the coupling. There is never a d x d array: of more than
`MOST_VARIABLES` some, drawn at random, stand for all, and their quarter of a million pairs for all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.protocol import Costs, Kernels
from markhood.kernels.reference.pair_fit import level_features
from markhood.kernels.tables import codes
from markhood.search.knowledge import Knowledge

MOST_VARIABLES = 724  # and fewer where they have many levels
BINS = 128
LEAST_RATIO = 1e-12  # that a pair is asked to have, so in effect none


@dataclass(frozen=True, eq=False)
class OtherPairs:
    """Pairs that may be edges, each standing for ``weight`` of them.

    Attributes
    ----------
    numbers : ndarray of shape (n,), dtype int64
        i d + j of each pair i < j.
    ratios : ndarray of shape (n,), dtype float64
        Likelihood ratios.
    information : ndarray of shape (n, q), dtype float64
        Of each number of the coupling, at zero; where a pair has fewer than q, zero.
    weight : float
    """

    numbers: NDArray[np.int64]
    ratios: NDArray[np.float64]
    information: NDArray[np.float64]
    weight: float

    def histogram(
        self, candidates: NDArray[np.int64], scale: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log Bayes factors of some bins, and how many pairs but the candidates each has."""
        is_other = ~np.isin(self.numbers, candidates)
        if not is_other.any():
            return np.empty(0), np.empty(0)
        known = scale * scale * self.information[is_other]
        shrunk = (known / (1 + known)).sum(axis=1) / np.maximum((known > 0).sum(axis=1), 1)
        factors = self.ratios[is_other] * shrunk - np.log1p(known).sum(axis=1) / 2
        counts, bounds = np.histogram(factors, BINS)
        # The mean Bayes factor of a bin: probabilities as small as theirs are in proportion to it.
        sums = np.histogram(factors, bounds, weights=np.exp(factors))[0]
        used = counts > 0
        return np.log(sums[used] / counts[used]), counts[used] * self.weight


def measure_other_pairs(samples: Samples, knowledge: Knowledge, kernels: Kernels) -> OtherPairs:
    """Measure all pairs that may be edges, or those of some variables."""
    d, n_rows = samples.n_variables, int(np.diff(samples.starts).max(initial=1))
    chosen = np.arange(d)
    if d > MOST_VARIABLES // n_rows:
        rng = np.random.default_rng(0)
        chosen = np.sort(rng.choice(d, min(d, max(32, MOST_VARIABLES // n_rows)), replace=False))
    picked = samples.pick(chosen)
    n = len(chosen)
    every = range(n)
    found = kernels.associated_tables(picked.bits, every, every, Costs(LEAST_RATIO, 0.0))
    ratios = np.zeros((n, n))
    ratios[tuple(found.pairs.T)] = found.ratios
    i, j = np.triu_indices(n, 1)
    spread = _spreads(picked)
    information = np.einsum("nu,nv->nuv", samples.total_weight * spread[i], spread[j])
    varies = ~picked.is_constant
    allowed = knowledge.allows(chosen[i], chosen[j]) & varies[i] & varies[j]
    return OtherPairs(
        (chosen[i] * d + chosen[j])[allowed],
        ratios[i, j][allowed],
        information.reshape(len(i), spread.shape[1] ** 2)[allowed],
        d * (d - 1) / max(n * (n - 1), 1),
    )


def _spreads(samples: Samples) -> NDArray[np.float64]:
    """Return the variances of every variable's features along their axes, padded with zeros."""
    n_rows = np.diff(samples.starts)
    spreads = np.zeros((samples.n_variables, int(n_rows.max(initial=1))))
    weighting = samples.bits.weighting
    weights = None if weighting is None else weighting.weights
    for v, n in enumerate(n_rows.tolist()):
        share = np.bincount(codes(samples.bits, v), weights, minlength=n + 1) / samples.total_weight
        features = level_features(n + 1)
        mean = share @ features
        covariance = (features.T * share) @ features - np.outer(mean, mean)
        spreads[v, :n] = np.maximum(np.linalg.eigvalsh(covariance), 0.0)
    return spreads
