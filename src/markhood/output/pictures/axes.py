"""Axes to draw on: given or new."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from markhood.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.4, 4.8)  # inches


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


def wrapped(name: str, width: int = 28) -> str:
    r"""Break a long name into two lines at most.

    Examples
    --------
    >>> wrapped("Find it difficult to approach others.", 22)
    'Find it difficult to\napproach others.'
    """
    lines = wrap(name, width)
    if len(lines) > 2:
        rest = " ".join(lines[1:])[: width - 1].rstrip()
        lines = [lines[0], f"{rest}\N{HORIZONTAL ELLIPSIS}"]
    return "\n".join(lines) or name


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
