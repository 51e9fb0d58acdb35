"""Data as people give them: a path, or a table in memory.

The readers of files are imported when there is a file: they are many, and most calls have a table.
"""

from __future__ import annotations

import os
from typing import Any

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples


def as_samples(data: Any, **reading: Any) -> Samples:
    """Return data as samples: a path is read, anything else encoded, as the choices say."""
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_samples

        return read_samples(data, **reading)
    return encode(data, **reading)
