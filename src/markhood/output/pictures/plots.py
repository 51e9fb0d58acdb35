"""Plots of graphs with matplotlib: axes in, axes out.

`markhood.plot` is this module. Signs are blue and vermillion (Okabe and Ito), which people with any
colour vision can tell apart, and width is the strength of the coupling; an infinite coupling is as
wide as the strongest finite one and dashed. A coupling that is a table has a size but no sign, and is
grey. A network of many nodes is a ball of wool, so past `MANY` nodes `network` shows numbers instead:
density, degrees, and sizes of the components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.errors import InputError
from markhood.evaluate.measures import edge_outcomes
from markhood.graph.edge_table import has_sign
from markhood.graph.graph import Graph
from markhood.output.pictures.axes import new_axes
from markhood.output.pictures.communities import communities
from markhood.output.pictures.gamma import gamma_path
from markhood.output.pictures.groups import group_networks
from markhood.output.pictures.layout import Places, grid_positions, positions
from markhood.output.pictures.panels import COLOURS, Curve, Panel, draw_panels
from markhood.output.pictures.stability import centrality_intervals, differences, edge_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Curve",
    "Panel",
    "adjacency",
    "centrality_intervals",
    "comparison",
    "degrees",
    "differences",
    "draw_panels",
    "edge_intervals",
    "gamma_path",
    "group_networks",
    "network",
]

MANY = 600  # nodes; more are not drawn one by one
LABELLED = 60  # nodes that are labelled unless asked otherwise
LEGEND = 12  # groups that a legend names; more would be longer than the picture
THINNEST, WIDEST = 0.6, 4.0  # points
OPACITY = 0.85  # of an edge that is certain, or of unknown probability
ATTRACTION, REPULSION, UNKNOWN = "#0072B2", "#D55E00", "#808080"
ISOLATED, PALE, FAINT = "isolated", "#C8C8C8", "#DDDDDD"
HIT, MISS, FALSE = "#000000", "#56B4E9", "#D55E00"


def network(
    graph: Graph,
    ax: Axes | None = None,
    *,
    layout: str | ArrayLike = "stress",
    columns: int | None = None,
    groups: str | Mapping[str, str] | Sequence[str] | None = None,
    labels: bool | None = None,
    seed: int = 0,
    widest: float | None = None,
) -> Axes:
    """Draw a graph: width is the strength of a coupling, colour its sign; without one it is grey.

    Parameters
    ----------
    graph : Graph
        Of more than 600 nodes an overview is drawn instead: the degrees, and in a corner the sizes
        of the components; unless they stand on a grid or at places of your own.
    ax : Axes, optional
        Where to draw; by default new axes.
    layout : {"stress", "grid"} or array_like of shape (n_nodes, 2), default="stress"
        Distances as in the graph, the cells of a grid, or places of your own (from igraph, say).
    columns : int, optional
        Of the grid, for variables that are pixels; by default the grid is square.
    groups : "communities", mapping or sequence of str, optional
        Name of every node's group (of a mapping, by the node's name), for its colour.
    labels : bool, optional
        Whether to write names; by default up to 60 nodes. One that would lie on another is left
        out, those of nodes with few neighbours first.
    seed : int, default=0
        Same seed, same picture.
    widest : float, optional
        The coupling that is drawn widest, where pictures are to be compared; by default the
        strongest of the graph.

    Returns
    -------
    Axes

    Examples
    --------
    >>> graph = Graph(["rain", "wet", "sun"], [(0, 1), (1, 2)], coupling_ends=[(2, 1), (-3, -1)])
    >>> ax = network(graph)
    >>> sorted(text.get_text() for text in ax.texts)
    ['rain', 'sun', 'wet']
    """
    ax = new_axes(ax)
    if graph.n_nodes > MANY and isinstance(layout, str) and layout != "grid":
        return _overview(graph, ax)
    places = _places(graph, layout, columns, seed)
    _draw_edges(ax, graph, places, widest)
    _draw_nodes(ax, graph, places, _named_groups(graph, groups))
    _frame(ax, places)
    if labels if labels is not None else graph.n_nodes <= LABELLED:
        _write_labels(ax, graph, places)
    return ax


def adjacency(graph: Graph, ax: Axes | None = None) -> Axes:
    """Draw the matrix of couplings, the nodes of a community side by side.

    Couplings that are tables have no sign: their sizes are greys, with a scale of their own.

    Parameters
    ----------
    graph : Graph
    ax : Axes, optional
        Where to draw; by default new axes.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = adjacency(Graph("abc", [(0, 2)], coupling_ends=[(1, 1)]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'c', 'b']
    """
    ax = new_axes(ax)
    if not graph.n_nodes:
        return ax
    label = communities(graph)
    order = np.lexsort((np.arange(graph.n_nodes), np.where(label < 0, graph.n_nodes, label)))
    i, j = np.argsort(order)[graph.edges].T
    strength, widest = _strengths(graph)
    signed = has_sign(graph)
    part = np.where(signed, 0, 1)
    values = np.where(signed, np.nan_to_num(np.sign(graph.coupling)), 1) * strength
    cells = np.full((2, graph.n_nodes, graph.n_nodes), np.nan)
    cells[part, i, j] = cells[part, j, i] = values
    if signed.any() or not graph.n_edges:
        shades, title = (REPULSION, FAINT, ATTRACTION), "coupling (log odds ratio)"
        _draw_cells(ax, cells[0], shades, (-widest, widest), title)
    if not signed.all():
        _draw_cells(ax, cells[1], (FAINT, "#303030"), (0, widest), "coupling (size of a table)")
    for cut in np.flatnonzero(np.diff(label[order])) + 0.5:
        ax.axhline(cut, color="black", linewidth=0.4)
        ax.axvline(cut, color="black", linewidth=0.4)
    shown = range(graph.n_nodes) if graph.n_nodes <= LABELLED else []
    names = [graph.nodes[order[k]] for k in shown]
    ax.set_xticks(list(shown), names, rotation=90, fontsize="x-small", parse_math=False)
    ax.set_yticks(list(shown), names, fontsize="x-small", parse_math=False)
    return ax


def comparison(
    truth: Graph,
    learned: Graph,
    ax: Axes | None = None,
    *,
    layout: str | ArrayLike = "stress",
    columns: int | None = None,
    labels: bool | None = None,
    seed: int = 0,
) -> Axes:
    """Draw a learned graph over the true one: hits, misses and false edges.

    Parameters
    ----------
    truth, learned : Graph
        Of the same nodes, in any order.
    ax, layout, columns, labels, seed
        As for `network`; the layout is that of the true graph.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = comparison(Graph("abc", [(0, 1), (1, 2)]), Graph("abc", [(0, 1), (0, 2)]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 hit', '1 missed', '1 false']
    """
    ax = new_axes(ax)
    from matplotlib.collections import LineCollection

    places = _places(truth, layout, columns, seed)
    outcomes = edge_outcomes(truth, learned)
    kinds = (
        (outcomes.hits, HIT, "solid", "hit" if len(outcomes.hits) == 1 else "hits"),
        (outcomes.missed, MISS, "dashed", "missed"),
        (outcomes.false, FALSE, "dotted", "false"),
    )
    for edges, colour, style, name in kinds:
        ax.add_collection(
            LineCollection(
                list(places[edges]), colors=colour, linestyles=style, linewidths=1.6, zorder=1,
                label=f"{len(edges)} {name}",
            )
        )  # fmt: skip
    _draw_nodes(ax, truth, places, None)
    _frame(ax, places)
    if labels if labels is not None else truth.n_nodes <= LABELLED:
        _write_labels(ax, truth, places)
    ax.legend(loc="best", framealpha=0.7)
    return ax


def degrees(graph: Graph, ax: Axes | None = None) -> Axes:
    """Draw how many nodes have how many neighbours.

    Examples
    --------
    >>> ax = degrees(Graph("abcd", [(0, 1), (1, 2)]))
    >>> [bar.get_height() for bar in ax.patches]
    [np.int64(1), np.int64(2), np.int64(1)]
    """
    ax = new_axes(ax)
    from matplotlib.ticker import MaxNLocator

    counts = np.bincount(graph.degree, minlength=1)
    ax.bar(np.arange(len(counts)), counts, color=COLOURS[0])
    ax.set(xlabel="neighbours", ylabel="variables")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    return ax


def _places(graph: Graph, layout: str | ArrayLike, columns: int | None, seed: int) -> Places:
    if columns is not None and (layout != "grid" if isinstance(layout, str) else True):
        raise InputError('columns is for layout="grid" only.')
    if isinstance(layout, str):
        if layout == "grid":
            if columns is not None and columns < 1:
                raise InputError(f"columns must be 1 or more, not {columns}.")
            return grid_positions(graph.n_nodes, columns or int(np.ceil(np.sqrt(graph.n_nodes))))
        if layout == "stress":
            return positions(graph, seed)
        raise InputError(f"Unknown layout {layout!r}: choose stress or grid, or give places.")
    places = np.asarray(layout, dtype=np.float64)
    if places.shape != (graph.n_nodes, 2) or not np.isfinite(places).all():
        raise InputError(
            f"Places must be {graph.n_nodes} pairs of finite numbers, one for every node, not an "
            f"array of shape {places.shape}."
        )
    return places


def _strengths(graph: Graph) -> tuple[NDArray[np.float64], float]:
    """Absolute couplings, infinite ones as large as the largest finite; and that largest."""
    size = np.abs(graph.coupling)
    widest = float(size[np.isfinite(size)].max(initial=0)) or 1.0
    return np.nan_to_num(np.minimum(size, widest), nan=0.0), widest


def _draw_edges(ax: Axes, graph: Graph, places: Places, most: float | None = None) -> None:
    """Draw edges: the stronger, the wider; the less probable, the paler."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    strength, widest = _strengths(graph)
    widest = most or widest
    coupling = graph.coupling
    opacity = OPACITY * np.nan_to_num(graph.probability, nan=1.0)
    sign = (np.nan_to_num(np.sign(coupling)) * has_sign(graph)).astype(np.int64)
    order = np.argsort(strength, kind="stable")  # the strongest on top
    ax.add_collection(
        LineCollection(
            list(places[graph.edges[order]]),
            colors=[to_rgba((UNKNOWN, ATTRACTION, REPULSION)[sign[k]], opacity[k]) for k in order],
            linewidths=THINNEST + (WIDEST - THINNEST) * strength[order] / widest,
            linestyles=["dashed" if k else "solid" for k in np.isinf(coupling[order])],
            zorder=1,
        )
    )


def _draw_cells(
    ax: Axes,
    cells: NDArray[np.float64],
    shades: Sequence[str],
    limits: tuple[float, float],
    title: str,
) -> None:
    """Draw the cells of a matrix that are known, and the scale of their shades."""
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("couplings", list(shades))
    image = ax.imshow(cells, cmap=scale, vmin=limits[0], vmax=limits[1], interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=title, shrink=0.8)


def _named_groups(graph: Graph, groups: Any) -> list[str] | None:
    """Return the name of every node's group; None where there are no groups."""
    if groups is None:
        return None
    if isinstance(groups, str):
        if groups != "communities":
            raise InputError(f"Unknown groups {groups!r}: give 'communities' or names.")
        found = communities(graph)
        return [f"community {k + 1:2}" if k >= 0 else ISOLATED for k in found]
    if isinstance(groups, Mapping):
        missing = [name for name in graph.nodes if name not in groups]
        if missing:
            raise InputError(f"The groups do not name {missing[0]!r}.")
        return [str(groups[name]) for name in graph.nodes]
    if len(groups) != graph.n_nodes:
        raise InputError(f"There are {len(groups)} groups for {graph.n_nodes} nodes; give as many.")
    return [str(group) for group in groups]


def _draw_nodes(ax: Axes, graph: Graph, places: Places, groups: list[str] | None) -> None:
    size = np.clip(6000 / max(graph.n_nodes, 1), 12, 90)
    look = {"s": size, "edgecolors": "white", "linewidths": 0.8, "zorder": 2}
    if groups is None:
        ax.scatter(*places.T, color="#404040", **look)
        return
    members = {name: [k for k, g in enumerate(groups) if g == name] for name in sorted(set(groups))}
    handles = []
    for number, (name, nodes) in enumerate(members.items()):
        colour = f"C{number}" if len(members) > len(COLOURS) else COLOURS[number]
        colour = PALE if name == ISOLATED else colour
        handles.append(ax.scatter(*places[nodes].T, color=colour, label=name, **look))
    if 0 < len(members) <= LEGEND:
        # Named one by one, because matplotlib passes over names that begin with an underscore.
        legend = ax.legend(handles, list(members), loc="best", framealpha=0.7)
        for text in legend.get_texts():
            text.set_parse_math(False)  # a dollar in a name is a dollar


def _frame(ax: Axes, places: Places) -> None:
    if len(places):
        low, high = places.min(0), places.max(0)
        margin = 0.08 * float((high - low).max()) or 1.0
        ax.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))
    ax.set_aspect("equal")
    ax.set_axis_off()


def _write_labels(ax: Axes, graph: Graph, places: Places) -> None:
    """Write names beside nodes, right or left or above or below: where there is room first."""
    from matplotlib.patheffects import withStroke

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # constrained layout moves the axes, and sizes with them
    dots = ax.transData.transform(places)
    radius = 5 * figure.dpi / 72
    taken = [(x - radius, y - radius, x + radius, y + radius) for x, y in dots]
    sides = ((1, 0, "left", "center"), (-1, 0, "right", "center"),
             (0, 1, "center", "bottom"), (0, -1, "center", "top"))  # fmt: skip
    for node in np.argsort(-graph.degree, kind="stable").tolist():
        for right, up, horizontal, vertical in sides:
            text = ax.annotate(
                graph.nodes[node], places[node], (6 * right, 6 * up), textcoords="offset points",
                ha=horizontal, va=vertical, fontsize="small", zorder=3, parse_math=False,
                path_effects=[withStroke(linewidth=2, foreground=ax.get_facecolor())],
            )  # fmt: skip
            box = text.get_window_extent().extents
            others = (other for k, other in enumerate(taken) if k != node)
            if not any(_overlap(box, other) for other in others):
                taken.append((box[0], box[1], box[2], box[3]))
                break
            text.remove()


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _overview(graph: Graph, ax: Axes) -> Axes:
    """Draw degrees and, in a corner, the sizes of components; say how dense the graph is."""
    sizes = [len(component) for component in graph.components()]
    density = 2 * graph.n_edges / (graph.n_nodes * (graph.n_nodes - 1))
    degrees(graph, ax).set_title(
        f"{graph.n_nodes} variables, {graph.n_edges} edges (density {density:.2g}), "
        + ("1 component" if len(sizes) == 1 else f"{len(sizes)} components")
        + f", the largest of {sizes[0]}",
        fontsize="medium",
    )
    if len(sizes) == 1:
        return ax
    ax.set_ylim(top=2 * ax.get_ylim()[1])  # room for the corner
    corner = ax.inset_axes((0.6, 0.62, 0.38, 0.34))
    corner.scatter(*np.unique(sizes, return_counts=True), color=COLOURS[1], s=12)
    corner.set(xscale="log", yscale="log")
    corner.set_xlabel("variables in a component", fontsize="small")
    corner.set_ylabel("components", fontsize="small")
    return ax
