"""Known structures of sequences as graphs to compare with: the base pairs of an RNA."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph


def base_pairs_among(pairs: Iterable[tuple[int, int]], nodes: Sequence[str]) -> Graph:
    """Return the graph of base pairs on nodes that are columns of the alignment, named by number.

    Parameters
    ----------
    pairs : iterable of (int, int)
        Columns of the alignment, counted from 1.
    nodes : sequence of str
        The names of the nodes; pairs with other columns are left out.

    Examples
    --------
    >>> base_pairs_among([(1, 9), (2, 8)], ["2", "5", "8"]).edge_names()
    [('2', '8')]
    """
    place = {name: k for k, name in enumerate(nodes)}
    if not any(name.isdecimal() for name in place):
        raise InputError(
            "No node is the number of a column: compare a structure with a graph that was learned from "
            "its alignment."
        )
    named = [(place.get(str(i)), place.get(str(j))) for i, j in pairs]
    edges = sorted(sorted(e) for e in named if None not in e)  # type: ignore[type-var]
    return Graph(Variables(tuple(nodes)), np.array(edges, dtype=np.int64).reshape(-1, 2))
