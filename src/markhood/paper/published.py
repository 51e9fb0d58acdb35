"""The published figures, shipped as CSV files."""

from __future__ import annotations

import csv
from importlib.resources import files

REPLICATES = 100  # every published figure is a mean of this many data sets

Row = dict[str, str]


def published(table: str) -> list[Row]:
    """Return the rows of ``screening`` (Table 1), ``cost`` (2) or ``comparison`` (3 and 4).

    Examples
    --------
    >>> published("screening")[0]["candidate_edges"]
    '588'
    """
    text = (files("markhood.paper") / "published" / f"{table}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
