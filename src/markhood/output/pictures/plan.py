"""Draw the power of a planned study by the number of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markhood.output.pictures.axes import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from markhood.stability.plan import Plan


def plan(found: Plan, ax: Axes | None = None) -> Axes:
    """Draw the measure and the power by the number of samples, with standard errors.

    Parameters
    ----------
    found : Plan
        The result of `markhood.plan`.
    ax : Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    Axes
    """
    ax = new_axes(ax)
    rows = found.rows()
    sizes = [row["samples"] for row in rows]
    curves = [(found.measure, "standard_error", f"mean {found.measure}")]
    for k, (name, error, label) in enumerate([*curves, ("power", "power_error", "power")]):
        means, errors = ([row[of] for row in rows] for of in (name, error))
        ax.errorbar(
            sizes, means, errors, fmt="os"[k] + "-", color=COLOURS[k], capsize=2, label=label
        )
    ax.axhline(found.power, color="#A0A0A0", linewidth=0.8, linestyle="dotted")
    if found.n_samples is not None:
        ax.axvspan(found.low, found.high, color="#A0A0A0", alpha=0.3, linewidth=0)
        ax.axvline(found.n_samples, color="#606060", linewidth=0.8, label=f"N = {found.n_samples}")
    ax.set(xlabel="samples", xscale="log", ylim=(0, 1.02))
    round_sizes = [m * 10**k for k in range(1, 6) for m in (1, 2, 5)]
    ticks = [n for n in round_sizes if sizes[0] <= n <= sizes[-1]]
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.minorticks_off()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax
