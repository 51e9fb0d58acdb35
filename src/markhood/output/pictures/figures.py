"""Write figures to files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
from markhood.output.pictures.axes import no_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = [".png", ".svg", ".pdf"]
DOTS_PER_INCH = 200


def check_figure_writable(path: Path) -> None:
    """Raise `InputError` if a figure cannot be written to this file."""
    checked_suffix(path, SUFFIXES)
    check_writable_file(path)
    try:
        import matplotlib  # noqa: F401 - fail before the work
    except ImportError:
        raise no_matplotlib() from None


def write_figure(ax: Axes, path: Path) -> None:
    """Write the figure of some axes, and close it."""
    from matplotlib import pyplot

    check_figure_writable(path)
    figure, content = ax.get_figure(root=True), io.BytesIO()
    assert figure is not None
    figure.savefig(content, format=path.suffix[1:].lower(), dpi=DOTS_PER_INCH)
    pyplot.close(figure)
    replace_all({path: content.getvalue()})
