"""`markhood plan`: how many samples a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from markhood.commandline.options import Ask, Study
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    progress_bar,
    write_plot,
    write_tables,
)
from markhood.commandline.text_tables import print_table, texts_of


def plan(
    ask: Ask,
    study: Annotated[Any, Study("PlanOptions")],
    source: Annotated[
        Path | None,
        typer.Argument(
            help="The expected network: pilot data, a graph or a model. By default a random "
            "network as described by --nodes, --density, --coupling and --levels."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a row for every size: .csv.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the power by size: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Find the number of samples that a study needs, by simulation.

    [bold]Examples[/bold]

      markhood plan pilot.csv

      markhood plan --nodes 20 --levels 5 --measure correlation --plot power.png

      markhood plan model.json --measure edge --edge sleep,mood --power 0.9

      markhood plan pilot.csv --measure group --edge sleep,mood --missing-share 0.1
    """
    from markhood.stability.plan import plan_request

    check_outputs([], inputs=[source, *ask.files()], tables=[output], plot=plot)
    with progress_bar() as progress:
        found = plan_request(ask(progress), source, study)
    write_tables((output, found.rows))
    if plot is not None:
        from markhood.output.pictures.plan import plan as draw

        write_plot(draw(found), plot)
    console = console_for([])
    print_table(texts_of(found.rows()), console)
    console.print(found.paragraph())
