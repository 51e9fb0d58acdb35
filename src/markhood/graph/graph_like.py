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
    >>> as_graph([(0, 1)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    markhood.errors.InputError: Expected a graph, not a list: ...
    """
    graph = given if isinstance(given, Graph) else getattr(given, "graph_", None)
    if not isinstance(graph, Graph):
        kind = type(given)
        package = kind.__module__.partition(".")[0]
        name = kind.__name__ if package == "builtins" else f"{package} {kind.__name__}"
        raise InputError(
            "graph-invalid",
            "graph",
            f"Expected a graph, not a {name}: give a Graph or a fitted estimator, or use a "
            "function of markhood.convert.",
        )
    return graph
