"""The elements of a drawn network: edges, nodes, labels and legend.

The legend is below the nodes, inside the axes: outside, it would be cut off in a figure without
layout engine. So the limits of the axes are set after the legend, and the labels are written last,
where they do not overlap each other, a node or the legend.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.graph.edge_table import has_sign
from markhood.graph.graph import Graph
from markhood.output.pictures.bends import bends
from markhood.output.pictures.layout import Coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

THINNEST, WIDEST = 0.6, 4.0  # points
DOUBLE = 3.0  # points, width of an infinite coupling
OPACITY = 0.85  # of an edge with probability 1 or unknown probability
ATTRACTION, REPULSION, UNKNOWN = "#0072B2", "#D55E00", "#808080"
PLAIN, PALE = "#404040", "#C8C8C8"
ISOLATED = "isolated"
MAX_LEGEND = 12  # groups; more do not fit
# Group colours differ from those of signs, and are the same in the report.
GROUPS = (
    "#2f9e6e", "#a463b0", "#b8a323", "#e17fa8", "#6f9c2f", "#7f6bb8", "#3fb0a5",
    "#8c5a3c", "#c2447e",
)  # fmt: skip
_HUES = ((55, 180), (265, 350))  # degrees: yellow to turquoise, violet to red
_GOLDEN = 0.618034
_CURVE = 24  # points of an arc
_MIN_HEIGHT = 0.3  # share of the height for the nodes, for any legend

Handles = Sequence[tuple[Any, str]]  # a line or dot, and its label in the legend


def strengths(graph: Graph) -> tuple[Floats, float]:
    """Return the absolute couplings, at most the largest finite one, and the latter."""
    size = np.abs(graph.coupling)
    widest = float(size[np.isfinite(size)].max(initial=0)) or 1.0
    return np.nan_to_num(np.minimum(size, widest), nan=0.0), widest


def draw_edges(
    ax: Axes, graph: Graph, coordinates: Coordinates, follows_edges: bool, most: float | None = None
) -> list[tuple[Any, str]]:
    """Draw edges: width is the coupling, opacity the probability; negative couplings are dashed.

    The coupling ``most``, by default the largest, has the largest width. An infinite coupling is a
    double line. If ``follows_edges`` is false, edges that would run through a node are arcs.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    strength, widest = strengths(graph)
    widest = most or widest
    infinite = np.isinf(graph.coupling)
    opacity = OPACITY * np.nan_to_num(graph.probability, nan=1.0)
    sign = (np.nan_to_num(np.sign(graph.coupling)) * has_sign(graph)).astype(np.int64)
    width = np.where(infinite, DOUBLE, THINNEST + (WIDEST - THINNEST) * strength / widest)
    order = np.argsort(strength, kind="stable")  # the strongest on top
    lines = edge_lines(coordinates, graph.edges[order], follows_edges)
    colours = [to_rgba((UNKNOWN, ATTRACTION, REPULSION)[sign[k]], opacity[k]) for k in order]
    styles = ["dashed" if sign[k] < 0 else "solid" for k in order]
    ax.add_collection(
        LineCollection(lines, colors=colours, linewidths=width[order], linestyles=styles, zorder=1)
    )
    if infinite.any():
        inside = [line for line, k in zip(lines, order.tolist(), strict=True) if infinite[k]]
        ground = ax.get_facecolor()
        ax.add_collection(LineCollection(inside, colors=[ground], linewidths=DOUBLE / 3, zorder=1))
    return _edge_handles(graph, sign, widest)


def edge_lines(coordinates: Coordinates, edges: Ints, follows_edges: bool) -> list[Coordinates]:
    """Return the points of every edge: two for a line, more for an arc."""
    ends = coordinates[edges]
    if follows_edges:
        return list(ends)
    share = np.linspace(0, 1, _CURVE)[:, None]
    lines = []
    for (a, b), bend in zip(ends, bends(coordinates, edges), strict=True):
        middle = (a + b) / 2 + bend * np.array([a[1] - b[1], b[0] - a[0]])
        curve = (1 - share) ** 2 * a + 2 * share * (1 - share) * middle + share**2 * b
        lines.append(curve if bend else np.array([a, b]))
    return lines


def _edge_handles(graph: Graph, sign: Ints, widest: float) -> list[tuple[Any, str]]:
    """Return the legend entries of the signs and widths that occur."""
    if np.isnan(graph.coupling).all():
        return []
    kinds = (
        (1, line_mark(ATTRACTION, 2), "positive"),
        (-1, line_mark(REPULSION, 2, "dashed"), "negative"),
        (0, line_mark(UNKNOWN, 2), "no sign"),
    )
    handles: list[tuple[Any, str]] = [
        (mark, words) for kind, mark, words in kinds if (sign == kind).any()
    ]
    if np.isinf(graph.coupling).any():
        double = (line_mark(UNKNOWN, DOUBLE), line_mark("white", DOUBLE / 3))
        handles.append((double, "infinite"))
    if np.isfinite(graph.coupling).any():
        for share in (0.5, 1.0):
            mark = line_mark(PLAIN, THINNEST + (WIDEST - THINNEST) * share)
            handles.append((mark, f"coupling {share * widest:.2g}"))
    return handles


def line_mark(colour: str, width: float, style: Any = "solid") -> Any:
    """Return a line for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=width, linestyle=style)


def of_nodes(graph: Graph, given: Any, what: str) -> list[Any]:
    """Return a value for every node: one for all, one each, or by name."""
    if isinstance(given, Mapping):
        missing = [name for name in graph.nodes if name not in given]
        if missing:
            raise InputError(
                "option-value", what, f"{what} has no value for {missing[0]!r}: name every node."
            )
        return [given[name] for name in graph.nodes]
    if isinstance(given, str) or not hasattr(given, "__len__"):
        return [given] * graph.n_nodes
    if len(given) != graph.n_nodes:
        raise InputError(
            "option-value",
            what,
            f"{what} has {len(given)} values for {graph.n_nodes} nodes: pass one per node.",
        )
    return list(given)


def diameters_of(graph: Graph, sizes: Any = None) -> Floats:
    """Return the diameter of every node in points; by default smaller in larger graphs.

    The diameter grows with the logarithm of the number of grouped columns: a node of 100 columns is
    three times as wide.
    """
    usual: Any = float(np.sqrt(np.clip(6000 / max(graph.n_nodes, 1), 12, 90)))
    if graph.variables.members is not None:
        usual = usual * (1 + np.log10([1 + len(own) for own in graph.variables.members]))
    given = of_nodes(graph, usual if sizes is None else sizes, "sizes")
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not (found > 0).all():
        raise InputError(
            "option-value", "sizes", "sizes must be numbers above 0, the diameters in points."
        )
    return found


def draw_nodes(
    ax: Axes,
    graph: Graph,
    coordinates: Coordinates,
    groups: Mapping[str, list[int]] | None,
    colours: Any,
    diameters: Floats,
) -> list[tuple[Any, str]]:
    """Draw the nodes in their own colours or those of their groups."""
    look: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.8, "zorder": 2}
    if groups is None:
        own = of_nodes(graph, PLAIN if colours is None else colours, "colors")
        ax.scatter(coordinates[:, 0], coordinates[:, 1], s=diameters**2, c=own, **look)
        return []
    handles: list[tuple[Any, str]] = []
    for number, (name, nodes) in enumerate(groups.items()):
        colour = PALE if name == ISOLATED else group_colour(number)
        if isinstance(colours, Mapping):
            colour = colours.get(name, colour)
        x, y = coordinates[nodes].T
        dots = ax.scatter(x, y, s=diameters[nodes] ** 2, color=colour, **look)
        handles.append((dots, name))
    return handles if len(groups) <= MAX_LEGEND else []


def group_colour(number: int) -> str:
    """Return the colour of a group: not blue or orange, and different from the previous one.

    Examples
    --------
    >>> group_colour(0), group_colour(20)
    ('#2f9e6e', '#d289c9')
    """
    if number < len(GROUPS):
        return GROUPS[number]
    further = number - len(GROUPS)
    hue = sum(high - low for low, high in _HUES) * (further * _GOLDEN % 1)
    (low, high), (second, _) = _HUES
    hue = low + hue if hue <= high - low else second + hue - (high - low)
    shade = (0.42, 0.56, 0.68)[further % 3]
    parts = colorsys.hls_to_rgb(hue / 360, shade, 0.45)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def frame(ax: Axes, coordinates: Coordinates, handles: Handles, key: Handles = ()) -> None:
    """Set the limits of the axes, with space for the legend and the key below the nodes."""
    ax.set_axis_off()
    ax.set_aspect("auto")  # measure the whole axes
    if not len(coordinates):
        return
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # constrained layout moves the axes
    box = ax.get_window_extent()
    below = 0.0
    if key:
        legend = _add_legend(ax, key, box, handlelength=0, handletextpad=0)
        ax.add_artist(legend)  # the next legend does not replace it
        below = legend.get_window_extent().height
    if handles:
        legend = _add_legend(ax, handles, box, below, handlelength=1.8)
        below += legend.get_window_extent().height
    low, high = coordinates.min(0), coordinates.max(0)
    margin = 0.08 * float((high - low).max()) or 1.0
    wide, tall = high - low + 2 * margin
    room = max(box.height - below, _MIN_HEIGHT * box.height)
    scale = min(box.width / wide, room / tall)
    middle = (low + high) / 2
    # The nodes are centred in the upper part.
    bottom = middle[1] - room / scale / 2 - (box.height - room) / scale
    ax.set_xlim(middle[0] - box.width / scale / 2, middle[0] + box.width / scale / 2)
    ax.set_ylim(bottom, bottom + box.height / scale)
    ax.set_aspect("equal")


def _add_legend(
    ax: Axes, handles: Handles, box: Any, above: float = 0.0, **spacing: float
) -> Legend:
    """Add a legend with as many columns as fit, at this height in pixels."""
    from matplotlib.legend_handler import HandlerTuple

    marks, words = zip(*handles, strict=True)
    for columns in range(len(handles), 0, -1):
        legend = ax.legend(
            list(marks), list(words), loc="lower center", ncols=columns, fontsize="small",
            frameon=False, borderaxespad=0, columnspacing=1.2, **spacing,
            bbox_to_anchor=(0, above / box.height, 1, 1 - above / box.height),
            handler_map={tuple: HandlerTuple(ndivide=1)},
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_parse_math(False)  # names may contain $
        if legend.get_window_extent().width <= box.width:
            break
    return legend


def write_labels(
    ax: Axes,
    names: Sequence[str],
    coordinates: Coordinates,
    diameters: Floats,
    order: Ints,
    most: int,
) -> None:
    """Write at most ``most`` labels next to the nodes, without overlaps."""
    from matplotlib.legend import Legend
    from matplotlib.patheffects import withStroke

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    reach = diameters / 2 * figure.dpi / 72
    taken: list[Sequence[float]] = [
        (x - r, y - r, x + r, y + r)
        for (x, y), r in zip(ax.transData.transform(coordinates), reach, strict=True)
    ]
    whole = figure.bbox.extents
    for legend in ax.findobj(Legend):
        taken.append(legend.get_window_extent().extents)
    sides = ((1, 0, "left", "center"), (-1, 0, "right", "center"),
             (0, 1, "center", "bottom"), (0, -1, "center", "top"))  # fmt: skip
    written = 0
    for node in order.tolist():
        if written >= most:
            break
        for right, up, horizontal, vertical in sides:
            away = diameters[node] / 2 + 2
            text = ax.annotate(
                names[node], coordinates[node], (away * right, away * up),
                textcoords="offset points", ha=horizontal, va=vertical, fontsize="small", zorder=3,
                parse_math=False,
                path_effects=[withStroke(linewidth=2, foreground=ax.get_facecolor())],
            )  # fmt: skip
            text.set_in_layout(False)  # constrained layout would move the nodes
            box = text.get_window_extent().extents
            if _inside(box, whole) and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                written += 1
                break
            text.remove()


def _inside(a: Sequence[float], whole: Sequence[float]) -> bool:
    return whole[0] <= a[0] and whole[1] <= a[1] and a[2] <= whole[2] and a[3] <= whole[3]


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
