"""What every tool looks like to the benchmark.

A family is a module here with a tuple `PEERS`; each of them is one row a network. The tools
themselves are imported in `load` alone, in the process that is measured: listing what there is must
work where nothing is installed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint8]
"""Values 0 and 1, one row a sample."""

Edges = NDArray[np.int64]
"""Rows (i, j) with i < j."""


class Peer(Protocol):
    """A tool with its settings."""

    @property
    def name(self) -> str:
        """What the table and ``--tools`` call it."""

    def why_absent(self) -> str | None:
        """Say what is missing to run it here; None where nothing is."""

    def version(self) -> str:
        """Return name and version of what does the work; asked only where it is present."""

    def load(self) -> Callable[[Table], Edges]:
        """Import the tool and return what learns; only the latter counts as learning."""


def why_no_package(package: str, module: str) -> str | None:
    """Say that a Python package is not installed; None where it is."""
    if importlib.util.find_spec(module):
        return None
    return f"the Python package {package} is not installed (make peers-install)"


def package_version(package: str) -> str:
    """Return name and version of an installed Python package."""
    return f"{package} {importlib.metadata.version(package)}"


def edges_where(joined: NDArray[np.bool_]) -> Edges:
    """Turn a symmetric matrix that says which pairs are joined into edges."""
    return np.argwhere(np.triu(joined, k=1)).astype(np.int64)
