"""Run tiles of work on threads.

A tile is a few milliseconds of work that releases the interpreter's lock, so threads are enough
and nothing is copied. joblib does the running: `joblib.parallel_config` is respected, and the
results come in the order of the tiles whatever ran them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[str, int, int], None]


def _no_progress(phase: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Runner:
    """Where work is done, and who is told of its progress.

    Parameters
    ----------
    n_jobs : int, optional
        Threads, as in joblib: None is one unless a ``parallel_config`` says otherwise, -1 all.
    progress : callable
        Called with the name of the phase, tiles done and tiles in all.
    """

    n_jobs: int | None = None
    progress: Progress = _no_progress

    def map(self, phase: str, work: Callable[[T], R], tiles: Sequence[T]) -> Iterator[R]:
        """Apply ``work`` to every tile and yield the results in order."""
        from joblib import Parallel, delayed

        self.progress(phase, 0, len(tiles))
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        for done, result in enumerate(parallel(delayed(work)(tile) for tile in tiles), start=1):
            self.progress(phase, done, len(tiles))
            yield result


def cut(n: int, tile: int) -> list[range]:
    """Cut ``range(n)`` into contiguous ranges of at most ``tile``.

    Examples
    --------
    >>> cut(10, 4)
    [range(0, 4), range(4, 8), range(8, 10)]
    """
    return [range(start, min(start + tile, n)) for start in range(0, n, tile)]
