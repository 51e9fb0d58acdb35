"""Layout of variables along a genome, to scale: chromosomes in sequence, with gaps between them.

Without positions, variables are in their order at equal distances. Variables without a position
come last, as a separate chromosome. A circular genome has no gap.

Edges by the distance of their ends along a genome, with outliers. Linkage disequilibrium decreases
with distance. Unusually strong edges between distant variants point to co-selection, epistasis or
assembly errors. Outliers are defined as in SpydrPick (Pensar et al., 2019), from the maximum over
the distant edges of every variable: with the quartiles Q1 and Q3 of these maxima, an edge is an
outlier above Q3 + 1.5 (Q3 - Q1), and an extreme outlier above Q3 + 3 (Q3 - Q1). SpydrPick takes the
maxima over all pairs; here a variable without a distant edge has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.genome.loci import Loci, distances
from markhood.errors import InputError, option
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.output.pictures.axes import new_axes
from markhood.output.pictures.layout import Coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAP = 0.02  # share of the total, after every chromosome
_MARKS = 8  # positions labelled along one chromosome
_UNITS = ((1e6, "Mb"), (1e3, "kb"), (1.0, "bp"))
_GREY = "#707070"
LABELLED = 5  # strongest outliers
MIN_VARIABLES = 4  # with a distant edge, for quartiles


def shares_along(graph: Graph) -> Floats:
    """Return the relative position of each variable, from 0 to below 1.

    Examples
    --------
    >>> from markhood.data.genome.loci import Locus
    >>> from markhood.data.variables import Variables
    >>> loci = (Locus("1", 100), Locus("1", 300), Locus("2", 5), Locus("2", 205))
    >>> shares_along(Graph(Variables(tuple("abcd"), loci=loci), [])).round(2).tolist()
    [0.0, 0.48, 0.5, 0.98]
    """
    loci = graph.variables.loci
    if loci is None:
        return np.arange(graph.n_nodes) / max(graph.n_nodes, 1)
    shares = np.zeros(graph.n_nodes)
    for numbers, offsets, start, length in _chromosomes(loci, graph.variables.genome_length):
        shares[numbers] = start + length * offsets
    return shares


def _chromosomes(loci: Loci, circle: int | None) -> list[tuple[Ints, Floats, float, float]]:
    """List the variables, relative offsets, start and length of every chromosome."""
    members: dict[str | None, list[int]] = {}
    for number, locus in enumerate(loci):
        members.setdefault(locus and locus.chromosome, []).append(number)
    if None in members:  # variables without a position come last
        members[None] = members.pop(None)
    parts = []
    for chromosome, own in members.items():
        coordinates = np.arange(len(own), dtype=np.float64)
        if chromosome is not None:
            coordinates = np.array([loci[number][1] for number in own], np.float64)  # type: ignore[index]
        if circle is None or chromosome is None:
            parts.append(
                (np.array(own), coordinates - coordinates.min(), float(np.ptp(coordinates)))
            )
        else:
            parts.append((np.array(own), coordinates, float(circle)))
    whole = sum(span for *_, span in parts[: len(members) - (None in members)]) or 1.0
    # Variables without a position get a tenth of the length of the genome.
    lengths = [span / whole for *_, span in parts]
    if None in members:
        lengths[-1] = 0.1 * (len(parts[-1][0]) > 1)
    gap = _GAP if circle is None or len(parts) > 1 else 0.0
    room = 1 - gap * len(parts)
    found, start, total = [], 0.0, sum(lengths) or 1.0
    for (own_numbers, offsets, span), length in zip(parts, lengths, strict=True):
        share = room * length / total
        found.append((own_numbers, offsets / (span or 1.0), start, share))
        start += share + gap
    return found


def marks_along(graph: Graph) -> list[tuple[float, str]]:
    """Return the labels along the genome: chromosomes, or the positions along a single one.

    Examples
    --------
    >>> from markhood.data.genome.loci import Locus
    >>> from markhood.data.variables import Variables
    >>> loci = (Locus("1", 0), Locus("1", 3000))
    >>> [text for _, text in marks_along(Graph(Variables(("a", "b"), loci=loci), []))]
    ['0 kb', '0.5 kb', '1 kb', '1.5 kb', '2 kb', '2.5 kb', '3 kb']
    """
    loci = graph.variables.loci or ()
    circle = graph.variables.genome_length
    parts = _chromosomes(loci, circle) if any(loci) else []
    if len(parts) > 1:
        names = [loci[numbers[0]] for numbers, *_ in parts]
        return [
            (start + length / 2, "" if locus is None else locus.chromosome)
            for locus, (_, _, start, length) in zip(names, parts, strict=True)
        ]
    positions = [locus.position for locus in loci if locus is not None]
    if not positions or min(positions) == max(positions):
        return []
    low, high = (min(positions), max(positions)) if circle is None else (0, circle)
    step = _round_step((high - low) / _MARKS)
    unit, name = scale_of(high)
    (_, _, start, length) = parts[0]
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    ticks = ticks if circle is None else ticks[ticks < circle]  # coincides with the beginning
    return [
        (start + length * (tick - low) / (high - low), f"{tick / unit:g} {name}") for tick in ticks
    ]


def scale_of(distance: float) -> tuple[float, str]:
    """Return the unit of a distance and its name.

    Examples
    --------
    >>> scale_of(2500), scale_of(7)
    ((1000.0, 'kb'), (1.0, 'bp'))
    """
    return next(((size, name) for size, name in _UNITS if distance >= size), _UNITS[-1])


def write_marks(ax: Axes, graph: Graph, coordinates: Coordinates, is_circle: bool) -> None:
    """Write the labels of the genome outside the circle, or below the line."""
    for share, text in marks_along(graph):
        at, away = on_line(np.array([share]), graph.n_nodes)[0], np.array([0.0, -1.0])
        if is_circle:
            at = around(np.array([share]), graph.n_nodes)[0]
            away = at / np.linalg.norm(at)
        written = ax.annotate(
            text, at, (12 * away[0], 12 * away[1]), textcoords="offset points",
            fontsize="x-small", color=_GREY, ha="center", va="center", parse_math=False,
        )  # fmt: skip
        written.set_in_layout(False)


def around(shares: Floats, n_nodes: int) -> Coordinates:
    """Return coordinates on a circle, clockwise from the top, about one unit apart."""
    angle = 0.5 * np.pi - 2 * np.pi * shares
    radius = max(n_nodes / (2 * np.pi), 1.0)
    return np.asarray(radius * np.column_stack([np.cos(angle), np.sin(angle)]))


def on_line(shares: Floats, n_nodes: int) -> Coordinates:
    """Return coordinates on a horizontal line, about one unit apart."""
    return np.column_stack([max(n_nodes, 1) * shares, np.zeros(len(shares))])


def _round_step(rough: float) -> float:
    """Return the next larger of 1, 2, 5 and 10 times a power of ten; at least 1."""
    power = 10.0 ** np.floor(np.log10(max(rough, 1.0)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))


USUAL, OUTLIER, EXTREME = "#B0B0B0", "#0072B2", "#D55E00"


@dataclass(frozen=True, eq=False)
class ByDistance:
    """Edges by distance."""

    # (n_edges,): infinite between two chromosomes, NaN if an end has no position.
    distances: Floats
    values: Floats  # (n_edges,): strength of each edge
    is_far: Bools  # (n_edges,): whether the distance is at least the minimum
    # Thresholds for distant edges; infinite if there are too few edges.
    outlier: float
    extreme: float

    @classmethod
    def of(
        cls, graph: Graph, value: str = "evidence", min_distance: float | None = None
    ) -> ByDistance:
        """Measure the edges; those nearer than ``min_distance`` do not affect the thresholds."""
        if graph.variables.loci is None:
            raise InputError(
                "positions",
                "graph",
                "The variables of the graph have no positions: learn it with "
                f"{option('positions')}, or from names such as 'chr1:12345'.",
            )
        known = {
            "evidence": graph.evidence,
            "coupling": np.abs(graph.coupling),
            **graph.annotations,
        }
        if value not in known:
            raise InputError(
                "option-value",
                "value",
                f"Unknown value {value!r}: choose one of {', '.join(known)}.",
            )
        length, values = graph.variables.genome_length, known[value]
        apart = distances(graph.variables.loci, graph.edges, length)
        far = (apart >= (min_distance or 0)) & np.isfinite(values)
        return cls(apart, values, far, *bounds(graph.edges[far], values[far], graph.n_nodes))

    @property
    def is_outlier(self) -> Bools:
        """Whether each edge is distant and above the first threshold."""
        return self.is_far & (self.values > self.outlier)

    @property
    def is_extreme(self) -> Bools:
        """Whether each edge is distant and above the second threshold."""
        return self.is_far & (self.values > self.extreme)


def bounds(edges: Ints, values: Floats, n_nodes: int) -> tuple[float, float]:
    """Return the thresholds of outliers and extreme outliers, from the maxima of the variables.

    Examples
    --------
    >>> edges = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    >>> bounds(edges, np.array([1.0, 2.0, 3.0, 100.0]), 8)
    (65.5, 103.75)
    """
    highest = np.full(n_nodes, -np.inf)
    np.maximum.at(highest, edges.ravel(), np.repeat(values, 2))
    maxima = highest[highest > -np.inf]
    if len(maxima) < MIN_VARIABLES:
        return np.inf, np.inf
    low, high = np.quantile(maxima, [0.25, 0.75])
    return float(high + 1.5 * (high - low)), float(high + 3 * (high - low))


def by_distance(
    graph: GraphLike,
    ax: Axes | None = None,
    *,
    value: str = "evidence",
    min_distance: float | None = None,
    names: int = LABELLED,
) -> Axes:
    """Draw the strength of edges by the distance of their ends along a genome, with outliers.

    Parameters
    ----------
    graph : Graph or fitted estimator
        Graph whose variables have positions: learned from VCF, PLINK or an alignment, or with
        ``positions``.
    ax : Axes, optional
        Axes to draw on. By default new axes are made.
    value : str, default="evidence"
        Value to draw: "evidence", "coupling" (absolute), or an annotation such as "mi".
    min_distance : float, optional
        Edges between nearer variables are drawn, but are not outliers and do not affect the
        thresholds. By default the value that the graph was learned with.
    names : int, default=5
        Number of outliers to label, the strongest first.

    Returns
    -------
    Axes

    Notes
    -----
    With the quartiles of the strongest distant edge of every variable, an edge is an outlier above
    Q3 + 1.5 (Q3 - Q1), and an extreme outlier above Q3 + 3 (Q3 - Q1). Edges between two chromosomes
    are on the right.

    Examples
    --------
    >>> from markhood.data.genome.loci import Locus
    >>> from markhood.data.variables import Variables
    >>> loci = tuple(Locus("1", 1000 * k) for k in range(4))
    >>> graph = Graph(Variables(tuple("abcd"), loci=loci), [(0, 3), (1, 2)], [(3, 4), (1, 1)])
    >>> by_distance(graph).get_xlabel()
    'distance (kb)'
    """
    graph = as_graph(graph)
    least = graph.provenance.get("min_distance") if min_distance is None else min_distance
    found = ByDistance.of(graph, value, least)
    ax = new_axes(ax)
    finite = found.distances[np.isfinite(found.distances)]
    unit, unit_name = scale_of(float(finite.max(initial=1.0)))
    x = found.distances / unit
    longest = float(finite.max(initial=0.0)) / unit or 1.0
    apart = np.isinf(x)
    x[apart] = (
        longest * (1.08 + 0.06 * np.linspace(-1, 1, int(apart.sum()))) if apart.any() else 0.0
    )
    kinds = (
        (~found.is_outlier, USUAL, 8, "usual" if found.is_far.all() else "usual, or near"),
        (found.is_outlier & ~found.is_extreme, OUTLIER, 16, "outlier"),
        (found.is_extreme, EXTREME, 22, "extreme outlier"),
    )
    for among, colour, size, words in kinds:
        if among.any():
            ax.scatter(x[among], found.values[among], s=size, color=colour, label=words, zorder=2)
    _draw_bounds(ax, found, least and least / unit)
    if apart.any():
        ax.axvline(1.01 * longest, color=USUAL, linewidth=0.6)
        ax.annotate(
            "between\nchromosomes", (1.08 * longest, 1.0), (0, 2),
            xycoords=("data", "axes fraction"), textcoords="offset points", ha="center",
            fontsize="x-small",
        )  # fmt: skip
    _name_outliers(ax, graph, found, x, names)
    ax.set(xlabel=f"distance ({unit_name})", ylabel=value.replace("_", " "))
    if graph.n_edges:
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def _draw_bounds(ax: Axes, found: ByDistance, least: float | None) -> None:
    for bound, mark in ((found.outlier, "*"), (found.extreme, "**")):
        if np.isfinite(bound):
            ax.axhline(bound, color=EXTREME, linestyle="dashed", linewidth=0.8, zorder=1)
            ax.annotate(
                mark, (0, bound), (-3, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="right", va="center", color=EXTREME,
            )  # fmt: skip
    if least:
        ax.axvline(least, color=EXTREME, linestyle="dotted", linewidth=0.8, zorder=1)


def _name_outliers(ax: Axes, graph: Graph, found: ByDistance, x: Floats, most: int) -> None:
    """Label the strongest outliers, without overlaps."""
    edge_names, taken = graph.edge_names(), list[Any]()
    middle = np.mean(ax.get_xlim())
    order = np.argsort(-np.where(found.is_outlier, found.values, -np.inf), kind="stable")
    for k in order[: min(most, int(found.is_outlier.sum()))].tolist():
        a, b = edge_names[k]
        left = x[k] > middle  # keep the label inside the axes
        text = ax.annotate(
            f"{a} \N{EN DASH} {b}", (x[k], found.values[k]), (-4 if left else 4, 3),
            textcoords="offset points", ha="right" if left else "left", fontsize="x-small",
            parse_math=False,
        )  # fmt: skip
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)
