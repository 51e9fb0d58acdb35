"""Two threads against one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ceiling import Ceiling
from clock import fastest
from random_samples import coins, grid_network, job
from report import Row

from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from markhood.search.screen import screen


def rows() -> Iterator[Row]:
    """Measure the machine itself first: two shared cores rarely give twice the work of one."""
    samples = coins(4096, 16384)
    ceiling, tiles = Ceiling(samples), job(samples).scorer.tiles()

    def bare(n_threads: int) -> None:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(ceiling.count_tile, tiles))

    def screened(n_threads: int) -> None:
        screen(job(samples, n_threads), 0.5)

    network, plrhc = grid_network(1024, 4000), METHODS["plrhc"]()

    def learned(n_threads: int) -> None:
        Request.of(plrhc, {"n_jobs": n_threads}).learn(network)

    yield _row("bare AND+POPCNT: what the machine can give", bare, target=None)
    yield _row("screen 4096 x 16384", screened, target=1.8)
    yield _row("PLRHC, grid 1024 x 4000, all phases", learned, target=1.8)


def _row(what: str, work: Callable[[int], None], target: float | None) -> Row:
    work(2)
    one, two = fastest(partial(work, 1), partial(work, 2), rounds=12)
    return Row(
        f"2 threads: {what}",
        f"{two:.4f} s",
        f"1 thread {one:.4f} s",
        f"{one / two:.2f} x",
        f">= {target:g} x" if target else "",
        one / two >= target if target else None,
    )
