"""What runs tiles, as a value.

An executor is given work and tiles and hands the results back as they come, each with the number of
its tile. It neither orders nor keeps them: `Runner` does, once for all executors. An error of
the work is a result too, so that it is raised where that tile's result would have come, whatever
finished before it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Failure:
    """In place of a tile's result: the error that its work raised."""

    error: BaseException


class Executor(Protocol):
    """A place where tiles are run."""

    def outcomes(
        self, work: Callable[[T], R], tiles: Sequence[T]
    ) -> Generator[tuple[int, R | Failure]]:
        """Yield the number of each tile and what became of it, in any order.

        After a `Failure` there need be no more outcomes of later tiles. Closing the iterator ends
        what is still under way.
        """
