"""What ranking pairs by the couplings of a whole model will take: a few steps of one tile, times all tiles and the usual steps."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from markhood.search.pseudo_likelihood import bytes_of_couplings, penalty_for, tiles_of
from markhood.search.values.job import Job

USUAL_STEPS = 30  # 11 to 46 on simulated grids of 2, 5 and 21 levels
TIMED_STEPS = 3


def seconds_of_couplings(job: Job, penalty: float, threads: int) -> float:
    """Return how long all tiles will take on so many threads."""
    n_levels = np.diff(job.samples.starts) + 1
    tiles = tiles_of(n_levels[: job.n_nodes].tolist())
    middle = tiles[len(tiles) // 2]
    targets = np.arange(middle.start, middle.stop)
    prior = penalty_for(n_levels, penalty, job.n_variables - job.n_nodes)
    took = []
    for steps in (1, 1, 1 + TIMED_STEPS):  # what comes before the first is not timed
        start = perf_counter()
        job.scorer.potts(targets, prior, steps)
        took.append(perf_counter() - start)
    each = max(0.0, took[2] - took[1]) / TIMED_STEPS
    one = took[1] + (USUAL_STEPS - 1) * each
    return float(one * len(tiles) / min(threads, len(tiles)))


def memory_of_couplings(job: Job) -> int:
    """Return how many bytes the tables of all pairs take."""
    return bytes_of_couplings(int((np.diff(job.samples.starts) + 1).sum()))
