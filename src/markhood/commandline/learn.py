"""`markhood learn`: a table of observations to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import MOST_USED, Ask, DryRun, EscapeFormulas, Outputs
from markhood.commandline.pages import (
    PANEL,
    Labels,
    ReportFile,
    Title,
    model_for_page,
    write_report_page,
)
from markhood.commandline.summary import print_forecast, print_next_step, print_summary
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    console_for,
    progress_bar,
    write_graphs,
)
from markhood.errors import InputError


def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Outputs = None,
    escape_formulas: EscapeFormulas = False,
    report: ReportFile = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Also fit the fields and couplings of the graph, and write them: .json.",
            rich_help_panel=MOST_USED,
        ),
    ] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Also learn from N resampled data sets, for frequencies, intervals and CS "
            "coefficients in the report.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    title: Title = None,
    labels: Labels = None,
    dry_run: DryRun = False,
) -> None:
    """Learn the graph of a table of discrete observations.

    [bold]Examples[/bold]

      markhood learn symptoms.csv

      markhood learn symptoms.csv --output symptoms.json --model model.json

      markhood learn survey.csv --report page.html --bootstrap 1000

      markhood learn survey.tsv --missing impute --kinds nominal -o edges.csv
    """
    from markhood.learning.checks.many_parameters import advice
    from markhood.model.fitting.fit import fit_model
    from markhood.output.model_files import check_model_writable, write_model
    from markhood.output.report.study import node_texts
    from markhood.stability.bootstrap import bootstrap_samples
    from markhood.stability.studies import BootstrapOptions

    outputs = output or []
    if bootstrap is not None and report is None:
        raise InputError(
            "option-needed",
            "report",
            "--bootstrap adds to a report: also use --report page.html, or markhood bootstrap.",
        )
    if model is not None:
        check_model_writable(model)
    with progress_bar() as progress, ask(progress) as request:
        saved = request.run.checkpoint
        check_outputs(
            outputs,
            report,
            inputs=[data, labels, *ask.files()],
            others=[None if saved is None else Path(saved) / "run.json", model],
        )
        samples = request.read(data)
        if dry_run:
            ready = request.prepared(samples)
            forecast = request.forecast(ready)
            print_forecast(forecast, ready, advice(request, ready, forecast))
            return
        learned = request.learn(samples)
        graph = learned.graph
        node_texts(graph, labels)  # fail before the bootstrap
        replicates = [
            bootstrap_samples(request, samples, study)
            for n_replicates in ([] if bootstrap is None else [bootstrap])
            for study in (
                BootstrapOptions(replicates=n_replicates),
                BootstrapOptions(replicates=n_replicates, resample="cases"),
            )
        ]
    write_graphs(graph, outputs, escape_formulas)
    fitted = None
    if model is not None:
        fitted = fit_model(graph, samples)
        write_model(fitted, model)
        announce(f"Wrote {model}", err="-" in outputs)
    if report is not None:
        write_report_page(
            graph,
            report,
            samples,
            title or data.name,
            err="-" in outputs,
            model=fitted or model_for_page(graph, samples),
            bootstrap=replicates,
            labels=labels,
        )
    console = console_for(outputs)
    print_summary(graph, console)
    if bootstrap is None:
        print_next_step(graph, data, bool(ask.given), console)
