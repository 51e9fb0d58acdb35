"""Stop native kernels early: after a signal, in an abandoned thread, or at a time limit.

Kernels call `check` about twenty times a second, on the thread that they run on, and end with
whatever it raises. Signals need no code here: Python handles them on the main thread when it is
entered.
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
    """Stop this thread's kernels with `TimeoutError` after this much processor time.

    Limits nest: the earliest one counts.
    """
    before = getattr(_limits, "end", math.inf)
    _limits.end = min(before, thread_time() + seconds)
    try:
        yield
    finally:
        _limits.end = before


def check() -> None:
    """Raise if a kernel on this thread should stop; the starting thread sets ``is_abandoned``."""
    if getattr(threading.current_thread(), "is_abandoned", False):
        raise KeyboardInterrupt
    if thread_time() > getattr(_limits, "end", math.inf):
        raise TimeoutError
