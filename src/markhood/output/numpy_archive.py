"""NPZ: the arrays of a graph, and a JSON text `about` with its nodes and provenance.

The names are in the JSON because an array of strings drops their trailing NULs and makes every
name as long as the longest. Nothing is pickled.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import BinaryIO

import numpy as np

from markhood.errors import InputError
from markhood.graph.graph import Graph


def to_bytes(graph: Graph) -> bytes:
    """Return a graph as an NPZ archive: edges, evidence_ends, coupling_ends, about.

    Examples
    --------
    >>> archive = np.load(io.BytesIO(to_bytes(Graph("ab", [(0, 1)]))))
    >>> json.loads(str(archive["about"]))
    {'nodes': ['a', 'b'], 'provenance': {}}
    """
    about = {"nodes": graph.nodes, "provenance": dict(graph.provenance)}
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        edges=graph.edges,
        evidence_ends=graph.evidence_ends,
        coupling_ends=graph.coupling_ends,
        about=np.array(json.dumps(about, ensure_ascii=False)),
    )
    return stream.getvalue()


def from_bytes(content: bytes) -> Graph:
    """Return the graph of an NPZ archive.

    Examples
    --------
    >>> from_bytes(to_bytes(Graph("ab", [(0, 1)]))).edge_names()
    [('a', 'b')]
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        if "about" not in archive or "edges" not in archive:
            raise InputError("the archive holds no graph of markhood's.")
        about = json.loads(archive["about"].item())
        edges, evidence, coupling = (
            archive[name] for name in ("edges", "evidence_ends", "coupling_ends")
        )
    return Graph(about["nodes"], edges, evidence, coupling, about["provenance"])


def is_ours(stream: BinaryIO) -> bool:
    """Whether a file is an archive with what `to_bytes` writes.

    Examples
    --------
    >>> is_ours(io.BytesIO(to_bytes(Graph("ab", []))))
    True
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return {"about.npy", "edges.npy"} <= set(archive.namelist())
    except zipfile.BadZipFile:
        return False
