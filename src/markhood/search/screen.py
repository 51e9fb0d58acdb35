"""The screen: which pairs of variables depend on each other at all.

Every pair is tested with the penalised likelihood ratio

    likelihood ratio - parameters log(N)/2 - gamma log(d - 1) > 0,

which is the same in both directions. An edge has f f' parameters, f being r - 1 of a nominal variable
and 1 of an ordered one; the ratio is that of an edge in the pair's table, both margins being free, or given the
covariates where there are any (`scores/given.py`).
Only passing pairs leave a tile, so there is never a d x d
array. On its own the screen is a method too: `pairwise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from markhood.graph.numbering import in_order
from markhood.scores.scorer import Pairs, Tile
from markhood.search.values.job import Job


def screen(job: Job, gamma: float | None, tiles: Sequence[Tile] | None = None) -> Pairs:
    """Find the pairs of variables whose likelihood ratio exceeds their price; in some tiles only.

    They are in lexicographic order. With ``gamma=None`` nothing has a price.
    """
    return joined(list(passing(job, gamma, tiles)))


def passing(job: Job, gamma: float | None, tiles: Sequence[Tile] | None = None) -> Iterator[Pairs]:
    """Yield those pairs, a tile after another."""
    scorer = job.scorer  # all that a tile needs: the job's runner may hold a connection

    def test(tile: Tile) -> Pairs:
        return scorer.pairs(tile, gamma)

    return job.runner.map("screen", test, scorer.tiles() if tiles is None else tiles)


def joined(found: Sequence[Pairs]) -> Pairs:
    """Put the pairs of several tiles together, in lexicographic order."""
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *(f.edges for f in found)])
    gains = np.concatenate([np.empty(0), *(f.gains for f in found)])
    order = in_order(edges)
    return Pairs(np.take(edges, order, axis=0), gains[order])


def tested_pairs(job: Job) -> dict[str, np.typing.NDArray[np.int64]]:
    """Count the screen's tests as blankets of one: each pair once, for both directions."""
    d = job.n_nodes
    return {"screen": np.array([0, d * (d - 1)])}
