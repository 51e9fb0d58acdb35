"""Unfolding of a graph of groups: a node for each column, with the edges of its group.

Numbers are those of the group. A complementary member has its levels reversed: signed numbers
change their sign, the bounds of intervals are swapped too, and tables are reversed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.graph.columns import ANNOTATIONS
from markhood.graph.edge_table import has_sign
from markhood.graph.graph import Graph


def unfolded(graph: Graph, join: bool) -> Graph:
    """Implement `Graph.unfold`."""
    if graph.variables.members is None:
        return graph
    unfolding = graph.variables.unfolded()
    node, opposite = np.array(unfolding.node), np.array(unfolding.opposite)
    columns = np.split(np.argsort(node, kind="stable"), np.cumsum(np.bincount(node))[:-1])
    rows, edges = _copied_edges(graph, columns)
    is_reversed = opposite[edges]
    inner = _inner_edges(columns) if join else np.empty((0, 2), dtype=np.int64)
    unknown = np.full(len(inner), np.nan)
    change = (is_reversed[:, 0] != is_reversed[:, 1]) & has_sign(graph)[rows]
    annotations = {}
    for name, numbers in graph.annotations.items():
        own, known = numbers[rows], ANNOTATIONS.get(name)
        if known is not None and known.reversed is not None:
            other = graph.annotations.get(known.reversed, -numbers)
            own = np.where(change, -other[rows], own)
        annotations[name] = np.append(own, unknown)
    couplings = np.where(change[:, None], -1.0, 1.0) * graph.coupling_ends[rows]
    return Graph(
        unfolding.variables,
        np.concatenate([edges, inner]),
        np.concatenate([graph.evidence_ends[rows], np.column_stack([unknown, unknown])]),
        np.concatenate([couplings, np.column_stack([unknown, unknown])]),
        dict(graph.provenance),
        _tables(graph, rows, is_reversed, len(inner)),
        annotations,
    )


def _copied_edges(
    graph: Graph, columns: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each edge between columns, the row of the groups' edge and the two columns."""
    copies = [
        np.stack(np.meshgrid(columns[i], columns[j], indexing="ij"), axis=-1).reshape(-1, 2)
        for i, j in graph.edges.tolist()
    ]
    rows = np.repeat(np.arange(len(copies)), [len(own) for own in copies])
    return rows, np.concatenate([np.empty((0, 2), dtype=np.int64), *copies])


def _inner_edges(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return all pairs of columns within groups."""
    pairs = [np.column_stack([own[k] for k in np.triu_indices(len(own), 1)]) for own in columns]
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs])


def _tables(
    graph: Graph, rows: NDArray[np.int64], is_reversed: NDArray[np.bool_], n_inner: int
) -> list[NDArray[np.float64] | None]:
    if not graph.coupling_tables:
        return []
    found: list[NDArray[np.float64] | None] = []
    for row, (first, second) in zip(rows.tolist(), is_reversed.tolist(), strict=True):
        table = graph.coupling_tables[row]
        found.append(
            None if table is None else table[:: -1 if first else 1, :: -1 if second else 1]
        )
    return found + [None] * n_inner
