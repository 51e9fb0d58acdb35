"""Run tiles of work, report progress, and return the results in tile order.

The executor decides where tiles run: by default on local threads, because a tile is a few
milliseconds of work that releases the interpreter lock, so nothing needs to be copied. With a
checkpoint, finished tiles are read from it and new ones are saved to it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from typing import TypeVar

from markhood.execution.checkpoint import Checkpoint
from markhood.execution.executors import Executor, Failure, Local

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[str, int, int], None]

# With a single tile, the 25 questions of a survey would use only one thread.
FEWEST_TILES = 16
# The overhead per tile, on one thread at a time, is a tenth of a millisecond.
MOST_TILES = 4096


def no_progress(phase: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Runner:
    """Runs work, reports its progress, and saves its results."""

    # Number of threads, as in joblib: None is one unless ``parallel_config`` sets it, -1 all.
    n_jobs: int | None = None
    # Called with the phase, the number of finished tiles and the total number of tiles.
    progress: Progress = no_progress
    executor: Executor | None = None  # by default ``n_jobs`` local threads, or joblib's setting
    checkpoint: Checkpoint | None = None  # stores finished tiles
    # Fingerprint of the data of the tiles, if they differ from those of the checkpoint's run.
    data: str = ""

    def map(self, phase: str, work: Callable[[T], R], tiles: Sequence[T]) -> Iterator[R]:
        """Apply ``work`` to every tile and yield the results in order."""
        early: dict[int, R | Failure] = {}
        due = 0
        with closing(self._outcomes(phase, work, tiles)) as outcomes:
            for k, outcome in outcomes:
                early[k] = outcome
                while due in early:
                    yield _result(early.pop(due))
                    due += 1

    def map_unordered(
        self, phase: str, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Apply ``work`` to every tile and yield tiles and results as they finish."""
        with closing(self._outcomes(phase, work, tiles)) as outcomes:
            for k, outcome in outcomes:
                yield tiles[k], _result(outcome)

    def _outcomes(
        self, phase: str, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        with ExitStack() as stack:
            saved = self.checkpoint and stack.enter_context(
                self.checkpoint.phase(phase, tiles, self.data)
            )
            finished: set[int] = set()
            for k, result in stack.enter_context(closing(saved.results())) if saved else ():
                if k not in finished:  # concurrent runs may both have saved it
                    finished.add(k)
                    yield k, result
            done = len(finished)
            self.progress(phase, done, len(tiles))
            left = [k for k in range(len(tiles)) if k not in finished]
            executor = self.executor or Local(self.n_jobs)
            running = executor.outcomes(work, [tiles[k] for k in left])
            for at, outcome in stack.enter_context(closing(running)):
                if saved and not isinstance(outcome, Failure):
                    saved.add(left[at], outcome)
                done += 1
                self.progress(phase, done, len(tiles))
                yield left[at], outcome


def one_blas_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread, because more threads slow down small products."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")  # type: ignore[no-any-return]


def _result(outcome: R | Failure) -> R:
    if isinstance(outcome, Failure):
        raise outcome.error
    return outcome


def cut(n: int, tile: int) -> list[range]:
    """Cut ``range(n)`` into contiguous ranges of at most ``tile``.

    Examples
    --------
    >>> cut(10, 4)
    [range(0, 4), range(4, 8), range(8, 10)]
    """
    return [range(start, min(start + tile, n)) for start in range(0, n, tile)]


def shared_out(n: int, largest: int, fewest: int = FEWEST_TILES) -> list[range]:
    """Cut ``range(n)`` into ``fewest`` to `MOST_TILES` tiles, of ``largest`` if possible.

    The result does not depend on the number of threads, so a checkpoint is valid on other machines.

    Examples
    --------
    >>> [len(tile) for tile in shared_out(25, 64)] == [2] * 12 + [1]
    True
    >>> len(shared_out(3, 64)), len(shared_out(6400, 64))
    (3, 100)
    """
    return cut(n, max(1, min(max(largest, -(-n // MOST_TILES)), -(-n // fewest))))
