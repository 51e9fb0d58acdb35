"""Axes to draw on: given or new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, BinaryIO

from markhood.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.4, 4.8)  # inches
# Colours of Okabe and Ito, distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def new_axes(ax: Axes | None = None, width: float = 0.0, height: float = 0.0) -> Axes:
    """Return the given axes, or new ones with at least this width and height in inches."""
    pyplot = _pyplot()
    if ax is not None:
        return ax
    size = (max(SIZE[0], 2 + width), max(SIZE[1], 1.2 + height))
    created: Axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    return created


def side_by_side(number: int = 2) -> tuple[Axes, ...]:
    """Return new axes in a row."""
    size = (number * SIZE[0], SIZE[1])
    return tuple(_pyplot().subplots(1, number, figsize=size, layout="constrained")[1])


def shortened(text: str, most: int) -> str:
    """Leave out the middle of a long text, because items often have the same beginning or end.

    Examples
    --------
    >>> shortened("I find it difficult to approach others.", 21)
    'I find it…ch others.'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[: most - half - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}{text[-half:].lstrip()}"


def wrapped(name: str, width: int = 28) -> str:
    r"""Break a long name into two lines, and leave out the middle of what does not fit.

    Examples
    --------
    >>> wrapped("Find it difficult to approach others.", 22)
    'Find it difficult to\napproach others.'
    """
    lines = wrap(name, width)
    return "\n".join(lines) if len(lines) <= 2 else shortened(name, 2 * width)


def pair_label(first: str, second: str, width: int = 40) -> str:
    r"""Return the names of both ends of an edge, below each other if they are long.

    Examples
    --------
    >>> pair_label("mood", "sleep"), pair_label("mood in the morning", "mood at night", 20)
    ('mood - sleep', 'mood in the morning -\nmood at night')
    """
    text = f"{first} - {second}"
    if len(text) <= width:
        return text
    return f"{shortened(first, width)} -\n{shortened(second, width)}"


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise no_matplotlib() from None
    return pyplot


def no_matplotlib() -> InputError:
    """Return the error for plots without matplotlib."""
    return InputError(
        "library-missing", "matplotlib", "Plots need matplotlib: pip install 'markhood[plot]'."
    )


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
