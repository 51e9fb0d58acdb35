"""Options of commands that write a report, and the report itself."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.help import MOST_USED
from markhood.commandline.terminal import announce
from markhood.errors import DataWarning, InputError

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.graph.graph import Graph
    from markhood.model.fitted.model import FittedModel

PANEL = "Output"
# Graphs up to this size are fitted for the report, which takes seconds at most.
FITTED_NODES = 60
FITTED_PARAMETERS = 1000  # of couplings; those of nominal variables have a table

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        help="Write an interactive page of the result: .html.",
        rich_help_panel=MOST_USED,
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        help="Title of the report; by default the name of the data file.", rich_help_panel=PANEL
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Texts of the variables in the report: a file with the columns variable and label.",
        rich_help_panel=PANEL,
    ),
]
GroupsFile = Annotated[
    Path | None,
    typer.Option(
        "--groups",
        metavar="FILE",
        help="Groups of the variables, for colours: a file with the columns variable and group.",
        rich_help_panel=PANEL,
    ),
]


def write_report_page(
    graph: Any,
    path: Path,
    samples: Samples | None,
    title: str | None,
    err: bool = False,
    **parts: Any,
) -> None:
    """Write the interactive page of one or several graphs, and print its name."""
    from markhood.output.report.page import write_report

    write_report(graph, path, samples, title, **parts)
    announce(f"Wrote {path}", err=err)


def model_for_page(graph: Graph, samples: Samples) -> FittedModel | None:
    """Fit a small graph, for intervals in its report; None if it is large or cannot be fitted."""
    from markhood.model.fitting.fit import fit_model

    tables = [table for table in graph.coupling_tables if table is not None]
    n_parameters = graph.n_edges - len(tables) + sum(table.size for table in tables)
    if graph.n_nodes > FITTED_NODES or not 0 < n_parameters <= FITTED_PARAMETERS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # learning has warned of the same data
        try:
            return fit_model(graph, samples)
        except InputError:
            return None
