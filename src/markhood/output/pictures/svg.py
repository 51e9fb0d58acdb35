"""Draw a graph as SVG text for a notebook, without matplotlib or scripts.

The background is transparent. The browser shows names under the pointer, and all names are written
where there are few. Names are escaped.
"""

from __future__ import annotations

import html

import numpy as np

from markhood.graph.communities import communities
from markhood.graph.edge_table import has_sign
from markhood.graph.graph import Graph
from markhood.output.pictures.layout import Coordinates, positions
from markhood.output.pictures.marks import (
    ATTRACTION,
    PALE,
    REPULSION,
    UNKNOWN,
    group_colour,
    strengths,
)

MAX_NODES = 300  # larger graphs are unreadable and slow to lay out
MAX_NAMES = 30
_WIDTH, _TALLEST, _MARGIN = 520, 420, 24  # pixels
_NAME_LENGTH = 18
LINKS = {(0, 1): "--", (1, 0): "|", (1, 1): "\\", (1, -1): "/"}


def network_svg(graph: Graph) -> str:
    """Return a drawing of a graph; empty for a graph without edges or with too many nodes.

    Examples
    --------
    >>> network_svg(Graph("ab", [(0, 1)]))[:11], network_svg(Graph("ab", []))
    ('<svg width=', '')
    """
    if not graph.n_edges or graph.n_nodes > MAX_NODES:
        return ""
    coordinates = positions(graph)
    extent = np.ptp(coordinates, axis=0)
    room = _WIDTH - 2 * _MARGIN - (60 if graph.n_nodes <= MAX_NAMES else 0)  # for the last name
    scale = min(room / max(extent[0], 1e-9), (_TALLEST - 2 * _MARGIN) / max(extent[1], 1e-9), 90)
    dots = (coordinates - [coordinates[:, 0].min(), coordinates[:, 1].max()]) * [
        scale,
        -scale,
    ] + _MARGIN
    height = round(float(dots[:, 1].max()) + _MARGIN)
    parts = [*_lines(graph, dots), *_discs(graph, dots)]
    if graph.n_nodes <= MAX_NAMES:
        parts += _names(graph, dots)
    return (
        f'<svg width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="Network" style="max-width:100%">{"".join(parts)}</svg>'
    )


def _lines(graph: Graph, dots: Coordinates) -> list[str]:
    strength, widest = strengths(graph)
    sign = (np.nan_to_num(np.sign(graph.coupling)) * has_sign(graph)).astype(int)
    opacity = np.nan_to_num(graph.probability, nan=1.0)
    lines = []
    for k in np.argsort(strength, kind="stable").tolist():
        (x1, y1), (x2, y2) = dots[graph.edges[k]]
        dashes = ' stroke-dasharray="6 4"' if sign[k] < 0 else ""
        lines.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{(UNKNOWN, ATTRACTION, REPULSION)[sign[k]]}" '
            f'stroke-width="{1 + 3 * (strength[k] / widest):.1f}" '
            f'opacity="{opacity[k]:.2f}"{dashes}/>'
        )
    return lines


def _discs(graph: Graph, dots: Coordinates) -> list[str]:
    radius = 5 if graph.n_nodes <= 100 else 3
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" '
        f'fill="{group_colour(group) if group >= 0 else PALE}">'
        f"<title>{_escaped(name)}</title></circle>"
        for (x, y), name, group in zip(
            dots.tolist(), graph.variables.labels, communities(graph).tolist(), strict=True
        )
    ]


def _names(graph: Graph, dots: Coordinates) -> list[str]:
    shown = [
        name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}\N{HORIZONTAL ELLIPSIS}"
        for name in graph.variables.labels
    ]
    return [
        f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" font-size="11" fill="currentColor">'
        f"{_escaped(name)}</text>"
        for (x, y), name in zip(dots.tolist(), shown, strict=True)
    ]


def _escaped(name: str) -> str:
    # A name from a file of unknown encoding may contain surrogates, which cannot be written.
    return html.escape(name.encode("utf-8", "replace").decode("utf-8"))


NODE, ALONE = "o", "."


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
