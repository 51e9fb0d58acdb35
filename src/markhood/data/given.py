"""Convert the data that a user passes, a path or a table in memory, to samples.

The file readers are imported only for a path, because most calls have a table.
"""

from __future__ import annotations

import os
from typing import Any

from markhood.data.coding.encode import encode_table
from markhood.data.reading import Reading
from markhood.data.samples import Samples


def as_samples(data: Any, reading: Reading) -> Samples:
    """Read a path, or encode a table, with the options of a reading."""
    if isinstance(data, (str, os.PathLike)):
        from markhood.data.formats.files import read_file

        return read_file(data, reading)
    return encode_table(data, reading)
