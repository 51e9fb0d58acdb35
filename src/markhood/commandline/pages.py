"""`markhood report` and `markhood app`, and the options of all commands that write a report."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline.options import MOST_USED, AskReading, words_beginning
from markhood.commandline.terminal import announce, check_outputs, progress_bar, say
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


def report(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A graph file (CSV and NPZ as written by markhood), several to compare (models "
            "have intervals of the differences), or a data file."
        ),
    ],
    ask: AskReading,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: .html.")] = Path(
        "report.html"
    ),
    title: Title = None,
    labels: Labels = None,
    groups: GroupsFile = None,
    layout: Annotated[
        str,
        typer.Option(
            help="Positions of the variables: auto, stress, grid, circle, arc, or a .csv or .tsv "
            "file with name, x, y or name, position.",
            autocompletion=words_beginning("auto", "stress", "grid", "circle", "arc"),
        ),
    ] = "auto",
    unfold: Annotated[
        bool,
        typer.Option(
            "--unfold", help="Show every column of a group of identical columns as a node."
        ),
    ] = False,
) -> None:
    """Write an interactive page of a graph: one HTML file that works offline in any browser.

    The page shows findings, the network, its edges, plots, the data and the run. Several graphs are
    compared in one page. For a data file, the graph is learned with the default method; use
    markhood learn --report for other methods.

    [bold]Examples[/bold]

      markhood report votes.graphml --output votes.html

      markhood report votes.csv --title 'Votes in 1984'

      markhood report before.json after.json --labels items.csv

      markhood report digits.graphml --layout grid
    """
    from markhood.learning.methods import Plrhc
    from markhood.learning.request import Request
    from markhood.learning.run import Execution
    from markhood.output.graphs.files import holds_graph, read_graph
    from markhood.output.pictures.named_layouts import check_layout, names_file

    check_layout(layout)
    positions = Path(layout) if names_file(layout) else None
    check_outputs([], output, inputs=[*files, labels, groups, *ask.files(), positions])
    shown: dict[str, Any] = {"layout": layout, "labels": labels, "groups": groups}
    if len(files) > 1:
        stems = [file.stem for file in files]
        names = stems if len(set(stems)) == len(stems) else list(map(str, files))
        for file in files:
            if not holds_graph(file):
                raise InputError(
                    "file-format",
                    str(file),
                    f"{file} is not a graph: several files are compared as graphs. Learn one from "
                    "each table first.",
                )
        graphs = [read_graph(file) for file in files]
        graphs = [graph.unfold() if unfold else graph for graph in graphs]
        both = dict(zip(names, graphs, strict=True))
        write_report_page(both, output, None, title, **shown)
        return
    (file,) = files
    if holds_graph(file):
        graph = read_graph(file)
        graph = graph.unfold() if unfold else graph
        write_report_page(graph, output, None, title or file.name, **shown)
        return
    with progress_bar() as progress:
        run = Execution(n_jobs=-1, progress=progress)
        request = Request(Plrhc(), ask.reading(), run=run)
        samples = request.read(file)
        learned = request.learn(samples)
    graph = learned.graph.unfold() if unfold else learned.graph
    model = None if unfold else model_for_page(graph, samples)
    write_report_page(graph, output, samples, title or file.name, model=model, **shown)


def app(
    port: Annotated[
        int | None,
        typer.Option(
            help="Port of the address on this machine; 0 for any.", show_default="8765 or the next"
        ),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option(" /--no-browser", help="Only print the address, without opening the browser."),
    ] = True,
) -> None:
    """Analyse a table in your browser, without programming.

    The page is served by this machine for this machine only; no data are sent anywhere. Ctrl-C ends
    it and removes the uploaded files.

    [bold]Examples[/bold]

      markhood app

      markhood app --no-browser --port 9000
    """
    from markhood.app.start import serve

    serve(port, browser, say)
