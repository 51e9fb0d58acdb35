"""The base pairs of an RNA structure as a true graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph


def base_pairs_among(pairs: Iterable[tuple[int, int]], nodes: Sequence[str]) -> Graph:
    """Return the graph of base pairs whose nodes are columns of the alignment.

    Parameters
    ----------
    pairs : iterable of (int, int)
        Column numbers in the alignment, counted from 1.
    nodes : sequence of str
        Column numbers to use as nodes; pairs with other columns are left out.

    Examples
    --------
    >>> base_pairs_among([(1, 9), (2, 8)], ["2", "5", "8"]).edge_names()
    [('2', '8')]
    """
    number = {name: k for k, name in enumerate(nodes)}
    if not any(name.isdecimal() for name in number):
        raise InputError(
            "graphs-differ",
            "",
            "The names of the nodes are not column numbers. Compare the structure with a graph "
            "that was learned from its alignment.",
        )
    ends = [(number.get(str(i)), number.get(str(j))) for i, j in pairs]
    edges = sorted(sorted(e) for e in ends if None not in e)  # type: ignore[type-var]
    return Graph(Variables(tuple(nodes)), np.array(edges, dtype=np.int64).reshape(-1, 2))
