"""A graph as a matrix of couplings with a row and a column per node, for qgraph.

In R, `qgraph(as.matrix(read.csv("graph.matrix.csv", row.names = 1, check.names = FALSE)))` draws
it. Only couplings are stored, and 0 means that there is no edge: an unknown or infinite coupling is
refused, and an edge with coupling 0 is lost.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from markhood.errors import InputError
from markhood.graph.graph import Graph

ENDING = ".matrix.csv"


def to_bytes(graph: Graph) -> bytes:
    r"""Return the couplings as CSV.

    Examples
    --------
    >>> to_bytes(Graph("ab", [(0, 1)], coupling_ends=[(1.5, 1.5)]))
    b',a,b\na,0.0,1.5\nb,1.5,0.0\n'
    """
    matrix = graph.adjacency("coupling").toarray()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *graph.nodes])
    writer.writerows([name, *row] for name, row in zip(graph.nodes, matrix.tolist(), strict=True))
    return text.getvalue().encode()


def from_bytes(content: bytes) -> Graph:
    r"""Return the graph with an edge for every cell that is not 0, which is its coupling.

    Examples
    --------
    >>> from_bytes(b',a,b\na,0,1.5\nb,1.5,0\n').coupling
    array([1.5])
    """
    rows = list(csv.reader(io.StringIO(content.decode())))
    names = rows[0][1:]
    if [row[0] for row in rows[1:]] != names:
        raise InputError(
            "file-damaged", "", "its first row and its first column do not name the same nodes."
        )
    matrix = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    matrix = matrix.reshape(len(names), -1)
    if matrix.shape != (len(names), len(names)) or not np.array_equal(matrix, matrix.T):
        raise InputError("file-damaged", "", "it is not a symmetric matrix.")
    i, j = np.nonzero(np.triu(matrix))
    values = matrix[i, j]
    return Graph(names, np.column_stack([i, j]), coupling_ends=np.column_stack([values, values]))
