"""Executors: local threads, the backend that `joblib.parallel_config` sets, or a cluster by name.

An executor receives work and tiles and returns results as they finish, each with the number of its
tile. It neither orders nor stores them: `Runner` does, for all executors. An error of the work is
an outcome too, so that it is raised at the position of that tile's result.

Threads take tiles from a queue and put outcomes into another. joblib polls for results only every
ten milliseconds, longer than many phases take, and the standard library's pool spends more time per
tile in the main thread, under the interpreter lock, than a small tile takes. If joblib is set to
Dask or Ray, its cluster is used through our engines, because joblib would send the data with every
call and, on Ray, not survive the death of a worker. Other joblib backends, including processes, are
called through joblib, and called again for unfinished tiles if a process was killed.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeVar

from markhood.errors import InputError

T = TypeVar("T")
R = TypeVar("R")
MOST_DEATHS = 3  # consecutive deaths of processes without a finished tile
NAMES = ("threads", "dask", "ray")


@dataclass(frozen=True)
class Failure:
    """The error that a tile's work raised, in place of its result."""

    error: BaseException


class Executor(Protocol):
    """Runs tiles."""

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number and outcome of each tile, in any order.

        After a `Failure`, outcomes of later tiles may be missing. Closing the iterator stops
        running work.
        """


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


@contextmanager
def executor_named(
    name: Any, scheduler: str | None = None, n_jobs: int | None = None, cards: int = 0
) -> Iterator[Executor]:
    """Open the executor of that name, and close it afterwards.

    Parameters
    ----------
    name : {"threads", "dask", "ray"}, distributed.Client, Executor or None
        None uses threads, unless `joblib.parallel_config` sets another backend.
    n_jobs : int, optional
        Number of threads, for the executor "threads".
    cards : int, default=0
        Number of GPUs per tile.

    Raises
    ------
    InputError
        If the executor is unknown, its library is missing, or no cluster answers at that address.
    """
    if scheduler is not None and name not in ("dask", "ray"):
        raise InputError(
            "option-conflict",
            "scheduler",
            f"The scheduler {scheduler} needs the executor dask or ray: choose one of them.",
        )
    if name is None:
        yield Local(n_jobs)
    elif name == "threads":
        from joblib.parallel import ThreadingBackend

        yield Threads(ThreadingBackend().effective_n_jobs(1 if n_jobs is None else n_jobs))
    elif name == "dask":
        _require_extra(name, "distributed", "cloudpickle")
        from markhood.execution.dask import on_scheduler

        with on_scheduler(scheduler) as cluster:
            yield cluster
    elif name == "ray":
        _require_extra(name, "ray", "cloudpickle")
        from markhood.execution.ray import on_address

        with on_address(scheduler, cards) as cluster:
            yield cluster
    elif hasattr(name, "outcomes"):
        yield name
    elif hasattr(name, "scatter") and hasattr(name, "submit"):
        from markhood.execution.dask import on_client

        yield on_client(name)
    else:
        raise InputError(
            "option-unknown",
            "executor",
            f"Unknown executor {name!r}: choose one of {', '.join(NAMES)}, or pass a "
            "distributed.Client.",
        )


def _require_extra(name: str, *modules: str) -> None:
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        raise InputError(
            "library-missing",
            name,
            f"executor {name!r} needs {name.capitalize()}: pip install 'markhood[{name}]', or "
            "use the default executor.",
        ) from None
