"""Data that come with markhood: `markhood demo` and `markhood datasets`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.pages import write_report_page
from markhood.commandline.summary import print_summary
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    progress_bar,
    write_graphs,
)
from markhood.errors import InputError


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="Data set to describe; all of them without a name.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the data set to this .csv file.")
    ] = None,
) -> None:
    """List the data sets that come with markhood, or write one to a file.

    [bold]Examples[/bold]

      markhood datasets

      markhood datasets votes -o votes.csv

      markhood learn votes.csv --missing impute
    """
    from markhood.datasets.catalogue import available, csv_text, describe
    from markhood.output.csv_tables import check_table_writable
    from markhood.output.file_writing import replace_all

    if output is None:
        for dataset in [describe(name)] if name else available():
            typer.echo(
                f"{dataset.name}: {dataset.title}\n"
                f"  {dataset.n_samples} samples, {dataset.n_variables} variables\n"
                f"  good for   {dataset.purpose}\n"
                f"  source     {dataset.source}\n"
                f"  licence    {dataset.licence}"
            )
        return
    if not name:
        text = "Name the data set to write, for example: markhood datasets votes -o votes.csv."
        raise InputError("option-needed", "name", text)
    dataset = describe(name)
    check_table_writable(output)
    replace_all({output: csv_text(dataset).encode()})
    announce(f"Wrote {output}: {dataset.n_samples} samples of {dataset.n_variables} variables")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Graph file to write.")] = Path(
        "digits.graphml"
    ),
    report: Annotated[
        Path | None,
        typer.Option(help="Also write an interactive page (.html), with the pixels on their grid."),
    ] = None,
) -> None:
    """Learn which pixels of handwritten digits depend on each other, and draw the network.

    [bold]Examples[/bold]

      markhood demo

      markhood demo --report digits.html
    """
    from markhood.datasets.catalogue import SIDE, digits
    from markhood.learning.methods import Plrhc
    from markhood.learning.request import Request
    from markhood.learning.run import Execution
    from markhood.output.pictures.svg import draw_grid

    check_outputs([str(output)], report)
    console, samples = console_for([]), digits()
    with progress_bar() as progress:
        request = Request(Plrhc(), run=Execution(n_jobs=-1, progress=progress))
        graph = request.learn(samples).graph
    write_graphs(graph, [str(output)])
    if report is not None:
        write_report_page(graph, report, samples, "Pixels of handwritten digits", layout="grid")
    print_summary(graph, console)
    rows, columns = graph.edges // SIDE, graph.edges % SIDE
    apart = abs(rows[:, 0] - rows[:, 1]).clip(abs(columns[:, 0] - columns[:, 1]))
    touching = int((apart == 1).sum())
    console.print(
        f"\nThe 8 x 8 pixels, with the {touching} of {graph.n_edges} edges between "
        "adjacent pixels:\n"
    )
    console.print(draw_grid(graph, SIDE), highlight=False)
