"""Communities: groups of nodes with more edges inside than chance would give (Louvain)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph

ALONE = -1


def communities(graph: Graph, seed: int = 0) -> NDArray[np.int64]:
    """Return the number of every node's community, 0 for the largest; -1 for isolated nodes.

    Examples
    --------
    >>> communities(Graph("abcde", [(0, 1), (1, 2), (0, 2)])).tolist()
    [0, 0, 0, -1, -1]
    """
    import networkx  # type: ignore[import-untyped]

    network = networkx.Graph()
    network.add_edges_from(graph.edges.tolist())
    found = networkx.community.louvain_communities(network, seed=seed) if graph.n_edges else []
    label = np.full(graph.n_nodes, ALONE, dtype=np.int64)
    for number, members in enumerate(sorted(found, key=lambda c: (-len(c), min(c)))):
        label[list(members)] = number
    return label
