"""Draw the networks of groups side by side, with the same layout and the same line widths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from markhood.graph.graph import Graph
from markhood.output.pictures.axes import side_by_side
from markhood.output.pictures.layout import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.comparison import GroupComparison


def group_networks(comparison: GroupComparison, *, seed: int = 0) -> tuple[Axes, ...]:
    """Draw the networks of groups side by side.

    Parameters
    ----------
    comparison : GroupComparison
        The result of `markhood.compare_groups`.
    seed : int, default=0
        Random seed of the layout.

    Returns
    -------
    tuple of Axes
        One for each group.
    """
    from markhood.output.pictures.plots import network

    edges = np.concatenate([graph.edges for graph in comparison.graphs])
    union = np.unique(edges, axis=0)
    coordinates = positions(Graph(comparison.graphs[0].variables, union), seed)
    sizes = [np.abs(graph.coupling) for graph in comparison.graphs]
    widest = float(np.concatenate(sizes).max(initial=0.0)) or None
    axes = side_by_side(len(comparison.graphs))
    labelled = zip(axes, comparison.graphs, comparison.names, comparison.sizes, strict=True)
    for ax, graph, name, size in labelled:
        network(graph, ax, layout=coordinates, widest=widest)
        ax.set_title(f"{name} ({size} samples, {graph.n_edges} edges)", parse_math=False)
    return axes
