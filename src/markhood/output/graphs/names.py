"""Refuse node names that a format cannot store unchanged."""

from __future__ import annotations

import re
from itertools import chain

from markhood.errors import InputError
from markhood.graph.graph import Graph


def require_names_without(
    impossible: re.Pattern[str], graph: Graph, form: str, instead: str
) -> None:
    r"""Raise `InputError` for the first name that matches `impossible`.

    Examples
    --------
    >>> require_names_without(re.compile(r"\x00"), Graph(["a\0"], []), "XML", ".json")
    Traceback (most recent call last):
    markhood.errors.InputError: XML cannot store the node name 'a\x00': write .json instead.
    """
    for name in (*graph.nodes, *chain.from_iterable(graph.members.values())):
        if impossible.search(name):
            raise InputError(
                "not-supported",
                name,
                f"{form} cannot store the node name {name!r}: write {instead} instead.",
            )
