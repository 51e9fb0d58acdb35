"""The interface of a tool in the benchmark.

A family is a module in this folder with a tuple `PEERS`; each entry is one row per network. The tools
are imported only in `load`, in the measured process, so that listing them works without any of them
installed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint8]
"""Values 0 and 1, one row per sample."""

Edges = NDArray[np.int64]
"""Rows (i, j) with i < j."""


class Peer(Protocol):
    """A tool with its settings."""

    @property
    def name(self) -> str:
        """Name in the table and for ``--tools``."""

    def why_absent(self) -> str | None:
        """Return what is missing to run the tool, or None."""

    def version(self) -> str:
        """Return the name and version of the package; called only if it is installed."""

    def load(self) -> Callable[[Table], Edges]:
        """Import the tool and return the learning function; only calling that is timed as learning."""


def why_no_package(package: str, module: str) -> str | None:
    """Return a message if a Python package is not installed, else None."""
    if importlib.util.find_spec(module):
        return None
    return f"the Python package {package} is not installed (make peers-install)"


def package_version(package: str) -> str:
    """Return name and version of an installed Python package."""
    return f"{package} {importlib.metadata.version(package)}"


def edges_where(joined: NDArray[np.bool_]) -> Edges:
    """Convert a symmetric boolean adjacency matrix to edges."""
    return np.argwhere(np.triu(joined, k=1)).astype(np.int64)
