"""`markhood choose-gamma`: the graphs over gamma, and how well each predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.bootstrap import write_rows
from markhood.commandline.options import Ask
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, say, words
from markhood.errors import InputError


def choose_gamma(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a row for every gamma: .csv.")
    ] = None,
    edges: Annotated[
        Path | None, typer.Option(help="Write up to which gamma each edge stays: .csv.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw edges and prediction over gamma: .png, .svg or .pdf.")
    ] = None,
    gammas: Annotated[
        str, typer.Option(metavar="LIST", help="Which to try.")
    ] = "0,0.125,0.25,0.5,0.75,1,1.5,2",
    folds: Annotated[int, typer.Option(help="Parts of the samples that are left out in turn.")] = 5,
) -> None:
    """Learn with several gammas: which edges stay, and which graph predicts best.

    [bold]Examples[/bold]

      markhood choose-gamma symptoms.csv

      markhood choose-gamma symptoms.csv --gammas 0,0.5,1 --plot gammas.png
    """
    from rich.table import Table

    from markhood.output.tables import check_table_writable, write_table
    from markhood.stability.gamma import follow_gamma

    for path in (output, edges):
        if path is not None:
            check_table_writable(path)
    if plot is not None:
        from markhood.output.pictures.figures import check_figure_writable

        check_figure_writable(plot)
    check_outputs(
        [],
        inputs=[data, *ask.files()],
        others=[path for path in (output, edges, plot) if path is not None],
    )
    try:
        tried = [float(word) for word in words(gammas)]
    except ValueError:
        raise InputError(f"--gammas must be numbers with commas, not {gammas!r}.") from None
    with progress_bar() as progress:
        request = ask(progress)
        found = follow_gamma(request, request.read(data), tried, folds)
    for place, rows in ((output, found.rows), (edges, found.edges)):
        if place is not None:
            write_rows(rows(), place, write_table)
    if plot is not None:
        from markhood.output.pictures.figures import write_figure
        from markhood.output.pictures.gamma import gamma_path

        write_figure(gamma_path(found), plot)
        say(f"Wrote {plot}")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in found.rows()[0]:
        table.add_column(heading.replace("_", " "), justify="right")
    for row in found.rows():
        table.add_row(*(f"{value:.6g}" for value in row.values()))
    console = console_for([])
    console.print(table)
    console.print(f"best      gamma {found.best:g} predicts held-out samples best")
    console.print(
        f"sparsest  gamma {found.sparsest:g} is the largest that predicts within one standard error of it"
    )
