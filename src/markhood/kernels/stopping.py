"""Stop native kernels early: after a signal, in an abandoned thread, or at a time limit.

Kernels call `check` about twenty times per second, on the thread on which they run, and stop with
the exception that it raises. Signals need no code here: Python handles them on the main thread when
it is entered.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

_limits = threading.local()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop kernels called by this thread with `TimeoutError` after this much thread CPU time.

    Limits nest: the earliest one applies.
    """
    before = getattr(_limits, "end", math.inf)
    _limits.end = min(before, thread_time() + seconds)
    try:
        yield
    finally:
        _limits.end = before


def check() -> None:
    """Raise an exception if a kernel on this thread should stop.

    The code that starts a thread sets ``is_abandoned`` on it to stop its kernels.
    """
    if getattr(threading.current_thread(), "is_abandoned", False):
        raise KeyboardInterrupt
    if thread_time() > getattr(_limits, "end", math.inf):
        raise TimeoutError
