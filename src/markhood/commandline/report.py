"""`markhood report`: write an interactive page of a graph, or of the graph of a data file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import AskReading, words_beginning
from markhood.commandline.terminal import check_outputs, progress_bar, write_report_page


def report(
    file: Annotated[
        Path,
        typer.Argument(help="A graph file (CSV and NPZ as written by markhood), or a data file."),
    ],
    ask: AskReading,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: .html.")] = Path(
        "report.html"
    ),
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

    The page shows the network, its edges, plots, the data and the run. For a data file, the graph
    is learned with the default method; use markhood learn --report for other methods.

    [bold]Examples[/bold]

      markhood report votes.graphml --output votes.html

      markhood report votes.csv

      markhood report digits.graphml --layout grid
    """
    from markhood.learning.methods import Plrhc
    from markhood.learning.request import Request
    from markhood.learning.run import Execution
    from markhood.output.graphs.files import holds_graph, read_graph
    from markhood.output.pictures.named_layouts import check_layout, names_file

    check_layout(layout)
    positions = Path(layout) if names_file(layout) else None
    check_outputs([], output, inputs=[file, *ask.files(), positions])
    if holds_graph(file):
        graph = read_graph(file)
        shown = graph.unfold() if unfold else graph
        write_report_page(shown, output, None, file.name, layout=layout)
        return
    with progress_bar() as progress:
        run = Execution(n_jobs=-1, progress=progress)
        request = Request(Plrhc(), ask.reading(), run=run)
        samples = request.read(file)
        learned = request.learn(samples)
    graph = learned.graph.unfold() if unfold else learned.graph
    write_report_page(graph, output, samples, file.name, layout=layout)
