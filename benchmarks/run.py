"""Measure what we promise of speed and memory, and print it as one table.

python benchmarks/run.py            all of it, two or three minutes
python benchmarks/run.py threads    one part: screen, search, bootstrap, ordinal, methods, probabilities, model, sampler, threads,
                                    memory, scale, start, gpu
"""

from __future__ import annotations

import platform
import sys
import time
from importlib import import_module

import numpy as np
from report import as_table

from markhood.kernels.native import NativeKernels
from markhood.learning.provenance import version

PARTS = (
    "screen",
    "search",
    "bootstrap",
    "ordinal",
    "methods",
    "probabilities",
    "model",
    "sampler",
    "threads",
    "memory",
    "scale",
    "start",
    "gpu",
)


def main(wanted: list[str]) -> int:
    """Print the table; return 1 where a target is missed."""
    unknown = set(wanted) - set(PARTS)
    if unknown:
        print(f"There is no part {', '.join(sorted(unknown))}: choose of {', '.join(PARTS)}.")
        return 2
    start = time.perf_counter()
    rows = []
    for part in wanted or PARTS:
        print(f"measuring: {part}", file=sys.stderr, flush=True)
        rows += import_module(f"bench_{part}").rows()
    print(f"markhood {version()}, {NativeKernels().name} kernels, NumPy {np.__version__}")
    print(
        f"Python {platform.python_version()} on {platform.machine()}, {time.strftime('%Y-%m-%d')}"
    )
    print()
    print(as_table(rows))
    print()
    print(f"{time.perf_counter() - start:.0f} s in all; README.md says what the rows mean.")
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
