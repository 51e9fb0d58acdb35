"""The interface of executors.

An executor receives work and tiles and returns results as they finish, each with the number of its
tile. It neither orders nor stores them: `Runner` does, for all executors. An error of the work is
an outcome too, so that it is raised at the position of that tile's result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


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
