"""A picture of two groups' networks: side by side, in one layout and on one scale.

Variables stand at the same places in both, by the edges of either, and a coupling of one size is as wide in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from markhood.graph.graph import Graph
from markhood.output.pictures.axes import side_by_side
from markhood.output.pictures.layout import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.groups import GroupComparison


def group_networks(comparison: GroupComparison, *, seed: int = 0) -> tuple[Axes, Axes]:
    """Draw the networks of two groups side by side.

    Parameters
    ----------
    comparison : GroupComparison
        What `markhood.compare_groups` returned.
    seed : int, default=0
        Same seed, same picture.

    Returns
    -------
    tuple of Axes
        Of the first group and of the second.
    """
    from markhood.output.pictures.plots import network

    places = positions(Graph(comparison.graphs[0].variables, comparison.edges), seed)
    sizes = [np.abs(graph.coupling) for graph in comparison.graphs]
    widest = float(np.concatenate(sizes).max(initial=0.0)) or None
    axes = side_by_side()
    labelled = zip(axes, comparison.graphs, comparison.names, comparison.sizes, strict=True)
    for ax, graph, name, size in labelled:
        network(graph, ax, layout=places, widest=widest)
        ax.set_title(f"{name} ({size} samples, {graph.n_edges} edges)", parse_math=False)
    return axes
