"""Show the report below a notebook cell or in a browser.

In a notebook the page is in a sandboxed `iframe` that allows scripts and downloads only, so that
two graphs, or the styles of page and notebook, do not interfere.
"""

from __future__ import annotations

import html
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from markhood.graph.graph import Graph
from markhood.output.pictures.named_layouts import Layout
from markhood.output.report.page import report_html, write_report

_HEIGHT = 760  # pixels, in a notebook


def show(graph: Graph, layout: Layout = "auto", columns: int | None = None) -> Any:
    """Show the interactive view of a graph; see `Graph.show`."""
    if _in_notebook():
        from IPython.display import HTML

        return HTML(notebook_html(graph, layout, columns))
    folder = Path(tempfile.mkdtemp(prefix="markhood-"))  # not removed: the browser reads it later
    write_report(graph, folder / "graph.html", layout=layout, columns=columns)
    webbrowser.open((folder / "graph.html").as_uri())
    return None


def notebook_html(graph: Graph, layout: Layout = "auto", columns: int | None = None) -> str:
    """Return the page as an element that a notebook can hold.

    Examples
    --------
    >>> notebook_html(Graph("ab", [(0, 1)]))[:22]
    '<div><iframe srcdoc="&'
    """
    page = html.escape(report_html(graph, layout=layout, columns=columns))
    style = f"width:100%;height:{_HEIGHT}px;border:0"
    # IPython warns about a bare iframe.
    return (
        f'<div><iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" allow="fullscreen" '
        f'style="{style}" title="Markov network"></iframe></div>'
    )


def _in_notebook() -> bool:
    """Return whether this runs in a kernel that can display HTML, unlike IPython in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
