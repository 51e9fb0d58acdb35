"""Variables given covariates: what a scorer needs to measure pairs conditionally.

A pair is measured by the likelihood of both its ends given the covariates z (`kernels/reference/pair_fit.py`, without a prior):

    ratio = l(x_i, x_j | z, with a coupling) - l(x_i | z) - l(x_j | z).

It is symmetric, the coupling's parameters are all that it adds, and without covariates it is the ratio of the pair's table.

**Strata spare most fits.** A stratum is a configuration of the covariates. A model with a coupling of its own in every
stratum fits no worse, so

    ratio <= sum over strata of ratio_z + slack_i + slack_j,     slack_i = sum over strata of l(x_i | stratum) - l(x_i | z).

A pair whose ratio reaches a price therefore reaches (price - slack_i - slack_j) / K in one of K strata, which the
unconditional screen of that stratum's samples decides; of these pairs, those whose bound reaches the price are fitted. With one
nominal covariate the slack of a nominal variable is zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.kernels.protocol import Bits
from markhood.kernels.reference.pair_fit import features_of
from markhood.kernels.tables import codes, n_levels


def strata_of(bits: Bits, n_covariates: int) -> NDArray[np.int64]:
    """Return the number of each sample's stratum, of shape (n_samples,); zero without covariates."""
    d = len(bits.n_scores)
    numbers = np.zeros(bits.n_samples, np.int64)
    for covariate in range(d - n_covariates, d):
        both = numbers * n_levels(bits, covariate) + codes(bits, covariate)
        numbers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return numbers


def indicators_of_covariates(bits: Bits, n_covariates: int) -> tuple[Bits, int]:
    """Return bits with every indicator of a nominal covariate as a binary variable, and how many covariates these are.

    Slopes on covariates are free but for a weak prior, so that it is the same model; fits of binary variables alone are
    several times faster.
    """
    if not n_covariates or bits.starts is None:
        return bits, n_covariates
    n_nodes = len(bits.starts) - 1 - n_covariates
    ordered = np.zeros(n_nodes + n_covariates, np.bool_) if bits.ordered is None else bits.ordered
    starts, kinds = bits.starts[: n_nodes + 1].tolist(), ordered[:n_nodes].tolist()
    for covariate in range(n_nodes, n_nodes + n_covariates):
        end = int(bits.starts[covariate + 1])
        ends = [end] if ordered[covariate] else list(range(starts[-1] + 1, end + 1))
        starts += ends
        kinds += [bool(ordered[covariate])] * len(ends)
    n = len(starts) - 1 - n_nodes
    if len(starts) == len(bits.words) + 1:
        return bits._replace(starts=None, ordered=None), n
    return bits._replace(starts=np.array(starts), ordered=np.array(kinds)), n


def counts_in_strata(bits: Bits, variable: int, strata: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count a variable's levels in every stratum, of shape (n_strata, n_levels)."""
    levels, n_strata = n_levels(bits, variable), int(strata.max(initial=0)) + 1
    weights = None if bits.weighting is None else bits.weighting.weights
    cells = strata * levels + codes(bits, variable)
    counts = np.bincount(cells, weights, minlength=n_strata * levels).astype(np.float64)
    return counts.reshape(n_strata, levels)


def maximum_in_strata(bits: Bits, variable: int, strata: NDArray[np.int64]) -> float:
    """Return the log-likelihood of a variable whose shares are free in every stratum."""
    counts = counts_in_strata(bits, variable, strata)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
    return float((counts * np.log(shares)).sum())


def spreads_within(
    samples: Samples, variables: NDArray[np.int64], strata: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the variances of some variables' features within strata along their axes, padded with zeros.

    It is the pooled estimate: of K strata and N samples, sums of squares are divided by N - (K - 1).
    """
    bits = samples.bits
    spreads = np.zeros((len(variables), int(bits.n_scores[variables].max(initial=1))))
    freedom = samples.total_weight - int(strata.max(initial=0))
    for k, v in enumerate(variables.tolist()):
        counts, features = counts_in_strata(bits, v, strata), features_of(bits, v)
        totals = counts.sum(axis=1, keepdims=True)
        means = counts @ features / np.maximum(totals, 1e-300)
        squares = (features.T * counts.sum(axis=0)) @ features - (means.T * totals.T) @ means
        own = np.linalg.eigvalsh(squares / max(freedom, 1.0))
        spreads[k, : len(own)] = np.maximum(own, 0.0)
    return spreads
