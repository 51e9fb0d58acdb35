"""Run tiles on the workers of a cluster, with any engine.

A tile takes milliseconds, and a remote call costs about one, so several tiles are sent together;
the number is chosen from their duration. Only as many calls are in flight as keep the workers busy.
`Engine` lists what an engine must provide: it runs tiles of a dead worker again, and reports data
that were lost with it, which are then sent again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any, Protocol, TypeVar

from markhood.execution.executor import Failure
from markhood.execution.packed_work import PackedWork, pack

T = TypeVar("T")
R = TypeVar("R")

SECONDS_PER_CALL = 0.25
CALLS_PER_SLOT = 2  # one running and one waiting
MOST_LOSSES = 3  # consecutive losses of data without a finished call

Handle = Hashable


class DataLostError(Exception):
    """The workers that held the data of a call died."""


class Engine(Protocol):
    """The interface of a cluster engine."""

    def slots(self) -> int:
        """Return the number of concurrent calls."""

    def opens(self, path: str, size: int) -> bool:
        """Return whether all workers have a file of that path and size."""

    def send(self, value: Any) -> Handle:
        """Send a value to the workers."""

    def call(self, key: str, content: Handle, tiles: Sequence[Any], arrays: list[Handle]) -> Handle:
        """Start a call of `markhood.execution.packed_work.run_tiles`."""

    def finished(self, calls: Sequence[Handle]) -> Sequence[Handle]:
        """Wait until at least one call is done, and return the finished ones."""

    def result(self, call: Handle) -> tuple[float, list[Any]]:
        """Return the result of a call, or raise `DataLostError`."""

    def end(self, calls: Sequence[Handle], key: str) -> None:
        """Cancel calls, and let the workers forget the work of that key."""


class Cluster:
    """The executor for an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sent: dict[str, Handle] = {}  # arrays of the previous phase, by hash

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number and outcome of each tile, in any order."""
        if not tiles:
            return
        engine, bundles = self._engine, _Bundles(len(tiles))
        packed = pack(work, engine.opens)
        content, arrays = self._send(packed)
        calls: dict[Handle, range] = {}
        losses = 0
        try:
            while calls or bundles.n_left:
                slots = engine.slots()
                while bundles.n_left and len(calls) < slots * CALLS_PER_SLOT:
                    bundle = bundles.take(slots)
                    some = tiles[bundle.start : bundle.stop]
                    calls[engine.call(packed.key, content, some, arrays)] = bundle
                for call in engine.finished(list(calls)):
                    bundle = calls.pop(call)
                    try:
                        seconds, results = engine.result(call)
                    except DataLostError:
                        losses += 1
                        if losses > MOST_LOSSES:
                            raise
                        bundles.put_back(bundle, *calls.values())
                        engine.end(list(calls), packed.key)
                        calls.clear()
                        self._sent.clear()
                        content, arrays = self._send(packed)
                        break
                    losses = 0
                    bundles.note(len(results), seconds)
                    yield from zip(bundle, results, strict=False)  # short after a failure
        finally:
            engine.end(list(calls), packed.key)

    def _send(self, packed: PackedWork) -> tuple[Handle, list[Handle]]:
        """Send the work to the workers, except arrays that they already have."""
        self._sent = {
            key: self._sent[key] if key in self._sent else self._engine.send(array)
            for key, array in packed.arrays.items()
        }
        return self._engine.send(packed.content), list(self._sent.values())


class _Bundles:
    """The numbers of tiles, cut into bundles on request."""

    def __init__(self, n_tiles: int) -> None:
        self.n_left = n_tiles
        self._left = deque([range(n_tiles)])
        self._n_done = 0
        self._seconds = 0.0

    def note(self, n_tiles: int, seconds: float) -> None:
        """Record the duration of some tiles."""
        self._n_done += n_tiles
        self._seconds += seconds

    def take(self, slots: int) -> range:
        """Return the next bundle: single tiles until some are done, at most a fair share."""
        size = 1
        if self._n_done:
            fitting = SECONDS_PER_CALL * self._n_done / max(self._seconds, 1e-9)
            size = max(1, int(min(fitting, self.n_left / (slots * CALLS_PER_SLOT))))
        first = self._left.popleft()
        bundle, rest = first[:size], first[size:]
        if rest:
            self._left.appendleft(rest)
        self.n_left -= len(bundle)
        return bundle

    def put_back(self, *bundles: range) -> None:
        """Return bundles that were not run."""
        self._left.extendleft(bundles)
        self.n_left += sum(map(len, bundles))
