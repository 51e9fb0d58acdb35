"""Data as people give them: a path, or a table in memory.

The readers of files are imported when there is a file: they are many, and most calls have a table.
"""

from __future__ import annotations

import os
from typing import Any

from markhood.data.coding.encode import encode_table
from markhood.data.reading import Reading
from markhood.data.samples import Samples


def as_samples(data: Any, reading: Reading) -> Samples:
    """Return data as samples: a path is read, anything else encoded, as the reading says."""
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_file

        return read_file(data, reading)
    return encode_table(data, reading)
