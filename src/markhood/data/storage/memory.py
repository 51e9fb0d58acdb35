"""Whether packed samples fit in memory, asked before any of them is read.

The kernels count on all variables at once, so the packed bits have to be in memory; to say so at
the start, with the two figures, is kinder than to be killed by the system an hour later.
"""

from __future__ import annotations

import os

from markhood.data.samples import words_per_row
from markhood.errors import InputError


def available_memory() -> int | None:
    """Return the bytes that can still be had without swapping, None where nobody knows."""
    try:
        with open("/proc/meminfo", "rb", buffering=0) as file:  # read in one piece, in no time
            _, found, rest = file.read(512).partition(b"MemAvailable:")
        if found:
            return int(rest.split()[0]) * 1024
    except OSError:
        pass  # not Linux
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def require_memory(n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
    """Raise where packed samples do not fit in memory; by default they have a row a variable."""
    needed = (n_variables if n_rows is None else n_rows) * words_per_row(n_samples) * 8
    available = available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"{n_variables} variables x {n_samples} samples need {readable(needed)} of memory "
            f"when packed, but only {readable(available)} is available: take fewer columns or "
            "rows, or a larger machine."
        )


def readable(n_bytes: float) -> str:
    """Write a number of bytes with its unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} TB"
