"""Graphs in files: CSV, JSON, GraphML, GEXF, NPZ and square tables, chosen by the ending of the name.

Whatever is written is read back to an equal graph, isolated nodes, infinities and provenance
included; but a square table (`square`) has couplings only. A format is a pair of functions between a graph and bytes (`edge_list`, `node_link`,
`xml_graphs`, `numpy_archive`): a file is made whole in memory before any of it is on the disk. Edge
lists of a million edges are a hundred megabytes; a half-written file after Ctrl-C would cost more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from markhood.errors import InputError
from markhood.graph.given import GraphLike, as_graph
from markhood.graph.graph import Graph
from markhood.output.graphs import edge_list, node_link, numpy_archive, square
from markhood.output.graphs import xml as xml_graphs
from markhood.output.graphs.edge_list import write_csv
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all

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
    square.ENDING: _Format(square.to_bytes, square.from_bytes),
}


def write_graph(
    graph: GraphLike, path: str | os.PathLike[str], *, escape_formulas: bool = False
) -> None:
    """Write a graph to a file, in the format that its ending names.

    The file appears whole or not at all. A `.csv` gets a small `.csv.json` beside it, with the
    nodes, the provenance, and the coupling tables, of which the edge list has only the sizes.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The graph.
    path : str or path
        A name that ends in .csv, .json, .graphml, .gexf, .npz, or .matrix.csv for a square table of
        couplings; an existing file is replaced.
    escape_formulas : bool, default=False
        For .csv, put an apostrophe before names that begin with = + - or @, which a spreadsheet
        would take for formulas; `read_graph` takes it off again.

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
    place = Path(path)
    if _ending(place) == ".csv":
        about = edge_list.about_to_bytes(graph, escape_formulas)
        replace_all({_beside(place): about, place: edge_list.to_bytes(graph, escape_formulas)})
    else:
        replace_all({place: _FORMATS[_ending(place)].write(graph)})


def read_graph(path: str | os.PathLike[str]) -> Graph:
    r"""Read a graph from a file in one of the formats of `write_graph`.

    Files of other programs work too, as far as they hold a simple undirected graph: evidence and
    couplings are then unknown, further numbers of edges are passed over, and the nodes of a CSV are
    those of its edges. In a file with all of our columns, further numbers are annotations.

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
    ...     place = pathlib.Path(folder, "edges.csv")
    ...     _ = place.write_text("source,target\nrain,wet\n")
    ...     read_graph(place).nodes
    ('rain', 'wet')
    """
    place = Path(path)
    read = _FORMATS[_ending(place)].read
    content = _content(place)
    if not content:
        raise InputError(f"The file {place} is empty.")
    try:
        if _ending(place) == ".csv" and _beside(place).exists():
            return edge_list.from_bytes(content, _content(_beside(place)))
        return read(content)
    except InputError as error:
        raise InputError(f"Cannot read the graph in {place}: {error}") from None
    except Exception as error:  # a damaged file can make a parser raise anything
        said = str(error).partition("\n")[0].rstrip(".")
        reason = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise InputError(f"Cannot read {place}, it is damaged or no graph: {reason}.") from error


def holds_graph(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds a graph and not data; of CSV and NPZ, only those written here do.

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
    place = Path(path)
    ending = place.suffix.lower()
    if place.name.lower().endswith(square.ENDING):
        return True
    recognise = {".csv": edge_list.is_ours, ".npz": numpy_archive.is_ours}.get(ending)
    if recognise is None:
        return ending in _FORMATS  # no data come in the others
    with _opened(place) as stream:
        return recognise(stream)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a graph cannot be written to `path`; to be asked before long work.

    Examples
    --------
    >>> check_writable("graph.xyz")
    Traceback (most recent call last):
    markhood.errors.InputError: graph.xyz: unknown ending '.xyz'; known are .csv, .json, .graphml, .gexf, .npz and .matrix.csv.
    """
    for file in files_of(path):
        check_writable_file(file)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """List the files that a graph in `path` consists of: an edge list has a second.

    Examples
    --------
    >>> [file.name for file in files_of("graph.csv")]
    ['graph.csv', 'graph.csv.json']
    """
    place = Path(path)
    return [place, _beside(place)] if _ending(place) == ".csv" else [place]


def _ending(path: Path) -> str:
    if path.name.lower().endswith(square.ENDING):
        return square.ENDING
    return checked_suffix(path, _FORMATS)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _content(path: Path) -> bytes:
    with _opened(path) as stream:
        return stream.read()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
