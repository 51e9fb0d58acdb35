"""Ray clusters: `executor="ray"`, or joblib's Ray backend.

Tiles are tasks with retries, not actor calls: a task of a dead worker is run again, while a call of
a dead actor is an error. Data are in Ray's object store, where the workers of a machine read them
without a copy.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from markhood.errors import InputError
from markhood.execution.cluster import Cluster, has_file, run_tiles

RETRIES = 8  # of a call whose worker died
PATIENCE = 10  # seconds to wait for a machine


class RayEngine:
    """The engine of the cluster that `ray.init` has connected to.

    Parameters
    ----------
    cards : int, default=0
        Number of GPUs per call; Ray hides them from calls that request none.
    """

    def __init__(self, cards: int = 0) -> None:
        import ray

        self._ray = ray
        self._cards = cards
        options = {"max_retries": RETRIES, "num_gpus": cards}
        self._run_tiles = ray.remote(**options)(run_tiles)

    def slots(self) -> int:
        there = self._ray.cluster_resources()
        return int(there.get("GPU" if self._cards else "CPU", 1)) or 1

    def opens(self, path: str, size: int) -> bool:
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
        return self._ray.put(value)

    def call(self, key: str, content: Any, tiles: Sequence[Any], arrays: list[Any]) -> Any:
        return self._run_tiles.remote(key, content, list(tiles), *arrays)

    def finished(self, calls: Sequence[Any]) -> Sequence[Any]:
        done: Sequence[Any] = self._ray.wait(calls, num_returns=1)[0]
        return done

    def result(self, call: Any) -> tuple[float, list[Any]]:
        result: tuple[float, list[Any]] = self._ray.get(call)
        return result

    def end(self, calls: Sequence[Any], key: str) -> None:
        """Cancel calls; Ray itself ends idle workers and frees their memory."""
        for call in calls:
            self._ray.cancel(call)


def on_ray(cards: int = 0) -> Cluster:
    """Return the executor for the cluster that this process is connected to."""
    return Cluster(RayEngine(cards))


@contextmanager
def on_address(address: str | None, cards: int = 0) -> Iterator[Cluster]:
    """Connect to the cluster at this address, unless already connected."""
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
            f"No Ray cluster answers at {address} ({str(error).splitlines()[0]}): check the "
            "address, and that it is running.",
        ) from error
    try:
        yield on_ray(cards)
    finally:
        ray.shutdown()


def _knock(address: str | None) -> None:
    """Check within seconds whether the address answers; Ray itself would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
