"""Run tiles of work on threads.

A tile is a few milliseconds of work that releases the interpreter's lock, so threads are enough
and nothing is copied. `joblib.parallel_config` is respected: its backends for other processes and
machines run the tiles where it names one. On threads a plain pool does, because joblib looks for
results only every ten milliseconds, which is longer than many a phase takes. The results
come in the order of the tiles whatever ran them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from joblib import Parallel, delayed

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
        self.progress(phase, 0, len(tiles))
        for done, result in enumerate(self._results(work, tiles), start=1):
            self.progress(phase, done, len(tiles))
            yield result

    def _results(self, work: Callable[[T], R], tiles: Sequence[T]) -> Iterable[R]:
        from joblib.parallel import SequentialBackend, ThreadingBackend, get_active_backend

        backend, n_jobs = get_active_backend(prefer="threads")
        if not isinstance(backend, (SequentialBackend, ThreadingBackend)):
            parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
            results: Iterable[R] = parallel(delayed(work)(tile) for tile in tiles)
            return results
        n_threads = backend.effective_n_jobs(n_jobs if self.n_jobs is None else self.n_jobs)
        if n_threads == 1 or len(tiles) < 2:
            return map(work, tiles)
        return _on_threads(work, tiles, n_threads)


def _on_threads(work: Callable[[T], R], tiles: Sequence[T], n_threads: int) -> Iterator[R]:
    with ThreadPoolExecutor(min(n_threads, len(tiles))) as pool:
        results = [pool.submit(work, tile) for tile in tiles]
        try:
            for result in results:
                yield result.result()
        finally:  # after an error or an interrupt: do not begin what is left
            pool.shutdown(wait=False, cancel_futures=True)


def cut(n: int, tile: int) -> list[range]:
    """Cut ``range(n)`` into contiguous ranges of at most ``tile``.

    Examples
    --------
    >>> cut(10, 4)
    [range(0, 4), range(4, 8), range(8, 10)]
    """
    return [range(start, min(start + tile, n)) for start in range(0, n, tile)]
