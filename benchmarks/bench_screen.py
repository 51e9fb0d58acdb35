"""The screen on one thread, against the bare counting loop and against a matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time

import numpy as np
from ceiling import Ceiling
from clock import fastest
from random_samples import coins, job
from report import Row
from threadpoolctl import threadpool_limits

from markhood.data.samples import Samples
from markhood.search.screen import screen


def rows() -> Iterator[Row]:
    """Measure long rows, where counting is all, and short ones, where the test shows."""
    samples = coins(4096, 16384)
    yield _against_ceiling(samples, target=0.7)
    yield _against_product(samples)
    yield _against_ceiling(coins(10_000, 1000), target=0.5)


def _against_ceiling(samples: Samples, target: float) -> Row:
    ceiling, tiles = Ceiling(samples), job(samples).scorer.tiles()
    ours, bare = fastest(
        lambda: _screen(samples), lambda: ceiling.count(tiles), rounds=10, clock=thread_time
    )
    d = samples.n_variables
    words = d * (d - 1) / 2 * samples.words.shape[1]
    return Row(
        f"screen {d} x {samples.n_samples}, 1 thread",
        f"{words / ours / 1e9:.1f} G words/s",
        f"bare AND+POPCNT {words / bare / 1e9:.1f} G words/s",
        f"{bare / ours:.0%}",
        f">= {target:.0%}",
        bare / ours >= target,
    )


def _against_product(samples: Samples) -> Row:
    bits = np.unpackbits(samples.words.view(np.uint8), axis=1, count=samples.n_samples)
    X = np.ascontiguousarray(bits.T, dtype=np.float32)
    with threadpool_limits(1):
        ours, product = fastest(
            lambda: _screen(samples), lambda: X.T @ X, rounds=2, clock=thread_time
        )
    return Row(
        f"screen {samples.n_variables} x {samples.n_samples}, 1 thread",
        f"{ours:.3f} s",
        f"X.T @ X in float32 {product:.2f} s",
        f"{product / ours:.1f} x",
        ">= 10 x",
        product / ours >= 10,
    )


def _screen(samples: Samples) -> None:
    screen(job(samples), 0.5)
