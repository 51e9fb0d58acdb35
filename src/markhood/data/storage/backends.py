"""Storage backends for packed bits while data are read: memory, or memory-mapped files.

Learning needs all bits in memory, which is the default. Packing a file into a folder
(`markhood.data.storage.packing`) does not: its bits are in anonymous temporary files on the disk of
that folder, which the system removes when the process ends.
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

RESIDENT_BYTES = 1 << 26  # of mapped files, before their pages are released


class Storage(Protocol):
    """Storage of rows of bits."""

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        """Raise if there is not enough space; by default a variable has one row."""

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return rows of zeros."""

    def settle(self, n_bytes: int) -> None:
        """Record that this many bytes of rows were read or written."""


@dataclass(frozen=True)
class Memory:
    """Rows in memory."""

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        require_memory(n_variables, n_samples, n_rows)

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        return np.zeros((n_rows, n_bytes), np.uint8)

    def settle(self, n_bytes: int) -> None:
        """Record that this many bytes of rows were read or written."""


MEMORY = Memory()


@dataclass(eq=False)
class Files:
    """Rows in anonymous temporary files on the disk of a folder."""

    folder: Path  # a writable folder; the files are not visible in it
    resident_bytes: int = RESIDENT_BYTES  # bytes to read or write before the pages are released
    _maps: WeakSet[mmap.mmap] = field(default_factory=WeakSet, init=False)
    _resident: int = field(default=0, init=False)

    def require(self, n_variables: int, n_samples: int, n_rows: int | None = None) -> None:
        needed = (n_variables if n_rows is None else n_rows) * words_per_row(n_samples) * 8
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise InputError(
                "file-not-writable",
                self.folder.name,
                f"{n_variables} variables x {n_samples} samples need {readable(needed)} when "
                f"packed, but the disk of {self.folder} has {readable(free)} left: choose a folder "
                "on a larger disk.",
            )

    def zeros(self, n_rows: int, n_bytes: int) -> NDArray[np.uint8]:
        if n_rows * n_bytes == 0:
            return np.zeros((n_rows, n_bytes), np.uint8)
        try:
            with tempfile.TemporaryFile(dir=self.folder) as file:  # the map remains valid
                if hasattr(os, "posix_fallocate"):
                    # Writing to a page of a map on a full disk would kill the process.
                    os.posix_fallocate(file.fileno(), 0, n_rows * n_bytes)
                rows = np.memmap(file, np.uint8, "w+", shape=(n_rows, n_bytes))
        except OSError as error:
            raise InputError(
                "file-not-writable",
                self.folder.name,
                f"{readable(n_rows * n_bytes)} of packed bits cannot be stored in {self.folder} "
                f"({reason(error)}): choose a folder on another disk.",
            ) from None
        assert isinstance(rows.base, mmap.mmap)
        self._maps.add(rows.base)
        return rows

    def settle(self, n_bytes: int) -> None:
        self._resident += n_bytes
        if self._resident > self.resident_bytes and hasattr(mmap, "MADV_DONTNEED"):
            for one in self._maps:
                one.madvise(mmap.MADV_DONTNEED)
            self._resident = 0
