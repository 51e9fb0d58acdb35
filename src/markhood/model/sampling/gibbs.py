"""Gibbs sampling: chains, order of updates and seeds.

A sweep updates the variables colour by colour of a greedy colouring. Neighbours have different
colours, so the updates of one colour are independent. Any fixed order leaves the distribution
invariant.

Chains are independent, each with its own generator, and advance sixteen at a time in the lanes of a
vector register. Sixteen chains take one thread no longer than one chain, so sixteen is the default.
Sample s is draw s // chains of chain s % chains, so the data depend only on the seed and the number
of chains, not on threads or blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.execution.runner import Runner
from markhood.kernels.lists import Lists
from markhood.kernels.networks import CHAINS, Chains, IsingNetwork
from markhood.model.neighbours import Neighbours

# The product of exp of this number and a 32-bit integer is a finite float64.
LARGEST_LOG_ODDS = 680.0

BLOCK_BYTES = 1 << 26


def gibbs_network(neighbours: Neighbours, fields: Floats) -> IsingNetwork:
    """Prepare a network for the Gibbs sampler."""
    largest = max(float(np.abs(x).max(initial=0.0)) for x in (neighbours.couplings, fields))
    if largest > LARGEST_LOG_ODDS:
        raise InputError(
            "model-size",
            "",
            f"A coupling or field of {largest:.4g} exceeds the largest that the Gibbs sampler "
            f"supports ({LARGEST_LOG_ODDS:g}): use a smaller one. Numbers above 50 are practically "
            "infinite.",
        )
    colours = colouring(neighbours.lists)
    return IsingNetwork(
        neighbours=neighbours.lists,
        coupling_odds=np.exp(-neighbours.couplings),
        field_odds=np.exp(-fields),
        order=np.argsort(colours, kind="stable").astype(np.int64),
        is_wide=np.abs(fields) + neighbours.sums(np.abs(neighbours.couplings)) > LARGEST_LOG_ODDS,
    )


def colouring(neighbours: Lists) -> Ints:
    """Return a greedy colouring: the lowest colour that no neighbour has, in variable order."""
    starts, indices = neighbours.starts.tolist(), neighbours.values.tolist()
    colours = [-1] * len(neighbours)
    for i in range(len(colours)):
        taken = {colours[j] for j in indices[starts[i] : starts[i + 1]]}
        colour = 0
        while colour in taken:
            colour += 1
        colours[i] = colour
    return np.array(colours, dtype=np.int64)


Advance: TypeAlias = Callable[..., tuple[NDArray[np.uint8], Chains]]


def gibbs_blocks(
    advance: Advance,
    n_variables: int,
    n_levels: int | Ints,
    n_samples: int,
    seed: int | np.random.SeedSequence | np.random.Generator | None,
    *,
    burn_in: int,
    thinning: int,
    chains: int,
    n_jobs: int | None,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[NDArray[np.uint8]]:
    """Draw samples in blocks of rows; all blocks but the last have a multiple of 64 rows.

    ``advance`` is a kernel with its network. Chains start from uniformly random levels, which are
    overdispersed, as convergence diagnostics require.
    """
    groups = _start(n_variables, n_levels, chains, np.random.default_rng(seed))
    draws_left = -(-n_samples // chains)
    rows_left = n_samples
    block_draws = 64 * max(1, block_bytes // (64 * CHAINS * len(groups) * n_variables))
    runner = Runner(n_jobs)
    while draws_left:
        n_draws = min(draws_left, block_draws)
        on = partial(advance, burn_in=burn_in, thinning=thinning, n_draws=n_draws)
        advanced = list(runner.map("gibbs", on, groups))
        groups = [group for _, group in advanced]
        drawn = [draws for draws, _ in advanced]
        together = drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=1)
        block = together[:, :chains].reshape(n_draws * chains, -1)[:rows_left]
        yield block
        rows_left -= len(block)
        draws_left -= n_draws
        burn_in = 0


def _start(
    n_variables: int, n_levels: int | Ints, chains: int, rng: np.random.Generator
) -> list[Chains]:
    groups = []
    for _ in range(-(-chains // CHAINS)):
        states = rng.integers(0, n_levels, size=(CHAINS, n_variables), dtype=np.uint8)
        generators = rng.integers(0, 1 << 32, size=(4, CHAINS), dtype=np.uint32)
        groups.append(Chains(states, generators))
    return groups
