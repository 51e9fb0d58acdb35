"""Run tiles on local threads, or on the backend that `joblib.parallel_config` sets.

Threads take tiles from a queue and put outcomes into another. joblib polls for results only every
ten milliseconds, longer than many phases take, and the standard library's pool spends more time per
tile in the main thread, under the interpreter lock, than a small tile takes. If joblib is set to
Dask or Ray, its cluster is used through our engines, because joblib would send the data with every
call and, on Ray, not survive the death of a worker. Other joblib backends, including processes, are
called through joblib, and called again for unfinished tiles if a process was killed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from markhood.execution.executor import Executor, Failure

T = TypeVar("T")
R = TypeVar("R")

MOST_DEATHS = 3  # consecutive deaths of processes without a finished tile


class Worker(Thread):
    """A thread whose kernels stop within a fraction of a second once ``is_abandoned`` is set."""

    is_abandoned = False


@dataclass(frozen=True)
class Threads:
    """Tiles on threads of this process."""

    n_threads: int

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number and outcome of each tile, in any order."""
        if self.n_threads == 1 or len(tiles) < 2:
            yield from enumerate(map(work, tiles))
            return
        left: SimpleQueue[int] = SimpleQueue()
        done: SimpleQueue[tuple[int, R | Failure]] = SimpleQueue()

        def run() -> None:
            for k in _taken_from(left):
                try:
                    done.put((k, work(tiles[k])))
                except BaseException as error:  # noqa: BLE001 - raised where its result would come
                    done.put((k, Failure(error)))

        for k in range(len(tiles)):
            left.put(k)
        threads = [Worker(target=run) for _ in range(min(self.n_threads, len(tiles)))]
        try:
            for thread in threads:
                thread.start()
            for _ in tiles:
                yield done.get()
        finally:
            # After an error or an interrupt: do not start remaining tiles, and stop running ones.
            for _ in _taken_from(left):
                pass
            for thread in threads:
                thread.is_abandoned = True


def _taken_from(queue: SimpleQueue[int]) -> Generator[int]:
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


class Local:
    """Tiles on threads, unless `joblib.parallel_config` names another backend."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self._n_jobs = n_jobs
        self._clusters: dict[Any, Executor] = {}  # kept, with their data

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number and outcome of each tile, in any order."""
        if self._n_jobs == 1 or (self._n_jobs is None and "joblib" not in sys.modules):
            return Threads(1).outcomes(work, tiles)  # joblib has no setting if it was not imported
        from joblib.parallel import SequentialBackend, ThreadingBackend, get_active_backend

        backend, n_jobs = get_active_backend(prefer="threads")
        n_jobs = n_jobs if self._n_jobs is None else self._n_jobs
        if n_jobs == 1:
            return Threads(1).outcomes(work, tiles)
        if isinstance(backend, (SequentialBackend, ThreadingBackend)):
            return Threads(backend.effective_n_jobs(n_jobs)).outcomes(work, tiles)
        cluster = self._cluster_of(backend)
        if cluster is not None:
            return cluster.outcomes(work, tiles)
        return self._by_joblib(work, tiles)

    def _cluster_of(self, backend: Any) -> Executor | None:
        kind = type(backend).__name__  # importing the classes would need the libraries
        if kind == "DaskDistributedBackend" and backend.client not in self._clusters:
            from markhood.execution.dask import on_client

            self._clusters[backend.client] = on_client(backend.client)
        if kind == "RayBackend" and kind not in self._clusters:
            from markhood.execution.ray import on_ray

            self._clusters[kind] = on_ray()
        return self._clusters.get(backend.client if kind.startswith("Dask") else kind)

    def _by_joblib(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        left = dict(enumerate(tiles))
        deaths = 0
        while left:
            n_left = len(left)
            parallel = Parallel(
                n_jobs=self._n_jobs, prefer="threads", return_as="generator_unordered"
            )
            try:
                calls = [delayed(_attempted)(work, k, tile) for k, tile in left.items()]
                for k, outcome in parallel(calls):
                    del left[k]
                    yield k, outcome
            except TerminatedWorkerError:
                deaths = deaths + 1 if len(left) == n_left else 1
                if deaths == MOST_DEATHS:
                    raise


def _attempted(work: Callable[[T], R], k: int, tile: T) -> tuple[int, R | Failure]:
    try:
        return k, work(tile)
    except Exception as error:  # noqa: BLE001 - raised where its result would come
        return k, Failure(error)
