"""`markhood choose-gamma`: the graph for several gammas, and how well each predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import Ask
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    progress_bar,
    words,
    write_plot,
    write_tables,
)
from markhood.commandline.text_tables import print_table
from markhood.errors import InputError


def choose_gamma(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a row for every gamma: .csv.")
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(help="Write the largest gamma at which each edge is present: .csv."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the number of edges and the prediction by gamma: .png, .svg or .pdf."
        ),
    ] = None,
    gammas: Annotated[
        str, typer.Option(metavar="LIST", help="Values of gamma to try, separated by commas.")
    ] = "0,0.125,0.25,0.5,0.75,1,1.5,2",
    folds: Annotated[int, typer.Option(help="Number of folds of the cross-validation.")] = 5,
) -> None:
    """Learn with several values of gamma, and see which graph predicts best.

    [bold]Examples[/bold]

      markhood choose-gamma symptoms.csv

      markhood choose-gamma symptoms.csv --gammas 0,0.5,1 --plot gammas.png
    """
    from markhood.stability.gamma import follow_gamma

    check_outputs([], inputs=[data, *ask.files()], tables=(output, edges), plot=plot)
    try:
        tried = [float(word) for word in words(gammas)]
    except ValueError:
        raise InputError(
            "option-value",
            "gammas",
            f"--gammas must be numbers separated by commas, not {gammas!r}.",
        ) from None
    with progress_bar() as progress:
        request = ask(progress)
        found = follow_gamma(request, request.read(data), tried, folds)
    write_tables((output, found.rows), (edges, found.edges))
    if plot is not None:
        from markhood.output.pictures.stability import gamma_path

        write_plot(gamma_path(found), plot)
    console = console_for([])
    table = [{n.replace("_", " "): f"{v:.6g}" for n, v in row.items()} for row in found.rows()]
    print_table(table, console)
    console.print(f"best      gamma {found.best:g} predicts held-out samples best")
    console.print(
        f"sparsest  gamma {found.sparsest:g} is the largest within one standard error of the best"
    )
    console.print(
        f"suggested gamma {found.suggested:g}: 0.5 for sparse graphs, the best for denser ones"
    )
