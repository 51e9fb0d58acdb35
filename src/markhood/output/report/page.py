"""A graph as one interactive HTML file that works offline.

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
import math
import os
import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from markhood.data.samples import Samples
from markhood.graph.columns import END_COLUMNS, NUMBER_COLUMNS
from markhood.graph.communities import communities
from markhood.graph.edge_table import about_graph, number_columns, table_column
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.options import checked
from markhood.output.citation import BIBTEX
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
from markhood.output.pictures.bends import bends
from markhood.output.pictures.distance import ByDistance
from markhood.output.pictures.layout import Coordinates
from markhood.output.pictures.named_layouts import Layout, follows_edges, node_coordinates
from markhood.output.report import facts
from markhood.output.report.pairs import pair_counts
from markhood.output.report.shares import level_shares


@checked
def write_report(
    graph: GraphLike,
    path: str | os.PathLike[str],
    samples: Samples | None = None,
    title: str = "Markov network",
    *,
    layout: Layout = "auto",
    columns: int | None = None,
) -> None:
    """Write a graph as an interactive page: one HTML file that works offline.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The page also shows its provenance.
    path : str or path
        A name that ends in .html; an existing file is replaced.
    samples : Samples, optional
        The data that the graph was learned from; the page then also shows how often values occur.
    title : str, default="Markov network"
        Heading of the page.
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
    '<!DOCTYPE html>'
    """
    graph = as_graph(graph)
    check_report_writable(path)
    page = report_html(graph, samples, title, layout=layout, columns=columns)
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
    graph: Graph,
    samples: Samples | None = None,
    title: str = "Markov network",
    *,
    layout: Layout = "auto",
    columns: int | None = None,
) -> str:
    """Return the page as text.

    Examples
    --------
    >>> "<b>" in report_html(Graph(["<b>", "c"], [(0, 1)]))
    False
    """
    if samples is not None and graph.members:
        number = {name: j for j, name in enumerate(samples.names)}
        samples = samples.pick(np.array([number[name] for name in graph.nodes]))
    style, script = _asset("style.css"), _asset("bundle.js")
    policy = (
        f"default-src 'none'; img-src data:; script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'"
    )
    return Template(_asset("page.html")).substitute(
        policy=policy,
        title=html.escape(_without_surrogates(title)),
        style=style,
        script=script,
        data=_as_script(
            _content(
                graph,
                samples,
                title,
                node_coordinates(graph, layout, columns),
                follows_edges(graph, layout),
            )
        ),
    )


def _content(
    graph: Graph,
    samples: Samples | None,
    title: str,
    coordinates: Coordinates,
    edges_are_straight: bool,
) -> dict[str, Any]:
    """Return the data of the page; edges are straight if the layout follows them."""
    bent = {} if edges_are_straight else {"bend": bends(coordinates, graph.edges).round(3).tolist()}
    return {
        "title": title,
        "file": re.sub(r"\W+", "-", Path(title).stem, flags=re.ASCII).strip("-") or "graph",
        "summary": facts.summary(graph),
        "nodes": _nodes(graph, samples, coordinates.round(3)),
        "edges": _edges(graph, samples) | bent,
        "columns": [*NUMBER_COLUMNS, *graph.annotations],
        "annotations": list(graph.annotations),
        "notes": facts.notes(graph),
        "reading": facts.how_to_read(graph),
        "bands": facts.bands(graph),
        "run": facts.run_rows(graph),
        "data": facts.data_rows(graph, samples),
        "warnings": facts.warnings(graph, samples),
        "cite": facts.citations(graph),
        "bibtex": BIBTEX,
        "licences": _asset("LICENSES.txt"),
        "about": about_graph(graph),
        **({} if graph.variables.loci is None else {"distances": _distances(graph)}),
    }


def _distances(graph: Graph) -> dict[str, Any]:
    """Return the distance between the ends of every edge, and the outliers of the evidence."""
    least = graph.provenance.get("min_distance")
    found = ByDistance.of(graph, min_distance=least if isinstance(least, (int, float)) else None)
    return {
        "of": [_strict(distance) for distance in found.distances.tolist()],
        "kind": (found.is_outlier.astype(int) + found.is_extreme).tolist(),
        "outlier": found.outlier if math.isfinite(found.outlier) else None,
        "extreme": found.extreme if math.isfinite(found.extreme) else None,
        "least": least if isinstance(least, (int, float)) else None,
    }


def _nodes(graph: Graph, samples: Samples | None, coordinates: Coordinates) -> dict[str, Any]:
    nodes: dict[str, Any] = {
        "name": graph.nodes,
        **({"members": _members(graph)} if graph.members else {}),
        "x": coordinates[:, 0].tolist(),
        "y": coordinates[:, 1].tolist(),
        "community": communities(graph).tolist(),
        "levels": facts.level_names(graph),
    }
    if samples is not None:
        nodes["shares"] = level_shares(samples)
    return nodes


def _members(graph: Graph) -> list[list[str]]:
    """Return the other columns of the group of each node, with a minus before a complement."""
    return [
        [f"\N{MINUS SIGN}{m.name}" if m.opposite else m.name for m in own]
        for own in graph.variables.members or ()
    ]


def _edges(graph: Graph, samples: Samples | None) -> dict[str, Any]:
    """Return the columns of edges; evidence and coupling only if the ends do not determine them."""
    numbers = number_columns(graph)
    own = (*END_COLUMNS, *graph.annotations, *(["coupling"] if graph.coupling_tables else []))
    edges: dict[str, Any] = {
        "source": graph.edges[:, 0].tolist(),
        "target": graph.edges[:, 1].tolist(),
        **{name: [_strict(number) for number in numbers[name]] for name in own},
    }
    if graph.coupling_tables:
        edges["table"] = table_column(graph)
    counts = None if samples is None else pair_counts(graph, samples)
    if counts is not None:
        edges["counts"] = counts
    return edges


def _strict(number: float) -> float | str | None:
    """Return null for an unknown number, and "inf" or "-inf" for an infinite one, as JSON needs."""
    if math.isnan(number):
        return None
    return str(number) if math.isinf(number) else number


def _as_script(content: dict[str, Any]) -> str:
    # > and & are escaped too, because they can end a comment.
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _asset(name: str) -> str:
    return files("markhood.output.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
