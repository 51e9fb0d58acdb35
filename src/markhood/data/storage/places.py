"""Where packed bits are kept while data are read: in memory, or in files that are mapped.

Learning needs all bits in memory, so that is where they go by default. Packing a file into a folder
(`markhood.data.storage.packing`) does not: its bits go to nameless files beside that folder, which vanish
with the process whatever becomes of it.
"""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import words_per_row
from markhood.data.storage.memory import readable, require_memory
from markhood.drafts import reason
from markhood.errors import InputError

RESIDENT_BYTES = 1 << 26  # of mapped files, before their pages are given back


class Storage(Protocol):
    """Room for rows of bits."""

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        """Raise where there is no room; by default a variable has one row."""

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return rows in which no bit is one."""

    def settle(self, n_bytes: int) -> None:
        """Take note that so many bytes of rows were looked at or written."""


@dataclass(frozen=True)
class Memory:
    """Rows in memory."""

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        """Raise where there is no room; by default a variable has one row."""
        require_memory(n_variables, n_samples, n_rows)

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return rows in which no bit is one."""
        return np.zeros((n_rows, n_bytes), np.uint8)

    def settle(self, n_bytes: int) -> None:
        """Take note that so many bytes of rows were looked at or written."""


MEMORY = Memory()


@dataclass(eq=False)
class Files:
    """Rows in nameless files on the disk of a folder.

    Parameters
    ----------
    folder : Path
        A folder that can be written; nothing is seen in it.
    """

    folder: Path
    _maps: WeakSet[mmap.mmap] = field(default_factory=WeakSet, init=False)
    _resident: int = field(default=0, init=False)

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        """Raise where there is no room; by default a variable has one row."""
        needed = (n_variables if n_rows is None else n_rows) * words_per_row(n_samples) * 8
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise InputError(
                f"{n_variables} variables x {n_samples} samples need {readable(needed)} when "
                f"packed, but the disk of {self.folder} has {readable(free)} left: name a folder "
                "on a larger one."
            )

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return rows in which no bit is one."""
        if n_rows * n_bytes == 0:
            return np.zeros((n_rows, n_bytes), np.uint8)
        try:
            with tempfile.TemporaryFile(dir=self.folder) as file:  # the map outlives the file
                if hasattr(os, "posix_fallocate"):
                    # A page of a map that the disk has no room for would end the process.
                    os.posix_fallocate(file.fileno(), 0, n_rows * n_bytes)
                rows = np.memmap(file, np.uint8, "w+", shape=(n_rows, n_bytes))
        except OSError as error:
            raise InputError(
                f"There is no room for {readable(n_rows * n_bytes)} of packed bits in "
                f"{self.folder} ({reason(error)}): name a folder on another disk."
            ) from None
        assert isinstance(rows.base, mmap.mmap)
        self._maps.add(rows.base)
        return rows

    def settle(self, n_bytes: int) -> None:
        """Take note that so many bytes of rows were looked at or written."""
        self._resident += n_bytes
        if self._resident > RESIDENT_BYTES and hasattr(mmap, "MADV_DONTNEED"):
            for one in self._maps:
                one.madvise(mmap.MADV_DONTNEED)
            self._resident = 0
