"""Check that packed samples fit in memory, before they are read.

The kernels use all variables at once, so the packed bits must be in memory. An error at the start
is better than being killed by the system an hour later.
"""

from __future__ import annotations

import os
import sys

from markhood.data.samples import words_per_row
from markhood.errors import InputError


def available_memory() -> int | None:
    """Return the bytes of memory available without swapping, None if not known."""
    try:
        with open("/proc/meminfo", "rb", buffering=0) as file:
            _, found, rest = file.read(512).partition(b"MemAvailable:")
        if found:
            return int(rest.split()[0]) * 1024
    except OSError:
        pass  # not Linux
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def peak_memory() -> int:
    """Return the most bytes of memory that this process has used so far, 0 if not known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def require_memory(n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
    """Raise if packed samples do not fit in memory; by default they have one row per variable."""
    needed = (n_variables if n_rows is None else n_rows) * words_per_row(n_samples) * 8
    available = available_memory()
    if available is not None and needed > available:
        raise InputError(
            "memory",
            "",
            f"{n_variables} variables x {n_samples} samples need {readable(needed)} of memory "
            f"when packed, but only {readable(available)} is available: use fewer columns or "
            "rows, or a larger machine.",
        )


def readable(n_bytes: float) -> str:
    """Return a number of bytes with its unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} TB"
