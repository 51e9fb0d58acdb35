"""Pictures written to files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from markhood.errors import InputError
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = [".png", ".svg", ".pdf"]
DOTS_PER_INCH = 200


def check_figure_writable(path: Path) -> None:
    """Raise `InputError` if a picture cannot be written there."""
    checked_suffix(path, ENDINGS)
    check_writable_file(path)
    try:
        import matplotlib  # noqa: F401 - said now rather than after the work
    except ImportError:
        raise InputError("Plots need matplotlib: pip install 'markhood[plot]'.") from None


def write_figure(ax: Axes, path: Path) -> None:
    """Write the figure of some axes, whole, and let go of it."""
    from matplotlib import pyplot

    check_figure_writable(path)
    figure, content = ax.get_figure(root=True), io.BytesIO()
    assert figure is not None
    figure.savefig(content, format=path.suffix[1:].lower(), dpi=DOTS_PER_INCH)
    pyplot.close(figure)
    replace_all({path: content.getvalue()})
