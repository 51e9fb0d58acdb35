"""`markhood learn`: a table of observations to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.options import Ask, DryRun, EscapeFormulas, Outputs
from markhood.commandline.summary import print_forecast, print_summary
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    progress_bar,
    say,
    write_graphs,
    write_report_page,
)


def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    ask: Ask,
    output: Outputs = None,
    escape_formulas: EscapeFormulas = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive page of the graph: .html.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Fit the graph's fields and couplings too, and write them: .json."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Learn the graph of a table of discrete observations.

    [bold]Examples[/bold]

      markhood learn symptoms.csv

      markhood learn symptoms.csv --output symptoms.json --model model.json

      markhood learn votes.parquet --output votes.graphml --output edges.csv

      markhood learn spins.npy --method hc --rule and --gamma 0.25 --n-jobs 4

      markhood learn symptoms.csv --method l1lr --rule and --no-refit --standardize

      markhood learn species.csv --method bayes --fdr 0.05 --output graph.json

      markhood learn survey.tsv --columns sad,tired,anxious --output - > edges.csv

      markhood learn survey.tsv --missing drop --missing-values=-9 --weights weight

      markhood learn survey.tsv --missing impute --imputations 20 -o survey.json

      markhood learn survey.tsv --forbidden-edges never.csv --groups questions.csv

      markhood learn survey.csv --adjust-for age,sex --report page.html

      markhood learn family.a3m --method plm --weights similarity --output pairs.csv

      markhood learn protein.fasta --method pairwise --ranking mi_apc --top 80

      markhood learn genes.fasta --min-minor 0.01 --max-candidates 500 --dry-run

      markhood learn variants.vcf.gz --min-distance 10000 --report variants.html

      markhood learn variants --executor dask --scheduler tcp://head:8786
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
            said = request.forecast(ready)
            print_forecast(said, ready, advice(request, ready, said))
            return
        graph = request.learn(samples).graph
    write_graphs(graph, outputs, escape_formulas)
    if model is not None:
        write_model(fit_model(graph, samples), model)
        say(f"Wrote {model}", err="-" in outputs)
    if report is not None:
        write_report_page(graph, report, samples, data.name, err="-" in outputs)
    print_summary(graph, console_for(outputs))
