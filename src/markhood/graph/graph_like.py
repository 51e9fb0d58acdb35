"""Arguments that are a graph or a fitted estimator."""

from __future__ import annotations

from typing import Any, Protocol

from markhood.errors import InputError
from markhood.graph.graph import Graph


class HasGraph(Protocol):
    """A fitted estimator."""

    @property
    def graph_(self) -> Graph:
        """The learned graph."""


GraphLike = Graph | HasGraph


def as_graph(given: Any) -> Graph:
    """Return a graph, or the graph of a fitted estimator.

    Examples
    --------
    >>> as_graph([(0, 1)])
    Traceback (most recent call last):
    markhood.errors.InputError: Expected a graph, not a list: give a Graph or a fitted estimator.
    """
    graph = given if isinstance(given, Graph) else getattr(given, "graph_", None)
    if not isinstance(graph, Graph):
        raise InputError(
            "graph-invalid",
            "graph",
            f"Expected a graph, not a {type(given).__name__}: give a Graph or a fitted estimator.",
        )
    return graph
