"""`markhood paper`: repeat the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline import options
from markhood.commandline.terminal import (
    announce,
    runner_on,
    whole_numbers,
    words,
)


def paper(
    experiment: Annotated[
        str,
        typer.Argument(help="screening (Table 1), cost (Table 2) or comparison (Tables 3 and 4)."),
    ],
    replicates: Annotated[int, typer.Option(help="Number of data sets per cell.")] = 100,
    methods: Annotated[
        str, typer.Option(help="Only these methods of the comparison: plrhc,mpl.")
    ] = "",
    networks: Annotated[str, typer.Option(help="Only these networks: grid,hub.")] = "",
    variables: Annotated[str, typer.Option(help="Only these numbers of variables: 64,144.")] = "",
    samples: Annotated[str, typer.Option(help="Only these numbers of samples: 250,500.")] = "",
    n_jobs: options.Jobs = -1,
    kernels: Annotated[str, typer.Option(help="Compute backend: native or cuda.")] = "native",
    executor: Annotated[
        str | None, typer.Option(help="Where the work runs: threads, dask or ray.")
    ] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of the cluster.")] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder for the results; an interrupted run continues from it."
        ),
    ] = Path("paper"),
    burn_in: Annotated[int, typer.Option(help="Sweeps before the first sample.")] = 100_000,
    thinning: Annotated[int, typer.Option(help="Sweeps between samples.")] = 100,
) -> None:
    """Repeat an experiment of the paper, and compare with the published numbers.

    Every replicate is saved when it is done. After Ctrl-C or a kill, the same command continues.

    [bold]Examples[/bold]

      markhood paper screening --replicates 10

      markhood paper cost --networks hub --variables 64,144

      markhood paper comparison --methods plrhc,mpl --samples 250,500
    """
    from markhood.learning.run import kernels_named
    from markhood.paper.experiment import Sampling, choose_cells
    from markhood.paper.experiments import experiment_named, repeat
    from markhood.paper.published_comparison import FAR

    parts = experiment_named(experiment, words(methods))
    cells = choose_cells(
        parts[0],
        words(networks),
        whole_numbers("--variables", variables),
        whole_numbers("--samples", samples),
    )
    sampling = Sampling(burn_in, thinning, kernels_named(kernels))
    with runner_on(executor, scheduler, n_jobs, kernels) as runner:
        report = repeat(experiment, parts, cells, replicates, output, runner, sampling)
    far = [line for line in report.lines if line.is_far]
    typer.echo(
        f"{len(report.lines)} figures from {replicates} replicates; {len(far)} differ from the "
        f"published ones by more than {FAR} standard errors of the difference"
    )
    for path in report.files:
        announce(f"Wrote {path}")
