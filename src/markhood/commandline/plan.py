"""`markhood plan`: how many samples a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.bootstrap import write_rows
from markhood.commandline.options import Ask, words_beginning
from markhood.commandline.terminal import check_outputs, console_for, progress_bar, say, words
from markhood.commandline.text_tables import print_table
from markhood.stability.measures import MEASURES

TARGETS = ", ".join(f"{name} {own.target:g}" for name, own in MEASURES.items() if own.target < 1)


def plan(
    ask: Ask,
    source: Annotated[
        Path | None,
        typer.Argument(
            help="The expected network: pilot data, a graph or a model. By default a random "
            "network as described by --nodes, --density, --coupling and --levels."
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            help=f"What should be reached: {', '.join(MEASURES)}.",
            autocompletion=words_beginning(*MEASURES),
        ),
    ] = "sensitivity",
    target: Annotated[
        float | None,
        typer.Option(
            help="Value of the measure to reach.",
            show_default=TARGETS,
        ),
    ] = None,
    power: Annotated[float, typer.Option(help="Probability with which to reach it.")] = 0.8,
    nodes: Annotated[int, typer.Option(help="Number of variables of a random network.")] = 20,
    density: Annotated[float, typer.Option(help="Share of its pairs that are edges.")] = 0.15,
    coupling: Annotated[
        float, typer.Option(help="Its mean |coupling| (log odds of binary variables).")
    ] = 1.0,
    levels: Annotated[int, typer.Option(help="Number of ordered levels of its variables.")] = 2,
    edge: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Ends of the edge, for --measure edge and group.",
            show_default="the weakest",
        ),
    ] = None,
    difference: Annotated[
        float,
        typer.Option(help="For --measure group, change of its coupling in the second group."),
    ] = 1.0,
    missing_share: Annotated[
        float, typer.Option(help="Share of the values that will be missing.")
    ] = 0.0,
    data_sets: Annotated[int, typer.Option(help="Number of simulated data sets.")] = 1800,
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
    from markhood.output.csv_tables import check_table_writable, write_table
    from markhood.output.pictures.figures import check_figure_writable
    from markhood.stability.plan import plan_request

    if output is not None:
        check_table_writable(output)
    if plot is not None:
        check_figure_writable(plot)
    check_outputs(
        [],
        inputs=[*([] if source is None else [source]), *ask.files()],
        others=[path for path in (output, plot) if path is not None],
    )
    network = {"nodes": nodes, "density": density, "coupling": coupling, "levels": levels}
    with progress_bar() as progress:
        found = plan_request(
            ask(progress),
            source,
            network,
            measure,
            target,
            power,
            None if edge is None else words(edge),
            difference,
            missing_share,
            data_sets,
        )
    if output is not None:
        write_rows(found.rows(), output, write_table)
    if plot is not None:
        from markhood.output.pictures.figures import write_figure
        from markhood.output.pictures.plan import plan as draw

        write_figure(draw(found), plot)
        say(f"Wrote {plot}")
    console = console_for([])
    table = [{n.replace("_", " "): f"{v:.3g}" for n, v in row.items()} for row in found.rows()]
    print_table(table, console)
    console.print(found.paragraph())
