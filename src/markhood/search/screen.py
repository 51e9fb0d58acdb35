"""The screen: test every pair of variables for marginal dependence.

Every pair is tested with the penalised likelihood ratio

    likelihood ratio - parameters log(N)/2 - gamma log(d - 1) > 0,

which is symmetric. An edge has f f' parameters, where f is r - 1 for a nominal variable and 1 for
an ordered one. The ratio is that of an edge in the pair's table with free margins, or given the
covariates (`scores/given.py`). Only passing pairs leave a tile, so no d x d array is needed. The
screen is also a method of its own: `pairwise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from markhood.graph.numbering import in_order
from markhood.scores.scorer import Pairs, Tile, Which
from markhood.search.values.job import Job


def screen(
    job: Job,
    gamma: float | None,
    tiles: Sequence[Tile] | None = None,
    fitted: Which | None = None,
) -> Pairs:
    """Find the pairs whose likelihood ratio exceeds their penalty, in all or some tiles.

    Pairs are in lexicographic order. With ``gamma=None`` there is no penalty. The ratios of pairs
    outside ``fitted`` may be approximate.
    """
    return joined(list(passing(job, gamma, tiles, fitted)))


def passing(
    job: Job,
    gamma: float | None,
    tiles: Sequence[Tile] | None = None,
    fitted: Which | None = None,
) -> Iterator[Pairs]:
    """Yield the passing pairs, tile by tile."""
    scorer = job.scorer  # not the job: its runner may hold a connection

    def test(tile: Tile) -> Pairs:
        return scorer.pairs(tile, gamma, fitted)

    return job.runner.map("screen", test, scorer.tiles() if tiles is None else tiles)


def joined(found: Sequence[Pairs]) -> Pairs:
    """Combine the pairs of several tiles, in lexicographic order."""
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.edges for f in found)])
    gains = np.concatenate([np.empty(0), *(f.gains for f in found)])
    order = in_order(edges)
    return Pairs(np.take(edges, order, axis=0), gains[order])


def tested_pairs(job: Job) -> dict[str, np.typing.NDArray[np.int64]]:
    """Count the screen's tests as blankets of one member, each pair once."""
    d = job.n_nodes
    return {"screen": np.array([0, d * (d - 1)])}
