"""Contingency tables of the two ends of every edge.

These are marginal counts, which a reader can check by hand and compare with the coupling, which
holds all other variables fixed.
"""

from __future__ import annotations

import numpy as np

from markhood.arrays import Floats, Words
from markhood.data.samples import Samples
from markhood.graph.graph import Graph
from markhood.kernels.words import unpacked

MAX_WORDS = 200_000_000  # of 64 samples; limits the time for counting
MAX_CELLS = 144  # larger tables are unreadable


def pair_counts(graph: Graph, samples: Samples) -> list[list[list[float]] | None] | None:
    """Return the weight of each pair of levels for every edge.

    Rows are the levels of the first end. Samples with a missing value in the pair are left out. A
    table that is too large is None, and so is the result if counting would take too long.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> pair_counts(Graph(["x0", "x1"], [(0, 1)]), encode([[0, 1], [1, 2], [0, 1], [0, 2]]))
    [[[2.0, 1.0], [0.0, 1.0]]]
    """
    if graph.nodes != samples.names:
        return None
    sizes = np.array([len(levels) for levels in samples.levels])
    cells = sizes[graph.edges].prod(axis=1)
    if int(cells.sum()) * samples.words.shape[1] > MAX_WORDS:
        return None
    return [
        _counted(samples, i, j).tolist() if n <= MAX_CELLS else None
        for (i, j), n in zip(graph.edges.tolist(), cells.tolist(), strict=True)
    ]


def _counted(samples: Samples, i: int, j: int) -> Floats:
    first, second = _level_rows(samples, i), _level_rows(samples, j)
    both = first[:, None] & second[None]
    if samples.weights is None:
        return np.asarray(np.bitwise_count(both).sum(axis=2), dtype=np.float64)
    bits = unpacked(both, samples.n_samples)
    return np.asarray(bits @ (samples.weights.counts * samples.weights.unit), dtype=np.float64)


def _level_rows(samples: Samples, variable: int) -> Words:
    """Return an indicator row for every level, 0 where the variable is missing."""
    start = samples.starts[variable]
    others = samples.words[start : start + len(samples.levels[variable]) - 1]
    taken = np.bitwise_or.reduce(others, axis=0, initial=0) | _past_end(samples)
    mask = samples.missing.get(variable)
    return np.vstack([~(taken if mask is None else taken | mask), others])


def _past_end(samples: Samples) -> Words:
    """Return a row with ones in the unused bits after the last sample."""
    ends = np.arange(1, samples.words.shape[1] + 1) * 64 - samples.n_samples
    unused = np.clip(ends, 0, 64).astype(np.uint64)
    every = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
    # A shift by all 64 bits is not defined.
    return np.where(unused == 64, every, ~(every >> np.minimum(unused, np.uint64(63))))
