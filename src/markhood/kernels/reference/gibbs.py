"""Gibbs sampling in NumPy, with bit-identical draws to the other backends.

`native/network/gibbs.hpp` and `native/network/potts.hpp` explain the arithmetic. It uses only sums,
comparisons and products of factors that the caller has computed, so the results are the same on
every platform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.generator import next_random
from markhood.kernels.networks import Chains, IsingNetwork, Network, PottsNetwork


def gibbs(
    network: Network, chains: Chains, burn_in: int, thinning: int, n_draws: int
) -> tuple[NDArray[np.uint8], Chains]:
    """Advance the chains by ``burn_in`` sweeps, then by ``n_draws`` times ``thinning`` sweeps."""
    values, generators = chains.states.T.copy(), chains.generators.copy()
    draws = np.empty((n_draws, *chains.states.shape), dtype=np.uint8)
    for sweep in range(1, burn_in + n_draws * thinning + 1):
        for i in network.order.tolist():
            drawn = next_random(generators)
            if isinstance(network, IsingNetwork):
                values[i] = _is_one(network, i, values, drawn)
            else:
                values[i] = _level(network, i, values, drawn)
        if sweep > burn_in and (sweep - burn_in) % thinning == 0:
            draws[(sweep - burn_in) // thinning - 1] = values.T
    return draws, Chains(np.ascontiguousarray(values.T), generators)


def _is_one(
    network: IsingNetwork, i: int, values: NDArray[np.uint8], drawn: NDArray[np.uint32]
) -> NDArray[np.bool_]:
    u = drawn.view(np.int32).astype(np.float64)
    return np.asarray((u + 2147483648.5) * _odds_against(network, i, values) < 2147483647.5 - u)


def _level(
    network: PottsNetwork, i: int, values: NDArray[np.uint8], drawn: NDArray[np.uint32]
) -> NDArray[np.int64]:
    sums = np.cumsum(_level_weights(network, i, values), axis=0)
    u = drawn.astype(np.float64) + 0.5
    return np.asarray((sums[:-1] <= u * (sums[-1] * 2.0**-32)).sum(axis=0))


def _odds_against(network: IsingNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of the neighbours that are one, with a separate exponent."""
    start, stop = network.neighbours.starts[i : i + 2]
    fraction, exponent = np.frexp(np.full(values.shape[1], network.field_odds[i]))
    for j, factor in zip(network.neighbours[i], network.coupling_odds[start:stop], strict=True):
        fraction, shift = np.frexp(np.where(values[j], fraction * factor, fraction))
        exponent = exponent + shift
    odds: NDArray[np.float64] = np.ldexp(fraction, np.clip(exponent, -900, 900))
    return odds


def _level_weights(network: PottsNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of each level, (r, n_chains), with a separate exponent."""
    r, (first, end) = int(network.n_levels[i]), network.field_starts[i : i + 2]
    start, stop = network.neighbours.starts[i : i + 2]
    fields = network.field_factors[first : first + r, None]
    fraction, exponent = np.frexp(np.repeat(fields, values.shape[1], axis=1))
    for j, begin in zip(network.neighbours[i], network.factor_starts[start:stop], strict=True):
        at = begin + values[j].astype(np.int64) * (end - first) + np.arange(r)[:, None]
        fraction, shift = np.frexp(fraction * network.factors[at])
        exponent = exponent + shift
    weights: NDArray[np.float64] = np.ldexp(
        fraction, np.maximum(exponent - exponent.max(axis=0), -1000)
    )
    return weights
