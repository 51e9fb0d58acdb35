"""`markhood simulate`: draw data from a known graph; `markhood paper`: the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commandline import options
from markhood.commandline.options import words_beginning
from markhood.commandline.terminal import (
    announce,
    check_outputs,
    progress_bar,
    runner_on,
    say,
    whole_numbers,
    words,
    write_graphs,
)
from markhood.errors import InputError

if TYPE_CHECKING:
    from markhood.graph.graph import Graph

NETWORKS = (
    "grid", "hub", "chain", "cycle", "tree", "erdos-renyi", "barabasi-albert", "watts-strogatz",
    "stochastic-block",
)  # fmt: skip


def simulate(
    network: Annotated[
        str,
        typer.Argument(
            help="grid, hub, chain, cycle, tree, erdos-renyi, barabasi-albert, watts-strogatz, "
            "stochastic-block, or a file with a graph or a model; with --blocks also a list: "
            "grid,hub.",
            autocompletion=words_beginning(*NETWORKS),
        ),
    ],
    samples: Annotated[int, typer.Option(help="Number of samples.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Write the data: .csv, .tsv, .parquet, .arrow, .npy, .npz."
        ),
    ],
    variables: Annotated[
        int | None, typer.Option(help="Number of variables; not for a graph from a file.")
    ] = None,
    kind: Annotated[
        str, typer.Option(help="Whether the levels are ordered: nominal or ordinal.")
    ] = "nominal",
    levels: Annotated[
        str | None,
        typer.Option(
            help="Number of levels per variable; a list such as 2,3,4 is repeated.",
            show_default="2; 5 if ordinal",
        ),
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(help="Number of separate networks, sampled one by one, for large data."),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="Write the true graph: .csv, .json, .graphml, .gexf or .npz."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    potentials: Annotated[
        str,
        typer.Option(
            help="Distribution of the potentials: uniform-tables (as in the paper), normal, "
            "uniform or signs."
        ),
    ] = "uniform-tables",
    burn_in: Annotated[int, typer.Option(help="Sweeps before the first sample.")] = 2000,
    thinning: Annotated[int, typer.Option(help="Sweeps between samples.")] = 10,
    convergence: Annotated[
        bool, typer.Option("--convergence", help="Print how well the chains of the sampler agree.")
    ] = False,
) -> None:
    """Draw data from a network with a known graph.

    [bold]Examples[/bold]

      markhood simulate hub --variables 64 --samples 500 -o d.csv --truth t.csv

      markhood simulate grid --variables 64 --samples 500 --kind ordinal -o d.csv

      markhood simulate model.json --samples 1000 -o drawn.csv

      markhood simulate grid,hub --variables 64 --blocks 9 --samples 99 -o d.npy
    """
    from markhood.options import check_value
    from markhood.output.data_files import check_data_writable, write_data, write_samples
    from markhood.output.model_files import holds_model
    from markhood.simulate.pieces import sample_in_pieces
    from markhood.simulate.potentials import random_model

    check_value("samples", samples, int, low=1)
    check_data_writable(output)
    inputs = [network] if Path(network).suffix else []
    if holds_model(network):
        check_outputs([str(truth)] if truth else [], inputs=inputs, others=[output])
        _from_model(network, samples, output, truth, seed, variables, blocks, burn_in, thinning)
        return
    check_outputs([str(truth)] if truth else [], inputs=inputs, others=[output])
    if convergence and blocks is not None:
        raise InputError(
            "option-conflict", "convergence", "--convergence and --blocks exclude each other."
        )
    for_network, for_potentials, for_samples = _three_seeds(seed)
    graph = _network(network, variables, blocks, for_network)
    usual = "5" if kind == "ordinal" else "2"
    counts = whole_numbers("--levels", usual if levels is None else levels)
    model = random_model(graph, counts, potentials, for_potentials, kind)
    agreement = None
    if blocks is None:
        data = model.sample(samples, for_samples, burn_in=burn_in, thinning=thinning)
        agreement = model.convergence(data) if convergence else None
        write_data(data, graph.nodes, output)
    else:
        settings = {"burn_in": burn_in, "thinning": thinning, "n_jobs": -1}
        with progress_bar() as progress:
            packed = sample_in_pieces(model, samples, for_samples, progress=progress, **settings)
        write_samples(packed, output)
    announce(f"Wrote {output}: {samples} samples of {model.n_variables} variables")
    write_graphs(model.graph, [str(truth)] if truth else [])
    if kind == "nominal" and max(counts) > 2:
        say("The levels are categories written as numbers: learn with --kinds nominal.")
    if agreement is not None:
        typer.echo(agreement.in_words(samples))


def _from_model(
    path: str,
    samples: int,
    output: Path,
    truth: Path | None,
    seed: int,
    variables: int | None,
    blocks: int | None,
    burn_in: int,
    thinning: int,
) -> None:
    """Draw data from a fitted model, with the levels of its data."""
    import numpy as np

    from markhood.data.to_frame import level_array
    from markhood.output.data_files import write_data
    from markhood.output.model_files import read_model

    if variables is not None or blocks is not None:
        raise InputError(
            "option-conflict",
            "variables" if blocks is None else "blocks",
            "Leave out --variables and --blocks for a model from a file.",
        )
    model = read_model(path)
    drawn = model.distribution.sample(
        samples, _three_seeds(seed)[2], burn_in=burn_in, thinning=thinning
    )
    levels = [level_array(own).astype(object) for own in model.levels]
    columns = [own[drawn[:, v]] for v, own in enumerate(levels)]
    write_data(np.column_stack(columns), model.graph.nodes, output)
    announce(f"Wrote {output}: {samples} samples of {len(model.variables)} variables")
    write_graphs(model.graph, [str(truth)] if truth else [])


def _network(network: str, variables: int | None, blocks: int | None, seed: Any) -> Graph:
    """Make a network by its name or read a graph from a file, once or as separate blocks."""
    from markhood.output.graphs.files import read_graph
    from markhood.simulate.networks import disjoint, network_named, networks_in_turn

    if Path(network).suffix:
        if variables is not None:
            raise InputError(
                "option-conflict", "variables", "Leave out --variables for a graph from a file."
            )
        graph = read_graph(network)
        return graph if blocks is None else disjoint([graph] * blocks)
    if variables is None:
        raise InputError(
            "option-needed",
            "variables",
            f"Pass the number of variables of the {network} network, such as --variables 64.",
        )
    if blocks is None:
        return network_named(network, variables, seed)
    return networks_in_turn(words(network), variables, blocks, seed)


def _three_seeds(seed: int) -> list[Any]:
    from numpy.random import SeedSequence

    if seed < 0:
        raise InputError("option-value", "seed", f"--seed must be 0 or more, not {seed}.")
    return SeedSequence(seed).spawn(3)


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
