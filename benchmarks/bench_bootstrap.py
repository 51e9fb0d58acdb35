"""The bootstrap: how many replicates a second, of data as surveys and genes have them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from random_samples import grid_network
from report import Row

import markhood

REPLICATES = 100


def rows() -> Iterator[Row]:
    """Bootstrap a grid on two threads; the target is 1000 replicates in 30 s."""
    samples = grid_network(100, 1000)
    start = time.perf_counter()
    markhood.bootstrap(samples, replicates=REPLICATES, n_jobs=2)
    wall = time.perf_counter() - start
    start = time.thread_time()
    markhood.bootstrap(samples, replicates=20, n_jobs=1)
    alone = (time.thread_time() - start) / 20
    yield Row(
        "bootstrap of rows, grid 100 x 1000, 2 threads",
        f"{REPLICATES / wall:.1f} replicates/s",
        f"{1000 * wall / REPLICATES:.1f} s for 1000; {1000 * alone:.0f} ms a replicate on one thread",
        "",
        ">= 33/s",
        REPLICATES / wall >= 1000 / 30,
    )
