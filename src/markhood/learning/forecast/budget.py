"""The processor time that a forecast may take, whatever the table is.

Each measurement is a piece of that time. A kernel that reaches the end of its piece stops (`kernels.stopping`): its work takes at least
the seconds that were spent on it, and the forecast says that it is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import thread_time

from markhood.kernels.stopping import time_limit

SECONDS = 1.6  # in all; what is not measured takes some tenths more


@dataclass
class Piece:
    """A measurement: how long it took, and whether the work was done by then."""

    seconds: float = 0.0
    is_done: bool = False


class Budget:
    """What is left of the time of a forecast.

    Attributes
    ----------
    ran_out : bool
        Whether some work was too long to be measured; set by whoever measures it.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._end = thread_time() + share * SECONDS
        self.ran_out = False

    @contextmanager
    def piece(self, seconds: float) -> Iterator[Piece]:
        """Time what is done within; stop it after so many seconds, or when the budget is used up."""
        start = thread_time()
        piece = Piece()
        with suppress(TimeoutError), time_limit(min(seconds, self._end - start)):
            yield piece
            piece.is_done = True
        piece.seconds = thread_time() - start
