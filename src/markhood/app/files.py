"""Names and types of the files that the server receives and sends."""

from __future__ import annotations

import re
from typing import Any

from markhood.errors import InputError

GRAPH = "graph.json"  # the graph of a result, for comparisons
KINDS = ("reports", "tables", "figures", "others")  # of files of a result
TYPES = {
    ".html": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain",
    ".zip": "application/zip",
}  # endings of the files of a result, as a browser calls them


def checked_name(name: Any) -> str:
    """Return a file name without folders, or raise."""
    if (
        not isinstance(name, str)
        or not 0 < len(name.encode("utf-8", "replace")) <= 200
        or name.startswith(".")
        or not name.isprintable()
        or re.search(r'[/\\:*?"<>|]', name)
    ):
        raise InputError(
            "file-format", "", f"The file name {name!r} cannot be used: rename the file."
        )
    return name


def files_of(described: dict[str, Any]) -> list[str]:
    """List the names of the files that a described result has."""
    entries = [one for kind in KINDS for one in described.get(kind, ())]
    return [name for one in entries for name in (one["file"], *one.get("others", ()))]
