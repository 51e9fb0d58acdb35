"""Turn a graph's provenance back into the request that it was learned with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markhood.errors import InputError, warn
from markhood.graph.graph import Graph
from markhood.learning.request import Request, flattened


def repeated(graph: Graph, changes: Mapping[str, Any] | None = None) -> Request:
    """Return the request that a graph was learned with, with some options changed.

    The checkpoint is dropped unless it is passed again: its folder holds the tiles of one run.

    Raises
    ------
    InputError
        If the graph has no such provenance, or an option was stored by its hash only and is not
        passed again.
    """
    stored = graph.provenance
    if "method" not in stored or "reading" not in stored:
        raise InputError(
            "no-provenance",
            "",
            "The graph has no record of how it was learned: call markhood.bootstrap(data, method, "
            "...) with its options.",
        )
    return Request.from_json(stored, **{"checkpoint": None} | flattened(changes or {}))


def warn_of_other_data(graph: Graph, again: Graph) -> None:
    """Warn where two graphs were not learned from the same data."""
    before, now = (one.provenance.get("data", {}).get("fingerprint") for one in (graph, again))
    if before is not None and before != now:
        warn(
            "data-changed",
            "",
            "The data differ from those that the graph was learned from (their fingerprints "
            "differ). The results are for the data passed now.",
        )
