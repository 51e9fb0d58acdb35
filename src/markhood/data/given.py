"""Convert the data that a user passes, a path or a table in memory, to samples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from markhood.data.clusters import read_in_clusters
from markhood.data.labels import Labels, read_data, read_with_labels
from markhood.data.reading import Reading
from markhood.data.samples import Samples


def as_samples(data: Any, reading: Reading) -> Samples:
    """Read a path, or encode a table, with the options of a reading."""
    found = read_in_clusters(data, reading, lambda own: read_data(data, own))
    if found.source is not None or not isinstance(data, (str, os.PathLike)):
        return found
    return replace(found, source=Path(data).name)


def read_labelled(data: Any, reading: Reading, labels: Mapping[str, Any]) -> tuple[Samples, Labels]:
    """Read samples and further labels of theirs, such as groups: see `read_with_labels`."""
    return read_with_labels(data, reading, labels, lambda own: as_samples(data, own))
