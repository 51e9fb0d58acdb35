"""Learn with one tool; this script runs in the measured process.

python worker.py FAMILY TOOL TABLE RESULT
"""

from __future__ import annotations

import resource
import sys
import time
from importlib import import_module

import numpy as np


def main(family: str, name: str, table: str, result: str) -> None:
    """Read the table, learn, and write the edges and the CPU seconds of learning."""
    peer = next(peer for peer in import_module(family).PEERS if peer.name == name)
    values = np.load(table)
    learn = peer.load()
    start = _seconds()
    edges = learn(values)
    np.savez(result, edges=edges, seconds=_seconds() - start)


def _seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
