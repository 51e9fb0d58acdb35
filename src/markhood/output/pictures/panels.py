"""Line plots in panels, with error bars, and published values as dashed lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from markhood.output.pictures.axes import no_matplotlib

# Colours of Okabe and Ito, distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


@dataclass(frozen=True)
class Curve:
    """One line of a panel: measured values, their standard errors, and published values if any."""

    label: str
    x: Sequence[float]
    ours: Sequence[float]
    errors: Sequence[float]
    paper: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """One plot of a figure."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_y: bool = False


def draw_panels(panels: Sequence[Panel], path: Path | BinaryIO) -> None:
    """Draw panels side by side into a picture file (.png, .svg or .pdf), or a stream (as PNG)."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise no_matplotlib() from None
    figure = Figure(figsize=(5.2 * len(panels), 4.2), layout="constrained")
    for panel, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        for curve, colour in zip(panel.curves, COLOURS, strict=False):
            axes.errorbar(
                curve.x, curve.ours, yerr=curve.errors, color=colour, marker="o", markersize=4,
                capsize=2, label=curve.label,
            )  # fmt: skip
            if curve.paper:
                axes.plot(curve.x, curve.paper, color=colour, linestyle="--", linewidth=1)
        axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label, xscale="log")
        axes.set_yscale("log" if panel.log_y else "linear")
        ticks = sorted({x for curve in panel.curves for x in curve.x})
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks], minor=False)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    if any(curve.paper for panel in panels for curve in panel.curves):
        figure.axes[0].plot([], [], color="grey", linestyle="--", linewidth=1, label="paper")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    figure.savefig(path, dpi=150)
