"""When a native kernel ends before its work is done: after a signal, in a thread whose results nobody waits for, and at a time limit.

Kernels call `check` about twenty times a second, on the thread that they run on, and end with whatever it raises. Signals need no code
here: Python handles them on the main thread when it is entered.
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
    """End the kernels that this thread calls with `TimeoutError` after so much processor time of the thread.

    Limits nest: the earliest one counts.
    """
    before = getattr(_limits, "end", math.inf)
    _limits.end = min(before, thread_time() + seconds)
    try:
        yield
    finally:
        _limits.end = before


def check() -> None:
    """Raise where a kernel on this thread should end; ``is_abandoned`` is set by whoever started the thread."""
    if getattr(threading.current_thread(), "is_abandoned", False):
        raise KeyboardInterrupt
    if thread_time() > getattr(_limits, "end", math.inf):
        raise TimeoutError
