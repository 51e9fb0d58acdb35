"""How time is taken: the fastest of several rounds, with the things compared taking turns.

Other work on the machine only ever adds time, so the fastest round says most about the code;
taking turns, both sides of a ratio see the same machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def fastest(
    *works: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Return the least seconds that each of ``works`` took.

    For work on one thread pass ``clock=time.thread_time``: it does not run while
    another process has the core.
    """
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for k, work in enumerate(works):
            start = clock()
            work()
            best[k] = min(best[k], clock() - start)
    return best
