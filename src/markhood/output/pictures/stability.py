"""Plots of stability: edges and centralities with intervals, and differences between edges.

The layout is that of bootnet: a row for each edge or variable, the value in the graph as a
point, the interval over the replicates as a line, and the mean of the replicates as a ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from markhood.errors import InputError
from markhood.output.pictures.axes import COLOURS, new_axes, pair_label, shortened, wrapped
from markhood.output.pictures.marks import ATTRACTION, REPULSION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.bootstrap import Bootstrap
    from markhood.stability.gamma import GammaPath
    from markhood.stability.robustness import Robustness

EDGES = 40
BLACK, PALE, FAINT = "#202020", "#A0A0A0", "#E4E4E4"
MOST_EDGES = 40
LONGEST = 28  # letters of a name
MARKS = {1.0: (ATTRACTION, "positive"), -1.0: (REPULSION, "negative")}
NO_SIGN = ("#606060", "no sign")


def edge_intervals(
    bootstrap: Bootstrap, ax: Axes | None = None, *, edges: int = EDGES, only_graph: bool = True
) -> Axes:
    """Draw the couplings of edges with their intervals, the largest on top.

    The number on the right is the share of the replicates that have the edge.

    Parameters
    ----------
    bootstrap : Bootstrap
    ax : Axes, optional
        Axes to draw on. By default new axes are made.
    edges : int, default=40
        Maximum number of edges.
    only_graph : bool, default=True
        Whether to leave out pairs that are not edges of the graph.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import markhood
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0] ^ (np.random.default_rng(1).random(200) < 0.2)
    >>> ax = edge_intervals(markhood.bootstrap(coins, replicates=20, n_jobs=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0 - x2']
    """
    rows = [row for row in bootstrap.edges() if row["in_graph"] or not only_graph]
    rows = sorted(rows, key=lambda row: (-abs(row["coupling"]), -row["frequency"]))[:edges]
    rows.sort(key=lambda row: row["coupling"])
    names = [pair_label(str(row["source"]), str(row["target"])) for row in rows]
    ax = new_axes(ax, height=(0.3 if "\n" in "".join(names) else 0.22) * len(rows))
    _draw_intervals(ax, rows, "coupling", bootstrap.level)
    for k, row in enumerate(rows):
        ax.annotate(
            f"{row['frequency']:.2f}", (1.0, k), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", fontsize="x-small", color=PALE,
        )  # fmt: skip
    _name_rows(ax, names)
    _add_legend(ax, len(rows))
    ax.set(xlabel="coupling (log odds ratio); share of replicates on the right")
    return ax


def centrality_intervals(
    bootstrap: Bootstrap, ax: Axes | None = None, *, measure: str = "strength"
) -> Axes:
    """Draw the centrality of every variable with its interval, the most central on top.

    Parameters
    ----------
    bootstrap : Bootstrap
    ax : Axes, optional
        Axes to draw on. By default new axes are made.
    measure : str, default="strength"
        One of degree, strength, expected_influence, closeness, betweenness, bridge_strength,
        bridge_expected_influence.

    Returns
    -------
    Axes
    """
    found = bootstrap.centrality()
    rows = [row for row in found if row["measure"] == measure]
    if not rows:
        known = ", ".join(dict.fromkeys(row["measure"] for row in found))
        raise InputError(
            "option-value", "measure", f"Unknown measure {measure!r}: choose one of {known}."
        )
    rows.sort(key=lambda row: row["value"])
    ax = new_axes(ax, height=0.22 * len(rows))
    _draw_intervals(ax, rows, "value", bootstrap.level)
    _name_rows(ax, [wrapped(row["node"], 40) for row in rows])
    _add_legend(ax, len(rows))
    ax.set(xlabel=measure.replace("_", " "))
    return ax


def differences(bootstrap: Bootstrap, ax: Axes | None = None, *, edges: int = EDGES) -> Axes:
    """Draw which couplings differ significantly from each other: black cells do, grey cells do not.

    The diagonal has the couplings.

    Parameters
    ----------
    bootstrap : Bootstrap
    ax : Axes, optional
        Axes to draw on. By default new axes are made.
    edges : int, default=40
        Maximum number of edges; the strongest are drawn.

    Returns
    -------
    Axes
    """
    names, values = bootstrap.graph.edge_names(), bootstrap.couplings
    shown = sorted(
        np.argsort(-np.abs(values), kind="stable")[:edges].tolist(), key=lambda k: values[k]
    )
    at = {names[k]: place for place, k in enumerate(shown)}
    cells = np.full((len(shown), len(shown)), np.nan)
    for row in bootstrap.differences():
        i = at.get((row["source"], row["target"]))
        j = at.get((row["other_source"], row["other_target"]))
        if i is not None and j is not None:
            cells[i, j] = cells[j, i] = row["differ"]
    from matplotlib.colors import ListedColormap

    ax = new_axes(ax, height=0.24 * len(shown), width=0.24 * len(shown))
    ax.imshow(cells, cmap=ListedColormap([FAINT, BLACK]), vmin=0, vmax=1, origin="lower")
    for place, k in enumerate(shown):
        ax.text(place, place, f"{values[k]:.1f}", ha="center", va="center", fontsize="xx-small")
    ends = [(names[k][0], names[k][1]) for k in shown]
    _name_rows(ax, [pair_label(*pair) for pair in ends])
    short = [pair_label(*pair, width=28) for pair in ends]
    ax.set_xticks(range(len(short)), short, rotation=90, fontsize="x-small", parse_math=False)
    level = f"{100 * bootstrap.level:g} %"
    ax.set_xlabel(f"black: the {level} interval of the difference excludes 0; grey: it does not")
    return ax


def _draw_intervals(ax: Axes, rows: Sequence[dict[str, float]], value: str, level: float) -> None:
    coordinates = np.arange(len(rows))
    ax.axvline(0, color=PALE, linewidth=0.6, zorder=0)
    low, high = ([row[bound] for row in rows] for bound in ("low", "high"))
    ax.hlines(coordinates, low, high, color=PALE, linewidth=2, label=f"{100 * level:g} % interval")
    means = [row["mean"] for row in rows]
    ax.plot(
        means,
        coordinates,
        "o",
        mfc="none",
        mec=BLACK,
        ms=4,
        mew=0.7,
        ls="none",
        label="mean of replicates",
    )
    values = [row[value] for row in rows]
    ax.plot(values, coordinates, "o", color=COLOURS[0], ms=3.5, ls="none", label="graph")


def _add_legend(ax: Axes, n_rows: int) -> None:
    """Draw the legend in free space below the rows."""
    if not n_rows:
        return
    legend = ax.legend(loc="lower center", ncols=3, frameon=False, fontsize="x-small")
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    needed, height = legend.get_window_extent().height + 8, ax.get_window_extent().height
    free = n_rows * needed / max(height - needed, 1.0)
    ax.set_ylim(-0.7 - free, n_rows - 0.3)


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names, fontsize="x-small", parse_math=False)
    ax.set_ylim(-0.7, len(names) - 0.3)


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


def gamma_path(path: GammaPath, ax: Axes | None = None) -> Axes:
    """Draw the number of edges and the held-out log pseudo-likelihood by gamma.

    Error bars are one standard error of the difference from the best gamma, paired by fold.

    Parameters
    ----------
    path : GammaPath
        The result of `markhood.gamma_path`.
    ax : Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    Axes
        Axes of the number of edges; the prediction is on its twin.
    """
    ax = new_axes(ax)
    rows = path.rows()
    gammas = [row["gamma"] for row in rows]
    ax.plot(gammas, [row["edges"] for row in rows], "o-", color=COLOURS[0])
    ax.set(
        xlabel="gamma (dotted: sparsest within one standard error of the best)",
        ylabel="edges",
        ylim=(0, None),
    )
    ax.yaxis.label.set_color(COLOURS[0])
    twin = ax.twinx()
    means, errors = ([row[name] for row in rows] for name in ("held_out", "standard_error"))
    twin.errorbar(gammas, means, errors, fmt="s--", color=COLOURS[1], capsize=2)
    twin.set_ylabel("log pseudo-likelihood, held out", color=COLOURS[1])
    twin.axvline(path.sparsest, color="#A0A0A0", linewidth=0.8, linestyle="dotted")
    return ax
