"""The Bayesian test of conditional independence (Margaritis 2005), on counts.

Are X and Y independent given Z? Every configuration of Z, a slice, has a table of X with Y. The two
models of a slice are a Dirichlet distribution over its cells (each g = 1), or one over each of its
margins (each a = 2). With n_xy samples in the cells, n in total, and M = 2^|Z| slices:

    h = G(4)/G(4 + n) prod_xy G(1 + n_xy)                                dependent
    g = [G(4)/G(4 + n)]^2 prod_x G(2 + n_x.) prod_y G(2 + n_.y)          independent
    p = (1/2)^(1/M)                    so that all slices are independent with probability 1/2
    log Pr(independent) = - sum over slices of log(1 + (1 - p)/p h/g)

A slice without samples has h = g and adds log p; all empty slices together add (1 - occurring/M)
log(1/2). They are never enumerated, so conditioning on 30 variables costs no more than the samples
do. Gamma functions are read from a table of log k!. Every backend adds the logarithms of a slice in
the order written here, so that results agree to the last digit even where n log n is large. The
order is also symmetric in X and Y.

With r_x and r_y levels, the cells still have g = 1 each. The margins have a_x = r_y and a_y = r_x,
so that all three priors count the same number of samples. G(4) above becomes G(r_x r_y), and M is
the product of the numbers of levels of Z. These sums, and those of weighted samples, call the gamma
function itself.

`native/search/independence.hpp` is the equivalent for packed samples.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.tables import codes, n_levels
from markhood.kernels.words import unpacked

LOG_2 = math.log(2)
SMALLEST_SHARE = 50  # variables in Z; from there, 2^(1/M) - 1 equals log(2)/M to the last digit


def log_independence(
    tables: NDArray[np.int64], n_given: int, log_factorials: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log-probability that two variables are independent given others.

    Parameters
    ----------
    tables : ndarray of shape (..., n_slices, 2, 2), dtype int64
        Counts of the two variables in the configurations of the others that occur.
    log_factorials : ndarray of shape (n + 4,) or longer, dtype float64
        log k! for k = 0 ... n + 3, with n the largest number of samples in a slice.

    Returns
    -------
    ndarray of shape (...), dtype float64
    """
    logs = log_factorials
    totals = tables.sum(axis=(-2, -1))
    (n00, n01), (n10, n11) = np.moveaxis(logs[tables], (-2, -1), (0, 1))
    x0, x1 = np.moveaxis(logs[tables.sum(axis=-1) + 1], -1, 0)
    y0, y1 = np.moveaxis(logs[tables.sum(axis=-2) + 1], -1, 0)
    cells, margins = (n00 + n11) + (n01 + n10), (x0 + x1) + (y0 + y1)
    odds = log_prior_odds(n_given) + (((logs[totals + 3] - logs[3]) + cells) - margins)
    occurs = totals > 0
    empty = LOG_2 * (1 - np.ldexp(occurs.sum(axis=-1, dtype=np.float64), -n_given))
    return np.asarray(-(np.logaddexp(0, odds).sum(axis=-1, where=occurs) + empty))


def log_prior_odds(n_given: int) -> float:
    """Return log((1 - p)/p), the odds of dependence in one of the 2^n_given slices."""
    if n_given < SMALLEST_SHARE:
        return math.log(math.expm1(math.ldexp(LOG_2, -n_given)))
    return math.log(LOG_2) - n_given * LOG_2


def slice_tables(
    bits: Bits, target: int, given: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the target with each of ``others`` in every configuration of ``given`` that occurs.

    Returns
    -------
    ndarray of shape (n_others, n_slices, 2, 2), dtype int64
        Indexed by the other variable, the slice, the target's value and the other's value.
    """
    values = unpacked(bits.words[[*given, target, *others]], bits.n_samples)
    configurations, of_target, of_others = np.split(values, [len(given), len(given) + 1])
    _, slices = np.unique(configurations.T, axis=0, return_inverse=True)
    n_slices = int(slices.max(initial=0)) + 1
    cells = 4 * slices.ravel() + 2 * of_target[0] + of_others
    counts = [np.bincount(c, minlength=4 * n_slices) for c in cells]
    return np.array(counts, dtype=np.int64).reshape(len(others), n_slices, 2, 2)


def log_independence_of_levels(tables: NDArray[np.float64], log_slices: float) -> float:
    """Return the log-probability that two variables of any number of levels are independent.

    Parameters
    ----------
    tables : ndarray of shape (n_slices, r_x, r_y), dtype float64
        Counts of the two variables in the configurations of the others that occur.
    log_slices : float
        Logarithm of the number of possible configurations.
    """
    from scipy.special import gammaln

    r_x, r_y = tables.shape[1:]
    cells = gammaln(1 + tables).sum(axis=(1, 2))
    margins = (gammaln(r_y + tables.sum(axis=2)) - gammaln(r_y)).sum(axis=1)
    margins += (gammaln(r_x + tables.sum(axis=1)) - gammaln(r_x)).sum(axis=1)
    totals = gammaln(r_x * r_y + tables.sum(axis=(1, 2))) - gammaln(r_x * r_y)
    share = math.exp(-log_slices)
    # For a very small share, expm1 equals its argument, which may underflow.
    prior = math.log(math.expm1(LOG_2 * share)) if share > 1e-15 else math.log(LOG_2) - log_slices
    empty = LOG_2 * (1 - len(tables) * share)
    return float(-(np.logaddexp(0, prior + ((totals + cells) - margins)).sum() + empty))


def level_tables(
    bits: Bits, target: int, given: NDArray[np.int64], other: int
) -> NDArray[np.float64]:
    """Count two variables in every configuration of ``given`` that occurs: (n_slices, r_x, r_y)."""
    slices = [*(codes(bits, g) for g in given.tolist()), np.zeros((bits.n_samples, 0), np.uint16)]
    found, row = np.unique(np.column_stack(slices), axis=0, return_inverse=True)
    tables = np.zeros((len(found), n_levels(bits, target), n_levels(bits, other)))
    weights = 1.0 if bits.weighting is None else bits.weighting.weights
    np.add.at(tables, (row.ravel(), codes(bits, target), codes(bits, other)), weights)
    return tables


def independence_tests(
    bits: Bits,
    targets: NDArray[np.int64],
    givens: Lists,
    others: Lists,
    log_factorials: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Test each target against each of its ``others``, given its list of ``givens``."""
    tested = [
        _test_bits(bits, t, given, tried, log_factorials)
        if bits.is_plain
        else _test_levels(bits, t, given, tried)
        for t, given, tried in zip(targets.tolist(), givens, others, strict=True)
    ]
    return np.concatenate([np.empty(0), *tested])


def _test_bits(
    bits: Bits,
    target: int,
    given: NDArray[np.int64],
    others: NDArray[np.int64],
    log_factorials: NDArray[np.float64],
) -> NDArray[np.float64]:
    return log_independence(slice_tables(bits, target, given, others), len(given), log_factorials)


def _test_levels(
    bits: Bits, target: int, given: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.float64]:
    log_slices = sum(math.log(n_levels(bits, g)) for g in given.tolist())
    tables = (level_tables(bits, target, given, other) for other in others.tolist())
    return np.array([log_independence_of_levels(table, log_slices) for table in tables])
