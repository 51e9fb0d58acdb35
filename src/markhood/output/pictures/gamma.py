"""Draw the number of edges and the held-out prediction by gamma."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markhood.output.pictures.axes import new_axes
from markhood.output.pictures.panels import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.gamma import GammaPath


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
