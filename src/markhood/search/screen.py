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

from markhood.arrays import Ints
from markhood.graph.numbering import in_order
from markhood.kernels.ties import TIE
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
    known: tuple[Pairs, ...] = ()
    if tiles is None:
        tiles = scorer.tiles()
        if job.earlier is not None and _is_of_use(job, gamma, fitted):
            assert gamma is not None
            known = tuple(_at_gamma(job, found, gamma) for found in job.earlier.found)
            tiles = tiles[len(known) :]

    def test(tile: Tile) -> Pairs:
        return scorer.pairs(tile, gamma, fitted)

    yield from known
    yield from job.runner.map("screen", test, tiles)


def _is_of_use(job: Job, gamma: float | None, fitted: Which | None) -> bool:
    """Return whether the tiles of an earlier screen are part of this one.

    A checkpoint saves tiles by their number, so it has all of them.
    """
    is_equal = fitted is None or job.samples.bits.reals is None
    is_above = job.earlier is not None and gamma is not None and gamma >= job.earlier.gamma
    return is_equal and is_above and job.runner.checkpoint is None


def _at_gamma(job: Job, found: Pairs, gamma: float) -> Pairs:
    """Return the pairs of an earlier screen that pass with a larger gamma."""
    assert job.earlier is not None
    if gamma == job.earlier.gamma or not len(found.edges):
        return found
    prices = (job.scorer.prices(found.edges, one) for one in (gamma, job.earlier.gamma))
    gains = found.gains - np.subtract(*prices)
    return Pairs(found.edges[gains > TIE], gains[gains > TIE])


def joined(found: Sequence[Pairs]) -> Pairs:
    """Combine the pairs of several tiles, in lexicographic order."""
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.edges for f in found)])
    gains = np.concatenate([np.empty(0), *(f.gains for f in found)])
    order = in_order(edges)
    return Pairs(np.take(edges, order, axis=0), gains[order])


def tested_pairs(job: Job) -> dict[str, Ints]:
    """Count the screen's tests as blankets of one member, each pair once."""
    d = job.n_nodes
    return {"screen": np.array([0, d * (d - 1)])}
