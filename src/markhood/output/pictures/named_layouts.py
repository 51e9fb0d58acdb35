"""Layouts for plots and report: by name, from a file, or as coordinates.

By default, variables with positions along a genome are drawn on a circle to scale (`genome`), and
other variables by their edges (`layout`). A layout file has a header and a line for every variable:
`name` with `x` and `y` (sites on a map, pixels), or `name` with `position`, which is drawn on a
circle in the order of the positions.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from markhood.errors import InputError, option, option_error
from markhood.graph.graph import Graph
from markhood.input_files import content_of
from markhood.output.pictures.genome import around, on_line, shares_along
from markhood.output.pictures.layout import Coordinates, grid_positions, positions

LAYOUTS = ("auto", "stress", "grid", "circle", "arc")
Layout = str | os.PathLike[str] | Mapping[str, Sequence[float]] | ArrayLike


def node_coordinates(
    graph: Graph, layout: Layout, columns: int | None = None, seed: int = 0
) -> Coordinates:
    """Return the coordinates of every node in a layout.

    Parameters
    ----------
    graph : Graph
    layout : {"auto", "stress", "grid", "circle", "arc"}, path, mapping or array_like
        "stress" places nodes by their edges, "grid" in rows, "circle" and "arc" by their positions
        along a genome or, without positions, in their order. "auto" is "circle" for variables with
        positions, and "stress" otherwise. A file (.csv, .tsv) has the columns name, x and y or name
        and position. Coordinates are given by name or in the order of the nodes.
    columns : int, optional
        Number of columns of the grid. By default the grid is square.
    seed : int, default=0
        Random seed of "stress".

    Examples
    --------
    >>> node_coordinates(Graph("abcd", []), "grid").tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    if columns is not None and not (isinstance(layout, str) and layout == "grid"):
        raise option_error("columns", f"needs {option('layout', 'grid')}.", "option-conflict")
    if isinstance(layout, Mapping):
        absent = [name for name in graph.nodes if name not in layout]
        if absent:
            raise InputError(
                "option-value",
                absent[0],
                f"The layout has no coordinates for {absent[0]!r}: name every node.",
            )
        layout = np.array([layout[name] for name in graph.nodes]).reshape(graph.n_nodes, -1)
    if not isinstance(layout, (str, os.PathLike)):
        return _given(graph, layout)
    check_layout(layout)
    if layout == "auto":
        layout = "stress" if follows_edges(graph, layout) else "circle"
    if layout == "grid":
        if columns is not None and columns < 1:
            raise option_error("columns", f"must be 1 or more, not {columns}.")
        return grid_positions(graph.n_nodes, columns or int(np.ceil(np.sqrt(graph.n_nodes))) or 1)
    if layout == "circle":
        return around(shares_along(graph), graph.n_nodes)
    if layout == "arc":
        return on_line(shares_along(graph), graph.n_nodes)
    if layout == "stress":
        return positions(graph, seed)
    return _from_file(graph, Path(layout))


def resolve_layout(graph: Graph, layout: Layout) -> Layout:
    """Return the layout that "auto" means for a graph, and any other layout unchanged.

    Examples
    --------
    >>> resolve_layout(Graph("ab", []), "auto"), resolve_layout(Graph("ab", []), "grid")
    ('stress', 'grid')
    """
    if not isinstance(layout, str) or layout != "auto":
        return layout
    return "stress" if graph.variables.loci is None else "circle"


def follows_edges(graph: Graph, layout: Layout) -> bool:
    """Return whether the edges determine the coordinates; edges can then be drawn straight."""
    return isinstance(layout, str) and resolve_layout(graph, layout) == "stress"


def shared_layout(*graphs: Graph, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Return one layout for several graphs, to compare them side by side.

    Parameters
    ----------
    *graphs : Graph
        Graphs with the same nodes, or some of them.
    seed : int, default=0
        Random seed.

    Returns
    -------
    dict
        Coordinates of every node by name: the `layout` of plots and reports.

    Examples
    --------
    >>> coordinates = shared_layout(Graph("abc", [(0, 1)]), Graph("bc", [(0, 1)]))
    >>> sorted(coordinates)
    ['a', 'b', 'c']
    """
    names = list(dict.fromkeys(name for graph in graphs for name in graph.nodes))
    number = {name: k for k, name in enumerate(names)}
    evidence: dict[tuple[int, int], float] = {}
    for graph in graphs:
        for (a, b), found in zip(graph.edge_names(), graph.evidence.tolist(), strict=True):
            i, j = sorted((number[a], number[b]))
            evidence[i, j] = evidence.get((i, j), 0.0) + found
    halves = [(0.5 * found, 0.5 * found) for found in evidence.values()]
    coordinates = positions(Graph(names, list(evidence), halves or None), seed)
    return {name: (float(x), float(y)) for name, (x, y) in zip(names, coordinates, strict=True)}


def check_layout(layout: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a layout is neither a known name nor a file.

    Examples
    --------
    >>> check_layout("spiral")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown layout 'spiral': choose auto, stress, ...
    """
    if layout in LAYOUTS:
        return
    if not names_file(layout):
        raise InputError(
            "option-value",
            "layout",
            f"Unknown layout {str(layout)!r}: choose {', '.join(LAYOUTS)}, or pass coordinates "
            "or a file (.csv, .tsv).",
        )


def names_file(layout: str | os.PathLike[str]) -> bool:
    """Return whether a layout is a file name.

    Examples
    --------
    >>> names_file("grid"), names_file("sites.csv")
    (False, True)
    """
    return Path(layout).suffix.lower() in (".csv", ".tsv")


def _given(graph: Graph, layout: ArrayLike) -> Coordinates:
    coordinates = np.asarray(layout, dtype=np.float64)
    if coordinates.shape != (graph.n_nodes, 2) or not np.isfinite(coordinates).all():
        raise InputError(
            "option-value",
            "layout",
            f"The layout must be {graph.n_nodes} pairs of finite numbers, one for every node, "
            f"not an array of shape {coordinates.shape}.",
        )
    return coordinates


def _from_file(graph: Graph, path: Path) -> Coordinates:
    header, rows = _read(path)
    wanted = ("x", "y") if {"x", "y"} <= set(header) else ("position",)
    missing = [name for name in ("name", *wanted) if name not in header]
    if missing:
        raise InputError(
            "unknown-column",
            missing[0],
            f"{path} has no column {missing[0]!r}: it needs name, x and y, or name and position.",
        )
    found: dict[str, list[float]] = {}
    for line, cells in rows:
        row = dict(zip(header, cells, strict=False))
        try:
            found[row["name"]] = [float(row[name]) for name in wanted]
        except (KeyError, ValueError):
            raise InputError(
                "file-damaged",
                str(path),
                f"Line {line} of {path} must have numbers for {' and '.join(wanted)}.",
            ) from None
    absent = [name for name in graph.nodes if name not in found]
    if absent:
        raise InputError(
            "option-value", absent[0], f"{path} has no line for {absent[0]!r}: name every variable."
        )
    numbers = np.array([found[name] for name in graph.nodes]).reshape(graph.n_nodes, len(wanted))
    if not np.isfinite(numbers).all():
        raise InputError("infinite-values", str(path), f"{path} has numbers that are not finite.")
    if wanted == ("x", "y"):
        return _spread(numbers)
    span = float(np.ptp(numbers)) if len(numbers) else 0.0
    # The gap between the last and the first marks the beginning.
    whole = span * (1 + 1 / max(graph.n_nodes - 1, 1)) or 1.0
    return around((numbers[:, 0] - numbers.min(initial=np.inf)) / whole, graph.n_nodes)


def _read(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        text = content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            "file-encoding", str(path), f"{path} is not UTF-8 text: save the file as UTF-8."
        ) from None
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    rows = csv.reader(text.splitlines(), delimiter=delimiter)
    try:
        lines = [(rows.line_num, [cell.strip() for cell in cells]) for cells in rows if any(cells)]
    except csv.Error as error:
        raise InputError(
            "file-damaged", str(path), f"{path} cannot be read as delimited text ({error})."
        ) from None
    return (lines[0][1], lines[1:]) if lines else ([], [])


def _spread(coordinates: Coordinates) -> Coordinates:
    """Scale coordinates to about the spacing of the other layouts."""
    extent = float(np.ptp(coordinates, axis=0).max()) if len(coordinates) else 0.0
    return np.asarray(coordinates / (extent or 1.0) * np.sqrt(len(coordinates)))
