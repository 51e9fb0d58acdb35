"""The screen: which pairs of variables depend on each other at all.

Every pair is tested with the penalised likelihood ratio

    LR(i, j) - f_i f_j log(N)/2 - gamma log(d - 1) > 0,

which is the same in both directions. A nominal variable has f = r - 1 numbers, an ordered one f = 1; LR is
that of an edge in the pair's table, both margins free, and for nominal pairs N * MI(i, j). Only passing pairs leave a tile, so there is never a d x d
array. Binary variables, all samples counting once, have the fastest kernel, and a GPU's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.execution.runner import Runner, cut
from markhood.kernels.greedy import TIE
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import AssociatedPairs, AssociatedTables, Costs, Kernels
from markhood.kernels.reference.backend import likelihood_ratios
from markhood.scores.bic import Bic

FEWEST_BLOCKS = 4  # ten tiles, so that threads can share the screen of a few variables
COLUMNS_PER_BLOCK = 32  # the kernels take columns by so many, so a tile has no part of a block


@dataclass(frozen=True, eq=False)
class Screened:
    """The pairs that passed, i < j in lexicographic order, and by how much.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2), dtype int64
    gains : ndarray of shape (n_edges,), dtype float64
        Penalised likelihood ratio: what the score of either variable gains by the other.
    """

    edges: NDArray[np.int64]
    gains: NDArray[np.float64]


def pair_costs(samples: Samples, gamma: float) -> Costs:
    """Return what BIC_gamma charges for a parameter and for a neighbour."""
    return Bic(gamma).costs(samples.total_weight, samples.n_variables)


def screen(
    samples: Samples,
    costs: Costs,
    kernels: Kernels,
    runner: Runner,
    tiles: Sequence[tuple[range, range]] | None = None,
) -> Screened:
    """Find the pairs of variables whose likelihood ratio exceeds their price; in some tiles only."""
    found = _screen_bits if samples.bits.is_plain else _screen_tables
    tiles = tiles_of(samples, kernels) if tiles is None else tiles
    edges, gains = found(samples, costs, kernels, runner, tiles)
    # The kernels' sums may differ in the last digit: what is only that is no gain.
    passing = gains > TIE
    edges, gains = edges[passing], gains[passing]
    # One number a pair, in lexicographic order: sorts far faster than pairs do.
    order = np.argsort(edges[:, 0] * samples.n_variables + edges[:, 1])
    return Screened(edges[order], gains[order])


def _screen_bits(
    samples: Samples,
    costs: Costs,
    kernels: Kernels,
    runner: Runner,
    tiles: Sequence[tuple[range, range]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    penalty = costs.parameter + costs.variable
    n_log_n = np.arange(samples.n_samples + 1, dtype=np.float64)
    n_log_n[1:] *= np.log(n_log_n[1:])

    def test(tile: tuple[range, range]) -> AssociatedPairs:
        return kernels.associated_pairs(samples.bits, samples.ones, n_log_n, *tile, penalty)

    found = list(runner.map("screen", test, tiles))
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.pairs for f in found)])
    joint = np.concatenate([np.empty(0, dtype=np.int64), *(f.joint for f in found)])
    ones_i, ones_j = samples.ones[edges].T
    return edges, likelihood_ratios(joint, ones_i, ones_j, n_log_n) - penalty


def _screen_tables(
    samples: Samples,
    costs: Costs,
    kernels: Kernels,
    runner: Runner,
    tiles: Sequence[tuple[range, range]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    def test(tile: tuple[range, range]) -> AssociatedTables:
        return kernels.associated_tables(samples.bits, *tile, costs)

    found = list(runner.map("screen", test, tiles))
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.pairs for f in found)])
    ratios = np.concatenate([np.empty(0), *(f.ratios for f in found)])
    parameters = samples.bits.n_scores[edges].prod(axis=1)
    return edges, ratios - parameters * costs.parameter - costs.variable


def tiles_of(samples: Samples, kernels: Kernels) -> list[tuple[range, range]]:
    """Cut the upper triangle into squares of rows and columns."""
    planes = 1 if samples.bits.weighting is None else len(samples.bits.weighting.planes)
    rows_per_variable = len(samples.words) / samples.n_variables
    words = samples.words.shape[1] * planes * rows_per_variable**2
    # A GPU has tiles of its own size; tables are counted on the processor in any case.
    counter = kernels if samples.bits.is_plain else NativeKernels
    side = int((counter.words_per_tile / max(words, 1)) ** 0.5)
    side = min(side, counter.largest_tile, samples.n_variables // FEWEST_BLOCKS)
    side = side // COLUMNS_PER_BLOCK * COLUMNS_PER_BLOCK
    blocks = cut(samples.n_variables, max(side, COLUMNS_PER_BLOCK))
    return list(combinations_with_replacement(blocks, 2))
