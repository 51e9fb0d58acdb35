"""Draw the edges that are found in each analysis of a study of robustness (a multiverse plot)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from markhood.output.pictures.axes import new_axes, shortened
from markhood.output.pictures.marks import ATTRACTION, REPULSION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.robustness import Robustness

MOST_EDGES = 40
LONGEST = 28  # letters of a name
MARKS = {1.0: (ATTRACTION, "positive"), -1.0: (REPULSION, "negative")}
NO_SIGN = ("#606060", "no sign")
ROW, COLUMN, LETTER = 0.19, 0.16, 0.085  # inches


def robustness(found: Robustness, ax: Axes | None = None) -> Axes:
    """Draw a row for each edge and a column for each analysis, with the choices below.

    Edges are sorted by the share of the analyses that have them, which is the number on the right;
    those of the first analysis are in bold. Analyses are sorted by their number of edges.

    Parameters
    ----------
    found : Robustness
        The result of `markhood.robustness`.
    ax : Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    Axes
    """
    rows = found.edges()
    shown = rows[:MOST_EDGES]
    order = sorted(range(len(found.analyses)), key=lambda k: -found.analyses[k].graph.n_edges)
    choices = [(row["choice"], row["value"]) for row in found.choices()]
    values = found.rows()
    labels = [
        f"{shortened(row['source'], LONGEST)} - {shortened(row['target'], LONGEST)}"
        for row in shown
    ]
    labels += [f"{name} {value}" for name, value in choices]
    height = len(shown) + len(choices) + 1
    width = LETTER * max(map(len, labels), default=0)
    signs = set()
    ax = new_axes(ax, 2 + width + COLUMN * len(order), ROW * height)
    for y, row in enumerate(shown):
        for x, k in enumerate(order):
            pair = row["source"], row["target"]
            known = found.analyses[k].couplings
            if pair in known:
                colour, _ = mark = MARKS.get(float(np.sign(known[pair])), NO_SIGN)
                signs.add(mark)
                ax.fill([x, x + 0.9, x + 0.9, x], [y, y, y + 0.85, y + 0.85], color=colour, lw=0)
        text = f" {100 * row['share']:.0f} %"
        ax.text(len(order), y + 0.45, text, va="center", fontsize="small")
    top = len(shown) + 1
    for y, (name, value) in enumerate(choices, start=top):
        own = [x for x, k in enumerate(order) if values[k].get(name) == value]
        ax.plot([x + 0.45 for x in own], [y + 0.45] * len(own), "|", color="#303030", markersize=6)
    first = order.index(0) + 0.45
    ax.annotate(
        "first analysis (its edges: bold)",
        (first, 0),
        (first, -0.9),
        ha="center" if 2 < first < len(order) - 2 else "left" if first <= 2 else "right",
        va="center",
        fontsize="small",
    )
    ax.plot(first, -0.3, "v", color="#303030", markersize=4)
    at = [*range(len(shown)), *range(top, top + len(choices))]
    ax.set_yticks([y + 0.45 for y in at], labels, fontsize="small", parse_math=False)
    for tick, row in zip(ax.get_yticklabels(), shown, strict=False):
        tick.set_fontweight("bold" if row["in_graph"] else "normal")
    left_out = f", {len(rows) - len(shown)} rarer pairs not shown" if len(rows) > len(shown) else ""
    ax.set(
        xlim=(-0.3, len(order) + 1.5),
        ylim=(height + 0.2, -1.4),
        xticks=[],
        xlabel=f"{len(order)} analyses by number of edges{left_out}",
    )
    for mark in (*MARKS.values(), NO_SIGN):
        if mark in signs:
            ax.plot([], [], "s", color=mark[0], label=mark[1])
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize="small")
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax
