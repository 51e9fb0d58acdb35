"""A graph as people give it: itself, or the fitted estimator that learned it."""

from __future__ import annotations

from typing import Any, Protocol

from markhood.errors import InputError
from markhood.graph.graph import Graph


class HasGraph(Protocol):
    """A fitted estimator."""

    @property
    def graph_(self) -> Graph:
        """The graph that it learned."""


GraphLike = Graph | HasGraph


def as_graph(given: Any) -> Graph:
    """Return a graph, or that of a fitted estimator.

    Examples
    --------
    >>> as_graph([(0, 1)])
    Traceback (most recent call last):
    markhood.errors.InputError: Expected a graph, and got a list: give a Graph or a fitted estimator.
    """
    graph = given if isinstance(given, Graph) else getattr(given, "graph_", None)
    if not isinstance(graph, Graph):
        raise InputError(
            f"Expected a graph, and got a {type(given).__name__}: give a Graph or a fitted estimator."
        )
    return graph
