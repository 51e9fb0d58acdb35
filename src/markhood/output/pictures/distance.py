"""Edges by the distance of their ends along a genome, with outliers.

Linkage disequilibrium decreases with distance. Unusually strong edges between distant variants
point to co-selection, epistasis or assembly errors. Outliers are defined as in SpydrPick (Pensar et
al., 2019), from the maximum over the distant edges of every variable: with the quartiles Q1 and Q3
of these maxima, an edge is an outlier above Q3 + 1.5 (Q3 - Q1), and an extreme outlier above Q3 + 3
(Q3 - Q1). SpydrPick takes the maxima over all pairs; here a variable without a distant edge has
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.genome.loci import distances
from markhood.errors import InputError, option
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.output.pictures.axes import new_axes
from markhood.output.pictures.genome import scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELLED = 5  # strongest outliers
MIN_VARIABLES = 4  # with a distant edge, for quartiles
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
