"""`markhood learn`: a table of observations to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline import options
from markhood.commandline.reading import Read, with_columns
from markhood.commandline.summary import print_forecast, print_summary
from markhood.commandline.terminal import (
    check_outputs,
    console_for,
    progress_bar,
    say,
    words,
    write_graphs,
    write_report_page,
)


def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    read: Read,
    output: options.Outputs = None,
    escape_formulas: options.EscapeFormulas = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive page of the graph: .html.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Fit the graph's fields and couplings too, and write them: .json."),
    ] = None,
    method: options.MethodName = "plrhc",
    rule: options.Rule = None,
    gamma: options.Gamma = None,
    depth: options.Depth = None,
    max_candidates: options.MaxCandidates = None,
    criterion: options.CriterionName = None,
    start: options.Start = None,
    fit_penalty: options.FitPenalty = None,
    fit_strength: options.FitStrength = None,
    standardize: options.Standardize = None,
    refit: options.Refit = None,
    forest: options.Forest = None,
    ranking: options.Ranking = None,
    top: options.Top = None,
    remove_indirect: options.RemoveIndirect = None,
    fdr: options.Fdr = None,
    min_probability: options.MinProbability = None,
    edge_prior: options.EdgePrior = None,
    sweeps: options.Sweeps = None,
    chains: options.Chains = None,
    penalty: options.Penalty = None,
    required_edges: options.RequiredEdges = None,
    forbidden_edges: options.ForbiddenEdges = None,
    groups: options.Groups = None,
    group_rule: options.GroupRule = "between",
    pair_priors: options.PairPriors = None,
    adjust_for: options.AdjustFor = None,
    min_distance: options.MinDistance = None,
    genome_length: options.GenomeLength = None,
    identical: options.Identical = "auto",
    imputations: options.Imputations = 10,
    seed: options.Seed = 0,
    shuffles: options.Shuffles = 0,
    n_jobs: options.Jobs = -1,
    kernels: options.KernelsName = "native",
    executor: options.ExecutorName = None,
    scheduler: options.SchedulerAddress = None,
    checkpoint: options.CheckpointFolder = None,
    dry_run: options.DryRun = False,
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

      markhood learn survey.csv --adjust-for age,sex --bins age=5 --report page.html

      markhood learn family.a3m --method plm --weights similarity --output pairs.csv

      markhood learn protein.fasta --method pairwise --ranking mi_apc --top 80

      markhood learn genes.fasta --min-minor 0.01 --max-candidates 500 --dry-run

      markhood learn variants.vcf.gz --min-distance 10000 --report variants.html

      markhood learn variants --executor dask --scheduler tcp://head:8786
    """
    from markhood.learning.checks.density import advice
    from markhood.learning.methods import method_named
    from markhood.learning.request import Options, Request
    from markhood.model.fitting.fit import fit_model
    from markhood.output.model_files import check_model_writable, write_model

    of_method = {
        "rule": rule,
        "gamma": gamma,
        "depth": depth,
        "max_candidates": max_candidates,
        "criterion": criterion,
        "start": start,
        "fit_penalty": fit_penalty,
        "fit_strength": fit_strength,
        "standardize": standardize,
        "refit": refit,
        "forest": forest,
        "ranking": ranking,
        "top": top,
        "remove_indirect": remove_indirect,
        "fdr": fdr,
        "min_probability": min_probability,
        "edge_prior": edge_prior,
        "sweeps": sweeps,
        "chains": chains,
        "penalty": penalty,
    }
    given = {name: value for name, value in of_method.items() if value is not None}
    shared = Options(
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
        groups=groups,
        group_rule=group_rule,
        pair_priors=pair_priors,
        adjust_for=words(adjust_for or ""),
        min_distance=min_distance,
        genome_length=genome_length,
        identical=identical,
        imputations=imputations,
        seed=seed,
        shuffles=shuffles,
        n_jobs=n_jobs,
        kernels=kernels,
        executor=executor,
        scheduler=scheduler,
        checkpoint=checkpoint,
    )
    outputs = output or []
    if model is not None:
        check_model_writable(model)
    check_outputs(
        outputs,
        report,
        inputs=[
            data,
            required_edges,
            forbidden_edges,
            groups,
            pair_priors,
            read.keywords["weights"],
            read.keywords["positions"],
        ],
        others=[
            *([] if checkpoint is None else [checkpoint / "run.json"]),
            *([] if model is None else [model]),
        ],
    )
    with (
        progress_bar() as progress,
        Request(method_named(method, given), shared, progress) as request,
    ):
        samples = with_columns(read, shared.adjust_for)(data)
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
