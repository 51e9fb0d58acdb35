"""Options of the command line that take more lines than the commands should.

A name here is a type for a parameter of a command; what typer shows and reads is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.errors import InputError

Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all.")]
KernelsName = Annotated[
    str,
    typer.Option("--kernels", help="Where pairs are screened: native, or cuda for an NVIDIA GPU."),
]
ExecutorName = Annotated[
    str | None,
    typer.Option("--executor", help="What runs the work: threads, or a cluster of dask or ray."),
]
SchedulerAddress = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Of the cluster: tcp://host:8786, say."),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Save finished work there; after a kill the same command goes on from it.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only say how long it will take, and how much memory."),
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put an apostrophe before names that a spreadsheet would run as formulas.",
    ),
]
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
Imputations = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="How many completed data sets to learn from, with --missing impute; from 2 up.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", help="Same seed, same imputed values."),
]


def settings(assignments: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE, where true and false are truth values, and numbers are numbers."""
    from markhood.data.coding.cells import parse_cell

    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"--set takes NAME=VALUE, not {assignment!r}.")
        found[name] = {"true": True, "false": False}.get(value, parse_cell(value))
    return found
