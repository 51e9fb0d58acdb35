"""One graph, or a comparison of several, as an interactive HTML file that works offline.

The page is a `string.Template` with five fields; all text reaches the page as data. The data are
JSON inside a script element that is never run, with every `<` escaped, so that a name cannot end
the element; the script of the page inserts them as text. In addition, the content security policy
names the hashes of the one script and the one style that may run, and allows no connections.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, cast

from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.options import checked
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
from markhood.output.pictures.named_layouts import Layout, follows_edges, node_coordinates
from markhood.output.report.comparison import comparison_content
from markhood.output.report.content import asset, content
from markhood.output.report.study import Study

if TYPE_CHECKING:
    from markhood.stability.comparison import GroupComparison


@checked
def write_report(
    graph: GraphLike | Mapping[str, Graph] | GroupComparison,
    path: str | os.PathLike[str],
    samples: Samples | None = None,
    title: str | None = None,
    *,
    model: Any = None,
    bootstrap: Any = None,
    labels: Any = None,
    groups: Any = None,
    layout: Layout = "auto",
    columns: int | None = None,
) -> None:
    """Write a graph, or a comparison of graphs, as one HTML file that works offline.

    Parameters
    ----------
    graph : Graph, fitted estimator, mapping of str to Graph, or GroupComparison
        One graph, several by name, or the result of `compare_groups`. Several graphs are shown in
        the same layout; the parts of a study (samples, model and bootstrap) belong to one graph.
    path : str or path
        A name that ends in .html; an existing file is replaced.
    samples : Samples, optional
        The data that the graph was learned from; the page then also shows how often values occur.
    title : str, optional
        Heading of the page; by default "Markov network", or the names of the graphs.
    model : FittedModel, optional
        The model of the graph: the page shows its couplings with intervals, its fields and how well
        each variable is predicted.
    bootstrap : Bootstrap or sequence of Bootstrap, optional
        Bootstraps of the graph: the page shows how often edges are found, intervals of couplings
        and centralities and, with ``resample="cases"``, CS coefficients.
    labels : path, mapping or sequence of str, optional
        Text of every variable, such as the wording of an item: a file with the columns variable and
        label, by name, or in order. By default that of the codebook.
    groups : path, mapping or sequence of str, optional
        Group of every variable, which determines its colour: a file with the columns variable and
        group, by name, or in order. By default that of the codebook or of ``Knowledge(groups=)``.
    layout : {"auto", "stress", "grid", "circle", "arc"}, path or array_like, default="auto"
        "stress" places nodes by their edges, "grid" in rows, "circle" on a circle, "arc" on a line
        with the edges as arcs above it. A file (.csv, .tsv) has the columns name, x and y or name
        and position. An array has the coordinates of the nodes. Circle and line are to scale where
        variables have positions along a genome; "auto" is then "circle", and "stress" otherwise.
    columns : int, optional
        Number of columns of the grid, for variables that are pixels. By default the grid is square.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     write_report(Graph(["rain", "wet"], [(0, 1)]), path)
    ...     path.read_text()[:15]
    ...     before, after = Graph("abc", [(0, 1)]), Graph("abc", [(0, 1), (1, 2)])
    ...     write_report({"before": before, "after": after}, path)
    ...     "only in after" in path.read_text()
    '<!DOCTYPE html>'
    True
    """
    check_report_writable(path)
    parts = {"model": model, "bootstrap": bootstrap, "labels": labels, "groups": groups}
    page = report_html(graph, samples, title, layout=layout, columns=columns, **parts)
    replace_all({Path(path): page.encode("utf-8")})


def check_report_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a report cannot be written to this file; call this before long work.

    Examples
    --------
    >>> check_report_writable("report.pdf")
    Traceback (most recent call last):
    markhood.errors.InputError: The name of report.pdf must end in .html.
    """
    checked_suffix(Path(path), [".html"])
    check_writable_file(Path(path))


def report_html(
    graph: GraphLike | Mapping[str, Graph] | GroupComparison,
    samples: Samples | None = None,
    title: str | None = None,
    *,
    layout: Layout = "auto",
    columns: int | None = None,
    **parts: Any,
) -> str:
    """Return the page as text; ``parts`` are those of `write_report`.

    Examples
    --------
    >>> "<b>" in report_html(Graph(["<b>", "c"], [(0, 1)]))
    False
    """
    if isinstance(graph, Mapping) or hasattr(graph, "graphs"):
        for name, part in {"samples": samples, **parts}.items():
            if part is not None and name in ("samples", "model", "bootstrap"):
                text = f"A report of several graphs has no {name}: leave it out."
                raise InputError("option-value", name, text)
        several = cast("Mapping[str, Graph] | GroupComparison", graph)
        texts = {name: parts.get(name) for name in ("labels", "groups")}
        return filled(comparison_content(several, title, layout=layout, columns=columns, **texts))
    study = Study.of(as_graph(graph), samples, **parts)
    coordinates = node_coordinates(study.learned, layout, columns)
    is_straight = follows_edges(study.learned, layout)
    return filled(content(study, title or "Markov network", coordinates, is_straight))


def filled(data: dict[str, Any]) -> str:
    """Return the page with these data; `content` describes them."""
    style, script = asset("style.css"), asset("bundle.js")
    policy = (
        f"default-src 'none'; img-src data:; script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'"
    )
    return Template(asset("page.html")).substitute(
        policy=policy,
        title=html.escape(_without_surrogates(data["title"])),
        style=style,
        script=script,
        data=_as_script(data),
    )


def _as_script(data: dict[str, Any]) -> str:
    # > and & are escaped too, because they can end a comment.
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
