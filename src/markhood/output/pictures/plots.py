"""Plots of graphs with matplotlib; `markhood.plot` is this module.

Every function takes axes and returns them. Positive couplings are blue and negative ones vermillion
and dashed (colours of Okabe and Ito, distinguishable with any colour vision). The width is the size
of the coupling; an infinite coupling is a double line, and a coupling table, which has no sign, is
grey. For more than `MAX_NODES` nodes, `network` draws an overview instead: density, degrees, and
sizes of the components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats
from markhood.errors import InputError
from markhood.evaluate.measures import edge_outcomes, folded
from markhood.graph.communities import communities
from markhood.graph.edge_table import has_sign
from markhood.graph.factors import Factors
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.output.pictures.axes import (
    COLOURS,
    SIZE,
    Curve,
    Panel,
    draw_panels,
    new_axes,
    shortened,
    wrapped,
)
from markhood.output.pictures.genome import by_distance, write_marks
from markhood.output.pictures.groups import group_networks
from markhood.output.pictures.layout import Coordinates
from markhood.output.pictures.marks import (
    ATTRACTION,
    ISOLATED,
    REPULSION,
    diameters_of,
    draw_edges,
    draw_nodes,
    edge_lines,
    frame,
    line_mark,
    of_nodes,
    strengths,
    write_labels,
)
from markhood.output.pictures.named_layouts import (
    Layout,
    follows_edges,
    node_coordinates,
    resolve_layout,
    shared_layout,
)
from markhood.output.pictures.plan import plan
from markhood.output.pictures.stability import (
    centrality_intervals,
    differences,
    edge_intervals,
    gamma_path,
    robustness,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Curve",
    "Panel",
    "adjacency",
    "by_distance",
    "centrality_intervals",
    "comparison",
    "degrees",
    "differences",
    "draw_panels",
    "edge_intervals",
    "gamma_path",
    "group_networks",
    "loadings",
    "network",
    "plan",
    "robustness",
    "shared_layout",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__


Labels = bool | Mapping[str, str] | Sequence[str] | None

MAX_NODES = 600  # larger graphs are drawn as an overview
MAX_LABELS = 60  # up to this number, all nodes are labelled
LABEL_WIDTH = 22  # letters of a line of a label
LONGEST_LABEL, LONGEST_KEY = 40, 80  # letters; longer names are numbers with a key
LONGEST_GROUP = 14  # letters of a node in the name of a community
KEY_LINE = 0.18  # inches, height of a line of the key
HUBS = 30  # labelled nodes of a larger graph: those with the most neighbours
FAINT = "#DDDDDD"
HIT, MISS, FALSE = "#000000", "#56B4E9", "#D55E00"


def network(
    graph: GraphLike,
    ax: Axes | None = None,
    *,
    layout: Layout = "auto",
    columns: int | None = None,
    groups: str | Mapping[str, str] | Sequence[str] | None = None,
    labels: Labels = None,
    colors: str | Mapping[str, str] | Sequence[str] | None = None,
    sizes: float | Mapping[str, float] | Sequence[float] | None = None,
    legend: bool = True,
    seed: int = 0,
    widest: float | None = None,
) -> Axes:
    """Draw a graph; line width is the size of a coupling, colour its sign.

    Parameters
    ----------
    graph : Graph or fitted estimator
        For more than 600 nodes an overview is drawn instead, with the degrees and the sizes
        of the components, unless the layout is a grid, a genome or given.
    ax : Axes, optional
        Axes to draw on. By default new axes are made.
    layout : {"auto", "stress", "grid", "circle", "arc"}, path or array_like, default="auto"
        "stress" places nodes by their edges, "grid" in rows, "circle" on a circle, "arc" on a line
        with the edges as arcs above it. A file (.csv, .tsv) has the columns name, x and y or name
        and position. An array has the coordinates of the nodes, for example from igraph. Circle and
        line are to scale where variables have positions along a genome; "auto" is then "circle",
        and "stress" otherwise.
    columns : int, optional
        Number of columns of the grid, for variables that are pixels. By default the grid is square.
    groups : "communities", mapping or sequence of str, optional
        Group of every node, which determines its colour; a mapping is by node name.
    labels : bool, sequence or mapping of str, optional
        Whether to write names, or other labels for the nodes. By default all names of up to 60
        nodes, and the 30 nodes with the most neighbours in larger graphs. Labels that would overlap
        another label, a node or the legend are left out, starting with nodes with few neighbours.
        Names that need more than two lines are numbers, explained in the legend.
    colors : str, sequence or mapping of str, optional
        Colour of all nodes or of each node; a mapping is by node name or, with `groups`, by
        group.
    sizes : float, sequence or mapping of float, optional
        Diameters of the nodes in points.
    legend : bool, default=True
        Whether to draw a legend of signs, widths and groups below the network.
    seed : int, default=0
        Random seed of the layout.
    widest : float, optional
        Coupling that is drawn with the largest width, to compare several plots. By default the
        largest of the graph.

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
    graph = as_graph(graph)
    texts, key = _texts(graph, labels, ax, has_key=legend)
    ax = new_axes(ax, height=SIZE[1] - 1.2 + KEY_LINE * len(key))
    layout = resolve_layout(graph, layout)
    if graph.n_nodes > MAX_NODES and follows_edges(graph, layout):
        return _overview(graph, ax)
    coordinates = node_coordinates(graph, layout, columns, seed)
    diameters = diameters_of(graph, sizes)
    handles = draw_edges(ax, graph, coordinates, follows_edges(graph, layout), widest)
    handles += draw_nodes(ax, graph, coordinates, _named_groups(graph, groups), colors, diameters)
    along = isinstance(layout, str) and layout in ("circle", "arc")
    over = edge_lines(coordinates, graph.edges, follows_edges=False) if along else []
    frame(ax, np.concatenate([coordinates, *over]), handles if legend else [], key)
    if along:
        write_marks(ax, graph, coordinates, is_circle=layout == "circle")
    _label(ax, graph, coordinates, diameters, texts, labels)
    return ax


def adjacency(graph: GraphLike, ax: Axes | None = None) -> Axes:
    """Draw the matrix of couplings, ordered by community.

    Coupling tables have no sign: their sizes are in grey, with a separate scale.

    Parameters
    ----------
    graph : Graph or fitted estimator
    ax : Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = adjacency(Graph("abc", [(0, 2)], coupling_ends=[(1, 1)]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'c', 'b']
    """
    graph = as_graph(graph)
    ax = new_axes(ax)
    if not graph.n_nodes:
        return ax
    label = communities(graph)
    order = np.lexsort((np.arange(graph.n_nodes), np.where(label < 0, graph.n_nodes, label)))
    i, j = np.argsort(order)[graph.edges].T
    strength, widest = strengths(graph)
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
    shown = range(graph.n_nodes) if graph.n_nodes <= MAX_LABELS else []
    names = [shortened(graph.variables.labels[order[k]], LABEL_WIDTH) for k in shown]
    ax.set_xticks(list(shown), names, rotation=90, fontsize="x-small", parse_math=False)
    ax.set_yticks(list(shown), names, fontsize="x-small", parse_math=False)
    return ax


def comparison(
    truth: Graph,
    learned: Graph,
    ax: Axes | None = None,
    *,
    layout: Layout = "auto",
    columns: int | None = None,
    labels: Labels = None,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Axes:
    """Draw a learned graph and the true graph together: hits, misses and false edges.

    Parameters
    ----------
    truth, learned : Graph
        Graphs with the same nodes, in any order; true columns that were grouped into one learned
        node are merged.
    ax, layout, columns, labels, seed
        As in `network`; the layout is that of the true graph.
    names : tuple of two str, optional
        Names of two learned graphs, if neither is the truth; the legend then states the edges
        that are in both and only in either.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = comparison(Graph("abc", [(0, 1), (1, 2)]), Graph("abc", [(0, 1), (0, 2)]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 hit', '1 missed', '1 false']
    >>> one, two = Graph("abc", [(0, 1), (1, 2)]), Graph("abc", [(0, 1), (0, 2)])
    >>> ax = comparison(one, two, names=("women", "men"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 in both', '1 only in women', '1 only in men']
    """
    from matplotlib.collections import LineCollection

    truth = folded(truth, learned)
    texts, key = _texts(truth, labels, ax)
    ax = new_axes(ax, height=SIZE[1] - 1.2 + KEY_LINE * len(key))
    coordinates = node_coordinates(truth, layout, columns, seed)
    outcomes = edge_outcomes(truth, learned)
    words = ("hit" if len(outcomes.hits) == 1 else "hits", "missed", "false")
    if names is not None:
        words = ("in both", f"only in {names[0]}", f"only in {names[1]}")
    kinds = (
        (outcomes.hits, HIT, "solid", words[0]),
        (outcomes.missed, MISS, "dashed", words[1]),
        (outcomes.false, FALSE, "dotted", words[2]),
    )
    handles = []
    for edges, colour, style, name in kinds:
        lines = LineCollection(
            edge_lines(coordinates, edges, follows_edges(truth, layout)),
            colors=colour, linestyles=style, linewidths=1.6, zorder=1,
        )  # fmt: skip
        ax.add_collection(lines)
        handles.append((line_mark(colour, 1.6, style), f"{len(edges)} {name}"))
    diameters = diameters_of(truth)
    draw_nodes(ax, truth, coordinates, None, None, diameters)
    frame(ax, coordinates, handles, key)
    _label(ax, truth, coordinates, diameters, texts, labels)
    return ax


def degrees(graph: GraphLike, ax: Axes | None = None) -> Axes:
    """Draw the degree distribution.

    Examples
    --------
    >>> ax = degrees(Graph("abcd", [(0, 1), (1, 2)]))
    >>> [bar.get_height() for bar in ax.patches]
    [np.int64(1), np.int64(2), np.int64(1)]
    """
    graph = as_graph(graph)
    ax = new_axes(ax)
    from matplotlib.ticker import MaxNLocator

    counts = np.bincount(graph.degree, minlength=1)
    ax.bar(np.arange(len(counts)), counts, color=COLOURS[0])
    ax.set(xlabel="neighbours", ylabel="variables")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    return ax


def loadings(factors: Factors, ax: Axes | None = None) -> Axes:
    """Draw the loadings of columns on hidden factors, by the factor with the largest loading.

    Examples
    --------
    >>> ax = loadings(Factors(("a", "b"), np.array([[0.1, 0.6], [0.8, 0.0]]), np.array([0.3, 0.2])))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    ax = new_axes(ax)
    sizes = np.abs(factors.loadings)
    order = np.lexsort((-sizes.max(axis=1), sizes.argmax(axis=1)))
    title, shades = "loading", (REPULSION, FAINT, ATTRACTION)
    _draw_cells(ax, factors.loadings[order], shades, (-1.0, 1.0), title)
    ax.set_aspect("auto")
    shown = range(len(order)) if len(order) <= MAX_LABELS else []
    names = [shortened(factors.columns[order[k]], LABEL_WIDTH) for k in shown]
    ax.set_yticks(list(shown), names, fontsize="x-small", parse_math=False)
    numbers = [f"{k + 1}" for k in range(factors.n_factors)]
    ax.set_xticks(range(factors.n_factors), numbers)
    ax.set_xlabel("factor")
    return ax


def _draw_cells(
    ax: Axes, cells: Floats, shades: Sequence[str], limits: tuple[float, float], title: str
) -> None:
    """Draw the known cells of a matrix, and their colour scale."""
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("couplings", list(shades))
    image = ax.imshow(cells, cmap=scale, vmin=limits[0], vmax=limits[1], interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=title, shrink=0.8)


def _named_groups(graph: Graph, groups: Any) -> dict[str, list[int]] | None:
    """Return the nodes of every group; None without groups. A community has its first two names."""
    if groups is None:
        return None
    if isinstance(groups, str):
        if groups != "communities":
            raise InputError(
                "option-value",
                "groups",
                f"Unknown groups {groups!r}: pass 'communities' or the group of every node.",
            )
        found = communities(graph)
        alone = np.flatnonzero(found < 0).tolist()
        members = [np.flatnonzero(found == k).tolist() for k in range(found.max(initial=-1) + 1)]
        named = {_community_name(graph, own): own for own in members}
        return named | ({ISOLATED: alone} if alone else {})
    names = [str(group) for group in of_nodes(graph, groups, "groups")]
    return {name: [k for k, own in enumerate(names) if own == name] for name in sorted(set(names))}


def _community_name(graph: Graph, nodes: Sequence[int]) -> str:
    names = ", ".join(shortened(graph.nodes[k], LONGEST_GROUP) for k in nodes[:2])
    return names + " \N{HORIZONTAL ELLIPSIS}" * (len(nodes) > 2)


def _texts(
    graph: Graph, labels: Labels, ax: Axes | None, has_key: bool = True
) -> tuple[list[str], list[tuple[Any, str]]]:
    """Return the label of every node, and the key of long names, which become numbers.

    Given axes may have no space for the key; long names are shortened then.
    """
    if labels is False:
        return [""] * graph.n_nodes, []
    names = graph.variables.labels if isinstance(labels, bool) or labels is None else labels
    texts = [str(name) for name in of_nodes(graph, names, "labels")]
    long = [k for k, text in enumerate(texts) if len(text) > LONGEST_LABEL]
    height = np.inf if ax is None else ax.bbox.height / ax.figure.dpi
    if graph.n_nodes > MAX_LABELS or not has_key or KEY_LINE * len(long) > height / 2:
        long = []
    key = [
        (line_mark("none", 0), f"{number}  {shortened(texts[k], LONGEST_KEY)}")
        for number, k in enumerate(long, start=1)
    ]
    numbers = {k: f"{number}" for number, k in enumerate(long, start=1)}
    return [numbers.get(k, wrapped(text, LABEL_WIDTH)) for k, text in enumerate(texts)], key


def _label(
    ax: Axes,
    graph: Graph,
    coordinates: Coordinates,
    diameters: Floats,
    texts: Sequence[str],
    labels: Labels,
) -> None:
    """Write the labels; by default those of all nodes, or of the hubs of a large graph."""
    if labels is False:
        return
    order = np.argsort(-graph.degree, kind="stable")
    most = HUBS if labels is None and graph.n_nodes > MAX_LABELS else graph.n_nodes
    write_labels(ax, texts, coordinates, diameters, order, most)


def _overview(graph: Graph, ax: Axes) -> Axes:
    """Draw the degrees and, in an inset, the sizes of components, with the density in the title."""
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
    ax.set_ylim(top=2 * ax.get_ylim()[1])  # space for the inset
    inset = ax.inset_axes((0.6, 0.62, 0.38, 0.34))
    inset.scatter(*np.unique(sizes, return_counts=True), color=COLOURS[1], s=12)
    inset.set(xscale="log", yscale="log")
    inset.set_xlabel("variables in a component", fontsize="small")
    inset.set_ylabel("components", fontsize="small")
    return ax
