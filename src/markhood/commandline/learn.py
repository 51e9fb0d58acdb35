"""`markhood learn`: a table of observations to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.help import MOST_USED
from markhood.commandline.options import Ask, DryRun, EscapeFormulas, Outputs
from markhood.commandline.summary import print_forecast, print_next_step, print_summary
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    progress_bar,
    write_graphs,
    write_report_page,
)


def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Outputs = None,
    escape_formulas: EscapeFormulas = False,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write an interactive page of the graph: .html.", rich_help_panel=MOST_USED
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Also fit the fields and couplings of the graph, and write them: .json.",
            rich_help_panel=MOST_USED,
        ),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Learn the graph of a table of discrete observations.

    [bold]Examples[/bold]

      markhood learn symptoms.csv

      markhood learn symptoms.csv --output symptoms.json --model model.json

      markhood learn survey.csv --adjust-for age,sex --report page.html

      markhood learn survey.tsv --missing impute --kinds nominal -o edges.csv
    """
    from markhood.learning.checks.density import advice
    from markhood.model.fitting.fit import fit_model
    from markhood.output.model_files import check_model_writable, write_model

    outputs = output or []
    if model is not None:
        check_model_writable(model)
    with progress_bar() as progress, ask(progress) as request:
        saved = request.run.checkpoint
        check_outputs(
            outputs,
            report,
            inputs=[data, *ask.files()],
            others=[
                *([] if saved is None else [Path(saved) / "run.json"]),
                *([] if model is None else [model]),
            ],
        )
        samples = request.read(data)
        if dry_run:
            ready = request.prepared(samples)
            forecast = request.forecast(ready)
            print_forecast(forecast, ready, advice(request, ready, forecast))
            return
        graph = request.learn(samples).graph
    write_graphs(graph, outputs, escape_formulas)
    if model is not None:
        write_model(fit_model(graph, samples), model)
        announce(f"Wrote {model}", err="-" in outputs)
    if report is not None:
        write_report_page(graph, report, samples, data.name, err="-" in outputs)
    console = console_for(outputs)
    print_summary(graph, console)
    print_next_step(graph, data, bool(ask.given), console)
