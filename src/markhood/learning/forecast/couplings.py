"""Forecast the time and memory of fitting all couplings of one model.

Some steps of one tile are timed and multiplied by the number of tiles and the usual number of
steps. A step passes over all samples and variables once, so it is timed on a subset of the samples.
"""

from __future__ import annotations

from time import thread_time

import numpy as np

from markhood.search.pseudo_likelihood import bytes_of_couplings, penalty_for, tiles_of
from markhood.search.values.job import Job

USUAL_STEPS = 30  # 11 to 46 on simulated grids of 2, 5 and 21 levels
TIMED_STEPS = 3
WORK = 5e7  # values times columns per timed step: some hundredths of a second
FEWEST_SAMPLES = 128  # with fewer, the fixed cost of a step dominates


def seconds_of_couplings(job: Job, penalty: float, threads: int) -> float:
    """Return the time of all tiles on this number of threads."""
    n_levels = np.diff(job.samples.starts) + 1
    tiles = tiles_of(n_levels[: job.n_nodes].tolist())
    middle = tiles[len(tiles) // 2]
    targets = np.arange(middle.start, middle.stop)
    prior = penalty_for(n_levels, penalty, job.n_variables - job.n_nodes)
    n, columns = job.samples.n_samples, int(n_levels[targets].sum())
    n_timed = min(n, max(FEWEST_SAMPLES, int(WORK / (job.n_variables * columns))))
    scorer = job.scorer.on(job.samples.take(np.arange(n_timed)))
    took = []
    for steps in (1, 1, 1 + TIMED_STEPS):  # the first runs warm up and are not timed
        start = thread_time()
        scorer.potts(targets, prior, steps)
        took.append(thread_time() - start)
    each = max(0.0, took[2] - took[1]) / TIMED_STEPS
    one = (took[1] + (USUAL_STEPS - 1) * each) * n / n_timed
    return float(one * len(tiles) / min(threads, len(tiles)))


def memory_of_couplings(job: Job) -> int:
    """Return the number of bytes of the tables of all pairs."""
    return bytes_of_couplings(int((np.diff(job.samples.starts) + 1).sum()))
