"""Axes to draw on: those that are given, or new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markhood.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

USUAL = (6.4, 4.8)  # inches


def new_axes(ax: Axes | None = None, width: float = 0.0, height: float = 0.0) -> Axes:
    """Return the axes that are given, or new ones of the usual size, or larger by so many inches."""
    pyplot = _pyplot()
    if ax is not None:
        return ax
    size = (max(USUAL[0], 2 + width), max(USUAL[1], 1.2 + height))
    created: Axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    return created


def side_by_side(number: int = 2) -> tuple[Axes, ...]:
    """Return new axes in a row."""
    size = (number * USUAL[0], USUAL[1])
    return tuple(_pyplot().subplots(1, number, figsize=size, layout="constrained")[1])


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError("Plots need matplotlib: pip install 'markhood[plot]'.") from None
    return pyplot
