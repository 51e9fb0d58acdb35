"""Drawings made of characters, for a terminal."""

from __future__ import annotations

from markhood.graph.graph import Graph

NODE, ALONE = "o", "."
LINKS = {(0, 1): "--", (1, 0): "|", (1, 1): "\\", (1, -1): "/"}


def draw_grid(graph: Graph, columns: int) -> str:
    """Draw a graph whose nodes are the cells of a grid, with the edges between adjacent cells.

    Parameters
    ----------
    graph : Graph
        Node k is in row ``k // columns`` and column ``k % columns``.
    columns : int

    Examples
    --------
    >>> print(draw_grid(Graph("abcd", [(0, 1), (0, 3), (1, 2)]), 2))
    o--o
     X
    o  o
    """
    rows = -(-graph.n_nodes // columns)
    canvas = [[" "] * (3 * columns - 2) for _ in range(2 * rows - 1)]
    for node, degree in enumerate(graph.degree.tolist()):
        canvas[2 * (node // columns)][3 * (node % columns)] = NODE if degree else ALONE
    for a, b in graph.edges.tolist():
        row, column = divmod(a, columns)
        step = (b // columns - row, b % columns - column)
        if step not in LINKS:
            continue
        # A link is drawn to the right of its left end, so that two diagonals cross.
        y, x = 2 * row + step[0], 3 * (column + min(step[1], 0)) + abs(step[1])
        link = LINKS[step]
        crossing = step[0] and step[1] and canvas[y][x] not in (" ", link)
        canvas[y][x : x + len(link)] = "X" if crossing else link
    return "\n".join("".join(line).rstrip() for line in canvas)
