"""The methods of `Graph` that other modules do: they are imported when a method is called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markhood.graph.communities import Communities
    from markhood.graph.graph import Graph
    from markhood.output.checklist import Item
    from markhood.stability.bootstrap import Bootstrap


def to_frame(graph: Graph) -> Any:
    """Return the edge table as a pandas or polars data frame, with a row for each edge.

    The columns are ``source``, ``target``, ``evidence``, ``coupling``, evidence and coupling at
    each end, and the annotations. Use `markhood.convert.to_pandas` or `to_polars` to choose the
    library.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> Graph("abc", [(0, 2)], coupling_ends=[(2, 1)]).to_frame()["coupling"].to_list()
    [1.5]
    """
    from markhood.data.to_frame import frame_library
    from markhood.graph.convert import to_pandas, to_polars

    return (to_pandas if frame_library(provenance=graph.provenance) == "pandas" else to_polars)(
        graph
    )


def communities(graph: Graph, signed: bool = False, seed: int = 0) -> Communities:
    """Group the nodes by the Louvain method, weighted by standardised couplings.

    Parameters
    ----------
    signed : bool, default=False
        Whether negative couplings separate nodes. By default only the size of a coupling
        counts, so that recoding a variable does not change the communities.
    seed : int, default=0
        Random seed of the starts and of the rewired graphs.

    Returns
    -------
    Communities
        Its ``is_clear`` compares the modularity with that of rewired graphs.

    Notes
    -----
    A sparse graph leaves out weak edges inside a community. Communities of the items of a scale are
    found more reliably from all pairs: ``fit_model(graph, data, all_pairs=True,
    prior=0.02).graph.communities()``.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> graph = Graph("abcdef", [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])
    >>> graph.communities().members
    [('a', 'b', 'c'), ('d', 'e', 'f')]
    """
    from markhood.graph.communities import find_communities

    return find_communities(graph, signed, seed)


def bootstrap(graph: Graph, data: Any, **options: Any) -> Bootstrap:
    """Bootstrap the graph with the method and options that it was learned with.

    Parameters
    ----------
    data : array, data frame, sparse matrix, Samples or path
        The data that the graph was learned from.
    **options
        Options of `markhood.bootstrap`: ``replicates=1000``, ``resample="rows"``, ``n_jobs=2``,
        ...

    Returns
    -------
    Bootstrap
    """
    from markhood.stability.bootstrap import bootstrap_again

    return bootstrap_again(graph, data, **options)


def describe_methods(graph: Graph) -> str:
    """Return a paragraph for a methods section, written from the provenance.

    ``markhood.output.citation`` has the references, as text and as BibTeX; the report shows
    both.

    Raises
    ------
    InputError
        If the provenance does not contain how the graph was learned.
    """
    from markhood.output.methods_section import methods_section

    return methods_section(graph)


def checklist(graph: Graph) -> list[Item]:
    """Return the items of the reporting standards, with what the graph fills in.

    Returns
    -------
    list of Item
        Each with ``topic``, ``item``, ``filled_in`` and ``to_write``, what the author must add.
        The topics are those of Burger et al. (2023).
    """
    from markhood.output.checklist import checklist

    return checklist(graph)


def export_reproduction(graph: Graph, folder: str | os.PathLike[str], data: Any = None) -> None:
    """Write a folder from which others can learn the graph again, and compare every number.

    It has a script with all options written out, the versions of the software, the fingerprint
    of the data and the methods paragraph.

    Parameters
    ----------
    folder : path-like
        A new folder.
    data : path, data frame or array, optional
        The data that the graph was learned from, to be included.

    Raises
    ------
    InputError
        If the graph does not record how it was learned, or these are other data.
    """
    from markhood.stability.reproduction import export_reproduction

    export_reproduction(graph, folder, data)


def show(graph: Graph, layout: Any = "auto", columns: int | None = None) -> Any:
    """Open the interactive view below the cell of a notebook, or in the browser.

    Parameters
    ----------
    layout, columns
        Positions of the nodes, as for `write_report`.

    Returns
    -------
    IPython.display.HTML or None
        The view, in a notebook.
    """
    from markhood.output.report.viewer import show

    return show(graph, layout, columns)


def unfold(graph: Graph, join: bool = True) -> Graph:
    """Return the graph with a node for each column, including the members of groups.

    Each member of a group has the edges of its group, complementary members with the opposite
    sign. Edges also join the members of a group, because a missing edge would mean conditional
    independence. The evidence of these edges is unknown.

    Parameters
    ----------
    join : bool, default=True
        Whether to add edges between the members of a group.

    Examples
    --------
    >>> from markhood.data.variables import Member, Variables
    >>> from markhood.graph.graph import Graph
    >>> groups = ((Member("c", 2, None, opposite=True),), ())
    >>> graph = Graph(Variables(("a", "b"), members=groups), [(0, 1)], coupling_ends=[(2, 2)])
    >>> graph.unfold().edge_names(), graph.unfold().coupling
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], array([ 2., nan, -2.]))
    """
    from markhood.graph.edge_table import unfolded

    return unfolded(graph, join)
