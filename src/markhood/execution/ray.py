"""Clusters of Ray: `executor="ray"`, or joblib's backend of that name.

Tiles are tasks with retries, not calls of actors: a task of a worker that died is run again, a call
of an actor that died is an error. Data are in Ray's object store, where the workers of a
machine read them without a copy.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from markhood.errors import InputError
from markhood.execution.cluster import Cluster
from markhood.execution.packed_work import has_file, run_tiles

RETRIES = 8  # of a call whose worker died
PATIENCE = 10  # seconds that a machine has to answer


class RayEngine:
    """The engine of the cluster that `ray.init` has connected to.

    Parameters
    ----------
    cards : int, default=0
        GPUs that a call needs; Ray hides them from calls that ask for none.
    """

    def __init__(self, cards: int = 0) -> None:
        import ray

        self._ray = ray
        self._cards = cards
        options = {"max_retries": RETRIES, "num_gpus": cards}
        self._run_tiles = ray.remote(**options)(run_tiles)

    def slots(self) -> int:
        """Return how many calls can run at once."""
        there = self._ray.cluster_resources()
        return int(there.get("GPU" if self._cards else "CPU", 1)) or 1

    def opens(self, path: str, size: int) -> bool:
        """Return whether all machines have a file of that path and size."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        asked = self._ray.remote(num_cpus=0)(has_file)
        return all(
            self._ray.get(
                [
                    asked.options(
                        scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], True)
                    ).remote(path, size)
                    for node in self._ray.nodes()
                    if node["Alive"]
                ]
            )
        )

    def send(self, value: Any) -> Any:
        """Bring a value to the workers."""
        return self._ray.put(value)

    def call(self, key: str, content: Any, tiles: Sequence[Any], arrays: list[Any]) -> Any:
        """Begin a call of `run_tiles`."""
        return self._run_tiles.remote(key, content, list(tiles), *arrays)

    def finished(self, calls: Sequence[Any]) -> Sequence[Any]:
        """Wait until one call at least is done, and return those that are."""
        done: Sequence[Any] = self._ray.wait(calls, num_returns=1)[0]
        return done

    def result(self, call: Any) -> tuple[float, list[Any]]:
        """Return what a call returned."""
        result: tuple[float, list[Any]] = self._ray.get(call)
        return result

    def end(self, calls: Sequence[Any], key: str) -> None:
        """Cancel calls; Ray ends its idle workers, and what they remember, by itself."""
        for call in calls:
            self._ray.cancel(call)


def on_ray(cards: int = 0) -> Cluster:
    """Return the executor for the cluster that this process is connected to."""
    return Cluster(RayEngine(cards))


@contextmanager
def on_address(address: str | None, cards: int = 0) -> Iterator[Cluster]:
    """Connect to the cluster there, unless this process is connected already."""
    import ray

    if ray.is_initialized():
        yield on_ray(cards)
        return
    try:
        _knock(address)
        ray.init(address, log_to_driver=False, logging_level="warning")
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise InputError(
            "executor",
            str(address),
            f"No Ray cluster answers at {address} ({str(error).splitlines()[0]}): check that it "
            "runs, and the address.",
        ) from error
    try:
        yield on_ray(cards)
    finally:
        ray.shutdown()


def _knock(address: str | None) -> None:
    """Find out in seconds whether anybody listens there; Ray itself would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
