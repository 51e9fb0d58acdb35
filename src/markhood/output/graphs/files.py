"""Read and write graphs: CSV, JSON, GraphML, GEXF, NPZ and matrices, chosen by the suffix.

A graph that is written and read again is equal, including isolated nodes, infinite values and
provenance; only a matrix (`matrix`) is restricted to couplings. A format is a pair of functions
between a graph and bytes (`edge_list`, `node_link`, `xml_graphs`, `numpy_archive`): a file is
complete in memory before it is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.graph.graph_like import GraphLike, as_graph
from markhood.input_files import content_of, opened
from markhood.options import checked
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
from markhood.output.graphs import edge_list, matrix, node_link, numpy_archive
from markhood.output.graphs import xml as xml_graphs
from markhood.output.graphs.edge_list import write_csv

__all__ = ["check_writable", "files_of", "holds_graph", "read_graph", "write_csv", "write_graph"]


class _Format(NamedTuple):
    write: Callable[[Graph], bytes]
    read: Callable[[bytes], Graph]


_FORMATS = {
    ".csv": _Format(edge_list.to_bytes, edge_list.from_bytes),
    ".json": _Format(node_link.to_bytes, node_link.from_bytes),
    ".graphml": _Format(xml_graphs.to_graphml, xml_graphs.from_graphml),
    ".gexf": _Format(xml_graphs.to_gexf, xml_graphs.from_gexf),
    ".npz": _Format(numpy_archive.to_bytes, numpy_archive.from_bytes),
    matrix.ENDING: _Format(matrix.to_bytes, matrix.from_bytes),
}


@checked
def write_graph(
    graph: GraphLike, path: str | os.PathLike[str], *, escape_formulas: bool = False
) -> None:
    """Write a graph to a file, in the format of its suffix.

    The file is written completely or not at all. A `.csv` file comes with a small `.csv.json` file
    that has the nodes, the provenance and the coupling tables.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The graph.
    path : str or path
        A name that ends in .csv, .json, .graphml, .gexf, .npz, or .matrix.csv for a matrix of
        couplings; an existing file is replaced.
    escape_formulas : bool, default=False
        For .csv, put an apostrophe before names that begin with = + - or @, which a spreadsheet
        would run as formulas; `read_graph` removes it.

    Examples
    --------
    >>> import tempfile
    >>> graph = Graph(["a", "b", "alone"], [(0, 1)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(graph, f"{folder}/graph.graphml")
    ...     read_graph(f"{folder}/graph.graphml") == graph
    True
    """
    graph = as_graph(graph)
    check_writable(path)
    file = Path(path)
    if _suffix(file) == ".csv":
        about = edge_list.about_to_bytes(graph, escape_formulas)
        replace_all({_json_of(file): about, file: edge_list.to_bytes(graph, escape_formulas)})
    else:
        replace_all({file: _FORMATS[_suffix(file)].write(graph)})


@checked
def read_graph(path: str | os.PathLike[str]) -> Graph:
    r"""Read a graph from a file in one of the formats of `write_graph`.

    Files of other programs can be read if they contain a simple undirected graph: evidence and
    couplings are then unknown, other numbers of edges are ignored, and the nodes of a CSV file are
    those of its edges. In a file with all columns that markhood writes, other numbers are
    annotations.

    Parameters
    ----------
    path : str or path
        A name that ends in .csv, .json (a graph, or a model), .graphml, .gexf, .npz or .matrix.csv.

    Returns
    -------
    Graph
        Equal to the one that was written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "edges.csv")
    ...     _ = file.write_text("source,target\nrain,wet\n")
    ...     read_graph(file).nodes
    ('rain', 'wet')
    """
    file = Path(path)
    read = _FORMATS[_suffix(file)].read
    content = content_of(file)
    if not content:
        raise InputError("file-damaged", str(path), f"The file {path} is empty.")
    about = None
    if _suffix(file) == ".csv" and _json_of(file).exists():
        about = content_of(_json_of(file))
    try:
        return read(content) if about is None else edge_list.from_bytes(content, about)
    except InputError as error:
        raise InputError(
            "file-damaged", str(path), f"Cannot read the graph in {path}: {error}"
        ) from None
    except Exception as error:  # a damaged file can make a parser raise anything
        detail = str(error).partition("\n")[0].rstrip(".")
        reason = f"{type(error).__name__}: {detail}" if detail else type(error).__name__
        raise InputError(
            "file-damaged", str(path), f"{path} is damaged or not a graph ({reason})."
        ) from error


def holds_graph(path: str | os.PathLike[str]) -> bool:
    """Return whether a file contains a graph rather than data; CSV and NPZ as markhood writes them.

    Examples
    --------
    >>> import tempfile
    >>> holds_graph("any.graphml")
    True
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "data.csv").write_text("rain,wet")
    ...     holds_graph(f"{folder}/data.csv")
    False
    """
    file = Path(path)
    ending = file.suffix.lower()
    if file.name.lower().endswith(matrix.ENDING):
        return True
    recognise = {".csv": edge_list.is_ours, ".npz": numpy_archive.is_ours}.get(ending)
    if recognise is None:
        return ending in _FORMATS  # the other formats cannot contain data
    with opened(file) as stream:
        return recognise(stream)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a graph cannot be written to this file; call this before long work.

    Examples
    --------
    >>> check_writable("graph.xyz")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    markhood.errors.InputError: The name of graph.xyz must end in .csv, .json, ...
    """
    for one in files_of(path):
        check_writable_file(one)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """List the files that a graph is written to: two for an edge list.

    Examples
    --------
    >>> [file.name for file in files_of("graph.csv")]
    ['graph.csv', 'graph.csv.json']
    """
    file = Path(path)
    return [file, _json_of(file)] if _suffix(file) == ".csv" else [file]


def _suffix(path: Path) -> str:
    if path.name.lower().endswith(matrix.ENDING):
        return matrix.ENDING
    return checked_suffix(path, _FORMATS)


def _json_of(path: Path) -> Path:
    return path.with_name(path.name + ".json")
