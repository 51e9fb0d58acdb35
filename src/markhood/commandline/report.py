"""`markhood report`: write an interactive page of graphs, or of the graph of a data file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import AskReading, words_beginning
from markhood.commandline.pages import (
    GroupsFile,
    Labels,
    Title,
    model_for_page,
    write_report_page,
)
from markhood.commandline.terminal import check_outputs, progress_bar
from markhood.errors import InputError


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
