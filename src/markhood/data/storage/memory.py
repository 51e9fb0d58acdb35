"""Check that packed samples fit in memory, before they are read.

The kernels use all variables at once, so the packed bits must be in memory. An error at the start
is better than being killed by the system an hour later.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from markhood.data.samples import words_per_row
from markhood.errors import InputError

LITTLE = 1 << 24  # bytes that any machine has; the available memory is in several files
_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes of memory available without swapping, None if not known.

    The limits of a process (`ulimit -v`) and of a container or batch job (cgroups) count as well.
    """
    known = [n for n in (_free_memory(), _below_ulimit(), _below_cgroup()) if n is not None]
    return min(known, default=None)


def _below_ulimit() -> int | None:
    """Return what the process may still allocate under its limit of address space."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        with open("/proc/self/statm", "rb", buffering=0) as file:
            used = int(file.read(64).split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # Windows, macOS
        return None
    return max(0, limit - used)


def _below_cgroup() -> int | None:
    """Return what the control group of the process may still use; files in cache can be dropped."""
    for folder, most, used in (
        (_CGROUP, "memory.max", "memory.current"),
        (_CGROUP / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            limit, now = (int((folder / name).read_text()) for name in (most, used))
            lines = (folder / "memory.stat").read_text().splitlines()
            cached = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file"))
            return max(0, limit - now + cached)
        except (OSError, ValueError):  # no such file, or no limit ("max")
            continue
    return None


def _free_memory() -> int | None:
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
    if needed <= LITTLE:
        return
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
