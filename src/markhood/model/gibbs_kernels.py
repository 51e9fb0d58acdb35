"""TEMPORARY: the Gibbs kernel until it is in `markhood.kernels` (see /tmp/gibbs_integration.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from markhood.kernels.lists import Lists

CHAINS = 16


class GibbsNetwork(NamedTuple):
    """A binary network as its Gibbs sampler uses it.

    ``coupling_odds`` is exp(-coupling) of each of ``neighbours.values``, ``field_odds`` exp(-field)
    of each variable, ``order`` that of a sweep; ``is_wide`` marks the variables whose odds could
    leave the range of a float64, products of a part of their factors included.
    """

    neighbours: Lists
    coupling_odds: NDArray[np.float64]
    field_odds: NDArray[np.float64]
    order: NDArray[np.int64]
    is_wide: NDArray[np.bool_]


class Chains(NamedTuple):
    """Where `CHAINS` chains are: states (CHAINS, n_variables), generators (4, CHAINS)."""

    states: NDArray[np.uint8]
    generators: NDArray[np.uint32]


class Kernels(Protocol):
    """The operations that cost time."""

    def gibbs(
        self, network: GibbsNetwork, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains: ``burn_in`` sweeps, then ``n_draws`` times ``thinning`` sweeps.

        Returns the states after each thinning, of shape (n_draws, CHAINS, n_variables), and where
        the chains are then.
        """


class ReferenceKernels:
    """The definition, in NumPy."""

    def gibbs(
        self, network: GibbsNetwork, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains; ``native/gibbs.hpp`` explains the arithmetic."""
        values, generators = chains.states.T.copy(), chains.generators.copy()
        draws = np.empty((n_draws, *chains.states.shape), dtype=np.uint8)
        for sweep in range(1, burn_in + n_draws * thinning + 1):
            for i in network.order:
                u = _next_random(generators).view(np.int32).astype(np.float64)
                odds = _odds_against(network, int(i), values)
                values[i] = (u + 2147483648.5) * odds < 2147483647.5 - u
            if sweep > burn_in and (sweep - burn_in) % thinning == 0:
                draws[(sweep - burn_in) // thinning - 1] = values.T
        return draws, Chains(np.ascontiguousarray(values.T), generators)


def _odds_against(network: GibbsNetwork, i: int, values: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Multiply the factors of the neighbours that are one, with the exponent kept apart."""
    start, stop = network.neighbours.starts[i : i + 2]
    fraction, exponent = np.frexp(np.full(values.shape[1], network.field_odds[i]))
    for j, factor in zip(network.neighbours[i], network.coupling_odds[start:stop], strict=True):
        fraction, shift = np.frexp(np.where(values[j], fraction * factor, fraction))
        exponent = exponent + shift
    odds: NDArray[np.float64] = np.ldexp(fraction, np.clip(exponent, -900, 900))
    return odds


def _next_random(state: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Draw 32 bits from each of the xoshiro128++ generators of shape (4, n), in place."""
    a, b, c, d = state
    drawn: NDArray[np.uint32] = _rotate(a + d, 7) + a
    shifted = b << np.uint32(9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d[:] = _rotate(d, 11)
    return drawn


def _rotate(x: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


@dataclass(frozen=True)
class NativeKernels:
    """The compiled kernel."""

    instruction_set: str = ""

    def gibbs(
        self, network: GibbsNetwork, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains: ``burn_in`` sweeps, then ``n_draws`` times ``thinning`` sweeps."""
        import importlib

        native: Any = importlib.import_module("_gibbs_throwaway")
        draws, states, generators = native.gibbs(
            network.neighbours.starts,
            network.neighbours.values,
            network.coupling_odds,
            network.field_odds,
            network.order,
            network.is_wide.view(np.uint8),
            *chains,
            burn_in,
            thinning,
            n_draws,
            self.instruction_set,
        )
        shape = chains.states.shape
        moved = Chains(states.reshape(shape), generators.reshape(chains.generators.shape))
        return draws.reshape(n_draws, *shape), moved
