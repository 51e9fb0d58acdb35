"""Gibbs sampling: chains, order of updates and seeds.

A sweep updates the variables colour by colour of a greedy colouring. Neighbours have different
colours, so the updates of one colour are independent. Any fixed order leaves the distribution
invariant.

Chains are independent, each with its own generator, and advance sixteen at a time in the lanes of a
vector register. Sixteen chains take one thread no longer than one chain, so sixteen is the default.
Sample s is draw s // chains of chain s % chains, so the data depend only on the seed and the number
of chains, not on threads or blocks.

Packing of level numbers: a row of bits for each level but the first. Levels that do not occur in
the sample are left out, so that no parameters are fitted for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints, Words
from markhood.data.samples import Samples, words_per_row
from markhood.data.storage.memory import require_memory
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.execution.runner import Runner, cut
from markhood.kernels.lists import Lists
from markhood.kernels.networks import CHAINS, Chains, IsingNetwork
from markhood.model.neighbours import Neighbours
from markhood.options import check_value

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None
Method: TypeAlias = Literal["auto", "exact", "gibbs"]
# The product of exp of this number and a 32-bit integer is a finite float64.
LARGEST_LOG_ODDS = 680.0
BLOCK_BYTES = 1 << 26
_TILE_BYTES = 1 << 22


def check_settings(
    n_samples: int, method: str, burn_in: int, thinning: int, chains: int, n_jobs: int | None
) -> None:
    """Raise `InputError` for settings that are out of range."""
    require_counts(n_samples=n_samples, thinning=thinning, chains=chains)
    check_value("burn_in", burn_in, int, low=0)
    check_value("n_jobs", n_jobs, int | None)
    check_value("method", method, Method)
    if n_jobs == 0:
        raise InputError(
            "option-value", "n_jobs", "n_jobs is 0; give a number of threads, or -1 for all."
        )


def require_counts(**counts: int) -> None:
    """Raise `InputError` unless all counts are positive."""
    for name, count in counts.items():
        check_value(name, count, int, low=1)


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


def pack_levels(
    blocks: Iterable[NDArray[np.uint8]], n_samples: int, names: tuple[str, ...], n_levels: Ints
) -> Samples:
    """Pack blocks of level numbers.

    Parameters
    ----------
    blocks : iterable of ndarray of shape (n_rows, n_variables), dtype uint8
        All but the last must have a multiple of 64 rows.
    n_samples : int
        Total number of rows.
    names : tuple of str
    n_levels : ndarray of shape (n_variables,)
        At least two each.

    Examples
    --------
    >>> block = np.array([[0, 2], [1, 1]], np.uint8)
    >>> samples = pack_levels([block], 2, ("a", "b"), np.array([2, 3]))
    >>> samples.levels, samples.words[:, 0].tolist()
    (((0, 1), (1, 2)), [2, 1])
    """
    owners = np.repeat(np.arange(len(names)), n_levels - 1)
    firsts = np.cumsum(n_levels - 1) - (n_levels - 1)
    levels = np.arange(len(owners)) - firsts[owners] + 1
    require_memory(len(owners), n_samples)
    packed = np.zeros((len(owners), words_per_row(n_samples) * 8), np.uint8)
    byte = 0
    for block in blocks:
        by_variable = np.ascontiguousarray(block.T)
        end = byte + -(-len(block) // 8)
        for tile in cut(len(owners), max(1, _TILE_BYTES // len(block))):
            rows = slice(tile.start, tile.stop)
            ones = by_variable[owners[rows]] == levels[rows, None]
            packed[rows, byte:end] = np.packbits(ones, axis=1, bitorder="little")
        byte = end
    words = packed.view("<u8").astype(np.uint64, copy=False)
    return _without_unused_levels(words, n_samples, names, n_levels)


def _without_unused_levels(
    words: Words, n_samples: int, names: tuple[str, ...], n_levels: Ints
) -> Samples:
    tiles = [words[tile.start : tile.stop] for tile in cut(len(words), 4096)]
    ones = np.concatenate([np.bitwise_count(t).sum(axis=1, dtype=np.int64) for t in tiles])
    ends = np.cumsum(n_levels - 1)
    kept, levels = np.ones(len(words), np.bool_), []
    for start, end in zip((ends - n_levels + 1).tolist(), ends.tolist(), strict=True):
        counts = [n_samples - int(ones[start:end].sum()), *ones[start:end].tolist()]
        seen = [level for level, count in enumerate(counts) if count]
        levels.append(tuple(seen))
        if len(seen) < len(counts):
            kept[start:end] = False
            kept[[start + level - 1 for level in seen[1:]]] = True
            if len(seen) == 1:  # a constant variable has one row of zeros
                kept[start], words[start] = True, 0
    variables = Variables(names, tuple(levels))
    return Samples(words if kept.all() else words[kept], n_samples, variables)
