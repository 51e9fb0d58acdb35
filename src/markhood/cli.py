"""The command line: parse, call, print.

Numbers are made elsewhere; heavy modules are imported by the command that needs them, so that
`markhood --help` answers at once. Exit codes: 0; 2 for input that cannot be used; 130 on Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from markhood.commands.pack import pack
from markhood.data_options import Read, reads_data
from markhood.errors import InputError
from markhood.options import (
    ForbiddenEdges,
    GroupRule,
    Groups,
    MaxCandidates,
    RequiredEdges,
    settings,
)
from markhood.terminal import (
    CheckpointFolder,
    DryRun,
    ExecutorName,
    Jobs,
    KernelsName,
    SchedulerAddress,
    console_for,
    guarded,
    print_forecast,
    print_summary,
    runner_on,
)

if TYPE_CHECKING:
    from markhood.data.samples import Samples
    from markhood.graph.graph import Graph

ABOUT = """
Learn the graph of a pairwise Markov network (Ising model) from data.

[bold]Examples[/bold]

  markhood demo

  markhood learn symptoms.csv --output symptoms.graphml --report symptoms.html

  markhood simulate hub --variables 64 --samples 1000 --output data.csv --truth truth.csv

  markhood compare truth.csv learned.csv

  markhood paper screening --replicates 10
"""

EPILOG = (
    "markhood COMMAND --help says more, with examples. "
    "Exit codes: 0 done, 2 input that cannot be used, 130 stopped with Ctrl-C."
)

app = typer.Typer(
    name="markhood",
    help=ABOUT,
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line."""
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        from markhood import __version__

        typer.echo(f"markhood {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


LEARN_EXAMPLES = """
Learn the graph of a table of discrete observations.

[bold]Examples[/bold]

  markhood learn symptoms.csv

  markhood learn votes.parquet --output votes.graphml --output votes.csv

  markhood learn spins.npy --method hc --rule and --gamma 0.25 --jobs 4

  markhood learn symptoms.csv --method l1lr --rule and --gamma 0.25 --set refit=false --set standardize=true

  markhood learn survey.tsv --columns sad,tired,anxious --output - > edges.csv

  markhood learn survey.tsv --missing drop --missing-values=-9 --weights weight --report survey.html

  markhood learn survey.tsv --forbidden never.csv --groups questions.csv --group-rule between

  markhood learn genes.fasta --min-minor 0.01 --max-candidates 500 --dry-run

  markhood learn variants.parquet --executor dask --scheduler tcp://head:8786 --checkpoint variants
"""


@app.command(help=LEARN_EXAMPLES)
@guarded
@reads_data
def learn(
    data: Annotated[Path, typer.Argument(help="A data file, or a folder that was packed.")],
    read: Read,
    method: Annotated[
        str, typer.Option(help="plrhc, hc, mpl, l1lr, bjp, pairwise or chow-liu.")
    ] = "plrhc",
    rule: Annotated[
        str | None, typer.Option(help="global, or, and: how blankets become a graph.")
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Weight of the number of possible blankets; larger, fewer edges [0.5]."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Steps of the screened graph to search in (plrhc) [3].")
    ] = None,
    max_candidates: MaxCandidates = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Another option of the method, such as criterion=mpl, start=empty, refit=false. "
            "May be repeated.",
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the graph: .csv, .json, .graphml, .gexf, .npz, or - for CSV on standard "
            "output. May be repeated.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive page of the graph: .html.")
    ] = None,
    jobs: Jobs = -1,
    kernels: KernelsName = "native",
    executor: ExecutorName = None,
    scheduler: SchedulerAddress = None,
    checkpoint: CheckpointFolder = None,
    dry_run: DryRun = False,
    required: RequiredEdges = None,
    forbidden: ForbiddenEdges = None,
    groups: Groups = None,
    group_rule: GroupRule = "between",
) -> None:
    """Learn the graph of a table of discrete observations."""
    from markhood.learning import kernels_named, known_beforehand, learn_from
    from markhood.methods import method_named

    backend = kernels_named(kernels)
    named = {"rule": rule, "gamma": gamma, "depth": depth, "max_candidates": max_candidates}
    given = {name: value for name, value in named.items() if value is not None}
    chosen = method_named(method, given | settings(more or []))
    outputs = output or []
    _check_outputs(outputs, report)
    with runner_on(executor, scheduler, jobs, kernels) as runner:
        samples = read(data)
        if dry_run:
            print_forecast(samples, chosen, backend, jobs)
            return
        known = known_beforehand(samples.names, required, forbidden, groups, group_rule)
        learned = learn_from(samples, chosen, backend, runner, known, checkpoint=checkpoint)
    _write(learned.graph, outputs)
    if report is not None:
        _write_report(learned.graph, report, samples, data.name, err="-" in outputs)
    print_summary(learned.graph, console_for(outputs))


app.command("pack")(guarded(reads_data(pack)))


@app.command("report")
@guarded
@reads_data
def make_report(
    file: Annotated[
        Path, typer.Argument(help="A graph file (a CSV or NPZ as markhood writes it), or data.")
    ],
    read: Read,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: .html.")] = Path(
        "report.html"
    ),
) -> None:
    """Make an interactive page of a graph: one file, for any browser, offline.

    The page shows the network, its edges, plots, the data and the run. Data are learned from with
    the default method; for others there is markhood learn --report.

    [bold]Examples[/bold]

      markhood report votes.graphml --output votes.html

      markhood report votes.csv
    """
    from markhood.learning import learn_from
    from markhood.methods import method_named
    from markhood.output.graph_files import holds_graph, read_graph

    _check_outputs([], output)
    if holds_graph(file):
        _write_report(read_graph(file), output, None, file.name)
        return
    samples = read(file)
    with runner_on() as runner:
        learned = learn_from(samples, method_named("plrhc", {}), runner=runner)
    _write_report(learned.graph, output, samples, file.name)


@app.command()
@guarded
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the graph.")
    ] = Path("digits.graphml"),
) -> None:
    """Learn which pixels of handwritten digits depend on each other, and draw the answer.

    [bold]Examples[/bold]

      markhood demo

      markhood demo --output digits.json
    """
    from markhood.data.digits import SIDE, digits
    from markhood.learning import learn_from
    from markhood.methods import method_named
    from markhood.output.text_pictures import draw_grid

    _check_outputs([str(output)])
    console = console_for([])
    with runner_on() as runner:
        learned = learn_from(digits(), method_named("plrhc", {}), runner=runner)
    _write(learned.graph, [str(output)])
    print_summary(learned.graph, console)
    rows, columns = learned.graph.edges // SIDE, learned.graph.edges % SIDE
    apart = abs(rows[:, 0] - rows[:, 1]).clip(abs(columns[:, 0] - columns[:, 1]))
    touching = int((apart == 1).sum())
    console.print(
        f"\nThe 8 x 8 pixels, with the {touching} of {learned.graph.n_edges} edges that join "
        "pixels that touch:\n"
    )
    console.print(draw_grid(learned.graph, SIDE), highlight=False)


@app.command()
@guarded
def simulate(
    network: Annotated[
        str,
        typer.Argument(
            help="grid, hub, chain, cycle, tree, erdos-renyi, barabasi-albert, watts-strogatz, "
            "stochastic-block, or a file with a graph."
        ),
    ],
    samples: Annotated[int, typer.Option(help="How many samples.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Data: .csv, .tsv, .parquet, .arrow, .npy, .npz.")
    ],
    variables: Annotated[
        int | None, typer.Option(help="How many variables; not for a graph from a file.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Graph: .csv, .json, .graphml, .gexf or .npz.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same data.")] = 0,
    potentials: Annotated[
        str, typer.Option(help="uniform-tables (the paper's), normal, uniform or signs.")
    ] = "uniform-tables",
    burn_in: Annotated[int, typer.Option(help="Sweeps before the first sample.")] = 2000,
    thinning: Annotated[int, typer.Option(help="Sweeps between samples.")] = 10,
    convergence: Annotated[
        bool, typer.Option("--convergence", help="Say how well the sampler's chains agree.")
    ] = False,
) -> None:
    """Make data from a network whose graph is known.

    [bold]Examples[/bold]

      markhood simulate hub --variables 64 --samples 1000 -o data.parquet --truth truth.graphml

      markhood learn data.parquet -o learned.graphml

      markhood compare truth.graphml learned.graphml
    """
    from markhood.output.data_files import check_data_writable, write_data
    from markhood.simulate.potentials import ising

    check_data_writable(output)
    _check_outputs([str(truth)] if truth else [])
    for_network, for_potentials, for_samples = _three_seeds(seed)
    model = ising(_network(network, variables, for_network), potentials, for_potentials)
    data = model.sample(samples, for_samples, burn_in=burn_in, thinning=thinning)
    agreement = model.convergence(data) if convergence else None
    write_data(data, model.graph.nodes, output)
    typer.echo(f"Wrote {output}: {samples} samples of {model.n_variables} variables")
    _write(model.graph, [str(truth)] if truth else [])
    if agreement is not None:
        typer.echo(
            f"R-hat at most {agreement.r_hat.max():.3f}, effective samples at least "
            f"{agreement.effective_samples.min():.0f} of {samples}"
        )


def _network(network: str, variables: int | None, seed: Any) -> Graph:
    """Make a network by its name, or read a graph from a file."""
    from markhood.output.graph_files import read_graph
    from markhood.simulate.networks import network_named

    if Path(network).suffix:
        if variables is not None:
            raise InputError("--variables is not for a graph from a file: leave it out.")
        return read_graph(network)
    if variables is None:
        raise InputError(f"Say how many variables the {network} network has: --variables 64, say.")
    return network_named(network, variables, seed)


def _three_seeds(seed: int) -> list[Any]:
    from numpy.random import SeedSequence

    if seed < 0:
        raise InputError(f"The seed must be 0 or more, not {seed}.")
    return SeedSequence(seed).spawn(3)


@app.command()
@guarded
def compare(
    truth: Annotated[Path, typer.Argument(help="The true graph.")],
    learned: Annotated[list[Path], typer.Argument(help="Learned graphs.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table as CSV.")
    ] = None,
) -> None:
    """Compare learned graphs with the true one: wrong edges, Hamming distance, precision, recall.

    Graphs are matched by the names of their nodes. Any format that markhood writes will do.

    [bold]Examples[/bold]

      markhood compare truth.graphml learned.graphml

      markhood compare truth.csv plrhc.csv hc.csv mpl.csv --output comparison.csv
    """
    from rich.table import Table

    from markhood.evaluate.measures import comparison_table
    from markhood.output.graph_files import read_graph
    from markhood.output.tables import check_table_writable, write_table

    if output is not None:
        check_table_writable(output)
    graphs = {str(path): read_graph(path) for path in learned}
    rows = comparison_table(read_graph(truth), graphs)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in rows[0]:
        table.add_column(
            heading.replace("_", "\n"), justify="left" if heading == "method" else "right"
        )
    for row in rows:
        table.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()))
    console_for([]).print(table)
    if output is not None:
        write_table(rows, output)
        typer.echo(f"Wrote {output}")


@app.command()
@guarded
def paper(
    experiment: Annotated[
        str,
        typer.Argument(help="screening (Table 1), cost (Table 2) or comparison (Tables 3 and 4)."),
    ],
    replicates: Annotated[int, typer.Option(help="Data sets of each cell.")] = 100,
    methods: Annotated[str, typer.Option(help="Of the comparison, only these: plrhc,mpl.")] = "",
    networks: Annotated[str, typer.Option(help="Only these: grid,hub.")] = "",
    variables: Annotated[str, typer.Option(help="Only these numbers of variables: 64,144.")] = "",
    samples: Annotated[str, typer.Option(help="Only these numbers of samples: 250,500.")] = "",
    jobs: Jobs = -1,
    kernels: KernelsName = "native",
    executor: ExecutorName = None,
    scheduler: SchedulerAddress = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the results; a run goes on there.")
    ] = Path("paper"),
    burn_in: Annotated[int, typer.Option(help="Sweeps before the first sample.")] = 100_000,
    thinning: Annotated[int, typer.Option(help="Sweeps between samples.")] = 100,
) -> None:
    """Run an experiment of the paper again, beside the published numbers.

    Every replicate is written as it is done; after Ctrl-C or a kill the same command goes on.

    [bold]Examples[/bold]

      markhood paper screening --replicates 10

      markhood paper cost --networks hub --variables 64,144

      markhood paper comparison --methods plrhc,mpl --variables 64 --samples 250,500
    """
    from markhood.learning import kernels_named
    from markhood.paper.experiment import Sampling, choose_cells
    from markhood.paper.experiments import experiment_named, repeat
    from markhood.paper.tables import FAR

    parts = experiment_named(experiment, _words(methods))
    cells = choose_cells(
        parts[0],
        _words(networks),
        _whole_numbers("--variables", variables),
        _whole_numbers("--samples", samples),
    )
    sampling, backend = Sampling(burn_in, thinning), kernels_named(kernels)
    with runner_on(executor, scheduler, jobs, kernels) as runner:
        report = repeat(experiment, parts, cells, replicates, output, runner, sampling, backend)
    far = [line for line in report.lines if line.is_far]
    typer.echo(
        f"{len(report.lines)} figures from {replicates} replicates; {len(far)} differ from the "
        f"paper's by more than {FAR} standard errors of the difference"
    )
    for path in report.files:
        typer.echo(f"Wrote {path}")


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _whole_numbers(option: str, text: str) -> list[int]:
    try:
        return [int(number) for number in _words(text)]
    except ValueError:
        raise InputError(f"{option} must be whole numbers with commas, not {text!r}.") from None


def _check_outputs(outputs: list[str], report: Path | None = None) -> None:
    """Refuse what could not be written, before the work rather than after it."""
    if report is not None:
        from markhood.output.report.page import check_report_writable

        check_report_writable(report)
    from markhood.output.graph_files import check_writable

    for output in outputs:
        if output != "-":
            check_writable(output)


def _write(graph: Graph, outputs: list[str]) -> None:
    from markhood.output.graph_files import write_csv, write_graph

    for output in outputs:
        if output == "-":
            write_csv(graph, sys.stdout)
        else:
            write_graph(graph, output)
            typer.echo(f"Wrote {output}", err="-" in outputs)


def _write_report(
    graph: Graph, path: Path, samples: Samples | None, title: str, err: bool = False
) -> None:
    from markhood.output.report.page import write_report

    write_report(graph, path, samples, title)
    typer.echo(f"Wrote {path}", err=err)
