"""Limit the processor time of a forecast, whatever the size of the table.

Each measurement gets a share of the time. A kernel that reaches its limit stops
(`kernels.stopping`): the work then takes at least the seconds spent, and the forecast is marked as
a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import thread_time

from markhood.kernels.stopping import time_limit

SECONDS = 1.6  # in total; the rest of a forecast takes some tenths of a second more


@dataclass
class Piece:
    """A measurement: its duration, and whether the work was finished."""

    seconds: float = 0.0
    is_done: bool = False


class Budget:
    """The remaining processor time of a forecast.

    Attributes
    ----------
    ran_out : bool
        Whether some work was too long to measure; set by the code that measures it.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._end = thread_time() + share * SECONDS
        self.ran_out = False

    @contextmanager
    def piece(self, seconds: float) -> Iterator[Piece]:
        """Time the enclosed work; stop it after `seconds`, or when the budget is used up."""
        start = thread_time()
        piece = Piece()
        with suppress(TimeoutError), time_limit(min(seconds, self._end - start)):
            yield piece
            piece.is_done = True
        piece.seconds = thread_time() - start
