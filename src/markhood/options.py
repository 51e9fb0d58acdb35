"""Options of the command line that take more lines than the commands should.

A name here is a type for a parameter of a command; what typer shows and reads is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.errors import InputError

MaxCandidates = Annotated[
    int | None,
    typer.Option(help="Search among so many variables near each at most (plrhc) [all]."),
]

PANEL = "Known beforehand"

RequiredEdges = Annotated[
    Path | None,
    typer.Option(
        "--required",
        metavar="FILE",
        help="Edges that the graph has: two names on every line.",
        rich_help_panel=PANEL,
    ),
]
ForbiddenEdges = Annotated[
    Path | None,
    typer.Option(
        "--forbidden",
        metavar="FILE",
        help="Edges that the graph does not have: two names on every line.",
        rich_help_panel=PANEL,
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Groups of variables: a name and the label of its group on every line.",
        rich_help_panel=PANEL,
    ),
]
GroupRule = Annotated[
    str,
    typer.Option(
        help="between or within: where groups allow edges.",
        rich_help_panel=PANEL,
    ),
]


def settings(assignments: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE, where true and false are truth values."""
    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"--set takes NAME=VALUE, not {assignment!r}.")
        found[name] = {"true": True, "false": False}.get(value, value)
    return found
