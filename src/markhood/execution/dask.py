"""Dask clusters: `executor="dask"`, a `distributed.Client`, or joblib's Dask backend.

Data are scattered to all workers, so that the death of one loses none of them. Dask itself reruns
the tiles of a dead worker; data are sent again only if every worker that held them died.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

from markhood.errors import InputError
from markhood.execution.cluster import (
    MOST_LOSSES,
    Cluster,
    DataLostError,
    forget,
    has_file,
    run_tiles,
)


class DaskEngine:
    """The engine of a client's cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._done: SimpleQueue[Any] = SimpleQueue()

    def slots(self) -> int:
        return sum(self._client.nthreads().values()) or 1

    def opens(self, path: str, size: int) -> bool:
        self._client.wait_for_workers(1)
        return all(self._client.run(has_file, path, size).values())

    def send(self, value: Any) -> Any:
        for _ in range(MOST_LOSSES):
            with suppress(OSError):  # a worker died meanwhile
                return self._scattered(value)
        return self._scattered(value)

    def _scattered(self, value: Any) -> Any:
        self._client.wait_for_workers(1)
        # Unique keys: a key made from the content may still be in the process of removal.
        return self._client.scatter([value], broadcast=True, hash=False)[0]

    def call(self, key: str, content: Any, tiles: Sequence[Any], arrays: list[Any]) -> Any:
        future = self._client.submit(run_tiles, key, content, list(tiles), *arrays, pure=False)
        future.add_done_callback(self._done.put)
        return future

    def finished(self, calls: Sequence[Any]) -> Sequence[Any]:
        done = [self._done.get()]
        while True:
            try:
                done.append(self._done.get_nowait())
            except Empty:
                return [call for call in done if call in calls]

    def result(self, call: Any) -> tuple[float, list[Any]]:
        try:
            result: tuple[float, list[Any]] = call.result()
        except CancelledError:
            raise DataLostError("the workers that held the data of these tiles died") from None
        return result

    def end(self, calls: Sequence[Any], key: str) -> None:
        if calls:
            self._client.cancel(calls, force=True)
        self._client.run(forget, key, on_error="ignore")


def on_client(client: Any) -> Cluster:
    """Return the executor for the cluster of a client."""
    return Cluster(DaskEngine(client))


@contextmanager
def on_scheduler(address: str | None) -> Iterator[Cluster]:
    """Connect to the scheduler at this address, or use the existing client."""
    import distributed

    if address is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise InputError(
                "option-needed",
                "scheduler",
                "executor 'dask' needs a cluster: pass the scheduler's address, such as "
                "tcp://host:8786, or create a distributed.Client first.",
            ) from None
        yield on_client(client)
        return
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            "executor",
            address,
            f"No Dask scheduler answers at {address} ({_first_line(error)}): check the address, "
            "and that it is running.",
        ) from error
    with client:
        yield on_client(client)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
