"""NPZ: the arrays of a graph, and a JSON text `about` with its nodes and provenance.

Each annotation is an array `annotation_NAME`. Coupling tables have different shapes and are
concatenated by rows in `table_values`, with their shapes in `table_shapes`; (0, 0) means that there
is no table. Names are in the JSON because an array of strings drops trailing NULs and pads every
name to the longest. Nothing is pickled.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.graph.edge_table import about_graph, described_or_plain
from markhood.graph.graph import Graph

ANNOTATION = "annotation_"


def to_bytes(graph: Graph) -> bytes:
    """Return a graph as an NPZ archive: edges, evidence_ends, coupling_ends, about, and the rest.

    Examples
    --------
    >>> archive = np.load(io.BytesIO(to_bytes(Graph("ab", [(0, 1)]))))
    >>> json.loads(str(archive["about"]))
    {'nodes': ['a', 'b'], 'provenance': {}}
    """
    about = {"nodes": graph.nodes, **about_graph(graph)}
    arrays = {
        "edges": graph.edges,
        "evidence_ends": graph.evidence_ends,
        "coupling_ends": graph.coupling_ends,
        **{ANNOTATION + name: numbers for name, numbers in graph.annotations.items()},
        **_flattened(graph.coupling_tables),
    }
    stream = io.BytesIO()
    text = np.array(json.dumps(about, ensure_ascii=False))
    np.savez_compressed(stream, about=text, **arrays)  # type: ignore[arg-type]
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
            raise InputError("file-format", "", "the archive does not contain a graph.")
        about = json.loads(archive["about"].item())
        edges, evidence, coupling = (
            archive[name] for name in ("edges", "evidence_ends", "coupling_ends")
        )
        annotations = {
            name.removeprefix(ANNOTATION): archive[name]
            for name in archive
            if name.startswith(ANNOTATION)
        }
        tables = []
        if "table_shapes" in archive:
            tables = _unflattened(archive["table_shapes"], archive["table_values"])
    variables = described_or_plain(about["nodes"], about.get("variables"))
    return Graph(variables, edges, evidence, coupling, about["provenance"], tables, annotations)


def is_ours(stream: BinaryIO) -> bool:
    """Return whether a file is an archive with the arrays that `to_bytes` writes.

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


def _flattened(tables: tuple[Floats | None, ...]) -> dict[str, NDArray[Any]]:
    if not tables:
        return {}
    shapes = [(0, 0) if table is None else table.shape for table in tables]
    return {
        "table_shapes": np.array(shapes, dtype=np.int64),
        "table_values": np.concatenate([table.ravel() for table in tables if table is not None]),
    }


def _unflattened(shapes: Ints, values: Floats) -> list[Floats | None]:
    parts = np.split(values, np.cumsum(shapes.prod(axis=1))[:-1])
    return [
        part.reshape(shape) if shape.any() else None
        for part, shape in zip(parts, shapes, strict=True)
    ]
